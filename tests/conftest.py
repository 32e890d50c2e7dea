"""What tests of several folders start from."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ammg

SHARED = Path(__file__).parents[2] / "shared"


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
    }
    builder = sql.SparkSession.builder.master("local[2]").appName("ammg tests")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()
