"""What must survive masking: statistics with tolerances, checked like limits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from ammg.errors import InputError, did_you_mean
from ammg.measures.loss.analysis.statistic_change import StatisticChange
from ammg.pipeline.limits import Limit

STATISTICS: tuple[str, ...] = get_args(StatisticChange.model_fields["statistic"].annotation)
_EXAMPLE = "'mean income by region within 2 %'"
_SENTENCE = re.compile(
    r"(?P<statistic>\w+)(?: +(?P<at>0?\.\d+))?(?: +of)?(?: +(?P<of>.+?))??(?: +by +(?P<by>.+?))?"
    r"(?: +where +(?P<where>.+?))? +within +(?P<within>[\d.]+(?:e-?\d+)?) *(?P<percent>%)?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Survive:
    """A statistic and how far it may change: `Survive.read("mean income by region within 2 %")`."""

    measure: StatisticChange
    within: float

    @classmethod
    def read(cls, given: Any) -> Survive:
        """From a sentence, or from a mapping such as {mean: income, by: region, within: 0.02}.

        Raises:
            InputError: it is neither, or names no statistic or tolerance.
        """
        if isinstance(given, Survive):
            return given
        if isinstance(given, str):
            return _from_sentence(given)
        if isinstance(given, Mapping):
            return _from_mapping(given)
        raise InputError(f"{given!r} does not say what must survive: write {_EXAMPLE}.")

    @property
    def limit(self) -> Limit:
        """The limit that checks it."""
        return Limit(self.measure, self.within)

    @property
    def columns(self) -> tuple[str, ...]:
        """The attributes that it names."""
        return tuple(name for name in (self.measure.of, self.measure.by) if name is not None)

    def __str__(self) -> str:
        measure = self.measure
        at = f" {measure.at:g}" if measure.statistic == "quantile" else ""
        of, by = (f" {measure.of}" if measure.of else ""), (f" by {measure.by}" if measure.by else "")
        where = f" where {measure.where}" if measure.where else ""
        return f"{measure.statistic}{at}{of}{by}{where} within {100 * self.within:g} %"


SurviveLike = str | Mapping[str, Any] | Survive | Iterable[str | Mapping[str, Any] | Survive]


def survivors(given: SurviveLike | None) -> tuple[Survive, ...]:
    """What must survive, from one sentence or several."""
    if given is None:
        return ()
    if isinstance(given, str | Mapping | Survive):
        return (Survive.read(given),)
    if not isinstance(given, Iterable):
        raise InputError(f"{given!r} does not say what must survive: write {_EXAMPLE}.")
    return tuple(map(Survive.read, given))


def _from_sentence(sentence: str) -> Survive:
    found = _SENTENCE.fullmatch(sentence.strip())
    if found is None:
        raise InputError(f"'{sentence}' cannot be read: write what must survive like {_EXAMPLE}.")
    parts = {name: found[name] for name in ("of", "by", "where", "at") if found[name] is not None}
    return _made(found["statistic"].lower(), parts, f"{found['within']} {found['percent'] or ''}")


def _from_mapping(given: Mapping[str, Any]) -> Survive:
    parts = dict(given)
    within = parts.pop("within", None)
    named = [name for name in STATISTICS if name in parts]
    if "statistic" in parts:
        return _made(str(parts.pop("statistic")), parts, within)
    if len(named) != 1:
        raise InputError(f"{dict(given)!r} does not name one statistic: write one of {', '.join(STATISTICS)}.")
    of = parts.pop(named[0])
    return _made(named[0], {**parts, **({} if of is None else {"of": of})}, within)


def _made(statistic: str, parts: Mapping[str, Any], within: Any) -> Survive:
    if statistic not in STATISTICS:
        raise InputError(f"'{statistic}' is not a statistic that can survive.{did_you_mean(statistic, STATISTICS)}")
    return Survive(StatisticChange(statistic=statistic, **parts), _tolerance(within))


def _tolerance(within: Any) -> float:
    written = str(within).strip()
    percent = written.endswith("%")
    try:
        number = float(written.removesuffix("%")) / (100 if percent else 1)
    except ValueError:
        number = -1.0
    if within is None or isinstance(within, bool) or not 0 <= number < float("inf"):
        raise InputError(f"The tolerance is {within!r}: write how far the statistic may change, such as 0.02 or 2 %.")
    return number
