from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ammg.criteria.distributions import class_distributions
from ammg.criteria.diversity import (
    cross_classes,
    distinct_diversity,
    entropy_diversity,
    recursive_diversity,
)
from ammg.kernels.anonymity.cells import count_cells

FIVE = ("urbrur", "roof", "walls", "water", "sex")
SEVEN = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")


def one_class(values):
    values = np.array(values, np.int32)
    return class_distributions(np.zeros(values.size, np.int32), 1, values, int(values.max(initial=0)) + 1)


@pytest.mark.parametrize(
    ("entry", "keys", "sensitive"),
    [
        ("td5_electcon", FIVE, "electcon"),
        ("td5_electcon_relat", FIVE, "relat"),
        ("td7_hhcivil", SEVEN, "hhcivil"),
        ("td3_age_c2", ("urbrur", "roof", "sex"), "age"),
    ],
)
def test_diversity_is_that_of_sdcmicro(testdata, golden, entry, keys, sensitive):
    expected = golden("ldiversity")[entry]
    cells = count_cells(*testdata(*keys))
    (values,), (size,) = testdata(sensitive)
    table = class_distributions(cells.index, len(cells), values, size)
    for name, diversity in [
        ("Distinct", distinct_diversity(table)),
        ("Entropy", entropy_diversity(table)),
        ("Recursive", recursive_diversity(table, c=2.0)),
    ]:
        assert np.allclose(diversity[cells.index], expected[f"{sensitive}_{name}_Ldiversity"]["values"], rtol=1e-12)


def test_equal_shares_have_as_many_effective_values_as_values():
    table = one_class([0, 1, 2, 3, 0, 1, 2, 3])
    assert entropy_diversity(table)[0] == pytest.approx(4)
    assert distinct_diversity(table)[0] == 4


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=30), st.floats(0.2, 5))
def test_recursive_diversity_is_the_largest_l_of_the_definition(values, c):
    counts = np.sort(np.unique(values, return_counts=True)[1])[::-1]
    holds = [rank for rank in range(1, counts.size + 1) if counts[0] < c * counts[rank - 1 :].sum()]
    assert recursive_diversity(one_class(values), c)[0] == max(holds, default=0)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=30))
def test_effective_values_never_exceed_distinct_values(values):
    table = one_class(values)
    assert 1 - 1e-12 <= entropy_diversity(table)[0] <= distinct_diversity(table)[0] + 1e-9


def test_a_missing_value_adds_no_diversity():
    assert distinct_diversity(one_class([2, -1, 2]))[0] == 1
    assert distinct_diversity(one_class([-1, -1]))[0] == np.inf


def test_several_sensitive_attributes_are_tested_within_each_other():
    classes = np.zeros(4, np.int32)
    disease = np.array([0, 0, 1, 1], np.int32)
    income = np.array([0, 0, 1, 1], np.int32)  # two values each, but one tells the other
    crossed = cross_classes(classes, 1, [disease], [2])
    assert distinct_diversity(class_distributions(crossed.index, len(crossed), income, 2)).tolist() == [1, 1]


def test_c_must_be_positive():
    with pytest.raises(ValueError, match="c must be positive"):
        recursive_diversity(one_class([0, 1]), 0.0)
