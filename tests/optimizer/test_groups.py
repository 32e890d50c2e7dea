"""Limits that look at different columns are solved apart and put together."""

from __future__ import annotations

import polars as pl
import pytest

import ammg
from ammg.data.microdata import Microdata
from ammg.datasets import survey
from ammg.optimizer.groups import Group, groups_of

KEYS, INCOMES = ("age", "region"), ("wages", "pensions", "income")


def limits(*columns: tuple[str, ...]) -> dict[str, ammg.Limit]:
    named = {"k_anonymity": ammg.Limit("k_anonymity", 0.1), "cell_loss": ammg.Limit("cell_loss", 0.5)}
    intact = [ammg.Limit(ammg.IntactRecords(columns=names), 0.1) for names in columns]
    return {**named, **{f"intact {number}": limit for number, limit in enumerate(intact)}}


def test_a_group_has_the_columns_that_its_limits_look_at_and_every_limit_on_losses() -> None:
    assert groups_of(limits(INCOMES), KEYS, ["pensions"]) == [
        Group(frozenset(KEYS), ("cell_loss", "k_anonymity")),
        Group(frozenset({"wages", "income"}), ("cell_loss", "intact 0")),
    ]


def test_groups_with_a_column_in_common_are_one() -> None:
    (group,) = groups_of(limits(INCOMES, ("income", "age")), KEYS)
    assert group.columns == {*KEYS, *INCOMES}


@pytest.fixture(scope="module")
def data() -> Microdata:
    table = survey(400, seed=3).select("age", "sex", "wages", "pensions", "income")
    table = table.with_columns(income=pl.col("wages") + pl.col("pensions"))
    data = ammg.Microdata(table).with_roles(key=["age", "sex"], confidential=INCOMES)
    return data.with_rules("age < 16 implies income = 0").with_identities("income = wages + pensions")


def test_keys_and_incomes_are_both_protected_and_rules_hold(data: Microdata) -> None:
    asked = [ammg.Limit("distance_linkage", 0.2), ammg.Limit(ammg.IntactRecords(columns=INCOMES), 0.3)]
    methods = ["mondrian", "multiplicative_noise"]
    result = ammg.search(data, asked, "cell_loss", trials=40, methods=methods, secret=1, processes=1)
    assert result.choice.is_safe
    assert {name for step in result.recipe for name in step.columns} >= {*INCOMES, "age"}
    table = result.chosen.table
    gaps = (table["wages"] + table["pensions"] - table["income"]).abs()
    assert (gaps <= 1e-6 * table["income"].clip(1.0)).all()  # as nearly as the rule itself asks for
    assert {entry.columns for entry in result.considered} == {"", "age, sex", "income, pensions, wages"}
    assert "unmasked file" in result.map.series
