from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ammg.kernels.anonymity.wildcards import count_matches
from ammg.kernels.factorize import factorize
from ammg.kernels.plain import Budget

TESTDATA_KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]

tables = st.integers(1, 5).flatmap(
    lambda m: hnp.arrays(np.int32, st.tuples(st.integers(0, 25), st.just(m)), elements=st.integers(-1, 2))
)


def columns(table):
    return [np.ascontiguousarray(column) for column in table.T]


def compare_all_pairs(table, weights, doubtful):
    mine, other = table[:, None, :], table[None, :, :]
    match = ((mine == other) | (mine < 0) | (other < 0)).all(2)
    lacks = ((other < 0) & (mine >= 0)).any(2)
    share = np.where(match, np.where(lacks, doubtful, 1.0), 0.0)
    return share.sum(1), share @ weights


@settings(max_examples=100, deadline=None)
@given(tables, st.sampled_from([0.0, 0.5, 1.0]))
def test_counts_are_those_of_comparing_all_pairs(table, doubtful):
    weights = np.arange(1.0, len(table) + 1)
    f, F = count_matches(columns(table), [3] * table.shape[1], weights, doubtful)
    expected_f, expected_F = compare_all_pairs(table, weights, doubtful)
    assert np.allclose(f, expected_f)
    assert np.allclose(F, expected_F)


@pytest.mark.parametrize("doubtful", [1.0, 0.3, 0.0])
def test_plain_and_compiled_counts_are_the_same_bits(doubtful, monkeypatch):
    rng = np.random.default_rng(1)
    codes, weights = list(rng.integers(-1, 3, (5, 600)).astype(np.int32)), rng.lognormal(size=600)
    found = []
    for is_plain in (True, False):
        monkeypatch.setattr(Budget, "allows", lambda *_, is_plain=is_plain: is_plain)
        found.append(count_matches(codes, [3] * 5, weights, doubtful))
    np.testing.assert_array_equal(*found)


def test_without_weights_the_population_count_is_the_sample_count():
    table = np.array([[0, -1], [0, 1], [1, 1]], np.int32)
    f, F = count_matches(columns(table), [2, 2])
    assert f.tolist() == F.tolist() == [2.0, 2.0, 1.0]


def test_a_record_without_any_value_matches_all():
    table = np.array([[-1, -1], [0, 1], [1, 1]], np.int32)
    assert count_matches(columns(table), [2, 2])[0].tolist() == [3.0, 2.0, 2.0]
    assert count_matches(columns(table), [2, 2], doubtful=0.0)[0].tolist() == [3.0, 1.0, 1.0]


def test_more_keys_than_a_pattern_has_bits_are_refused():
    with pytest.raises(ValueError, match="at most 62 keys; there are 63"):
        count_matches([np.zeros(1, np.int32)] * 63, [1] * 63)


@pytest.fixture(scope="module")
def golden(shared):
    """Results of sdcMicro 5.8.1, freqCalc, with and without missing values."""
    entries = json.loads((shared / "golden" / "freqCalc.json").read_text())["entries"]
    return {entry["id"]: entry["result"] for entry in entries}


def read(path):
    with path.open() as file:
        rows = list(csv.DictReader(file))
    return {
        name: np.array([float(row[name] or "nan") if row[name] != "NA" else np.nan for row in rows]) for name in rows[0]
    }


def encode(keys):
    pairs = [factorize(key) for key in keys]
    return [codes for codes, _ in pairs], [distinct.size for _, distinct in pairs]


@pytest.mark.parametrize(
    ("entry", "doubtful"),
    [("francdat", 1), ("francdat_NA_alpha1", 1), ("francdat_NA_alpha0.5", 0.5), ("francdat_NA_alpha0", 0)],
)
def test_francdat_has_the_frequencies_of_sdcmicro(shared, golden, entry, doubtful):
    data = read(shared / "data" / "francdat.csv")
    table = np.stack(list(data.values()), axis=1)
    if "NA" in entry:
        for row, column in [(3, 5), (4, 2), (4, 4), (5, 6), (6, 2)]:
            table[row - 1, column - 1] = np.nan
    codes, sizes = encode([table[:, column - 1] for column in (2, 4, 5, 6)])
    f, F = count_matches(codes, sizes, table[:, 7].copy(), doubtful)
    assert f.tolist() == golden[entry]["fk"]
    assert F.tolist() == golden[entry]["Fk"]


@pytest.mark.parametrize(
    ("entry", "doubtful"), [("testdata7", 1), ("testdata7_NA_alpha1", 1), ("testdata7_NA_alpha0", 0)]
)
def test_testdata_has_the_frequencies_of_sdcmicro(shared, golden, entry, doubtful):
    data = read(shared / "data" / "testdata.csv")
    keys = [data[name].copy() for name in TESTDATA_KEYS]
    if "NA" in entry:
        for j, key in enumerate(keys, start=1):
            key[(7 * np.arange(1, key.size + 1) + 13 * j) % 97 == 0] = np.nan
    f, F = count_matches(*encode(keys), data["sampling_weight"], doubtful)
    assert f.tolist() == golden[entry]["fk"]
    assert F.tolist() == golden[entry]["Fk"]
