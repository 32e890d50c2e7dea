"""What an owner says about attributes."""

from pathlib import Path

import polars as pl
import pytest

import ammg
from ammg import Kind, Level, Role
from ammg.errors import ColumnError, InputError

DATA = ammg.Microdata(pl.DataFrame({"age": [30, 40], "sex": ["f", "m"], "w": [1.0, 2.0], "home": [1, 1]}))


def test_roles_are_given_by_name_and_nothing_changes_in_place() -> None:
    told = DATA.with_roles(key=["age", "sex"], weight="w")
    assert told.schema.keys == ["age", "sex"]
    assert told.schema.weight == "w"
    assert DATA.schema.keys == []
    assert told.columns == ["age", "sex", "w", "home"]


def test_a_role_given_twice_is_refused() -> None:
    with pytest.raises(InputError, match="'age' is given two roles, key and confidential: an attribute has one role"):
        DATA.with_roles(key=["age"], confidential=["age"])


def test_two_weights_are_refused() -> None:
    with pytest.raises(InputError, match=r"\['age', 'w'\] all have the role weight"):
        DATA.with_roles(weight=["age", "w"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: DATA.with_roles(keys="age"), "Unknown role 'keys'. Did you mean 'key'?"),
        (lambda: DATA.with_kinds(nominl="age"), "Unknown kind 'nominl'. Did you mean 'nominal'?"),
        (lambda: DATA.with_levels(houshold="age"), "Unknown level 'houshold'. Did you mean 'household'?"),
    ],
)
def test_an_unknown_word_gets_the_nearest_one(call, message: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value) == message


def test_what_is_no_name_is_refused() -> None:
    with pytest.raises(InputError, match="5 does not name columns: give a name or a list of names"):
        ammg.Microdata(pl.DataFrame({"a": [1]})).with_roles(key=5)


def test_an_unknown_column_gets_the_nearest_one() -> None:
    with pytest.raises(ColumnError, match=r"Column 'agee' not found\. Did you mean 'age'\?"):
        DATA.with_roles(key="agee")


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, -2.0, 3.0], "Weight 'w' is negative in 1 records, first in record 1"),
        ([0.0, 0.0, 0.0], "Weight 'w' is zero in all records"),
        ([None, None, 3.0], "Weight 'w' is missing in 2 records, first in record 0"),
        ([1.0, 2.0, float("inf")], "Weight 'w' is infinite in 1 records, first in record 2"),
        (["a", "b", "c"], "Weight 'w' is nominal: weights are numbers"),
    ],
)
def test_weights_that_weigh_nothing_sensible_are_refused(weights: list[object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ammg.Microdata(pl.DataFrame({"w": weights})).with_roles(weight="w")


def test_kinds_levels_links_and_hierarchies_are_told() -> None:
    tree = ammg.Hierarchy.from_mapping({"f": ["*"], "m": ["*"]})
    told = DATA.with_kinds(nominal="age").with_levels(household=["home"]).with_links({"w": "age"})
    told = told.with_hierarchies({"sex": tree})
    assert told.schema["age"].kind is Kind.NOMINAL
    assert told.schema["home"].level is Level.HOUSEHOLD
    assert told.schema["w"].linked_to == "age"
    assert told.schema["sex"].hierarchy is tree


def test_a_link_to_itself_is_refused() -> None:
    with pytest.raises(InputError, match="'age' is linked to itself: name the column that it follows"):
        DATA.with_links({"age": "age"})


@pytest.mark.parametrize("links", [{"age": "sex", "sex": "w"}, {"sex": "w", "age": "sex"}])
def test_a_link_goes_to_an_attribute_that_leads(links: dict[str, str]) -> None:
    with pytest.raises(InputError, match="which is linked itself"):
        DATA.with_links(links)


def test_a_link_onto_what_is_linked_already_is_refused() -> None:
    with pytest.raises(InputError, match="'age' is linked to 'sex', which is linked itself"):
        DATA.with_links({"age": "sex"}).with_links({"sex": "w"})


def test_kinds_come_from_types_until_somebody_says_otherwise() -> None:
    assert [a.kind for a in DATA.schema] == [Kind.INTEGER, Kind.NOMINAL, Kind.CONTINUOUS, Kind.INTEGER]
    assert all(a.role is Role.OTHER for a in DATA.schema)


def test_the_column_of_record_ids_is_reserved() -> None:
    with pytest.raises(InputError, match="'__ammg_id__' is reserved"):
        ammg.Microdata(pl.DataFrame({"__ammg_id__": [1]}))


def test_a_representation_counts_and_shows_no_value() -> None:
    assert repr(DATA.with_roles(key="age")) == "Microdata(2 records × 4 attributes; 1 key)"
    assert "no roles given yet" in repr(DATA)


def test_nan_is_missing_from_the_door_on(tmp_path: Path) -> None:
    table = pl.DataFrame({"x": [1.0, float("nan"), None], "y": pl.Series([float("nan"), 2.0, 3.0], dtype=pl.Float32)})
    table.write_parquet(tmp_path / "nan.parquet")
    streamed = ammg.read(tmp_path / "nan.parquet", stream=True)
    assert streamed.streamed is not None
    for frame in (
        ammg.Microdata(table).table,
        ammg.read(tmp_path / "nan.parquet").table,
        streamed.table,
        streamed.streamed.head(3),
        next(streamed.streamed.chunks()).select("x", "y"),
    ):
        assert frame["x"].to_list() == [1.0, None, None]
        assert frame["y"].to_list() == [None, 2.0, 3.0]
    assert table["x"].is_nan().any()  # what was given stays as it was
    assert sorted(streamed.streamed.distinct("y").drop_nulls()) == [2.0, 3.0]


def test_roles_kinds_and_levels_are_given_by_word_or_by_column() -> None:
    assert DATA.with_roles({"age": "key", "w": "weight"}).schema.keys == ["age"]
    assert DATA.with_roles({"age": "key"}, key="sex").schema.keys == ["age", "sex"]
    assert DATA.with_kinds({"age": "ordinal"}).schema["age"].kind is Kind.ORDINAL
    assert DATA.with_levels({"home": "household"}).schema["home"].level is Level.HOUSEHOLD
    assert DATA.with_links(sex="age").schema["sex"].linked_to == "age"
    with pytest.raises(InputError, match="does not describe columns"):
        DATA.with_roles(["age"])  # type: ignore[arg-type]


def test_hierarchies_are_paths_frames_mappings_or_trees(tmp_path: Path) -> None:
    rows = [("f", "person"), ("m", "person")]
    (tmp_path / "sex.csv").write_text("f;person\nm;person\n")
    frame = pl.DataFrame(rows, schema=["sex", "level 1"], orient="row")
    given = [
        tmp_path / "sex.csv",
        str(tmp_path / "sex.csv"),
        frame,
        frame.to_pandas(),
        {"f": ["person"], "m": ["person"]},
    ]
    for tree in given:
        told = DATA.with_hierarchies({"sex": tree})
        assert told.schema["sex"].hierarchy == ammg.Hierarchy.from_rows(rows)
        masked = ammg.Pipeline([ammg.GlobalRecoding(columns=["sex"], level=1)]).run(told)
        assert masked.table["sex"].to_list() == ["person", "person"]
    with pytest.raises(InputError, match="The hierarchy of 'sex' is a int: give the path of a CSV file"):
        DATA.with_hierarchies(sex=5)
