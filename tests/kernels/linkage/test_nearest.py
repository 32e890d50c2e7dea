from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ammg.errors import Cancelled
from ammg.kernels.every_pair import Budget
from ammg.kernels.kd_tree import ABSOLUTE, MISMATCH, SQUARED, build
from ammg.kernels.linkage import nearest
from ammg.kernels.linkage.nearest import (
    credit,
    distinct_rows,
    k_nearest,
    nearest_credit,
    number_copies,
    number_in_both,
    rank_intact,
    rank_truth,
    tree_of,
    two_nearest,
)
from ammg.progress import reporting


def all_distances(original, masked, kinds):
    gaps = masked[:, None, :] - original[None, :, :]
    parts = np.where(np.array(kinds) == SQUARED, gaps**2, np.where(np.array(kinds) == ABSOLUTE, abs(gaps), gaps != 0))
    missing = np.isnan(gaps)
    observed = (~missing).sum(axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        total = np.where(missing, 0, parts).sum(axis=2) * (gaps.shape[2] / observed)
    return np.where(observed == 0, np.inf, total)


def brute_force(original, masked, origin, kinds, depth):
    """Count on a lattice of small integers, where sums are exact unless something is missing."""
    distances = all_distances(original, masked, kinds)
    truth = distances[np.arange(len(masked)), origin][:, None]
    with np.errstate(invalid="ignore"):
        tie = np.isclose(distances, truth, rtol=1e-9, atol=0) | (distances == truth)
    nearer = ((distances < truth) & ~tie).sum(axis=1)
    tied = tie.sum(axis=1)
    return nearer, np.where(nearer < depth, tied, 0)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 80), st.integers(1, 5), st.integers(1, 4), st.floats(0, 0.6))
def test_ranks_of_the_truth_are_those_of_all_pairs(seed, n, m, levels, missing):
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, 3, m)
    original = rng.integers(0, levels + 1, (n, m)).astype(float)
    masked = rng.integers(0, levels + 1, (n + 3, m)).astype(float)
    original[rng.random(original.shape) < missing] = np.nan
    masked[rng.random(masked.shape) < missing] = np.nan
    origin = rng.integers(0, n, n + 3)
    nearer, tied = brute_force(original, masked, origin, kinds, depth=2)
    tree = tree_of(original, kinds)
    keep, counts = distinct_rows(original)
    apart = build(original[keep], counts, kinds, np.ones(m), gaps_first=True)
    two = two_nearest(tree, masked)
    assert np.array_equal(two_nearest(apart, masked), two)
    for ranks in (
        rank_truth(original, masked, origin, depth=2, kinds=kinds),
        rank_truth(original, masked, origin, depth=2, kinds=kinds, tree=tree, second=two[:, 1]),
        rank_truth(original, masked, origin, depth=2, kinds=kinds, tree=apart, second=two[:, 1]),
    ):
        assert np.array_equal(np.minimum(ranks.nearer, 2), np.minimum(nearer, 2))
        assert np.array_equal(ranks.tied, tied)


def test_the_order_of_searches_does_not_matter(monkeypatch):
    rng = np.random.default_rng(4)
    original = rng.integers(0, 6, (900, 3)).astype(float)
    masked, origin = original[rng.integers(0, 900, 700)] + rng.integers(-1, 2, (700, 3)), rng.integers(-1, 900, 700)
    tree = tree_of(original)
    plain = rank_truth(original, masked, origin, tree=tree)
    monkeypatch.setattr(nearest, "_MANY", 10)
    turned = rank_truth(original, masked, origin, tree=tree)
    assert np.array_equal(plain.nearer, turned.nearer) and np.array_equal(plain.tied, turned.tied)
    assert 0 < np.count_nonzero(plain.tied) < 700


def test_records_of_both_files_share_a_number_if_they_are_equal():
    original = np.array([[1.0, np.nan], [0.0, 2.0], [1.0, np.nan]])
    masked = np.array([[-0.0, 2.0], [1.0, 0.0], [1.0, np.nan]])
    people, records = number_in_both(original, masked)
    assert (people[:, None] == records).tolist() == [[False, False, True], [True, False, False], [False, False, True]]
    assert people[0] == people[2] != people[1]
    alike = number_in_both(original[:, :0], masked[:, :0])  # without columns, all are
    assert set(np.concatenate(alike)) == {0}


@pytest.mark.parametrize("columns", [1, 3, 6, 12])
def test_credit_on_continuous_data_is_one_exactly_for_the_nearest(columns):
    rng = np.random.default_rng(columns)
    original = rng.normal(size=(700, columns))
    masked = original + 0.4 * rng.normal(size=original.shape)
    distances = all_distances(original, masked, [SQUARED] * columns)
    expected = distances.argmin(axis=1) == np.arange(700)
    assert expected.any()
    assert np.array_equal(nearest_credit(original, masked, np.arange(700)), expected.astype(float))


