"""Records are put in one order whatever categories are called."""

from __future__ import annotations

import numpy as np

from ammg.kernels.linkage.value_order import order_values

RNG = np.random.default_rng(5)
CODES = RNG.choice([0.0, 1.0, 2.0, 3.0], 60, p=[0.1, 0.2, 0.3, 0.4])
FIRST = np.column_stack([CODES, RNG.normal(size=60)])
SECOND = FIRST[RNG.permutation(60)] + np.array([0.0, 0.1])
CATEGORICAL = np.array([True, False])


def test_other_codes_of_the_same_categories_give_the_same_numbers() -> None:
    others = np.array([2.0, 0.0, 3.0, 1.0])
    renamed = [np.column_stack([others[part[:, 0].astype(int)], part[:, 1]]) for part in (FIRST, SECOND)]
    for before, after in zip(
        order_values(FIRST, SECOND, CATEGORICAL), order_values(*renamed, CATEGORICAL), strict=True
    ):
        assert np.array_equal(before, after)


def test_categories_stay_apart_and_numbers_stay_what_they_are() -> None:
    first, _ = order_values(FIRST, SECOND, CATEGORICAL)
    assert len(np.unique(np.column_stack([FIRST[:, 0], first[0]]), axis=0)) == 4
    assert np.array_equal(first[1], FIRST[:, 1])


def test_missing_categories_come_last() -> None:
    holes = FIRST.copy()
    holes[:5, 0] = np.nan
    first = order_values(holes, SECOND, CATEGORICAL)[0][0]
    assert (first[:5] > first[5:].max()).all()
    assert len(set(first[:5])) == 1
