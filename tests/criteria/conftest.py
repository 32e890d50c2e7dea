from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from ammg.kernels.factorize import factorize


@pytest.fixture(scope="session")
def golden(shared):
    """Results of one function of another system, by the name of the entry."""

    def read(name):
        entries = json.loads((shared / "golden" / f"{name}.json").read_text())["entries"]
        return {entry["id"]: entry["result"] for entry in entries}

    return read


@pytest.fixture(scope="session")
def testdata(shared):
    """The columns of testdata.csv of sdcMicro as codes and sizes."""
    with (shared / "data" / "testdata.csv").open() as file:
        rows = list(csv.DictReader(file))

    def encode(*names):
        pairs = [factorize(np.array([float(row[name]) for row in rows])) for name in names]
        return [codes for codes, _ in pairs], [distinct.size for _, distinct in pairs]

    return encode


@pytest.fixture(scope="session")
def adult(shared):
    """The columns of adult (30,162 records) as codes, by name."""
    with (shared / "data" / "adult.csv").open() as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    coded = {name: np.unique([row[name] for row in rows], return_inverse=True) for name in rows[0]}
    return {name: (codes.astype(np.int32), distinct.size) for name, (distinct, codes) in coded.items()}
