"""A codebook says what columns mean and nothing about roles."""

import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import described_facts, labelled, schema_of

from ammg.data.attribute import Attribute, Kind, Role
from ammg.errors import InputError
from ammg.io.codebook import Codebook, codebook_path

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=10)
CODES = st.integers(-(10**9), 10**9)


@given(TEXT, st.dictionaries(CODES, TEXT, max_size=4), st.lists(CODES, max_size=3, unique=True), TEXT)
def test_yaml_and_json_give_back_every_label(label: str, labels: dict, codes: list, form: str) -> None:
    frame = pl.DataFrame({"x": [1]})
    x = Attribute(
        name="x",
        kind=Kind.NOMINAL,
        label=label,
        value_labels=labels,
        missing_codes=(*codes, (90, 99)),
        display_format=form,
    )
    schema = schema_of(frame, x)
    codebook = Codebook.of(frame, schema)
    expected = described_facts(schema)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.codebook.yaml"
        path.write_text(codebook.to_yaml(), encoding="utf-8")
        loaded = Codebook.load(path)
    for after in (Codebook.parse(codebook.to_json(), "x"), loaded):
        found = described_facts(after.schema(frame.schema))
        assert found["x"][:3] == expected["x"][:3]
        assert set(found["x"][3]) == set(expected["x"][3])


def test_the_order_of_an_ordinal_attribute_is_kept() -> None:
    frame = pl.DataFrame({"x": ["low", "high"]})
    x = Attribute(name="x", kind=Kind.ORDINAL, categories=("low", "middle", "high"))
    after = Codebook.parse(Codebook.of(frame, schema_of(frame, x)).to_json(), "x").schema(frame.schema)
    assert after["x"].categories == ("low", "middle", "high")


def test_labels_of_an_ordinal_attribute_without_a_dictionary_do_not_become_one() -> None:
    frame = pl.DataFrame({"x": [1, 2]})
    x = Attribute(name="x", kind=Kind.ORDINAL, value_labels={1: "least"})
    after = Codebook.parse(Codebook.of(frame, schema_of(frame, x)).to_json(), "x").schema(frame.schema)
    assert after["x"].categories is None


def test_roles_levels_and_links_are_not_in_it() -> None:
    frame, schema = labelled()
    owner = schema.replace(schema["sex"].replace(role=Role.CONFIDENTIAL, linked_to="income"))
    text = Codebook.of(frame, owner).to_yaml()
    assert Codebook.of(frame, schema).to_yaml() == text


def test_it_stands_beside_the_file() -> None:
    assert codebook_path("folder/masked.csv") == Path("folder/masked.codebook.yaml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", r"codebook.yaml' cannot be read: line 1, column 4: the bracket"),
        ("[1, 2]", "no list of variables"),
        ("variables: [{label: x}]", "each with a name"),
        ("variables: [{name: x, categories: [{value: f, code: null}]}]", "category of variable 'x' cannot be read"),
    ],
)
def test_a_damaged_codebook_is_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.codebook.yaml").write_text(text)
    with pytest.raises(InputError, match=message):
        Codebook.beside(tmp_path / "a.csv")
