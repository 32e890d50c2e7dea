"""STRATUM methods on Spark: the same bits as here, where strata are given."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import ammg
from ammg.data.encoding import ID
from ammg.data.published import NoiseLaw
from ammg.draws import CHUNK
from ammg.engines.spark import SparkEngine

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

STEPS = [
    ammg.AdditiveNoise(columns=("rent",)),
    ammg.PercentileNoise(columns=("pay",), within=("town",), ties="random", where="age > 20"),
    ammg.RankSwapping(columns=("age",), within=("town", "level")),
    ammg.Rounding(columns=("rent",), base=5),
    ammg.StratifiedSampling(within=("level",), fraction=0.5),
]


@pytest.fixture(scope="module")
def engine(spark: SparkSession) -> SparkEngine:
    return SparkEngine(spark)


@pytest.fixture(scope="module")
def data() -> ammg.Microdata:
    rng = np.random.default_rng(5)
    n = CHUNK + 3_000
    table = pl.DataFrame(
        {
            "name": [f"person {i}" for i in range(n)],
            "town": pl.Series(rng.choice(["South", "North"], n)).set(pl.Series(rng.random(n) < 0.05), None),
            "level": pl.Series(rng.choice(["low", "high"], n), dtype=pl.Enum(["low", "high"])),
            "age": rng.integers(0, 99, n),
            "pay": pl.Series(rng.lognormal(3, 1, n)).set(pl.Series(rng.random(n) < 0.05), None),
            "rent": rng.normal(500, 90, n),
        }
    )
    return ammg.Microdata(table).with_roles(identifier="name", key=["age", "town"], confidential=["pay", "rent"])


@pytest.fixture(scope="module")
def both(data: ammg.Microdata, engine: SparkEngine) -> tuple[ammg.Masked, ammg.Masked]:
    pipeline = ammg.Pipeline(STEPS)
    here, there = pipeline.run(data, secret=1), pipeline.run(data, secret=1, engine=engine)
    there.source.table.frame.cache()  # type: ignore[attr-defined]
    return here, there


def test_strata_are_masked_to_the_same_bits(both: tuple[ammg.Masked, ammg.Masked]) -> None:
    here, there = both
    assert_frame_equal(there.source.to_polars().drop(ID), here.table, check_exact=True)  # type: ignore[attr-defined]


def test_what_the_steps_did_is_told_alike(both: tuple[ammg.Masked, ammg.Masked]) -> None:
    for one, other in zip(both[0].steps, both[1].steps, strict=True):
        assert (one.records_before, one.records_after, one.notes) == (
            other.records_before,
            other.records_after,
            other.notes,
        )
        assert one.changed.keys() == other.changed.keys()
        for name, facts in one.changed.items():
            assert facts == pytest.approx(other.changed[name])


def test_what_masking_found_out_is_published_alike(both: tuple[ammg.Masked, ammg.Masked]) -> None:
    laws = [next(fact for fact in masked.steps[1].published if isinstance(fact, NoiseLaw)) for masked in both]
    assert laws[0].covariance.tobytes() == laws[1].covariance.tobytes()
    assert laws[1].among is not None


def test_measures_that_add_up_run_where_the_records_are(both: tuple[ammg.Masked, ammg.Masked]) -> None:
    here, there = (ammg.evaluate(masked, ["k_anonymity", "il1s"], before=False) for masked in both)
    for name in ("k_anonymity", "il1s"):
        assert there.value(name) == pytest.approx(here.value(name), rel=1e-9)


def test_the_release_is_the_same(both: tuple[ammg.Masked, ammg.Masked], tmp_path: Path) -> None:
    both[1].release(force="a test").write(tmp_path / "out.parquet")
    assert_frame_equal(ammg.read(tmp_path / "out.parquet").table, both[0].release(force="a test").table)


def test_without_strata_the_step_is_refused_before_any_work(data: ammg.Microdata, engine: SparkEngine) -> None:
    steps = [ammg.Rounding(columns=("rent",)), ammg.PercentileNoise(columns=("pay",))]
    with pytest.raises(ammg.AmmgError, match="percentile_noise does not run on spark yet: without strata"):
        ammg.Pipeline(steps).run(data, engine=engine)


def test_a_stratum_that_cannot_be_masked_is_refused_in_words(data: ammg.Microdata, engine: SparkEngine) -> None:
    lonely = ammg.Microdata(data.table.head(40).with_columns(zone=pl.int_range(40) // 39))
    with pytest.raises(ammg.AmmgError, match="cannot be masked by rank_swapping"):
        ammg.Pipeline([ammg.RankSwapping(columns=("rent",), within=("zone",))]).run(lonely, engine=engine)
