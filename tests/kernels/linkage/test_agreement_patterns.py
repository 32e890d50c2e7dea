from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from ammg.kernels.linkage.agreement_patterns import AGREE, DISAGREE, MISSING, count_patterns
from ammg.kernels.linkage.comparison import compare


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_counts_are_those_of_all_pairs(missing):
    rng = np.random.default_rng(0)
    original, masked = (np.round(rng.lognormal(3, 1, (n, 4))) for n in (70, 300))
    original[rng.random(original.shape) < missing] = np.nan
    masked[rng.random(masked.shape) < missing] = np.nan
    comparison = compare(original, masked, ["d", "l", "equal", "asinh"])
    gap = np.abs(comparison.original[None] - comparison.masked[:, None])
    state = np.where(np.isnan(gap), MISSING, np.where(gap <= 0.1 * comparison.reach, AGREE, DISAGREE))
    expected = Counter(map(tuple, state.reshape(-1, 4).tolist()))
    found = count_patterns(comparison, 0.1)
    assert dict(zip(map(tuple, found.states.tolist()), found.counts.tolist(), strict=True)) == expected
    assert found.counts.sum() == 70 * 300


def test_too_many_fields_are_refused_with_a_number():
    many = np.zeros((2, 24))
    with pytest.raises(ValueError, match="at most 23 fields"):
        count_patterns(compare(many, many, ["equal"] * 24))
