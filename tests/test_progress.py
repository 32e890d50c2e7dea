from __future__ import annotations

import threading

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.pair import Pair
from ammg.draws import Secret
from ammg.errors import Cancelled
from ammg.kernels.blocks import over_blocks
from ammg.progress import part, reporting, tick
from ammg.projects.mask import mask_project


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
    attack.measure(Pair(pair.original, pair.masked, pair.link, pair.published), ammg.Scenario())  # which may compile
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
    pair = Pair(smaller.original, smaller.masked, smaller.link, smaller.published)

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
        return told.count(1) < 3  # in the middle of the second trial

    with pytest.raises(Cancelled):
        ammg.search(pair.original, {"distance_linkage": 0.5}, trials=4, records=500, secret=1, progress=stop)
    assert told.count(1) == 3
    assert max(told) == 1


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    rng = np.random.default_rng(0)
    n = 600_000
    return pl.DataFrame({"home": np.arange(n) // 2, "wage": rng.normal(size=n), "age": rng.integers(0, 90, n)})


def stopper(label: str, after: int = 1):
    """A report that asks for an end at a tick of this label."""
    seen: list[str] = []

    def report(done: float, total: float, at_hand: str) -> bool:
        seen.append(at_hand)
        return seen.count(label) < after

    return report, seen


@pytest.mark.parametrize(("label", "after"), [("numbering households", 3), ("shuffling", 4), ("writing", 2)])
def test_a_stream_that_is_stopped_while_it_leaves_leaves_nothing_behind(people, tmp_path, label, after):
    people.write_parquet(tmp_path / "in.parquet")
    data = ammg.read(tmp_path / "in.parquet", stream=True).with_roles(household="home", confidential="wage")
    data = data.with_levels(household="home")
    release = ammg.Pipeline([ammg.AdditiveNoise(columns=["wage"])]).run(data, secret=1).release()
    (tmp_path / "out.parquet").write_text("what was there before")
    report, seen = stopper(label, after)
    with pytest.raises(Cancelled), reporting(report):
        release.write(tmp_path / "out.parquet")
    assert label in seen
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.parquet", "out.parquet"]
    assert (tmp_path / "out.parquet").read_text() == "what was there before"


@pytest.mark.parametrize("ending", ["csv", "db"])
def test_writing_from_memory_can_be_stopped_in_the_middle(people, tmp_path, ending):
    masked = ammg.Pipeline([ammg.AdditiveNoise(columns=["wage"])]).run(people, secret=1)
    release = masked.release(force="nothing is confidential here")
    target = tmp_path / "out.csv" if ending == "csv" else f"sqlite:///{tmp_path}/out.db?table=people"
    with pytest.raises(Cancelled), reporting(stopper("writing", 3)[0]):
        release.write(target)
    if ending == "csv":
        assert list(tmp_path.iterdir()) == []
    else:
        with pytest.raises(ammg.errors.InputError):
            ammg.read(target)


def test_masking_ticks_within_a_step_and_can_be_stopped_there(people):
    told: list[float] = []
    step = ammg.AdditiveNoise(columns=["wage"])
    ammg.Pipeline([step]).run(people, secret=1, progress=lambda done, *_: told.append(done))
    assert len({done for done in told if 0 < done < 1}) > 5
    with pytest.raises(Cancelled):
        ammg.Pipeline([step]).run(people, secret=1, progress=lambda done, *_: done < 0.5)


def test_reading_ticks_and_can_be_stopped(people, tmp_path):
    people.head(100).write_csv(tmp_path / "in.csv")
    report, seen = stopper("reading", 3)
    with pytest.raises(Cancelled), reporting(report):
        ammg.read(tmp_path / "in.csv")
    assert seen == ["reading"] * 3
    people.write_parquet(tmp_path / "in.parquet")
    streamed = ammg.read(tmp_path / "in.parquet", stream=True).streamed
    with pytest.raises(Cancelled), reporting(stopper("reading", 4)[0]):
        list(streamed.chunks())


PROJECT = """
source: {source}
roles: {{home: household, wage: confidential}}
levels: {{home: household}}
methods: [additive_noise: {{columns: [wage]}}]
measures: [il1s]
target: out.parquet
"""


@pytest.mark.parametrize("source", ["in.csv", "{path: in.parquet, stream: true}"])
def test_a_project_is_heard_of_from_reading_to_writing_and_can_be_stopped_at_every_stage(people, tmp_path, source):
    people.head(140_000).write_parquet(tmp_path / "in.parquet")
    people.head(2_000).write_csv(tmp_path / "in.csv")
    (tmp_path / "project.yaml").write_text(PROJECT.format(source=source), encoding="utf-8")
    project = ammg.Project.load(tmp_path / "project.yaml")
    before = sorted(tmp_path.iterdir())
    stages = ["reading", "additive_noise", "il1s", *(["shuffling"] if "stream" in source else []), "writing"]
    for stage in stages:
        with pytest.raises(Cancelled):
            mask_project(project, secret=Secret.of(bytes(32)), progress=stopper(stage)[0])
        assert sorted(tmp_path.iterdir()) == before
    report, seen = stopper("never")
    assert mask_project(project, secret=Secret.of(bytes(32)), progress=report).is_written
    assert set(stages) <= set(seen)


def test_masking_stratum_by_stratum_ticks_and_can_be_stopped_between_them(people):
    data = ammg.Microdata(people.head(20_000)).with_roles(stratum="age", confidential="wage")
    told: list[float] = []
    step = ammg.RankSwapping(columns=["wage"], within=["age"])
    ammg.Pipeline([step]).run(data, secret=1, progress=lambda done, *_: told.append(done))
    assert told == sorted(told)
    assert len(set(told)) > 80
    with pytest.raises(Cancelled):
        ammg.Pipeline([step]).run(data, secret=1, progress=lambda done, *_: done < 0.5)
