"""One way to compile a kernel: cached on disk where that is possible, GIL released, no fast-math."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])


def jit(function: F) -> F:
    """Compile `function` with numba on its first call and keep the machine code for the next process.

    Fast-math stays off, so that a kernel gives the same bits whatever the number of threads or the blocking.
    Modules that use this import numba: units import them inside the function that needs them.
    """
    try:
        return cast("F", numba.njit(cache=True, nogil=True)(function))
    except RuntimeError:  # no writable cache directory: compile anew in each process
        return cast("F", numba.njit(nogil=True)(function))
