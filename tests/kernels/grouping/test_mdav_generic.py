import numpy as np
import pytest

from ammg.kernels.grouping.mdav import mdav_groups
from ammg.kernels.grouping.mdav_generic import mdav_generic_groups
from ammg.kernels.grouping.mixed_records import Records, dissimilarity, mixed_records, numeric_records


def mdav_step_by_step(records, k, ordinal):
    """MDAV-generic with the average of each round computed anew."""
    values, nominal = records.values, records.mismatch > 0
    n = len(values)
    left, group, label = list(range(n)), np.full(n, -1), 0

    def average():
        middle = []
        for j in range(values.shape[1]):
            seen = np.sort([v for v in values[left, j] if not np.isnan(v)])
            if len(seen) == 0:
                middle.append(np.nan)
            elif ordinal[j]:
                middle.append(seen[(len(seen) - 1) // 2])
            elif nominal[j]:
                levels, counts = np.unique(seen, return_counts=True)
                middle.append(levels[np.argmax(counts)])
            else:
                middle.append(seen.mean())
        return records._replace(values=np.vstack([values, middle]))

    def take(seed):
        nonlocal left, label
        members = sorted(left, key=lambda i: (i != seed, dissimilarity(records, i, seed), i))[:k]
        group[members], left, label = label, [i for i in left if i not in members], label + 1

    while len(left) >= 2 * k:
        both, mean = len(left) >= 3 * k, average()
        r = max(left, key=lambda i: (round(dissimilarity(mean, i, n), 9), -i))
        take(r)
        if both:
            take(max(left, key=lambda i: (dissimilarity(records, i, r), -i)))
    group[left] = label
    return group


@pytest.mark.parametrize("k", [2, 3, 4])
def test_groups_of_mixed_records_follow_the_printed_algorithm(k):
    rng = np.random.default_rng(k)
    values = np.column_stack([rng.normal(size=(50, 2)), rng.integers(0, 5, 50), rng.integers(0, 4, 50)])
    values[rng.random(values.shape) < 0.15] = np.nan
    ordinal = np.array([False, False, True, False])
    records = mixed_records(values, np.array([False, False, False, True]))
    np.testing.assert_array_equal(mdav_generic_groups(records, k, ordinal), mdav_step_by_step(records, k, ordinal))


def test_complete_numbers_are_grouped_as_by_mdav():
    data = np.random.default_rng(1).normal(size=(200, 3))
    expected = mdav_groups(data, 3)
    np.testing.assert_array_equal(mdav_generic_groups(numeric_records(data), 3), expected)
    as_if_mixed = Records(data, np.zeros(3), False)
    np.testing.assert_array_equal(mdav_generic_groups(as_if_mixed, 3), expected)


def test_groups_have_k_to_2k_minus_1_records_even_without_any_value():
    data = np.full((11, 2), np.nan)
    np.testing.assert_array_equal(np.sort(np.bincount(mdav_generic_groups(numeric_records(data), 3))), [3, 3, 5])
    with pytest.raises(ValueError, match="11 records cannot form a group of 12"):
        mdav_generic_groups(numeric_records(data), 12)
