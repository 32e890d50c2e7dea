"""Small files that the tests of frequency-based risk start from."""

from __future__ import annotations

import csv
import json

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.pair import Pair

KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]


@pytest.fixture
def identity():
    """A file beside itself."""

    def make(table, **roles):
        return Pair.identity(ammg.Microdata(pl.DataFrame(table)).with_roles(**roles))

    return make


@pytest.fixture
def sample_of():
    """A release of some of the records, unchanged."""

    def make(table, chosen, **roles):
        frame = pl.DataFrame(table)
        original, masked = (ammg.Microdata(part).with_roles(**roles) for part in (frame, frame[chosen]))
        return Pair(original, masked, np.array(chosen))

    return make


@pytest.fixture(scope="session")
def testdata(shared):
    """The file testdata of sdcMicro, on request with the missing values of its golden entries."""

    def read(holes=False, rows=None):
        table = pl.read_csv(shared / "data" / "testdata.csv", null_values="NA")
        number = np.arange(1, table.height + 1)
        for j, name in enumerate(KEYS if holes else [], start=1):
            gone = pl.Series((7 * number + 13 * j) % 97 == 0)
            table = table.with_columns(pl.when(gone).then(None).otherwise(pl.col(name)).alias(name))
        return table if rows is None else table.head(rows)

    return read


@pytest.fixture(scope="session")
def golden(shared):
    """A result of sdcMicro 5.8.1."""

    def read(function, entry):
        entries = json.loads((shared / "golden" / f"{function}.json").read_text())["entries"]
        return next(e["result"] for e in entries if e["id"] == entry)

    return read


@pytest.fixture(scope="session")
def target_rows(shared):
    """A table of the specification."""

    def read(name):
        with (shared / "spec" / "targets" / name).open() as file:
            return list(csv.DictReader(file))

    return read


@pytest.fixture(scope="session")
def seven():
    """The seven keys of testdata."""
    return KEYS
