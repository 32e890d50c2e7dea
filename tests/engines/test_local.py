"""The local engine: streams, conditions, threads, errors, and what is too small."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.encoding import ID
from ammg.draws import CHUNK, Draws, Secret
from ammg.engines.engine import PlannedStep
from ammg.engines.local import LocalEngine, LocalSource
from ammg.summaries.extremes import Extremes
from ammg.summaries.moments import Moments

RECORDS = 2 * CHUNK + 500


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    rng = np.random.default_rng(2)
    return pl.DataFrame(
        {
            "x": np.arange(RECORDS, dtype=float),
            "y": rng.normal(size=RECORDS),
            "town": rng.choice(["a", "b"], RECORDS),
            "wide": ["not needed"] * RECORDS,
        }
    )


@pytest.fixture(scope="module")
def sources(table: pl.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> dict[str, LocalSource]:
    path = tmp_path_factory.mktemp("local") / "in.parquet"
    table.write_parquet(path, row_group_size=50_021)
    return {
        "memory": LocalEngine(2).open(ammg.Microdata(table)),
        "stream": LocalEngine(2).open(ammg.read(path, stream=True)),
    }


def planned(source: LocalSource, method: ammg.Method) -> PlannedStep:
    draws = Draws(Secret.of(1)).at("step", 0)
    source = source.with_categories(method.needs(source.schema))
    return PlannedStep(method, method.plan(source, draws), draws, source.schema)


@pytest.mark.parametrize("kind", ["memory", "stream"])
def test_stages_are_applied_in_their_order(sources: dict[str, LocalSource], kind: str) -> None:
    source = sources[kind]
    late = source.filter(pl.col("x") >= CHUNK)
    rounded = late.engine.map(late, planned(late, ammg.Rounding(columns=("x",), base=1e6)))
    assert rounded.count() == CHUNK + 500
    assert rounded.filter(pl.col("x") == 0).count() == CHUNK + 500  # the second condition sees rounded numbers
    assert rounded.collect()[ID].to_list() == list(range(CHUNK, RECORDS))


@pytest.mark.parametrize("kind", ["memory", "stream"])
def test_a_condition_that_nobody_meets_leaves_an_empty_source(sources: dict[str, LocalSource], kind: str) -> None:
    nobody = sources[kind].filter(pl.col("x") < 0)
    assert nobody.count() == 0
    assert nobody.collect().columns == [*sources[kind].schema.names, ID]
    assert np.isnan(nobody.fold(Extremes(("x",))).lowest[0])
    step = planned(sources[kind], ammg.AdditiveNoise(columns=("x",)))
    assert nobody.engine.map(nobody, step).collect().height == 0


def test_dictionaries_are_those_of_the_data_as_they_were_read(sources: dict[str, LocalSource]) -> None:
    for source in sources.values():
        only_b = source.filter(pl.col("town") == "b")
        assert only_b.with_categories(("town",)).schema["town"].categories == ("a", "b")


def test_a_stream_reads_only_the_columns_that_a_summary_needs(
    sources: dict[str, LocalSource], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = sources["stream"]
    masked = source.engine.map(source, planned(source, ammg.Rounding(columns=("x",))))
    read: list[list[str]] = []
    chunks = type(source.table).chunks
    monkeypatch.setattr(type(source.table), "chunks", lambda table, names: read.append(names) or chunks(table, names))
    masked.fold(Moments(("y",)))
    masked.count()
    source.fold(Moments(("y",)))
    assert [sorted(names) for names in read] == [["x", "y"], ["x"], ["y"]]


def test_few_frames_are_under_way_at_a_time() -> None:
    engine = LocalEngine(2)
    made, ahead = 0, []

    def frames() -> object:
        nonlocal made
        for _ in range(50):
            made += 1
            yield pl.DataFrame({"x": [1]})

    for done, _ in enumerate(engine.in_threads(len, frames()), 1):
        ahead.append(made - done)
    assert max(ahead) <= 2 * engine.threads


def test_an_error_in_a_thread_arrives_and_stops_the_rest() -> None:
    started = []

    def work(frame: pl.DataFrame) -> None:
        started.append(frame)
        raise ammg.AmmgError("no")

    frames = [pl.DataFrame({"x": [i]}) for i in range(1000)]
    with pytest.raises(ammg.AmmgError, match=r"^no$"):
        list(LocalEngine(2).in_threads(work, frames))
    assert len(started) < 10
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("ThreadPoolExecutor")]


def test_an_engine_needs_a_thread() -> None:
    with pytest.raises(ammg.AmmgError, match="0 threads"):
        LocalEngine(0)


def test_the_next_id_is_one_that_no_record_has_had(sources: dict[str, LocalSource]) -> None:
    for source in sources.values():
        sampled = source.engine.map(source, planned(source, ammg.Sampling(fraction=0.01)))
        assert sampled.next_id == RECORDS


@pytest.mark.parametrize("rows", [0, 1])
def test_a_stream_of_no_record_or_one_is_like_a_table(table: pl.DataFrame, tmp_path: Path, rows: int) -> None:
    table.head(rows).write_parquet(tmp_path / "in.parquet")
    steps = [ammg.Sampling(fraction=1.0), ammg.AdditiveNoise(columns=("x",)), ammg.TopCoding(columns=("y",), share=0.1)]
    streamed = ammg.Pipeline(steps).run(ammg.read(tmp_path / "in.parquet", stream=True), secret=1)
    whole = ammg.Pipeline(steps).run(ammg.Microdata(table.head(rows)), secret=1)
    assert streamed.table.equals(whole.table)
    assert streamed.table.schema == whole.table.schema
