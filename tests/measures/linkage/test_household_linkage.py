"""Who lives together is released, so whole households can be looked for."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined

KEYS = ["age", "sex", "marital_status", "education"]


@pytest.fixture(scope="module")
def families():
    table = ammg.datasets.survey(300).select("household_id", *KEYS)
    return ammg.Microdata(table).with_kinds(nominal=KEYS[1:]).with_roles(household="household_id", key=KEYS)


def masked(data, *steps):
    return ammg.Pipeline(steps).run(data, secret="h" * 32).pair


RELEASES = {
    "recoded": ([ammg.GlobalRecoding(columns=("age",), cuts=(20, 40, 60))], 0.85),
    "boxes of five": ([ammg.Mondrian(columns=tuple(KEYS), k=5)], 0.8),
    "two in ten changed": (
        [ammg.GlobalRecoding(columns=("age",), cuts=(20, 40, 60)), ammg.Pram(columns=tuple(KEYS), stay=0.8)],
        0.4,
    ),
}


@pytest.mark.parametrize(("steps", "least"), RELEASES.values(), ids=list(RELEASES))
def test_the_worst_case_looks_for_whole_households(families, steps, least):
    pair = masked(families, *steps)
    known = Scenario(known=tuple(KEYS))
    assert ammg.WorstCase().measure(pair, known).value > least
    alone = Pair(*(data.with_roles(other="household_id") for data in (pair.original, pair.masked)), pair.link)
    assert ammg.DistanceLinkage().measure(alone, known).value < least / 2


def test_the_chance_is_one_over_people_alike_in_households_alike():
    table = pl.DataFrame({"home": ["a", "a", "b", "b", None, "c", "c"], "sex": list("mfmfmmm")})
    data = ammg.Microdata(table).with_roles(household="home", key=["sex"])
    measured = ammg.HouseholdLinkage().measure(Pair.identity(data), Scenario())
    assert measured.people.by_record.tolist() == pytest.approx([0.5, 0.5, 0.5, 0.5, 1, 0.5, 0.5])


def test_numbers_of_households_tell_nothing(families):
    pair = masked(families, ammg.GlobalRecoding(columns=("age",), cuts=(20, 40, 60)))
    other = pair.masked.table.with_columns(pl.Series("household_id", 7919 * pair.masked.table["household_id"] % 10_007))
    renumbered = Pair(pair.original, ammg.Microdata(other, pair.masked.schema), pair.link, pair.published)
    rates = [ammg.HouseholdLinkage().measure(files, Scenario()).value for files in (pair, renumbered)]
    assert rates[0] == rates[1]


def test_under_another_truth_whole_households_are_found_by_chance(families):
    pair = masked(families, ammg.GlobalRecoding(columns=("age",), cuts=(20, 40, 60)))
    rates = []
    for seed in range(5):
        other = np.random.default_rng(seed).permutation(pair.n)
        wrong = Pair(pair.original, pair.masked, other, pair.published)
        rates += [unit().measure(wrong, Scenario()).value for unit in (ammg.HouseholdLinkage, ammg.ResidualLinkage)]
    assert np.mean(rates) * pair.n < 1 + 5 / np.sqrt(len(rates))


def test_it_is_not_defined_without_households():
    data = ammg.Microdata(pl.DataFrame({"home": [1, 2, 3], "x": [1, 2, 3]}))
    for files in (data, data.with_roles(household="home")):
        with pytest.raises(NotDefined, match="do not show who lives together"):
            ammg.HouseholdLinkage().measure(Pair.identity(files), Scenario())
