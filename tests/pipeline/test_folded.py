"""Measures that add up give the same from a stream as from memory, without reading it whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.encoding import ID
from ammg.draws import CHUNK
from ammg.engines.local import LocalEngine, LocalSource
from ammg.errors import DataWarning
from ammg.measures.measure import Measure
from ammg.pipeline import folded

MEASURES: list[Measure] = [
    ammg.Frequency(),
    ammg.KAnonymity(k=20),
    ammg.KAnonymity(k=4, missing="category"),
    ammg.CellLoss(),
    ammg.IL1(),
    ammg.IL1(version="original", zero="masked"),
    ammg.IL1(version="record"),
    ammg.IL1s(),
    ammg.IL2(),
    ammg.IL3(),
    ammg.IL3r(),
    ammg.IL4(),
    ammg.IL5(),
    ammg.S2(),
    ammg.SumOfSquaresLoss(),
    ammg.EigenvalueDistance(),
    ammg.AverageAbsoluteDistance(weighted=True),
    ammg.HellingerDistance(),
    ammg.ContingencyTableDistance(),
    ammg.CramersVDifference(),
    ammg.MutualInformationLoss(),
    ammg.EntropyLoss(),
    ammg.NonUniformEntropy(),
    ammg.Granularity(),
    ammg.SwitchingPercentage(),
    ammg.Discernibility(columns=("town", "rent")),
    ammg.AverageClassSize(),
    ammg.SuppressedCells(),
    ammg.SuppressedRecords(),
]
STEPS = [
    ammg.GlobalRecoding(columns=("age",), groups=5),
    ammg.GlobalRecoding(columns=("job",), map={"cook": "trade", "smith": "trade"}),
    ammg.AdditiveNoise(columns=("pay", "rent"), p=0.3),
    ammg.Sampling(fraction=0.7),
]


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    rng = np.random.default_rng(6)
    n = CHUNK + 4_000
    lacking = pl.Series(rng.random(n) < 0.05)
    return pl.DataFrame(
        {
            "age": rng.integers(0, 99, n),
            "town": pl.Series(rng.choice(["East", "West", "North"], n)).set(lacking, None),
            "pay": pl.Series(rng.lognormal(3, 1, n)).set(lacking, None),
            "rent": np.round(rng.normal(500, 90, n)),
            "job": np.where(rng.random(n) < 0.3, "clerk", rng.choice(["smith", "cook", "guard"], n)),
            "flat": np.full(n, 0.1),
            "w": rng.uniform(1, 3, n),
        }
    )


def with_roles(data: ammg.Microdata) -> ammg.Microdata:
    return data.with_roles(key=["age", "town"], confidential=["pay", "rent"], weight="w")


@pytest.fixture(scope="module")
def pairs(table: pl.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> tuple[ammg.Masked, ammg.Masked]:
    path = tmp_path_factory.mktemp("folded") / "in.parquet"
    table.write_parquet(path)
    here = ammg.Pipeline(STEPS).run(with_roles(ammg.Microdata(table)), secret=1)
    streamed = with_roles(ammg.read(path, stream=True))
    return here, ammg.Pipeline(STEPS).run(streamed, secret=1, engine=LocalEngine(2))


@pytest.fixture
def unread(monkeypatch: pytest.MonkeyPatch) -> None:
    collect = LocalSource.collect

    def guarded(self: LocalSource) -> pl.DataFrame:
        assert self.in_memory, "the stream was read into memory"
        return collect(self)

    monkeypatch.setattr(LocalSource, "collect", guarded)


@pytest.mark.parametrize("measure", MEASURES, ids=str)
@pytest.mark.usefixtures("unread")
def test_a_stream_measures_as_memory_does(pairs: tuple[ammg.Masked, ammg.Masked], measure: Measure) -> None:
    here, streamed = pairs
    expected = measure.measure(here.pair, ammg.Scenario())
    found = ammg.evaluate(streamed, [measure])
    label = next(iter(found.after))
    assert found[label].value == pytest.approx(expected.value, rel=1e-9)
    assert found[label].by_column == pytest.approx(dict(expected.by_column), rel=1e-9)
    for name, table in expected.tables.items():
        for column in table.columns:
            assert_same(found[label].tables[name][column], table[column])
    assert found[label].charts == expected.charts
    for name, fact in expected.facts.items():
        same = pytest.approx(fact, rel=1e-9, nan_ok=True) if isinstance(fact, float) else fact
        assert found[label].facts[name] == same
    assert found.records == {"n": here.n, "t": here.t, "r": here.r, "sf": here.r / here.n, "fs": 0.0}
    if found.before:
        unmasked = measure.measure(here.pair.unmasked(), ammg.Scenario())
        assert found.before[label].value == pytest.approx(unmasked.value, rel=1e-12)


@pytest.mark.usefixtures("unread")
def test_a_stream_that_nothing_masked_is_measured_chunk_by_chunk(
    table: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.write_parquet(tmp_path / "in.parquet")
    streamed = with_roles(ammg.read(tmp_path / "in.parquet", stream=True))
    here = ammg.evaluate(with_roles(ammg.Microdata(table)), MEASURES)
    monkeypatch.setattr(ammg.Microdata, "block", None)  # which would read whole columns
    found = ammg.evaluate(streamed, MEASURES)
    assert {label: found.value(label) for label in found} == pytest.approx(
        {label: here.value(label) for label in here}, rel=1e-9, nan_ok=True
    )


def assert_same(found: tuple[object, ...], expected: tuple[object, ...]) -> None:
    for one, other in zip(found, expected, strict=True):
        assert one == (pytest.approx(other, rel=1e-9, abs=1e-9) if isinstance(other, float) else other)


def test_a_constant_column_has_no_variance_in_chunks_either(pairs: tuple[ammg.Masked, ammg.Masked]) -> None:
    only = ammg.IL4(columns=("flat",))
    with pytest.raises(ammg.errors.NotDefined, match="every denominator is zero"):
        only.fold(pairs[1].pair, ammg.Scenario())  # type: ignore[arg-type]


def test_a_column_that_is_gone_is_charged_in_a_stream_too(table: pl.DataFrame, tmp_path: Path) -> None:
    table.write_parquet(tmp_path / "in.parquet")
    steps = [ammg.IdentifierRemoval()]
    measures = [ammg.IL1(columns=("pay",)), ammg.IL1s(columns=("pay",)), ammg.IL2(columns=("pay",))]
    streamed = ammg.read(tmp_path / "in.parquet", stream=True).with_roles(identifier="pay")
    here = ammg.evaluate(ammg.Pipeline(steps).run(ammg.Microdata(table).with_roles(identifier="pay")), measures)
    found = ammg.evaluate(ammg.Pipeline(steps).run(streamed), measures)
    for name in ("il1", "il1s", "il2"):
        assert found.value(name) == pytest.approx(here.value(name))


def test_a_measure_that_does_not_add_up_reads_a_large_stream_and_says_so(
    pairs: tuple[ammg.Masked, ammg.Masked], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, streamed = pairs
    monkeypatch.setattr(folded, "_MANY", 1_000)
    with pytest.warns(
        DataWarning, match="wasserstein_distance cannot be computed chunk by chunk and loads all 69,536 records"
    ):
        found = ammg.evaluate(streamed, "wasserstein_distance")
    assert found.value("wasserstein_distance") == ammg.evaluate(here, "wasserstein_distance").value(
        "wasserstein_distance"
    )


def test_attacks_on_a_stream_with_categories_find_what_they_find_in_memory(table: pl.DataFrame, tmp_path: Path) -> None:
    few = table.head(300)
    few.write_parquet(tmp_path / "in.parquet")
    steps = [ammg.AdditiveNoise(columns=("pay", "rent"), p=0.3)]
    here = ammg.Pipeline(steps).run(with_roles(ammg.Microdata(few)), secret=1)
    streamed = ammg.Pipeline(steps).run(with_roles(ammg.read(tmp_path / "in.parquet", stream=True)), secret=1)
    expected, found = ammg.evaluate(here), ammg.evaluate(streamed)
    assert {label: found.value(label) for label in found} == pytest.approx(
        {label: expected.value(label) for label in expected}, rel=1e-9
    )


def test_weights_below_one_are_refused_in_a_stream(table: pl.DataFrame, tmp_path: Path) -> None:
    table.with_columns(w=pl.col("w") - 0.5).write_parquet(tmp_path / "in.parquet")
    streamed = with_roles(ammg.read(tmp_path / "in.parquet", stream=True))
    with pytest.raises(ammg.errors.InputError, match=r"Weight 'w' of some record is 0\.5"):
        ammg.evaluate(ammg.Pipeline([]).run(streamed), "k_anonymity")


def test_the_link_of_a_stream_is_that_of_memory(pairs: tuple[ammg.Masked, ammg.Masked]) -> None:
    here, streamed = pairs
    assert np.array_equal(here.pair.link, streamed.pair.link)
    assert ID not in streamed.pair.masked.table.columns
