"""Advice of a method for users of a released file: what they can rely on, and how to analyse it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Usage:
    """Advice for analysts who have the released file and its description, and nothing else."""

    reliable: str
    """Which estimates can be trusted, in one or two sentences."""
    estimator: str = ""
    """Which estimator allows for the masking."""
    avoid: str = ""
    """What not to do with the file."""
    snippet: str = ""
    """Lines of Python that do it, given the released file as the polars frame `file`."""


def quoted(name: str) -> str:
    """A column name as Python text."""
    return json.dumps(name, ensure_ascii=False)


def listed(names: Sequence[str]) -> str:
    """Column names as a Python list."""
    return f"[{', '.join(map(quoted, names))}]"


def weighted(weight: str | None, *arguments: str) -> str:
    """The arguments of an estimator that name the weights of the file, if it has any."""
    return "".join(f", {argument}=file[{quoted(weight)}]" for argument in arguments) if weight else ""
