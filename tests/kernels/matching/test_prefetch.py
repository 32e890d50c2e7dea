from __future__ import annotations

import numpy as np

from ammg.kernels.jit import jit
from ammg.kernels.matching.prefetch import prefetch


@jit
def total(values):
    found = 0.0
    for i in range(len(values)):
        prefetch(values, np.int64(i + 10**12))  # far outside: nothing is read
        found += values[i]
    return found


def test_fetching_places_that_do_not_exist_does_no_harm():
    assert total(np.arange(100.0)) == 4950.0
