"""Published tables beside ours: one module a paper, found by its name."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from pathlib import Path
from typing import Protocol

from ammg.errors import InputError, did_you_mean
from ammg.reproduce.comparison import Comparison


class Run(Protocol):
    """Makes a paper's tables from the folder of its data and a number of secrets."""

    def __call__(
        self, data: Path, secrets: int, *, quick: bool = False, figures: Path | None = None
    ) -> list[Comparison]:
        """With `quick`, with fewer parameters; pictures, if the paper has any, are written to the folder `figures`."""
        ...


def papers() -> list[str]:
    """The papers whose tables can be made again."""
    return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__) if _is_paper(module.name))


def find(paper: str) -> Run:
    """The function that makes a paper's tables."""
    if paper not in papers():
        raise InputError(f"No tables of '{paper}' are reproduced.{did_you_mean(paper, papers())}")
    run: Run = import_module(f"{__name__}.{paper.replace('-', '_')}").run
    return run


def _is_paper(module: str) -> bool:
    return not module.startswith("_") and module != "comparison"
