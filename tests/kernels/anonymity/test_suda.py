from __future__ import annotations

import csv
import json
from itertools import combinations
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ammg.kernels.anonymity.suda import dis_suda, level_contributions, special_uniques
from ammg.kernels.factorize import factorize

KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]

tables = st.integers(1, 4).flatmap(
    lambda m: hnp.arrays(np.int32, st.tuples(st.integers(0, 20), st.just(m)), elements=st.integers(-1, 3))
)


def columns(table):
    return [np.ascontiguousarray(column) for column in table.T]


def scores_of(found, n):
    scores = np.zeros(n)
    scores[found.records] = found.scores
    return scores


def by_definition(table, largest):
    """Compare all pairs of records on all subsets of keys."""
    n, m = table.shape
    scores, unique = np.zeros(n), {}
    for size in range(1, largest + 1):
        for keys in combinations(range(m), size):
            part = table[:, keys]
            known = (part >= 0).all(1)
            same = (part[:, None] == part[None]).all(2) & known[None]
            alone = (same.sum(1) == 1) & known
            before = np.any([unique[rest] for rest in combinations(keys, size - 1) if rest], axis=0)
            scores += (alone & ~before) * prod(m - i for i in range(size, min(largest, m - 1) + 1))
            unique[keys] = alone | before
    return scores


@settings(max_examples=100, deadline=None)
@given(tables, st.integers(1, 4))
def test_scores_are_those_of_the_definition(table, largest):
    largest = min(largest, table.shape[1])
    found = special_uniques(columns(table), [4] * table.shape[1], largest)
    assert scores_of(found, len(table)).tolist() == by_definition(table, largest).tolist()


@pytest.mark.parametrize("size", [200, 3_000, 2_000_000_000])  # hashed, and beyond 64 bits
def test_keys_with_many_categories_give_the_same_scores(size):
    rng = np.random.default_rng(2)
    table = rng.integers(0, 12, (3_000, 5)).astype(np.int32)
    few = special_uniques(columns(table), [12] * 5)
    many = special_uniques(columns(table), [size] * 5)
    assert many.subsets == few.subsets
    assert np.array_equal(many.scores, few.scores)


@pytest.fixture(scope="module")
def worked_example(shared):
    with (shared / "spec" / "targets" / "suda_worked_example.csv").open() as file:
        return list(csv.DictReader(file))


def test_the_worked_example_of_the_ihsn_guide(worked_example):
    codes = [
        np.unique([row[name] for row in worked_example], return_inverse=True)[1].astype(np.int32)
        for name in ("Residence", "Gender", "Education", "Labor")
    ]
    found = special_uniques(codes, [10] * 4, largest=3)
    assert scores_of(found, 10).tolist() == [float(row["SUDA_score_M3"]) for row in worked_example]
    assert found.pairs == 6
    risk = np.zeros(10)
    risk[found.records] = dis_suda(found.scores, found.pairs, fraction=0.01, attributes=4, exponent=1.075)
    assert risk == pytest.approx([float(row["DIS_SUDA_guide"]) for row in worked_example], abs=5e-5)


def read(path):
    with path.open() as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


@pytest.mark.parametrize(
    ("entry", "file", "keys", "rows", "fraction"),
    [
        ("francdat_default", "francdat", ["Key1", "Key2", "Key3", "Key4"], 8, 0.01),
        ("francdat_dis0.1", "francdat", ["Key1", "Key2", "Key3", "Key4"], 8, 0.1),
        ("testdata_4", "testdata", KEYS[:4], 4580, 0.01),
        ("testdata_7", "testdata", KEYS, 4580, 0.01),
        ("testdata_7_dis0.1", "testdata", KEYS, 4580, 0.1),
        ("testdata500_3", "testdata", ["water", "relat", "age"], 500, 0.01),
        ("testdata500_7_NA", "testdata", KEYS, 500, 0.01),
    ],
)
def test_scores_and_contributions_are_those_of_sdcmicro(shared, entry, file, keys, rows, fraction):
    entries = json.loads((shared / "golden" / "suda2.json").read_text())["entries"]
    expected = next(e["result"] for e in entries if e["id"] == entry)
    data = read(shared / "data" / f"{file}.csv")
    values = [data[key][:rows].copy() for key in keys]
    if "NA" in entry:
        for j, column in enumerate(values, start=1):
            column[(7 * np.arange(1, rows + 1) + 13 * j) % 97 == 0] = np.nan
    codes, distinct = zip(*(factorize(column) for column in values), strict=True)
    sizes = [values.size for values in distinct]
    found = special_uniques(codes, sizes)
    assert np.array_equal(scores_of(found, rows), expected["score"])
    risk = np.zeros(rows)
    risk[found.records] = dis_suda(found.scores, found.pairs, fraction, len(keys))
    assert np.allclose(risk, expected["disScore"], atol=1e-6)  # sdcMicro computes in single precision
    by_key = 100 * found.contributions.sum(0) / found.scores.sum()
    assert np.allclose(by_key, [item["contribution"] for item in expected["attribute_contributions"]])
    levels = level_contributions(found, codes, sizes)
    for item in expected["attribute_level_contributions"]:
        if isinstance(item["contribution"], int | float) and isinstance(item["attribute"], int | float):
            key = keys.index(item["variable"])
            level = int(np.searchsorted(distinct[key], item["attribute"]))
            assert 100 * levels[key][level] == pytest.approx(item["contribution"])


def test_a_file_without_uniques_has_no_scores():
    found = special_uniques([np.zeros(4, np.int32)] * 3, [1] * 3)
    assert found.records.size == 0
    assert dis_suda(found.scores, found.pairs, 0.1, 3).size == 0


def test_more_subsets_than_can_be_searched_are_refused():
    with pytest.raises(ValueError, match="30 keys have more than 200,000 subsets"):
        special_uniques([np.zeros(1, np.int32)] * 30, [1] * 30)


@pytest.mark.parametrize("fraction", [0.0, -0.1, 1.5, float("nan")])
def test_a_sampling_fraction_outside_its_range_is_refused(fraction):
    with pytest.raises(ValueError, match="sampling fraction"):
        dis_suda(np.ones(1), 0, fraction, 3)
