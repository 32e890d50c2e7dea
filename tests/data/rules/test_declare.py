"""Identities that an owner declares: checked against columns and records."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.errors import DataWarning, InputError


def people(n: int = 400) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    wages, pensions = rng.lognormal(8, 1, (2, n)).round(2)
    return pl.DataFrame(
        {"wages": wages, "pensions": pensions, "income": wages + pensions, "sex": ["f", "m"] * (n // 2)}
    )


def test_an_identity_that_holds_is_kept_by_every_later_change_of_roles() -> None:
    data = ammg.Microdata(people()).with_identities("income = wages + pensions").with_roles(confidential="income")
    (identity,) = data.schema.identities
    assert identity.text == "income = wages + pensions"
    assert identity.broken == 0
    assert data.schema.drop(["sex"]).identities == (identity,)
    assert data.schema.drop(["wages"]).identities == ()


def test_all_problems_are_in_one_error() -> None:
    data = ammg.Microdata(people()).with_identities("income = wages + pensions")
    with pytest.raises(InputError) as error:
        data.with_identities(
            "income = wage + pensions",
            "income = sex + pensions",
            "2 wages = 2 income - 2 pensions",
            "income = wages + pensions + 1",
            "income == wages",
        )
    for problem in (
        "column 'wage' not found. Did you mean 'wages'?",
        "column 'sex' is nominal, and sums are about numbers",
        "given twice, also as 'income = wages + pensions'",
        "contradicts 'income = wages + pensions'",
        "'income == wages' needs one '='",
    ):
        assert problem in str(error.value)
    assert "5 problems" in str(error.value)


def test_a_few_exceptions_are_a_warning_with_their_number(tmp_path: Path) -> None:
    table = people().with_columns(income=pl.col("income") + pl.Series([100.0] * 7 + [0.0] * 393))
    with pytest.warns(DataWarning, match="does not hold in 7 of 400 records: it is used as declared"):
        whole = ammg.Microdata(table).with_identities("income = wages + pensions")
    assert whole.schema.identities[0].broken == 7
    table.write_parquet(tmp_path / "people.parquet")
    with pytest.warns(DataWarning, match="7 of 400"):
        ammg.read(tmp_path / "people.parquet", stream=True).with_identities("income = wages + pensions")


def test_an_identity_that_most_records_break_is_refused() -> None:
    with pytest.raises(InputError, match="does not hold in 400 of the 400 records that have all its members"):
        ammg.Microdata(people()).with_identities("income = wages - pensions")


def test_rounding_and_missing_members_break_nothing() -> None:
    table = people().with_columns(pl.col("income").round(0).cast(pl.Int64))
    table = table.with_columns(wages=pl.when(pl.int_range(pl.len()) < 5).then(None).otherwise(pl.col("wages")))
    data = ammg.Microdata(table).with_identities("income = wages + pensions")
    assert data.schema.identities[0].broken == 0


def test_a_stream_of_many_chunks_counts_what_memory_counts(tmp_path: Path) -> None:
    table = people(200_000).with_columns(
        income=pl.col("income") + pl.when(pl.int_range(pl.len()) >= 199_990).then(50).otherwise(0)
    )
    table.write_parquet(tmp_path / "people.parquet")
    with pytest.warns(DataWarning):
        (whole,) = ammg.Microdata(table).with_identities("income = wages + pensions").schema.identities
    with pytest.warns(DataWarning):
        streamed = ammg.read(tmp_path / "people.parquet", stream=True).with_identities("income = wages + pensions")
    assert whole.broken == streamed.schema.identities[0].broken == 10
    assert whole.tolerance == pytest.approx(streamed.schema.identities[0].tolerance)


def test_edit_rules_are_declared_with_sums_and_their_exceptions_counted() -> None:
    table = people().with_columns(age=pl.int_range(pl.len()) % 90)
    with pytest.warns(DataWarning, match="'age >= 1' does not hold in 5 of 400 records"):
        data = ammg.Microdata(table).with_rules(
            "income = wages + pensions", "age >= 1", {"allow": {"sex": ["f", "m"]}}, "age < 0 implies sex = 'f'"
        )
    assert [rule.broken for rule in data.schema.rules] == [0, 5, 0, 0]
    assert [rule.text for rule in data.schema.identities] == ["income = wages + pensions"]
    assert len(data.schema.drop(["sex"]).rules) == 2


def test_a_rule_that_most_of_the_records_it_is_about_break_is_refused() -> None:
    with pytest.raises(InputError, match="does not hold in 200 of the 200 records that it is about"):
        ammg.Microdata(people()).with_rules("sex = 'f' implies wages < 0")


def test_limits_and_sums_are_about_numbers() -> None:
    with pytest.raises(InputError, match="column 'sex' is nominal, and limits are about numbers"):
        ammg.Microdata(people()).with_rules("0 <= sex <= 3")
    with pytest.raises(InputError, match="given twice, also as 'wages >= 0'"):
        ammg.Microdata(people()).with_rules("wages >= 0", "wages >= 0")


@pytest.mark.parametrize("unit", [1e300, 1e307, 1e-310])
def test_identities_of_numbers_of_any_size_are_declared_without_a_warning(unit: float) -> None:
    table = people().with_columns(pl.col("wages", "pensions") / 1e6 * unit)
    table = table.with_columns(income=pl.col("wages") + pl.col("pensions"))
    assert [rule.broken for rule in ammg.Microdata(table).with_rules("income = wages + pensions").schema.rules] == [0]
