from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.pair import Pair
from ammg.data.published import Groups
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined

ANYBODY = Scenario()


def grouped_pair(rows, group, columns=("x", "y")):
    """Every record shows the mean of its group."""
    means = np.stack([rows[group == g].mean(axis=0) for g in group])
    before, after = (ammg.Microdata(pl.DataFrame(file, schema=list(columns))) for file in (rows, means))
    return Pair(before, after, np.arange(len(rows)), (Groups(tuple(columns), 2),))


def test_groups_far_apart_hide_people_among_themselves_only():
    rng = np.random.default_rng(0)
    group = np.arange(60) // 3
    rows = 100.0 * np.column_stack([group, group % 7]) + rng.normal(size=(60, 2))
    measured = ammg.GroupLinkage().measure(grouped_pair(rows, group), ANYBODY)
    assert measured.value == pytest.approx(1 / 3)
    assert np.allclose(measured.people.by_record, 1 / 3)


def test_filling_the_groups_finds_more_than_the_nearest_group():
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(300, 2))
    order = np.argsort(rows[:, 0])
    group = np.empty(300, dtype=int)
    group[order] = np.arange(300) // 5
    rates = ammg.GroupLinkage().measure(grouped_pair(rows, group), ANYBODY).tables["ways"].lookup("way", "rate")
    assert rates["full_groups"] <= 1 / 5 + 1e-12
    assert rates["full_groups"] > rates["nearest_group"]


def test_grouping_attributes_one_by_one_hides_nobody(census_data):
    pair = ammg.Pipeline([ammg.UnivariateMicroaggregation(k=10)]).run(census_data, secret="0" * 32).pair
    measured = ammg.GroupLinkage().measure(pair, ANYBODY)
    assert measured.value > 0.99
    assert measured.facts["holds_truth"] == 1


def test_without_published_groups_it_is_not_defined(census_data):
    with pytest.raises(NotDefined, match="no grouping"):
        ammg.GroupLinkage().measure(Pair.identity(census_data), ANYBODY)


def test_groups_within_strata_are_runs_of_ranks_within_strata():
    rng = np.random.default_rng(4)
    table = pl.DataFrame({"sex": rng.choice(["f", "m"], 400), **{name: rng.normal(size=400) for name in ("x", "y")}})
    for step in (
        ammg.UnivariateMicroaggregation(columns=["x", "y"], k=5, within=["sex"]),
        ammg.UnivariateMicroaggregation(columns=["x", "y"], k=5, where="sex = 'f'"),
    ):
        pair = ammg.Pipeline([step]).run(ammg.Microdata(table), 1).pair
        measured = ammg.GroupLinkage().measure(pair, Scenario())
        assert measured.facts["holds_truth"] == 1
        assert measured.tables["ways"].lookup("way", "rate")["one_to_one"] > 0.8
