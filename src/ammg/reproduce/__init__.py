"""Published tables beside ours: one module a paper, found by its name."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from ammg.errors import InputError, did_you_mean
from ammg.reproduce.comparison import Comparison

Run = Callable[[Path, int], list[Comparison]]


def papers() -> list[str]:
    """The papers whose tables can be made again."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if _is_paper(module.name))


def find(paper: str) -> Run:
    """The function that makes a paper's tables from the folder of its data and a number of secrets."""
    if paper not in papers():
        raise InputError(f"No tables of '{paper}' are reproduced.{did_you_mean(paper, papers())}")
    run: Run = import_module(f"{__name__}.{paper}").run
    return run


def _is_paper(module: str) -> bool:
    return not module.startswith("_") and module != "comparison"
