"""What every method has: columns that are checked, a level, a name."""

import polars as pl
import pytest

import ammg
from ammg.errors import ColumnError, InputError

DATA = ammg.Microdata(
    pl.DataFrame({"id": [1, 2], "age": [30, 40], "sex": ["f", "m"], "wage": [1.0, 2.0], "home": [7, 7]})
)


def test_columns_that_are_not_named_are_keys_and_confidential_ones_of_a_fitting_kind() -> None:
    data = DATA.with_roles(key=["age", "sex"], confidential="wage")
    assert ammg.AdditiveNoise().chosen(data.schema) == ("age", "wage")


def test_without_such_roles_every_attribute_counts_but_identifiers_and_design() -> None:
    data = DATA.with_roles(identifier="id", household="home")
    assert ammg.AdditiveNoise().chosen(data.schema) == ("age", "wage")


def test_named_columns_are_checked_for_existence_and_kind() -> None:
    with pytest.raises(ColumnError, match=r"Column 'agee' not found\. Did you mean 'age'\?"):
        ammg.AdditiveNoise(columns=["agee"]).chosen(DATA.schema)
    with pytest.raises(InputError, match="'sex' is nominal; additive_noise masks continuous or integer attributes"):
        ammg.AdditiveNoise(columns=["sex"]).chosen(DATA.schema)
    with pytest.raises(InputError, match="list of columns of additive_noise is empty"):
        ammg.AdditiveNoise(columns=[]).chosen(DATA.schema)


def test_a_column_named_twice_is_masked_once() -> None:
    assert ammg.AdditiveNoise(columns=["age", "age"]).chosen(DATA.schema) == ("age",)


def test_data_without_a_fitting_attribute_are_refused() -> None:
    with pytest.raises(InputError, match="No attribute is continuous or integer, as additive_noise needs"):
        ammg.AdditiveNoise().chosen(DATA.with_roles(key="sex").schema)


def test_columns_of_persons_and_households_in_one_step_are_refused() -> None:
    data = DATA.with_levels(household="wage")
    with pytest.raises(InputError, match=r"columns of persons and of households \(wage\): use one step for each level"):
        ammg.AdditiveNoise(columns=["age", "wage"]).acts_on(data.schema)


def test_a_method_moves_to_other_columns() -> None:
    moved = ammg.RankSwapping(columns=["age"], p=7).on_columns(("wage",))
    assert moved == ammg.RankSwapping(columns=["wage"], p=7)
    assert moved.name == "rank_swapping"
