"""What tests of several folders start from."""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: two workers with two threads each wait for cores

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, settings

import ammg

# The same cases in every run, however slow the machine is at the moment.
settings.register_profile(
    "suite", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("suite")

SHARED = Path(__file__).parents[2] / "shared"
TOGETHER = {"spark": ("spark", "test_same_bits"), "browser": ("tests/web/browser/",)}
"""Tests that share a Spark session or a browser, by what stands in their names: one worker runs them."""
FIRST = (
    *TOGETHER["spark"],
    "tests/web/",
    "tests/contract/test_measures.py",
    "tests/testing/",
    "tests/jobs/",
    "tests/measures/",
    "tests/cli/",
)
"""What takes long, begun first: the last file would keep one worker busy and the others waiting."""
LAST = "tests/contract/test_methods.py"
"""Thousands of short tests, shared out method by method: they fill the end of a run evenly."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Whole files to a worker, but for what belongs together and what can be divided."""
    from xdist.scheduler import LoadFileScheduling

    class Files(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            for name, words in TOGETHER.items():
                if any(word in nodeid for word in words):
                    return name
            file, _, test = nodeid.partition("::")
            return f"{file} {test.partition('[')[2].partition('-')[0].rstrip(']')}" if file == LAST else file

    return Files(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files first, the many short tests last; within them the order stays."""

    def place(item: pytest.Item) -> int:
        found = [place for place, word in enumerate(FIRST) if word in item.nodeid]
        return found[0] if found else len(FIRST) + item.nodeid.startswith(LAST)

    items.sort(key=place)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference data and published numbers beside the checkout."""
    if not SHARED.is_dir():
        pytest.skip("reference data are not beside the checkout")
    return SHARED


@pytest.fixture(scope="session")
def census_data(shared: Path) -> ammg.Microdata:
    """CENSUS as microdata: 1080 records, 13 amounts, all confidential."""
    table = pl.read_csv(shared / "data" / "CENSUS.csv")
    return ammg.Microdata(table).with_roles(confidential=table.columns)


@pytest.fixture(scope="session")
def patients() -> ammg.Microdata:
    """The ten patients of the AMMG paper with the roles it gives them."""
    return ammg.Microdata(ammg.datasets.patients()).with_roles(
        identifier=["Name", "SSN"], key=["Age", "State"], confidential=["Diagnosis", "Income", "Billing"]
    )


@pytest.fixture(scope="session")
def survey() -> ammg.Microdata:
    """A household survey of 600 people with weights and households."""
    return ammg.Microdata(ammg.datasets.survey(600, seed=3)).with_roles(
        identifier="person_id",
        household="household_id",
        weight="weight",
        key=["region", "sex", "age", "marital_status"],
        confidential=["wages", "pensions", "income"],
    )


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """One small Spark session for all tests that need it."""
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs java, which is not installed")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "America/New_York",  # results must not depend on it
        # Many small jobs: compiling each query, and the compiled code again, costs more than running it.
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    }
    builder = sql.SparkSession.builder.master("local[2]").appName("ammg tests")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()
