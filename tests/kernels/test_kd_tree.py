"""The tree that searches of nearest records use: its nodes, boxes and depth."""

import numpy as np
import pytest

from ammg.kernels.kd_tree import LEAF, MISMATCH, SQUARED, KdTree, build

KINDS = np.array([SQUARED, MISMATCH, MISMATCH], dtype=np.int64)


def tree(points: np.ndarray, kinds: np.ndarray = KINDS) -> KdTree:
    return build(points, np.ones(len(points), dtype=np.int64), kinds, np.ones(len(kinds)))


def mixed(records: int) -> np.ndarray:
    rng = np.random.default_rng(records)
    rare = (rng.random(records) < 0.01) * rng.integers(1, 4, records)  # one code stands for nearly everybody
    points = np.column_stack([rng.normal(size=records), rng.integers(0, 7, records), rare])
    points[rng.random(records) < 0.05, 0] = np.nan
    return points


def walk(grown: KdTree, node: int = 0) -> list[tuple[int, int]]:
    """The leaves below a node, each with its depth."""
    if grown.right[node] == 0:
        return [(node, 0)]
    below = walk(grown, grown.left[node]) + walk(grown, grown.right[node])
    return [(leaf, depth + 1) for leaf, depth in below]


@pytest.mark.parametrize("records", [1, 5, 300, 60_000])
def test_the_leaves_hold_every_point_once_and_the_depth_is_that_of_the_deepest(records: int) -> None:
    grown = tree(mixed(records))
    leaves = walk(grown)
    spans = sorted((grown.first[leaf], grown.last[leaf]) for leaf, _ in leaves)
    assert [begin for begin, _ in spans] == [0, *(end for _, end in spans[:-1])]
    assert spans[-1][1] == records
    assert max(end - begin for begin, end in spans) <= LEAF
    assert max(depth for _, depth in leaves) == grown.depth
    assert np.array_equal(np.sort(grown.rows), np.arange(records))


@pytest.mark.parametrize("records", [300, 60_000])
def test_boxes_enclose_the_points_of_their_nodes(records: int) -> None:
    grown = tree(mixed(records))
    for node, (begin, end) in enumerate(zip(grown.first, grown.last, strict=True)):
        points = grown.points[begin:end]
        whole = ~np.isnan(points).any(axis=0)
        assert np.array_equal(grown.low[node, whole], points[:, whole].min(axis=0))
        assert np.array_equal(grown.high[node, whole], points[:, whole].max(axis=0))
        assert np.isneginf(grown.low[node, ~whole]).all()


def test_nodes_of_points_that_lack_a_column_are_apart_if_that_is_wanted() -> None:
    points = mixed(3_000)
    grown = build(points, np.ones(3_000, dtype=np.int64), KINDS, np.ones(3), gaps_first=True)
    left, right = (grown.points[grown.first[node] : grown.last[node], 0] for node in (grown.left[0], grown.right[0]))
    assert np.isnan(left).all() and not np.isnan(right).any()
    assert np.isneginf(grown.low[0, 0]) and np.isnan(grown.low[grown.left[0], 0])
    assert grown.low[grown.right[0], 0] == right.min()
    assert np.array_equal(np.sort(grown.rows), np.arange(3_000))


def test_large_nodes_are_split_between_codes_and_small_ones_by_what_differs_most() -> None:
    grown = tree(mixed(5_000) * [1000.0, 1.0, 1.0])

    def codes(node: int) -> list[set[float]]:
        points = grown.points[grown.first[node] : grown.last[node], 1:]
        return [set(column.tolist()) for column in points.T]

    split_by_codes = {
        int(grown.last[node] - grown.first[node]): any(
            one.isdisjoint(other) for one, other in zip(codes(grown.left[node]), codes(grown.right[node]), strict=True)
        )
        for node in np.flatnonzero(grown.right)
        if any(len(found) > 1 for found in codes(node))
    }
    assert all(by_codes for size, by_codes in split_by_codes.items() if size >= 7 * LEAF)
    assert not all(split_by_codes.values())


def test_many_columns_with_one_frequent_code_make_a_deep_tree() -> None:
    rng = np.random.default_rng(3)
    points = np.unique((rng.random((3_000, 60)) < 0.03).astype(float), axis=0)
    grown = tree(points, np.full(60, MISMATCH, dtype=np.int64))
    assert max(depth for _, depth in walk(grown)) == grown.depth
    assert grown.depth > 20


def test_points_that_differ_only_in_what_is_missing_are_split_as_well() -> None:
    patterns = np.array([[i >> j & 1 for j in range(6)] for i in range(64)], dtype=float)
    grown = tree(np.where(patterns == 1, np.nan, 5.0), np.full(6, SQUARED, dtype=np.int64))
    assert [grown.last[leaf] - grown.first[leaf] for leaf, _ in walk(grown)] == 4 * [LEAF]
