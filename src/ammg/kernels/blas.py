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
_before: list[tuple[Any, int]] = []  # the libraries and how many threads they had, while they have one


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS use one thread while any caller in this process is inside, then as many as before.

    An interrupt at any moment leaves what is needed to put this right, which the next caller does.
    """
    global _inside, _before
    counted = False
    try:
        with _lock:
            if not _before:
                _before = [(library, library.num_threads) for library in _libraries("scipy.linalg" in sys.modules)]
            _inside += 1
            counted = True
            for library, _ in _before:
                library.set_num_threads(1)
        yield
    finally:
        with _lock:
            _inside -= counted
            if not _inside:
                for library, threads in _before:
                    library.set_num_threads(threads)
                _before = []


@cache
def _libraries(_with_scipy: bool) -> list[Any]:
    """The BLAS libraries that are loaded; scipy brings one of its own."""
    from threadpoolctl import ThreadpoolController

    return [library for library in ThreadpoolController().lib_controllers if library.user_api == "blas"]
