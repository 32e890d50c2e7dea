from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined

ANYBODY = Scenario()


@pytest.fixture(scope="module")
def amounts():
    rng = np.random.default_rng(0)
    return ammg.Microdata(pl.DataFrame(rng.uniform(0, 100, (300, 4)), schema=list("abcd")))


def test_random_rounding_is_linked_by_its_chances(amounts):
    pair = ammg.Pipeline([ammg.RandomRounding(base=20)]).run(amounts, secret=1).pair
    values, shown = amounts.table.to_numpy(), pair.masked.table.to_numpy()
    chances = np.maximum(1 - np.abs(shown[:, None] - values[None]) / 20, 1e-12)
    likely = np.log(chances).sum(axis=2)
    best = (likely.argmax(axis=1) == np.arange(300)).mean()
    measured = ammg.RoundingLinkage().measure(pair, ANYBODY)
    assert measured.tables["ways"].lookup("way", "rate")["most_probable"] == pytest.approx(best, abs=0.02)
    assert measured.value >= best - 0.02


def test_rounding_to_the_nearest_shares_out_everybody_in_a_cell(amounts):
    pair = ammg.Pipeline([ammg.Rounding(base=50)]).run(amounts, secret=1).pair
    cells = len(np.unique(pair.masked.table.to_numpy(), axis=0))
    ways = ammg.RoundingLinkage().measure(pair, ANYBODY).tables["ways"].lookup("way", "rate")
    assert ways["most_probable"] == pytest.approx(cells / 300, abs=0.02)


def test_independent_files_give_chance(amounts):
    pair = ammg.Pipeline([ammg.RandomRounding(base=20)]).run(amounts, secret=1).pair
    other = np.random.default_rng(1).permutation(300)
    assert ammg.RoundingLinkage().measure(Pair(amounts, pair.masked, other, pair.published), ANYBODY).value < 0.03


def test_without_a_base_there_is_no_attack(amounts):
    with pytest.raises(NotDefined, match="no rounding"):
        ammg.RoundingLinkage().measure(Pair.identity(amounts), ANYBODY)
