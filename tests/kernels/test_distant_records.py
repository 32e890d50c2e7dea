from __future__ import annotations

import csv

import numpy as np

from ammg.kernels.distant_records import most_distant


def test_census_has_54_and_eia_205_of_them(census, shared):
    with (shared / "data" / "EIA.csv").open() as lines:
        eia = np.array([[float(v) for v in list(row.values())[5:]] for row in csv.DictReader(lines)])
    assert most_distant(census).sum() == 54
    assert eia.shape == (4092, 10)
    assert most_distant(eia).sum() == 205


def test_they_have_the_largest_standardised_norms():
    values = np.random.default_rng(0).normal(size=(200, 3)) * [1, 100, 1e-3]
    norm = (((values - values.mean(axis=0)) / values.std(axis=0)) ** 2).sum(axis=1)
    marked = most_distant(values, 0.1)
    assert norm[marked].min() > norm[~marked].max()
    assert marked.sum() == 20


def test_ties_go_to_the_first_records():
    assert most_distant(np.array([[1.0], [-1.0], [1.0], [-1.0]]), 0.5).tolist() == [True, True, False, False]
