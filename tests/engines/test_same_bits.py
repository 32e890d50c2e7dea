"""One secret, one result: with one thread or two, in memory or streamed, on Spark with any number of partitions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import ammg
from ammg.data.encoding import ID
from ammg.draws import CHUNK
from ammg.engines.local import LocalEngine

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RECORDS = CHUNK + 12_345

METHODS = {
    "identifier removal": ammg.IdentifierRemoval(),
    "sampling": ammg.Sampling(fraction=0.7),
    "correlated noise": ammg.CorrelatedNoise(columns=("a", "b", "gap")),
    "correlated noise, exact": ammg.CorrelatedNoise(columns=("a", "b", "count"), exact=True),
    "correlated noise, rescaled": ammg.CorrelatedNoise(columns=("a", "gap"), rescaled=True),
    "correlated noise of some": ammg.CorrelatedNoise(columns=("a", "b"), where="town <> 'North' AND small > 20"),
    "additive noise": ammg.AdditiveNoise(columns=("b", "gap")),
    "rounding": ammg.Rounding(columns=("b", "count"), base=0.25),
    "top coding": ammg.TopCoding(columns=("small", "gap"), share=0.03),
    "recoding by map": ammg.GlobalRecoding(columns=("town",), map={"North": "South"}),
    "recoding by cuts": ammg.GlobalRecoding(columns=("b", "count"), cuts=(1, 3, 30)),
    "recoding of dates": ammg.GlobalRecoding(columns=("born",), period="year"),
    "recoding by groups": ammg.GlobalRecoding(columns=("b",), groups=5),
    "Bernoulli sampling": ammg.BernoulliSampling(fraction=0.9),
    "local suppression": ammg.LocalSuppression(columns=("town", "small", "count"), k=3),
    "risk suppression": ammg.RiskSuppression(columns=("town", "small", "count"), threshold=0.4),
    "record suppression": ammg.RecordSuppression(columns=("town", "small", "count"), threshold=0.4),
    "optimal recoding": ammg.OptimalRecoding(columns=("town", "level", "small"), k=300),
    "Mondrian": ammg.Mondrian(columns=("town", "small", "count"), k=5),
    "local recoding": ammg.LocalRecoding(columns=("town", "count"), k=3, moves=20),
}
COUNTED = ("risk suppression", "record suppression", "optimal recoding", "Mondrian", "local recoding")
IN_A_ROW = [
    method.on_columns(method.columns[-1:]) if name in ("additive noise", "top coding", "recoding by cuts") else method
    for name, method in METHODS.items()
    if name not in ("correlated noise", "recoding by groups", *COUNTED)
]
ON_SPARK = [
    METHODS[name]
    for name in (
        "correlated noise, exact",
        "top coding",
        "additive noise",
        "sampling",
        "identifier removal",
        "rounding",
        "recoding by map",
        "recoding of dates",
    )
]
"""Those with summaries first: each summary is a job on Spark, which takes all steps before it again."""


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    """Every type that the boundary to Spark converts, and values that are missing."""
    rng = np.random.default_rng(8)
    gap = rng.exponential(size=RECORDS)
    gap[rng.random(RECORDS) < 0.1] = np.nan
    return pl.DataFrame(
        {
            "name": [f"person {i}" for i in range(RECORDS)],
            "a": rng.normal(size=RECORDS),
            "b": rng.lognormal(3, 1, RECORDS),
            "gap": pl.Series(gap, nan_to_null=True),
            "count": pl.Series(rng.poisson(3, RECORDS), dtype=pl.Int32),
            "small": pl.Series(rng.integers(0, 250, RECORDS), dtype=pl.UInt8),
            "large": pl.Series(rng.integers(0, 2**63, RECORDS).astype(np.uint64)),
            "town": pl.Series(rng.choice(["South", "North", "East"], RECORDS)).set(
                pl.Series(rng.random(RECORDS) < 0.01), None
            ),
            "level": pl.Series(rng.choice(["low", "high"], RECORDS), dtype=pl.Enum(["low", "middle", "high"])),
            "born": pl.Series(rng.integers(-3000, 9000, RECORDS).astype(np.int32)).cast(pl.Date),
            "seen": pl.Series(rng.integers(0, 10**15, RECORDS)).cast(pl.Datetime("us")),
            "zoned": pl.Series(rng.integers(0, 10**12, RECORDS)).cast(pl.Datetime("ms", "Europe/Berlin")),
            "lasted": pl.Series(rng.integers(0, 10**9, RECORDS)).cast(pl.Duration("us")),
            "well": rng.random(RECORDS) < 0.5,
            "weight": rng.uniform(1, 5, RECORDS),
        }
    )


def with_roles(data: ammg.Microdata) -> ammg.Microdata:
    return data.with_roles(identifier="name", weight="weight")


@pytest.fixture(scope="module")
def data(table: pl.DataFrame) -> ammg.Microdata:
    return with_roles(ammg.Microdata(table))


@pytest.fixture(scope="module")
def file(table: pl.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Parquet file whose row groups have nothing to do with chunks."""
    path = tmp_path_factory.mktemp("streamed") / "uneven [1].parquet"
    table.write_parquet(path, row_group_size=9_973)
    return path


