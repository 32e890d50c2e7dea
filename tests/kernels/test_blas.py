from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from ammg.kernels.blas import one_blas_thread


def threads() -> list[int]:
    np.ones((2, 2)) @ np.ones((2, 2))
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def test_blas_has_one_thread_inside_and_as_many_as_before_outside() -> None:
    before = threads()
    with one_blas_thread():
        with one_blas_thread():
            assert set(threads()) <= {1}
        assert set(threads()) <= {1}
    assert threads() == before


def test_an_error_inside_changes_nothing() -> None:
    before = threads()
    with pytest.raises(KeyError), one_blas_thread():
        raise KeyError
    assert threads() == before
