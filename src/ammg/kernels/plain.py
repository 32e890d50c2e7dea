"""Kernels as plain Python, for the first calls of a process: compiling them would take longer.

The source is the same, so there is one algorithm. A process that calls a kernel often, or with much data, compiles it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


class Budget:
    """How many seconds a kernel may still run as plain Python before it is worth compiling."""

    def __init__(self, seconds: float) -> None:
        self.left = seconds

    def allows(self, kernel: Callable[..., Any], seconds: float, calls: int = 1) -> bool:
        """Whether to run a kernel as plain Python, which takes about so long; the budget is then charged for it.

        `calls` is how many such calls the caller has still to make: if all together take too long, it compiles first.
        """
        if seconds * calls > self.left or is_compiled(kernel):
            return False
        self.left -= seconds
        return True


def is_compiled(kernel: Any) -> bool:
    """Whether a kernel has machine code, in this process or on disk, or is not to be compiled at all."""
    if not hasattr(kernel, "py_func") or kernel.signatures:
        return True
    try:
        return Path(kernel._cache._cache_file._index_path).exists()
    except AttributeError:  # no cache, or one that is organised otherwise
        return False


def plain(kernel: F, **instead: Any) -> F:
    """A kernel and all its parts as plain Python; `instead` names parts and constants to replace.

    Integers of numpy and Python differ where they overflow, so parts that rely on it, such as hashes, must be replaced.
    """
    return cast("F", _plain(kernel, instead, {}))


def _plain(kernel: Any, instead: dict[str, Any], known: dict[Any, FunctionType]) -> FunctionType:
    function = kernel.py_func
    if function not in known:
        names = dict(function.__globals__)
        known[function] = FunctionType(function.__code__, names, function.__name__)
        for name in function.__code__.co_names:
            if name in instead:
                names[name] = instead[name]
            elif hasattr(names.get(name), "py_func"):
                names[name] = _plain(names[name], instead, known)
    return known[function]