@pytest.fixture(scope="module")
def folder(table: pl.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same records in three files; the second is empty, the names are not in the order of their making."""
    path = tmp_path_factory.mktemp("parts") / "parts.parquet"
    path.mkdir()
    cut = CHUNK + 777
    table.slice(cut).write_parquet(path / "part-c.parquet", row_group_size=20_011)
    table.head(0).write_parquet(path / "part-b.parquet")
    table.head(cut).write_parquet(path / "part-a.parquet", row_group_size=20_011)
    return path


def run(steps: list[ammg.Method], data: ammg.Microdata, threads: int = 1) -> pl.DataFrame:
    return ammg.Pipeline(steps).run(data, secret="same", engine=LocalEngine(threads)).table


@pytest.mark.parametrize("name", METHODS)
def test_threads_and_streams_do_not_change_a_bit(name: str, data: ammg.Microdata, file: Path) -> None:
    streamed = with_roles(ammg.read(file, stream=True))
    once = run([METHODS[name]], data)
    assert not once.equals(data.table)
    for other in (data, streamed):
        assert_frame_equal(run([METHODS[name]], other, 2), once, check_exact=True)


def test_steps_in_a_row_do_not_change_a_bit(data: ammg.Microdata, file: Path, folder: Path) -> None:
    in_a_row = run(IN_A_ROW, data)
    for other in (data, with_roles(ammg.read(file, stream=True)), with_roles(ammg.read(folder, stream=True))):
        assert_frame_equal(run(IN_A_ROW, other, 2), in_a_row, check_exact=True)


@pytest.fixture(scope="module")
def on_spark(spark: SparkSession, data: ammg.Microdata, table: pl.DataFrame) -> Iterator[ammg.Microdata]:
    """The records on Spark, consecutive ones scattered over three partitions."""
    from ammg.engines.spark import SparkEngine
    from ammg.engines.spark.table import SparkTable

    frame = SparkEngine(spark).open(data).table.frame.repartition(3).cache()
    assert frame.rdd.getNumPartitions() == 3
    yield with_roles(ammg.Microdata(SparkTable(frame, table.schema, RECORDS)))
    frame.unpersist()


@pytest.mark.spark
def test_partitions_do_not_change_a_bit(spark: SparkSession, on_spark: ammg.Microdata, data: ammg.Microdata) -> None:
    from ammg.engines.spark import SparkEngine

    masked = ammg.Pipeline(ON_SPARK).run(on_spark, secret="same", engine=SparkEngine(spark))
    assert_frame_equal(masked.source.to_polars().drop(ID), run(ON_SPARK, data), check_exact=True)


@pytest.mark.spark
def test_methods_that_plan_from_counts_of_keys_do_not_change_a_bit(
    spark: SparkSession, on_spark: ammg.Microdata, data: ammg.Microdata
) -> None:
    from ammg.engines.spark import SparkEngine

    steps = [
        METHODS["record suppression"],
        ammg.RiskSuppression(columns=("town", "small"), threshold=0.0015),
        ammg.OptimalRecoding(columns=("town", "level", "count"), k=150),
        ammg.Mondrian(columns=("small", "born"), k=50, criteria=[{"distinct_l_diversity": {"attributes": ["well"]}}]),
        ammg.LocalRecoding(columns=("count", "level"), k=3, moves=20),
    ]
    assert {type(step) for step in steps} >= {type(METHODS[name]) for name in COUNTED}
    once = run(steps, data)
    assert len(once) < len(data.table)
    assert once["small"].null_count() > 0
    assert once["count"].null_count() > 0
    assert once["born"].dtype != data.table["born"].dtype
    masked = ammg.Pipeline(steps).run(on_spark, secret="same", engine=SparkEngine(spark))
    assert_frame_equal(masked.source.to_polars().drop(ID), once, check_exact=True)


@pytest.mark.spark
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_it_does_not_matter_where_spark_finds_the_records(
    spark: SparkSession, data: ammg.Microdata, file: Path, folder: Path, kind: str
) -> None:
    from ammg.engines.spark import SparkEngine

    steps = [METHODS["correlated noise, exact"], METHODS["recoding by map"]]
    opened = with_roles(ammg.read({"file": file, "folder": folder}[kind], stream=True))
    masked = ammg.Pipeline(steps).run(opened, secret="same", engine=SparkEngine(spark))
    assert_frame_equal(masked.source.to_polars().drop(ID), run(steps, data), check_exact=True)
