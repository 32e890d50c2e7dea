"""Every registered method keeps the contract, on every engine. A new method is covered with no change here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from polars.testing import assert_frame_equal

import ammg
from ammg import registry
from ammg.data.encoding import ID
from ammg.engines import engine
from ammg.kernels import blocks, threads
from ammg.methods.method import Method, Sees
from ammg.testing import METHOD_CHECKS, sample
from ammg.testing.methods import fitted, run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXAMPLES = [
    pytest.param(example, id=f"{name}-{position}" if position else name)
    for name, unit in registry.units("methods").items()
    for position, example in enumerate(unit.examples())
]
FIRST_EXAMPLES = [example for example in EXAMPLES if "-" not in str(example.id)]
"""One of each method: on Spark every run costs seconds, and what another example changes is the same code there."""


@pytest.mark.parametrize("name", registry.units("methods"))
def test_every_method_says_what_an_informed_intruder_can_do_with_it(name: str) -> None:
    assert "intruder" in (registry.units("methods")[name].__doc__ or "").partition("Parameters:")[0]


@pytest.mark.parametrize("check", METHOD_CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize("method", EXAMPLES)
def test_the_contract_of_methods(method: Method, check: object) -> None:
    check(method)  # type: ignore[operator]


@pytest.mark.parametrize("method", EXAMPLES)
def test_three_threads_give_what_one_gives(method: Method, monkeypatch: pytest.MonkeyPatch) -> None:
    data = sample()
    found = []
    for processors in (1, 3):
        monkeypatch.setattr("os.cpu_count", lambda processors=processors: processors)
        monkeypatch.setattr(threads, "WORTH_A_THREAD", 0)
        monkeypatch.setattr(blocks, "ROWS", 16)
        monkeypatch.setattr(engine, "LARGE_STRATUM", 0)
        found.append(run(method, data).table)
    assert_frame_equal(*found, check_exact=True)


@pytest.fixture(scope="module")
def streamed(tmp_path_factory: pytest.TempPathFactory) -> ammg.Microdata:
    """The sample in a file with row groups of 37 records."""
    path = tmp_path_factory.mktemp("contract") / "sample.parquet"
    data = sample()
    data.table.write_parquet(path, row_group_size=37)
    from ammg.data.parquet_table import ParquetTable

    return ammg.Microdata(ParquetTable(path), data.schema)


@pytest.mark.parametrize("method", EXAMPLES)
def test_a_stream_gives_what_memory_gives(method: Method, streamed: ammg.Microdata) -> None:
    assert_frame_equal(run(method, streamed).table, run(method, sample()).table, check_exact=True)


@pytest.mark.parametrize("method", EXAMPLES)
def test_a_streamed_release_gives_what_memory_gives(method: Method, streamed: ammg.Microdata, tmp_path: Path) -> None:
    run(method, streamed).release(force="a test").write(tmp_path / "out.parquet")
    assert_frame_equal(
        ammg.read(tmp_path / "out.parquet").table, run(method, sample()).release(force="a test").table, check_exact=True
    )


@pytest.mark.spark
@pytest.mark.parametrize("method", FIRST_EXAMPLES)
def test_spark_gives_what_memory_gives_or_declares_a_gap(method: Method, spark: SparkSession) -> None:
    from ammg.engines.spark import SparkEngine

    engine, data = SparkEngine(spark), sample("plain" if getattr(method, "exact", False) else "missing")
    alone = method.sees is Sees.STRATUM and method.strata(data.schema)  # each stratum is on a worker of its own
    if method.sees is not Sees.RECORD and not alone:
        with pytest.raises(ammg.AmmgError, match=f"{method.name} (does not run on spark yet|cannot run on spark)"):
            run(method, data, engine=engine)
        return
    masked = run(method, data, engine=engine)
    assert_frame_equal(masked.source.to_polars().drop(ID), run(method, data).table, check_exact=True)
    assert repr(masked.schema) == repr(run(method, data).schema)  # scores of empty classes are NaN


def test_examples_have_columns_to_mask() -> None:
    schema = sample().schema
    for name, unit in registry.units("methods").items():
        for example in unit.examples():
            assert not unit.takes_columns or fitted(example, schema).chosen(schema), name
