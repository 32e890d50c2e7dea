"""Refuse numbers that have no mean."""

from __future__ import annotations

import numpy as np

from ammg.errors import InputError
from ammg.summaries.extremes import Extremes
from ammg.summaries.summary import Source


def refuse_infinite(source: Source, names: tuple[str, ...]) -> None:
    """Stop at a column with an infinite value: its moments are undefined, and so is noise of their size."""
    extremes = source.fold(Extremes(names))
    for name, lowest, highest in zip(names, extremes.lowest, extremes.highest, strict=True):
        if np.isinf(lowest) or np.isinf(highest):
            raise InputError(f"Column '{name}' has an infinite value: set it to missing, or top code it first.")
