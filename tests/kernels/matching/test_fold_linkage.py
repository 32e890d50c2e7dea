from __future__ import annotations

import numpy as np
import pytest

from ammg.kernels.kd_tree import SQUARED
from ammg.kernels.linkage.nearest import nearest_credit
from ammg.kernels.matching import fold_linkage
from ammg.kernels.matching.fold_linkage import FoldSpace, assign_in_folds, credit_in_folds, fold_numbers
from ammg.kernels.matching.nearest_assignment import assign_nearest


def spaces(original, masked, folds, limit=np.inf):
    columns = np.full(original.shape[1], SQUARED), np.ones(original.shape[1])
    rows = [np.flatnonzero(folds == fold) for fold in np.unique(folds)]
    return [FoldSpace(mine, original, masked[mine], *columns, limit) for mine in rows]


def test_folds_hold_equally_many_people_and_all_records_of_each():
    link = np.array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 3, 3, -1])
    folds = fold_numbers(link, 20, 5)
    assert np.bincount(folds[:10]).tolist() == [2, 2, 2, 2, 2]
    assert folds[3] == folds[10] == folds[11]
    assert 0 <= folds[12] < 5


def test_folds_in_one_space_find_what_the_space_finds():
    rng = np.random.default_rng(0)
    original = rng.normal(size=(200, 3))
    masked, folds = original + 0.3 * rng.normal(size=(200, 3)), rng.integers(0, 4, 200)
    found = credit_in_folds(spaces(original, masked, folds), np.arange(200))
    assert np.array_equal(found, nearest_credit(original, masked, np.arange(200)))


@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize("limit", [30.0, 0.3])
def test_links_one_to_one_in_one_space_are_those_of_the_space(monkeypatch, dense, limit):
    monkeypatch.setattr(fold_linkage, "DENSE_PAIRS", 10**9 if dense else 0)
    rng = np.random.default_rng(1)
    original = rng.normal(size=(150, 3))
    masked, folds = original[:120] + 0.3 * rng.normal(size=(120, 3)), rng.integers(0, 4, 120)
    found = assign_in_folds(spaces(original, masked, folds, limit), 120).links
    expected = assign_nearest(original, masked, limit=limit).links

    def total(links):
        linked = np.flatnonzero(links >= 0)
        apart = ((original[links[linked]] - masked[linked]) ** 2).sum(axis=1)
        return apart.sum() + limit * np.sum(links < 0)

    assert total(found) == pytest.approx(total(expected), rel=1e-6)
    assert len(set(found[found >= 0])) == np.sum(found >= 0)


def test_nobody_is_linked_where_nobody_is():
    empty = spaces(np.empty((0, 2)), np.zeros((3, 2)), np.zeros(3), 1.0)
    assert assign_in_folds(empty, 3).links.tolist() == [-1, -1, -1]
