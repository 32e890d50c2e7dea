"""One way to compile a kernel: cached on disk where that is possible, GIL released, no fast-math."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba import types

F = TypeVar("F", bound=Callable[..., Any])


def jit(function: F) -> F:
    """Compile `function` with numba on its first call and keep the machine code for the next process.

    Fast-math stays off, so that a kernel gives the same bits whatever the number of threads or the blocking.
    Modules that use this import numba: units import them inside the function that needs them.
    """
    try:
        return _compiled(function, cache=True)
    except RuntimeError:  # no writable cache directory: compile anew in each process
        return _compiled(function)


def jit_part(function: F) -> F:
    """Compile a part of kernels that Python never calls: it has no door of its own and is kept inside its callers.

    In both, plain loops compile far sooner than array expressions, sorts and new arrays: kernels get their arrays from
    Python.
    """
    return _compiled(function, no_cpython_wrapper=True)


def _compiled(function: F, **options: bool) -> F:
    compile_by: Any = numba.njit
    unliteral: Any = types.unliteral
    kernel = compile_by(nogil=True, no_cfunc_wrapper=True, **options)(function)
    template_of = getattr(kernel, "get_call_template", None)
    if template_of is None:  # a plain function: compilation is switched off
        return function

    # A kernel that calls this one with a literal number would have it compiled again for that number.
    def get_call_template(args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        return template_of(tuple(map(unliteral, args)), {name: unliteral(kind) for name, kind in named.items()})

    kernel.get_call_template = get_call_template
    return cast("F", kernel)


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
