from __future__ import annotations

import numpy as np
import pytest

from ammg.kernels.matching import likely_assignment
from ammg.kernels.matching.likely_assignment import assign_likely, share_out


def test_links_of_many_pairs_are_those_of_few(monkeypatch):
    likelihood = np.random.default_rng(0).normal(size=(60, 60)) * 3
    few = assign_likely(likelihood).links
    monkeypatch.setattr(likely_assignment, "DENSE_PAIRS", 10)
    many = assign_likely(likelihood).links
    rows = np.arange(60)
    assert likelihood[rows, many].sum() == pytest.approx(likelihood[rows, few].sum(), rel=1e-3)


def test_empty_files_are_not_linked():
    assert assign_likely(np.zeros((0, 3))).links.tolist() == []


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


def test_groups_have_room_for_as_many_records_as_they_have_members():
    likelihood, room = np.random.default_rng(2).normal(size=(6, 3)), np.array([1.0, 2.0, 3.0])
    shares = np.exp(share_out(likelihood, room))
    assert shares.sum(axis=0) == pytest.approx(room)
    assert shares.sum(axis=1) == pytest.approx(np.ones(6), abs=1e-3)


def test_few_pairs_are_scaled_by_products_of_whole_matrices():
    """Attacks that choose one of several equally likely people choose by the last digits."""
    likelihood = np.round(np.random.default_rng(6).normal(size=(40, 50)))
    mass, of_person = np.exp(likelihood - likelihood.max(axis=1, keepdims=True)), np.ones(50)
    for _ in range(likely_assignment.SCALINGS):
        of_record = 1.0 / (mass @ of_person)
        of_person = 1.0 / np.maximum(of_record @ mass, 1.0)
    assert np.array_equal(share_out(likelihood), np.log(mass * of_record[:, None] * of_person))


def test_empty_files_share_nothing():
    assert share_out(np.zeros((0, 3))).shape == (0, 3)


@pytest.mark.parametrize("shape", [(300, 300), (90, 700), (700, 90)])
@pytest.mark.parametrize("share", [0.03, 1.0])
@pytest.mark.parametrize("far", [-1e9, -3.0])
def test_rows_and_columns_are_scaled_in_turn(shape, share, far, monkeypatch):
    visited = []
    monkeypatch.setattr(likely_assignment, "DENSE_PAIRS", 0)
    monkeypatch.setattr(likely_assignment, "CELLS", 1 << 12)  # several parts
    monkeypatch.setattr(likely_assignment, "_scale_some", _watched(likely_assignment._scale_some, visited))
    rng = np.random.default_rng(3)
    likelihood = np.maximum(np.where(rng.random(shape) < share, rng.normal(size=shape) * 4, far), far)
    mass = np.exp(np.maximum(likelihood - likelihood.max(axis=1, keepdims=True), -likely_assignment.FAR))
    of_person = np.ones(shape[1])
    for _ in range(30):
        of_record = 1 / (mass @ of_person)
        claimed = of_record @ mass
        of_person = 1 / np.maximum(claimed, likely_assignment.LEAST if shape[0] == shape[1] else 1.0)
    expected = np.maximum(mass * of_record[:, None] * of_person, likely_assignment.LEAST)
    assert share_out(likelihood) == pytest.approx(np.log(expected), rel=1e-9)
    assert bool(visited) is (share < 0.1)


def _watched(kernel, calls):
    def called(*arguments):
        calls.append(len(arguments))
        return kernel(*arguments)

    return called
