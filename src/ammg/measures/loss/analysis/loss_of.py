"""The user's own function as a loss."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from pydantic import Field

from ammg.data.microdata import Microdata
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import InputError, NotDefined
from ammg.measures.measure import Loss
from ammg.measures.measurement import Measurement, Table, numbers, text


class FunctionLoss(Loss):
    """Mean relative change of the numbers that a user-defined function returns for both files."""

    function: Callable[[Any], Any] = Field(exclude=True, description="What is computed from a table.")
    title: str = Field("loss_of", description="Its name in the table.")

    @property
    def name(self) -> str:
        """Its name in the table."""
        return self.title

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Call the function twice."""
        before = self._called(pair.original, "original")
        after = self._called(pair.masked, "masked")
        if not before:
            raise NotDefined("the function returns no number for the original file")
        lacking = [label for label in before if label not in after]
        changes = {label: _change(value, after.get(label)) for label, value in before.items()}
        table = Table({"number": text(before), "change": numbers(changes.values())})
        facts = {"greatest": max(changes.values()), "missing": len(lacking)}
        return Measurement(sum(changes.values()) / len(changes), facts=facts, tables={"numbers": table})

    def _called(self, data: Microdata, which: str) -> dict[str, float]:
        try:
            return dict(_numbers(self.function(data.native.from_polars(data.table)), ""))
        except Exception as error:
            raise NotDefined(f"the function fails on the {which} file ({type(error).__name__}: {error})") from error


def loss_of(function: Callable[[Any], Any], name: str | None = None) -> FunctionLoss:
    """A loss from a function of the table: the relative change of every number it returns, on average.

    The function gets the original and the masked table, in the library that the data came in, and returns a number, or
    numbers in a mapping, a list, an array, a series or a frame. `ammg.loss_of(lambda frame: frame["income"].mean())`.
    """
    if not callable(function):
        raise InputError(f"{function!r} is not a function: give a function that takes a table and returns numbers.")
    own = getattr(function, "__name__", "loss_of")
    return FunctionLoss(function=function, title=name or ("loss_of" if own == "<lambda>" else own))


def _numbers(returned: Any, label: str) -> Iterator[tuple[str, float]]:
    """Every number with a label that says where it stood."""
    if isinstance(returned, Mapping):
        for key, value in returned.items():
            yield from _numbers(value, f"{label}.{key}" if label else str(key))
    elif hasattr(returned, "to_dict") and not isinstance(returned, np.ndarray):
        plain = returned.to_dict(as_series=False) if hasattr(returned, "to_pandas") else returned.to_dict()
        yield from _numbers(plain, label)
    elif hasattr(returned, "to_list"):
        yield from _numbers(returned.to_list(), label)
    elif isinstance(returned, list | tuple | np.ndarray):
        for place, value in enumerate(returned):
            yield from _numbers(value, f"{label}[{place}]")
    elif isinstance(returned, bool | np.bool_ | int | float | np.number):
        yield label or "value", float(returned)


def _change(before: float, after: float | None) -> float:
    """|a - b| / |a|; 1 for a number that is missing or not finite, or where the original is zero."""
    if after is None or not np.isfinite(before) or not np.isfinite(after):
        return 0.0 if after is not None and (before == after or (np.isnan(before) and np.isnan(after))) else 1.0
    if before == after:
        return 0.0
    return abs(before - after) / abs(before) if before else 1.0