def test_a_mismatch_costs_its_weight():
    original, masked = np.array([[0.0, 0.0], [1.0, 0.9]]), np.array([[1.0, 0.0]])
    for weight, expected in ((0.5, [1]), (2.0, [0])):
        found = nearest_credit(original, masked, [0], kinds=[MISMATCH, SQUARED], weights=[weight, 1])
        assert found.tolist() == expected


def test_second_nearest_is_credited_at_position_two():
    original = np.array([[0.0], [1.0], [5.0]])
    masked = np.array([[0.4], [0.4], [0.4], [3.0]])
    ranks = rank_truth(original, masked, [0, 1, 2, 2], depth=2)
    assert credit(ranks, 1).tolist() == [1, 0, 0, 0.5]
    assert credit(ranks, 2).tolist() == [0, 1, 0, 0.5]


def test_duplicates_share_the_credit():
    original = np.array([[1.0, 2.0], [1.0, 2.0], [9.0, 9.0]])
    assert nearest_credit(original, original, [0, 1, 2]).tolist() == [0.5, 0.5, 1.0]


def test_the_centroid_of_a_pair_is_as_near_to_both():
    rng = np.random.default_rng(5)
    centres = rng.normal(size=(500, 6)) * 100
    offset = rng.normal(size=(500, 6)) * 1e-3
    original = np.concatenate([centres + offset, centres - offset])
    masked = (original[:500] + original[500:]) / 2
    assert nearest_credit(original, masked, np.arange(500)).tolist() == [0.5] * 500


def test_identical_files_without_duplicates_are_fully_linked():
    original = np.random.default_rng(0).normal(size=(300, 4))
    shuffled = np.random.default_rng(1).permutation(300)
    assert nearest_credit(original, original[shuffled], shuffled).tolist() == [1.0] * 300


def test_records_without_an_origin_get_no_credit():
    assert nearest_credit(np.eye(2), np.eye(2), [-1, 1]).tolist() == [0, 1]


def test_a_fully_suppressed_record_is_a_guess_among_all():
    original = np.arange(8.0).reshape(4, 2)
    assert nearest_credit(original, [[np.nan, np.nan]], [2]).tolist() == [0.25]


def test_the_number_of_threads_does_not_matter(monkeypatch):
    rng = np.random.default_rng(3)
    original = rng.integers(0, 5, (9000, 3)).astype(float)
    masked = original + rng.integers(-1, 2, original.shape)
    found = []
    for processors in (1, 3):
        monkeypatch.setattr("os.cpu_count", lambda processors=processors: processors)
        found.append(nearest_credit(original, masked, np.arange(9000)))
    assert np.array_equal(*found)


def test_distinct_rows_count_copies_and_treat_missing_as_a_value():
    keep, counts = distinct_rows(np.array([[1, np.nan], [0, 1], [1, np.nan], [0.0, 1]]))
    assert keep.tolist() == [1, 0]
    assert counts.tolist() == [2, 2]


@pytest.mark.parametrize("kind", [SQUARED, ABSOLUTE, MISMATCH])
def test_k_nearest_are_the_smallest_of_all_distances(kind):
    rng = np.random.default_rng(kind)
    original = rng.integers(0, 9, (400, 4)).astype(float)
    masked = rng.integers(0, 9, (50, 4)).astype(float)
    expected = all_distances(original, masked, [kind] * 4)
    rows, distances = k_nearest(original, masked, 7, kinds=[kind] * 4)
    assert np.array_equal(distances, np.sort(expected, axis=1)[:, :7])
    assert np.array_equal(np.take_along_axis(expected, rows, axis=1), distances)


def test_fewer_originals_than_neighbours_leave_the_rest_empty():
    rows, distances = k_nearest([[0.0], [2.0]], [[0.5]], 3)
    assert rows.tolist() == [[0, 1, -1]]
    assert distances.tolist() == [[0.25, 2.25, np.inf]]


def test_work_is_reported_and_can_be_stopped():
    seen = []

    def stop(done, rows, _):
        seen.append((done, rows))
        return False

    points = np.random.default_rng(0).normal(size=(20_000, 2))
    with pytest.raises(Cancelled), reporting(stop):
        nearest_credit(points, points, np.arange(20_000))
    assert len(seen) == 1
    assert seen[0][1] == 20_000


def test_prices_push_originals_away():
    rng = np.random.default_rng(8)
    original, masked, prices = rng.normal(size=(300, 3)), rng.normal(size=(40, 3)), rng.exponential(size=300)
    expected = all_distances(original, masked, [SQUARED] * 3) + prices
    rows, distances = k_nearest(original, masked, 5, prices=prices)
    assert np.allclose(distances, np.sort(expected, axis=1)[:, :5])
    assert np.array_equal(np.take_along_axis(expected, rows, axis=1).argsort(axis=1), [range(5)] * 40)


def test_copies_share_a_number():
    numbers = number_copies(np.array([[1, np.nan], [0, 1], [1, np.nan], [1, 1.0]]))
    assert numbers[0] == numbers[2]
    assert len(set(numbers.tolist())) == 3
    assert number_copies(np.empty((0, 2))).tolist() == []


