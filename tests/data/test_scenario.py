import pytest

import ammg
from ammg.errors import ColumnError, InputError


def test_an_intruder_knows_the_keys_unless_told_otherwise(patients: ammg.Microdata) -> None:
    assert ammg.Scenario().known_in(patients.schema) == ["Age", "State"]
    assert ammg.Scenario(known=("Income",)).known_in(patients.schema) == ["Income"]


def test_without_keys_an_intruder_knows_all_but_identifiers_and_design(patients: ammg.Microdata) -> None:
    data = patients.with_roles(other=["Age", "State"], weight="Billing")
    assert ammg.Scenario().known_in(data.schema) == ["Age", "State", "Diagnosis", "Income"]


def test_participants_know_every_answer_of_their_own(patients: ammg.Microdata) -> None:
    scenario = ammg.Scenario.self_identification()
    assert scenario.known_in(patients.schema) == ["Age", "State", "Diagnosis", "Income", "Billing"]
    assert scenario.inclusion == 1


def test_presets_have_names() -> None:
    assert ammg.Scenario.external_file().name == "external file"
    assert ammg.Scenario.spontaneous_recognition(("Age",)).known == ("Age",)


def test_knowing_an_unknown_column_or_nothing_is_refused(patients: ammg.Microdata) -> None:
    with pytest.raises(ColumnError, match="Did you mean 'Age'"):
        ammg.Scenario(known=("Aeg",)).known_in(patients.schema)
    with pytest.raises(InputError, match="known attributes is empty"):
        ammg.Scenario(known=()).known_in(patients.schema)


@pytest.mark.parametrize("inclusion", [0, 1.1, -1])
def test_an_inclusion_probability_is_above_zero_and_at_most_one(inclusion: float) -> None:
    with pytest.raises(InputError, match="inclusion"):
        ammg.Scenario(inclusion=inclusion)
