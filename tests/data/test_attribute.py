import pytest

from ammg.data.attribute import Attribute, Kind, Role
from ammg.errors import InputError


def test_a_kind_is_found_by_the_word_of_project_files() -> None:
    assert Kind.of("ordinal") is Kind.ORDINAL
    assert Kind.NUMERIC.label == "continuous or integer"


def test_an_unknown_kind_gets_the_nearest_word() -> None:
    with pytest.raises(InputError, match=r"Unknown kind 'ordnal'\. Did you mean 'ordinal'\?"):
        Kind.of("ordnal")


def test_blocks_hold_numbers_and_dates_as_numbers_and_categories_as_codes() -> None:
    assert all(Attribute(name="x", kind=kind).is_numeric for kind in (Kind.CONTINUOUS, Kind.INTEGER, Kind.DATE))
    assert all(Attribute(name="x", kind=kind).is_categorical for kind in (Kind.ORDINAL, Kind.NOMINAL))
    assert not Attribute(name="x", kind=Kind.TEXT).is_categorical


def test_replacing_a_fact_leaves_the_attribute_as_it_was() -> None:
    age = Attribute(name="age", kind=Kind.INTEGER)
    assert age.replace(role=Role.KEY).role is Role.KEY
    assert age.role is Role.OTHER
