"""One way to compile a kernel: cached on disk where that is possible, GIL released, no fast-math."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
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


def _forget_stale_code(folder: Path) -> None:
    """Delete cached machine code when any kernel's source has changed since it was compiled.

    numba looks at the file of a function alone, and code of another kernel that was compiled into it would stay as it
    was after an upgrade.
    """
    sources = sorted(folder.rglob("*.py"))
    facts = [(path.name, (found := path.stat()).st_size, found.st_mtime_ns) for path in sources]
    stamp = hashlib.sha256(repr((numba.__version__, facts)).encode()).hexdigest()
    seal = folder / "__pycache__" / "kernels.stamp"
    with suppress(OSError):  # a folder that cannot be written has no cache to clear
        if seal.is_file() and seal.read_text(encoding="ascii") == stamp:
            return
        for cached in folder.rglob("*.nb[ci]"):
            cached.unlink(missing_ok=True)
        seal.parent.mkdir(exist_ok=True)
        seal.write_text(stamp, encoding="ascii")


_forget_stale_code(Path(__file__).parent)