def test_codes_that_the_files_do_not_share_change_no_rank():
    rng = np.random.default_rng(11)
    original = rng.integers(0, 4, (200, 3)).astype(float)
    masked = np.column_stack([original[:, 0] + 100, original[:, 1], rng.integers(0, 4, 200)])
    kinds = [MISMATCH, MISMATCH, SQUARED]
    found = rank_truth(original, masked, np.arange(200), kinds=kinds)
    nearer, tied = brute_force(original, masked, np.arange(200), kinds, depth=2)
    assert np.array_equal(np.minimum(found.nearer, 2), np.minimum(nearer, 2))
    assert found.tied.tolist() == tied.tolist()


def test_intact_records_are_ranked_by_counting_their_copies():
    rng = np.random.default_rng(3)
    original = rng.integers(0, 6, (400, 3)).astype(np.float64)
    origin = rng.permutation(400)
    counted = rank_intact(original, original[origin], origin)
    searched = rank_truth(original, original[origin], origin)
    assert counted is not None
    assert (counted.nearer == searched.nearer).all()
    assert (counted.tied == searched.tied).all()


@pytest.mark.parametrize("spoil", ["value", "missing", "simulated"])
def test_one_changed_record_has_to_be_searched_for(spoil):
    original, origin = np.arange(12.0).reshape(6, 2), np.arange(6)
    masked = original.copy()
    if spoil == "simulated":
        origin[2] = -1
    else:
        masked[2, 1] = 99.0 if spoil == "value" else np.nan
    assert rank_intact(original, masked, origin) is None


def test_the_two_nearest_may_be_copies():
    rng = np.random.default_rng(5)
    original = rng.integers(0, 4, (300, 3)).astype(np.float64)
    masked = rng.normal(2, 1, (200, 3))
    assert (two_nearest(tree_of(original), masked) == k_nearest(original, masked, 2)[1]).all()


def test_the_two_nearest_are_found_for_the_records_asked_for():
    rng = np.random.default_rng(4)
    original, masked = rng.normal(size=(2, 95, 3))
    tree, asked = tree_of(original), np.array([3, 50, 94])
    found = two_nearest(tree, masked, asked)
    assert (found[asked] == two_nearest(tree, masked)[asked]).all()
    assert np.isinf(np.delete(found, asked, axis=0)).all()


def test_numbers_near_each_other_are_no_ties_because_codes_are_compared_too():
    points = np.column_stack([np.arange(1000) * 1e-3, np.zeros(1000)])
    points[-1, 1] = 1e6
    kinds = np.array([SQUARED, MISMATCH])
    assert nearest_credit(points, points + np.array([1e-5, 0]), np.arange(1000), kinds=kinds).sum() == 1000


def test_few_records_of_many_columns_are_linked():
    points = np.random.default_rng(0).normal(size=(16, 8192))
    assert (k_nearest(points, points, 1)[0][:, 0] == np.arange(16)).all()


@pytest.mark.parametrize("kind", [SQUARED, ABSOLUTE, MISMATCH])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_a_search_of_few_pairs_without_a_tree_finds_the_same_bits(kind, missing, monkeypatch):
    monkeypatch.setattr("ammg.kernels.linkage.nearest.budget", Budget(120_000))
    rng = np.random.default_rng(kind)
    original = rng.normal(size=(200, 3)) if kind != MISMATCH else rng.integers(0, 4, (200, 3)).astype(float)
    masked = np.where(rng.random((200, 3)) < 0.5, original, original[::-1])
    original[rng.random(original.shape) < missing] = np.nan
    kinds, weights, origin = np.full(3, kind), np.array([1.0, 0.3, 2.0]), np.arange(200)
    leaf, tree = tree_of(original, kinds, weights, searches=200), tree_of(original, kinds, weights)
    assert len(leaf.first) == 1 < len(tree.first)
    if not kind:  # 200 distinct points of 3 coordinates use up what may be compared
        assert len(tree_of(original, kinds, weights, searches=200).first) > 1
    np.testing.assert_array_equal(two_nearest(leaf, masked), two_nearest(tree, masked))
    given = {"kinds": kinds, "weights": weights}
    ranks = [rank_truth(original, masked, origin, tree=one, **given) for one in (leaf, tree)]
    np.testing.assert_array_equal(*ranks)
    assert ranks[0].nearer.any()


def test_plain_numbers_are_searched_with_the_bits_of_any_others(monkeypatch):
    rng = np.random.default_rng(8)
    original = np.round(rng.normal(size=(3_000, 3)), 1)  # many ties
    masked, prices = original + rng.choice([0.0, 0.1], original.shape), rng.random(len(original))
    monkeypatch.setattr("ammg.kernels.linkage.nearest.budget", Budget(0))  # so that a tree is searched

    def found():
        ranks = rank_truth(original, masked, np.arange(len(masked)), depth=5)
        return [*ranks, *k_nearest(original, masked, 4), *k_nearest(original, masked, 4, prices=prices)]

    plain = found()
    monkeypatch.setattr("ammg.kernels.linkage.nearest.are_plain", lambda *_: False)
    assert all(map(np.array_equal, plain, found()))
