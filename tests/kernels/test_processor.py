from __future__ import annotations

import numba
import numpy as np

from ammg.kernels.processor import prefetch


@numba.njit
def total(values):
    found = 0.0
    for i in range(len(values)):
        prefetch(values, np.int64(i + 10**12))  # far outside: nothing is read
        found += values[i]
    return found


def test_memory_is_fetched_ahead_and_places_that_do_not_exist_do_no_harm():
    assert total(np.arange(100.0)) == 4950.0
    (compiled,) = total.inspect_llvm().values()
    assert "call void @llvm.prefetch" in compiled
