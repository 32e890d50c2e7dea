from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from ammg.criteria.closeness import equal_distance, hierarchical_distance, ordered_distance
from ammg.criteria.distributions import class_distributions

# values 0..5: 0,1,2 under node 0, 3 under node 1, 4,5 under node 2; nodes 1 and 2 meet before the root
LEVELS = [np.array([0, 0, 0, 1, 2, 2], np.int32), np.array([0, 0, 0, 1, 1, 1], np.int32), np.zeros(6, np.int32)]

records = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5)), min_size=1, max_size=30)


def tabulate(pairs):
    classes = np.array([pair[0] for pair in pairs], np.int32)
    values = np.array([pair[1] for pair in pairs], np.int32)
    return class_distributions(classes, 3, values, 6)


def transport(p, q, ground):
    """Earth mover's distance as the linear programme that defines it."""
    m = p.size
    rows = [np.kron(np.eye(m)[i], np.ones(m)) for i in range(m)]
    columns = [np.tile(np.eye(m)[j], m) for j in range(m)]
    return linprog(ground.ravel(), A_eq=np.array(rows + columns), b_eq=np.concatenate([p, q])).fun


def ground_distance(kind):
    i, j = np.indices((6, 6))
    if kind == "equal":
        return (i != j).astype(float)
    if kind == "ordered":
        return np.abs(i - j) / 5
    tree = [np.arange(6), *LEVELS]
    return np.array([[next(h for h in range(4) if tree[h][a] == tree[h][b]) / 3 for b in range(6)] for a in range(6)])


@pytest.mark.parametrize("kind", ["equal", "ordered", "hierarchical"])
@settings(max_examples=25, deadline=None)
@given(records)
def test_closeness_is_the_optimal_transport(kind, pairs):
    table = tabulate(pairs)
    distance = {
        "equal": equal_distance,
        "ordered": ordered_distance,
        "hierarchical": lambda t: hierarchical_distance(t, LEVELS),
    }[kind](table)
    overall = np.bincount([value for _, value in pairs], minlength=6) / len(pairs)
    for group in {group for group, _ in pairs}:
        mine = [value for g, value in pairs if g == group]
        share = np.bincount(mine, minlength=6) / len(mine)
        assert distance[group] == pytest.approx(transport(share, overall, ground_distance(kind)), abs=1e-8)


def test_salaries_of_the_paper():
    """Li, Li and Venkatasubramanian 2007: salaries 3K to 11K, classes {3, 4, 5} and {6, 8, 11}."""
    values = np.arange(9, dtype=np.int32)
    classes = np.array([0, 0, 0, 1, 2, 1, 2, 2, 1], np.int32)
    distance = ordered_distance(class_distributions(classes, 3, values, 9))
    assert distance[0] == pytest.approx(0.375)
    assert distance[1] == pytest.approx(1 / 6)


def test_a_class_like_the_file_is_at_distance_zero():
    pairs = [(group, value) for group in range(3) for value in range(6)]
    table = tabulate(pairs)
    assert np.allclose(equal_distance(table), 0)
    assert np.allclose(ordered_distance(table), 0)
    assert np.allclose(hierarchical_distance(table, LEVELS), 0)


def test_a_root_is_added_where_it_lacks():
    table = tabulate([(0, 0), (1, 5), (2, 3)])
    assert np.array_equal(hierarchical_distance(table, LEVELS[:2]), hierarchical_distance(table, LEVELS))


def test_a_tree_whose_branches_part_upwards_is_refused():
    with pytest.raises(ValueError, match="two parents"):
        hierarchical_distance(tabulate([(0, 0)]), [np.zeros(6, np.int32), np.arange(6, dtype=np.int32)])


def test_a_class_without_known_values_reveals_nothing():
    table = class_distributions(np.array([0, 1], np.int32), 2, np.array([0, -1], np.int32), 2)
    assert equal_distance(table)[1] == ordered_distance(table)[1] == 0
