from __future__ import annotations

import threading

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.pair import Pair
from ammg.errors import Cancelled
from ammg.kernels.blocks import over_blocks
from ammg.progress import part, reporting, tick


def test_ticks_reach_whoever_waits_and_nobody_else():
    told = []
    tick(1, 2)
    with reporting(lambda *news: told.append(news)):
        tick(1, 4, "a")
        other = threading.Thread(target=tick, args=(9, 9))
        other.start()
        other.join()
        with reporting(None):
            tick(2, 4)
    tick(3, 4)
    assert told == [(1, 4, "a"), (2, 4, "")]


def test_a_part_moves_the_whole_and_never_back():
    told = []
    with reporting(lambda *news: told.append(news)), part(2, 5, "step"):
        for done in (25, 50, 10, 100):
            tick(done, 100)
        with part(0, 2), part(1, 2):
            tick(0, 0)
    assert told[:5] == [(2, 5, "step"), (2.25, 5, "step"), (2.5, 5, "step"), (2.5, 5, "step"), (3, 5, "step")]
    assert {news[0] for news in told[5:]} == {3}


def test_whoever_waits_can_ask_for_an_end():
    with pytest.raises(Cancelled, match="Stopped on request"), reporting(lambda *_: False):
        tick(1, 2)


def test_blocks_of_a_kernel_stop_when_asked(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    worked = np.zeros(1000, dtype=bool)

    def work(start: int, stop: int) -> None:
        worked[start:stop] = True

    with pytest.raises(Cancelled), reporting(lambda done, *_: done < 300):
        over_blocks(work, 1000, block=100)
    assert worked.sum() == 300


@pytest.fixture(scope="module")
def pair():
    rng = np.random.default_rng(3)
    values = rng.normal(size=(10_000, 3))
    data = ammg.Microdata(pl.DataFrame(values, schema=["x0", "x1", "x2"]))
    return ammg.Pipeline([ammg.AdditiveNoise(p=0.2)]).run(data, 1).pair


@pytest.mark.parametrize("attack", [ammg.DistanceLinkage(), ammg.ProbabilisticLinkage(one_to_one=False)])
def test_an_evaluation_moves_within_a_measure_and_can_be_stopped_there(pair, attack):
    told = []
    ammg.evaluate(pair, [attack], before=False, progress=lambda *news: told.append(news))
    between = [done for done, _, _ in told if 0 < done < 1]
    assert len(between) >= 2
    assert between == sorted(between)
    assert {name for _, _, name in told[:-1]} == {attack.name}
    with pytest.raises(Cancelled):
        ammg.evaluate(pair, [attack], before=False, progress=lambda done, *_: done < 0.3)


@pytest.fixture(scope="module")
def smaller():
    rng = np.random.default_rng(4)
    data = ammg.Microdata(pl.DataFrame(rng.normal(size=(2_500, 3)), schema=["x0", "x1", "x2"]))
    return ammg.Pipeline([ammg.AdditiveNoise(p=0.2)]).run(data, 1).pair


SLOW = [
    ammg.DistanceLinkage(one_to_one=True),
    ammg.ProbabilisticLinkage(),
    ammg.NoiseLawLinkage(),
    ammg.IntactRecords(),
    ammg.RankIntervalDisclosure(),
    ammg.DeviationIntervalDisclosure(),
    ammg.TargetUnit(),
]


@pytest.mark.parametrize("measure", SLOW, ids=lambda measure: measure.name)
def test_whatever_can_take_long_is_heard_of_and_stopped_and_leaves_nothing_behind(smaller, measure):
    told = []
    scenario = ammg.Scenario(error={"x0": 0.1})
    pair = Pair(smaller.original, smaller.masked, smaller.link, smaller.disclosed)

    def measured(progress):
        return ammg.evaluate(pair, [measure], scenario, before=False, progress=progress)[measure.name]

    def first(*news):
        told.append(news[0])
        return len(told) < 2

    with pytest.raises(Cancelled):
        measured(first)
    assert len(told) == 2  # no step was taken after the word to stop
    told.clear()
    stopped = measured(lambda *news: told.append(news[0]))
    assert told == sorted(told)
    assert len(told) > 2
    assert stopped.value == ammg.evaluate(smaller, [measure], scenario, before=False)[measure.name].value


def test_a_search_is_not_misled_by_an_end_into_another_trial(pair):
    told = []

    def stop(done: float, total: float, label: str) -> bool:
        told.append(done)
        return done < 1.5

    with pytest.raises(Cancelled):
        ammg.search(pair.original, {"distance_linkage": 0.5}, trials=4, records=500, secret=1, progress=stop)
    assert told[-1] < 2
