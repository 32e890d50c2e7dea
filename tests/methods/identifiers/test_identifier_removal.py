import pytest

import ammg
from ammg.errors import InputError


def test_identifiers_leave_and_everything_else_stays(patients: ammg.Microdata) -> None:
    masked = ammg.Pipeline([ammg.IdentifierRemoval()]).run(patients)
    assert masked.table.equals(patients.table.drop("Name", "SSN"))


def test_what_is_linked_to_an_identifier_leaves_with_it(patients: ammg.Microdata) -> None:
    masked = ammg.Pipeline([ammg.IdentifierRemoval()]).run(patients.with_links({"Billing": "SSN"}))
    assert masked.table.columns == ["Age", "State", "Diagnosis", "Income"]
    assert "Billing" not in masked.schema


def test_other_columns_may_be_named(patients: ammg.Microdata) -> None:
    masked = ammg.Pipeline([ammg.IdentifierRemoval(columns=["Diagnosis"])]).run(patients)
    assert "Diagnosis" not in masked.table.columns


def test_a_later_step_does_not_see_a_name(patients: ammg.Microdata) -> None:
    steps = [ammg.IdentifierRemoval(), ammg.RareCategoryRecoding(columns=["Name"])]
    with pytest.raises(KeyError, match="Name"):
        ammg.Pipeline(steps).run(patients)


def test_dropping_every_column_is_refused(patients: ammg.Microdata) -> None:
    with pytest.raises(InputError, match="Every column would be dropped"):
        ammg.Pipeline([ammg.IdentifierRemoval(columns=patients.columns)]).run(patients)
