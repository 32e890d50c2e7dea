from __future__ import annotations

import numpy as np
import pytest

from ammg.criteria.key_subsets import rank_key_subsets

# the five people of Motwani and Xu 2007: age, sex, state
AGE = np.array([0, 1, 2, 0, 2], np.int32)
SEX = np.array([0, 0, 0, 1, 1], np.int32)
STATE = np.array([0, 0, 2, 1, 0], np.int32)
SIZES = [3, 2, 3]


def test_the_example_of_motwani_and_xu():
    found = {subset.keys: subset for subset in rank_key_subsets([AGE, SEX, STATE], SIZES)}
    assert found[(0,)].distinction == pytest.approx(0.6)
    assert found[(0,)].separation == pytest.approx(0.8)
    assert found[(1, 2)].distinction == pytest.approx(0.8)
    assert found[(1, 2)].separation == pytest.approx(0.9)
    assert len(found) == 7


def test_subsets_of_limited_size_are_ranked_alone():
    assert [s.keys for s in rank_key_subsets([AGE, SEX, STATE], SIZES, largest=1)] == [(0,), (1,), (2,)]


def test_a_key_with_one_value_separates_nothing():
    assert rank_key_subsets([np.zeros(4, np.int32)], [1])[0].separation == 0


def test_files_of_one_or_no_record_are_no_error():
    assert rank_key_subsets([np.zeros(1, np.int32)], [1])[0].distinction == 1
    assert rank_key_subsets([np.zeros(0, np.int32)], [1])[0].distinction == 0
