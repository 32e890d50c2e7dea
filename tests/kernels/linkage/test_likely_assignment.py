from __future__ import annotations

import numpy as np
import pytest

from ammg.kernels.linkage import likely_assignment
from ammg.kernels.linkage.likely_assignment import assign_likely, share_out


def test_links_of_many_pairs_are_those_of_few(monkeypatch):
    likelihood = np.random.default_rng(0).normal(size=(60, 60)) * 3
    few = assign_likely(likelihood).links
    monkeypatch.setattr(likely_assignment, "DENSE_PAIRS", 10)
    many = assign_likely(likelihood).links
    rows = np.arange(60)
    assert likelihood[rows, many].sum() == pytest.approx(likelihood[rows, few].sum(), rel=1e-3)


def test_chances_over_all_matchings_are_nearly_those_of_counting_them():
    from itertools import permutations

    likelihood = np.random.default_rng(1).normal(size=(5, 5))
    exact = np.zeros((5, 5))
    for order in permutations(range(5)):
        exact[range(5), order] += np.exp(likelihood[range(5), order].sum())
    exact /= exact.sum(axis=1, keepdims=True)
    assert np.exp(share_out(likelihood)) == pytest.approx(exact, abs=0.08)
    assert (share_out(likelihood).argmax(axis=1) == exact.argmax(axis=1)).all()


def test_a_person_has_one_record_at_most():
    shared = np.exp(share_out(np.zeros((2, 4))))
    assert shared == pytest.approx(np.full((2, 4), 0.25))


def test_empty_files_are_not_linked():
    assert assign_likely(np.zeros((0, 3))).links.tolist() == []
    assert share_out(np.zeros((0, 3))).shape == (0, 3)


def test_groups_have_room_for_as_many_records_as_they_have_members():
    likelihood, room = np.random.default_rng(2).normal(size=(6, 3)), np.array([1.0, 2.0, 3.0])
    shares = np.exp(share_out(likelihood, room))
    assert shares.sum(axis=0) == pytest.approx(room)
    assert shares.sum(axis=1) == pytest.approx(np.ones(6), abs=1e-3)
