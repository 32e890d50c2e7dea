"""The owner's limits: masking, assessing, searching and evaluating judge by the same ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real

from ammg import registry
from ammg.errors import InputError
from ammg.measures.measure import Measure
from ammg.measures.measurement import Measurement
from ammg.pipeline.labels import labelled


@dataclass(frozen=True, init=False)
class Limit:
    """A measure with its parameters, and its largest allowed value: `Limit(KAnonymity(k=20), at_most=0)`."""

    measure: Measure
    at_most: float

    def __init__(self, measure: Measure | str, at_most: float) -> None:
        """Take a measure, or its name for default parameters."""
        found = registry.find("measures", measure)() if isinstance(measure, str) else measure
        if not isinstance(found, Measure):
            raise InputError(f"{measure!r} is not a measure: give its name, or a measure with its parameters.")
        if not isinstance(at_most, Real) or isinstance(at_most, bool) or not 0 <= at_most < math.inf:
            raise InputError(f"The limit of '{found.name}' is {at_most!r}: it must be a number of at least 0.")
        object.__setattr__(self, "measure", found)
        object.__setattr__(self, "at_most", float(at_most))

    def broken(self, label: str, measurement: Measurement) -> str | None:
        """Why the limit is not met, in one sentence; None if it is met. A measure without a value meets no limit."""
        if measurement.value is None:
            return f"{label} is not defined ({measurement.reason}), so it cannot meet the limit of {self.at_most:g}."
        if not measurement.value <= self.at_most:
            return f"{label} is {measurement.value:.4g}, the limit is {self.at_most:g}."
        return None

    def pressure(self, value: float) -> float:
        """The value as a multiple of the limit: met when at most 1."""
        return value / self.at_most if self.at_most > 0 else 1.0 + value * 1e6


LimitsLike = Mapping[str, float] | Limit | Iterable[Limit]


def limits_of(given: LimitsLike | None, measures: Iterable[Measure] = ()) -> tuple[Limit, ...]:
    """Limits from `{measure: largest value}`, one limit or several; a bare name means the measure listed, if any.

    Raises:
        InputError: a value is no number of at least 0, or a measure has two limits.
    """
    if given is None:
        return ()
    if isinstance(given, Mapping):
        listed = list(measures)
        limits = tuple(Limit(meant(name, listed), at_most) for name, at_most in given.items())
    else:
        limits = (given,) if isinstance(given, Limit) else _all_limits(given)
    for position, limit in enumerate(limits):
        if any(limit.measure == other.measure for other in limits[:position]):
            raise InputError(f"'{limit.measure.name}' has two limits with the same parameters: keep one.")
    return limits


def meant(name: str, listed: Iterable[Measure]) -> Measure:
    """The measure that a bare name stands for: the listed one of that name, else the one with its defaults."""
    unit = registry.find("measures", name)
    named = [measure for measure in listed if type(measure) is unit]
    if len(labels := labelled(named)) > 1:
        raise InputError(f"'{name}' is measured more than once ({', '.join(labels)}): say which one, with parameters.")
    measure: Measure = named[0] if named else unit()
    return measure


def suggested_limits() -> dict[str, float]:
    """Limits to start from, as the measures themselves suggest them."""
    units = registry.units("measures").items()
    return {name: unit.suggested_limit for name, unit in units if unit.suggested_limit is not None}


def _all_limits(given: Iterable[Limit]) -> tuple[Limit, ...]:
    if not isinstance(given, Iterable) or isinstance(given, str):
        raise InputError(f"{given!r} is not a limit: write {{measure: largest value}}, or a list of Limit.")
    limits = tuple(given)
    for limit in limits:
        if not isinstance(limit, Limit):
            raise InputError(f"{limit!r} is not a limit: write Limit(measure, at_most), or {{measure: largest value}}.")
    return limits
