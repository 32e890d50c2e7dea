"""What steps did is told alike from memory and from a stream."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ammg
from ammg import registry
from ammg.data.block import Block
from ammg.data.finding import Finding
from ammg.data.published import Published, Suppression
from ammg.draws import CHUNK, Draws
from ammg.engines.local import LocalEngine
from ammg.methods.method import Links, Method, Plan
from ammg.summaries.summary import Source

STEPS = [
    ammg.AdditiveNoise(columns=("pay",), p=0.2),
    ammg.Sampling(fraction=0.6),
    ammg.Rounding(columns=("pay", "age"), base=10, where="age > 40"),
    ammg.GlobalRecoding(columns=("town",), map={"East": "West"}),
]


@dataclass(frozen=True)
class Hidden(Finding):
    columns: tuple[str, ...]
    cells: int

    def merge(self, later: Hidden) -> Hidden:
        return Hidden(self.columns, self.cells + later.cells)

    def notes(self) -> tuple[str, ...]:
        return (f"{self.cells} cells were hidden",)

    def published(self) -> tuple[Published, ...]:
        return (Suppression(self.columns),) if self.cells else ()


@pytest.fixture
def hides() -> Iterator[type[Method]]:
    class HideMuch(Method):
        """Hide large numbers."""

        links = Links.SUPPRESSED
        finds = True

        def plan(self, source: Source, draws: Draws) -> Plan:
            return Plan(source.schema.select(self.chosen(source.schema)))

        def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
            names = tuple(plan.schema.names)
            large = {name: block.numbers(name) > 90 for name in names}
            masked = {name: np.where(large[name], np.nan, block.numbers(name)) for name in names}
            return block.with_columns(masked).with_findings(Hidden(names, int(sum(map(np.sum, large.values())))))

    yield HideMuch
    registry.forget("methods", "hide_much")


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    rng = np.random.default_rng(3)
    n = 2 * CHUNK + 100
    pay = pl.Series(rng.lognormal(3, 1, n)).set(pl.Series(rng.random(n) < 0.05), None)
    return pl.DataFrame({"pay": pay, "age": rng.integers(0, 99, n), "town": rng.choice(["East", "West"], n)})


@pytest.fixture(scope="module")
def file(table: pl.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("trail") / "in.parquet"
    table.write_parquet(path)
    return path


def test_changes_and_sizes_of_a_stream_are_those_of_memory(table: pl.DataFrame, file: Path) -> None:
    here = ammg.Pipeline(STEPS).run(table, secret=1)
    streamed = ammg.Pipeline(STEPS).run(ammg.read(file, stream=True), secret=1, engine=LocalEngine(2))
    assert not streamed.source.in_memory
    for one, other in zip(here.steps, streamed.steps, strict=True):
        assert (one.records_before, one.records_after, one.notes) == (
            other.records_before,
            other.records_after,
            other.notes,
        )
        assert one.changed.keys() == other.changed.keys()
        for name, facts in one.changed.items():
            assert facts == pytest.approx(other.changed[name])
    assert here.steps[1].records_after == streamed.t < len(table)


def test_a_stream_is_read_once_for_all_its_steps(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    streamed = ammg.Pipeline(STEPS).run(ammg.read(file, stream=True), secret=1)
    read = []
    chunks = type(streamed.source.table).chunks  # type: ignore[attr-defined]

    def counted(self: object, columns: object = None) -> object:
        read.append(columns)
        return chunks(self, columns)

    monkeypatch.setattr(type(streamed.source.table), "chunks", counted)  # type: ignore[attr-defined]
    assert [len(step.changed) for step in streamed.steps] == [1, 0, 2, 1]
    assert len(read) == 1
    assert streamed.published  # known before masking: nothing is read for it
    assert len(read) == 1


def test_a_step_in_memory_after_a_stream_is_told_too(table: pl.DataFrame, file: Path) -> None:
    steps = [ammg.Sampling(fraction=0.5), ammg.RankSwapping(columns=("age",))]
    here = ammg.Pipeline(steps).run(table, secret=1)
    streamed = ammg.Pipeline(steps).run(ammg.read(file, stream=True), secret=1)
    for one, other in zip(here.steps, streamed.steps, strict=True):
        assert (one.records_before, one.records_after) == (other.records_before, other.records_after)
        assert one.changed.get("age", {}) == pytest.approx(other.changed.get("age", {}))


def test_findings_of_all_chunks_come_together(table: pl.DataFrame, file: Path, hides: type[Method]) -> None:
    hidden = int((table["pay"] > 90).sum())
    for data in (ammg.Microdata(table), ammg.read(file, stream=True)):
        (step,) = ammg.Pipeline([hides(columns=("pay",))]).run(data, secret=1).steps
        assert step.notes == (f"{hidden} cells were hidden",)
        assert step.published == (Suppression(("pay",)),)


def test_facts_found_under_a_condition_are_about_those_records(file: Path, hides: type[Method]) -> None:
    (step,) = ammg.Pipeline([hides(columns=("pay",), where="age > 50")]).run(ammg.read(file, stream=True)).steps
    assert step.published[0].among is not None


def test_a_stream_whose_step_changes_nothing_says_so(file: Path) -> None:
    (step,) = ammg.Pipeline([ammg.Rounding(columns=("age",), base=1)]).run(ammg.read(file, stream=True)).steps
    assert step.notes == ("it changed no value",)
    assert step.changed == {}
