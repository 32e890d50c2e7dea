"""Linear algebra of small matrices on one thread: idle BLAS threads cost more time than they save."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

_lock = Lock()
_inside = 0
_limit: Any = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS use one thread while any caller in this process is inside, then as many as before."""
    global _inside, _limit
    with _lock:
        if not _inside:
            _limit = _controller("scipy.linalg" in sys.modules).limit(limits=1, user_api="blas")
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                _limit.restore_original_limits()


@cache
def _controller(_with_scipy: bool) -> Any:
    """Of the libraries that are loaded; scipy brings a BLAS of its own."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
