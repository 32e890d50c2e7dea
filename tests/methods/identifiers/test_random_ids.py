"""Random new identifiers."""

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

import ammg


def renumbered(table: pl.DataFrame, secret: int = 1, **options: object) -> pl.DataFrame:
    data = ammg.Microdata(table).with_roles(identifier="pid")
    return ammg.Pipeline([ammg.RandomIds(**options)]).run(data, secret).table


@settings(max_examples=30, deadline=None)
@given(st.lists(st.one_of(st.none(), st.integers(-50, 50)), min_size=1, max_size=60))
def test_each_identifier_gets_one_of_the_numbers_1_to_d(values: list[int | None]) -> None:
    new = renumbered(pl.DataFrame({"pid": pl.Series(values, dtype=pl.Int64)}))["pid"].to_list()
    pairs = {(old, number) for old, number in zip(values, new, strict=True) if old is not None}
    assert len(pairs) == len({old for old, _ in pairs})
    assert sorted(number for _, number in pairs) == list(range(1, len(pairs) + 1))
    assert [old is None for old in values] == [number is None for number in new]


def test_texts_become_numbers_from_the_first_one_on() -> None:
    new = renumbered(pl.DataFrame({"pid": ["b", "a", "b"]}), first=1000)["pid"]
    assert new.dtype == pl.Int64
    assert new[0] == new[2] != new[1]
    assert set(new) == {1000, 1001}


def test_members_of_a_household_stay_together(survey: ammg.Microdata) -> None:
    new = ammg.Pipeline([ammg.RandomIds(columns=["household_id"])]).run(survey, 1).table["household_id"]
    pairs = pl.DataFrame({"old": survey.table["household_id"], "new": new}).unique()
    assert len(pairs) == survey.table["household_id"].n_unique() == new.n_unique()


def test_the_order_is_random_and_depends_on_secret_and_column() -> None:
    table = pl.DataFrame({"pid": range(2_000), "other": range(2_000)})
    new = renumbered(table, columns=["pid", "other"])
    assert abs(np.corrcoef(new["pid"].to_numpy(), np.arange(2_000))[0, 1]) < 4 / np.sqrt(2_000)
    assert not new["pid"].equals(new["other"].alias("pid"))
    assert not new["pid"].equals(renumbered(table, secret=2)["pid"])
    assert new["pid"].equals(renumbered(table, columns=["pid"])["pid"])
