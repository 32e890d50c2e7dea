"""Attributes as a table that people edit."""

import polars as pl
import pytest

import ammg
from ammg.data.scenario import Scenario
from ammg.errors import InputError
from ammg.projects.attributes.lines import attribute_lines, with_attributes, with_entry
from ammg.projects.attributes.scenario_words import scenario_words
from ammg.projects.draft import Draft

ANALYSIS = ammg.analyze(
    pl.DataFrame({"name": [f"N{n}" for n in range(40)], "age": [20 + n % 9 for n in range(40)], "sex": ["f", "m"] * 20})
).to_dict()


def test_a_project_without_roles_shows_what_is_proposed_and_one_with_roles_what_it_says() -> None:
    proposed = {line.name: line.role for line in attribute_lines({"source": "a.csv"}, ANALYSIS)}
    assert proposed == {one["name"]: one["role"] for one in ANALYSIS["attributes"]}
    said = {line.name: line.role for line in attribute_lines({"source": "a.csv", "roles": {"age": "key"}}, ANALYSIS)}
    assert said == {"name": "other", "age": "key", "sex": "other"}


def test_changes_reach_the_project_file_and_defaults_leave_it() -> None:
    document = {"source": "a.csv", "roles": {"age": "key"}, "levels": {"sex": "household"}, "labels": {"age": "old"}}
    changes = {"sex": {"role": "key", "level": "person", "label": "Sex"}, "age": {"kind": "ordinal", "label": ""}}
    made = with_attributes(document, ANALYSIS, changes)
    assert made == {
        "source": "a.csv",
        "roles": {"age": "key", "sex": "key"},
        "kinds": {"age": "ordinal"},
        "labels": {"sex": "Sex"},
    }
    assert document["levels"] == {"sex": "household"}
    lines = {line.name: line for line in attribute_lines(made, ANALYSIS)}
    assert (lines["sex"].label, lines["age"].kind) == ("Sex", "ordinal")
    assert Draft.parse(made).project.labels == {"sex": "Sex"}
    assert with_entry(made, "labels", "sex", None) == {name: made[name] for name in ("source", "roles", "kinds")}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"nobody": {"role": "key"}}, "no attribute 'nobody'"),
        ({"age": {"link": "nobody"}}, "cannot be linked to 'nobody'"),
    ],
)
def test_what_does_not_exist_is_refused(changes: dict[str, dict[str, str]], said: str) -> None:
    with pytest.raises(InputError, match=said):
        with_attributes({"source": "a.csv"}, ANALYSIS, changes)


def test_labels_of_a_project_are_those_of_the_data() -> None:
    data = ammg.Microdata(pl.DataFrame({"age": [1, 2]})).with_labels(age="Age in years")
    assert data.schema["age"].label == "Age in years"


def test_the_intruder_is_described_in_words() -> None:
    words = scenario_words(Scenario(), ["age", "sex"], ["income"])
    assert words.startswith("The intruder holds a register and links it to the release, knows age and sex of everybody")
    assert "income" in scenario_words(Scenario.self_identification(), ["age"], ["income"])
    assert "probability 10%" in scenario_words(Scenario(inclusion=0.1), ["age"], [])
