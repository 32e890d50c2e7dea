"""Compilation of kernels: cached on disk if possible, GIL released, no fast-math."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

_TRIED = "0.68."  # series of numba with which our own passes were tried; others compile as numba does, more slowly

# Values that are passed from kernel to kernel: a literal would compile the called kernel again for it alone.
ZERO, ONE, MINUS_ONE = (cast("int", np.int64(number)) for number in (0, 1, -1))
TRUE = cast("bool", np.bool_(True))


def jit(function: F) -> F:
    """Compile `function` with numba on its first call and cache the machine code for later processes.

    Fast-math is off, so that a kernel gives bitwise the same result whatever the number of threads or blocks.
    Modules that use this import numba: units import them inside the function that needs them.
    """
    try:
        with _caching_in(_cache_folder()) as is_possible:
            return _compiled(function, cache=is_possible)
    except RuntimeError:  # the folder is not writable after all: compile again in each process
        return _compiled(function)


def jit_part(function: F) -> F:
    """Compile a part of kernels that Python never calls: it has no entry point and is stored with its callers.

    In both cases, plain loops compile far faster than array expressions, sorts and new arrays, so kernels get their
    arrays from Python. A literal number passed from one kernel to another would compile the called one again for that
    number alone: write `np.int64(1)`, or start from `ZERO`.
    """
    return _compiled(function, no_cpython_wrapper=True)


def _compiled(function: F, **options: bool) -> F:
    passes: dict[str, Any] = {}
    if numba.__version__.startswith(_TRIED):
        from ammg.kernels.compiler import KernelCompiler, PartCompiler

        passes["pipeline_class"] = PartCompiler if "no_cpython_wrapper" in options else KernelCompiler
    compile_by: Any = numba.njit
    return cast("F", compile_by(nogil=True, no_cfunc_wrapper=True, **passes, **options)(function))


@contextmanager
def _caching_in(folder: Path | None) -> Iterator[bool]:
    """Let numba cache the code compiled inside this context in the folder; other packages keep their own."""
    before = numba.config.CACHE_DIR  # type: ignore[attr-defined]
    numba.config.CACHE_DIR = str(folder or before)  # type: ignore[attr-defined]
    try:
        yield folder is not None
    finally:
        numba.config.CACHE_DIR = before  # type: ignore[attr-defined]


@cache
def _cache_folder() -> Path | None:
    """A folder for the machine code of exactly these kernels, or None if nothing can be written.

    numba checks only the file of a function, so code of another kernel that was inlined would be outdated after an
    upgrade. Therefore the folder's name changes with any of the sources and with numba's version.
    """
    sources = Path(__file__).parent
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(sources.rglob("*.py")):
        digest.update(path.name.encode() + path.read_bytes())
    name = f"ammg-kernels-{digest.hexdigest()[:16]}"
    given = numba.config.CACHE_DIR  # type: ignore[attr-defined]
    user = Path(os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or "~/.cache")
    for place in [Path(given)] if given else [sources / "__pycache__", user]:
        with suppress(OSError, RuntimeError):
            folder = place.expanduser() / name
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
            return folder
    return None
