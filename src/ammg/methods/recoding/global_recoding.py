"""Global recoding."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import field_validator, model_validator

from ammg.data.attribute import Attribute, Kind
from ammg.data.block import Block
from ammg.data.dictionary import match_categories
from ammg.data.published import Recoding
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError, did_you_mean
from ammg.methods.method import Method, Plan
from ammg.methods.recoding.date_intervals import Clock, Cut, Period
from ammg.methods.usage import Usage, quoted
from ammg.params import param
from ammg.summaries.extremes import Extremes
from ammg.summaries.quantiles import quantiles
from ammg.summaries.summary import Source, Summary


class GlobalRecoding(Method):
    """Merge values into coarser classes: by a map, cut points, equal groups, or a level of a hierarchy.

    All records of a class get the same value; differences within classes are lost. Numbers become ordered intervals,
    and dates intervals or periods such as months. An intruder recodes the known values the same way and re-identifies a
    person with probability 1/n if n people share the combination of classes: a unique combination gives its person
    away. Source: Willenborg and de Waal (2001), section 1.2; Truta et al. (2003), section 1.
    """

    also_called: ClassVar[tuple[str, ...]] = ("GlobalRecode", "GroupAndRename")
    accepts: ClassVar[Kind] = Kind.CODED
    recodes: ClassVar[bool] = True
    perturbs: ClassVar[bool] = False

    map: Mapping[str, str] | None = param(
        None, "New name of each old value. Categories not named stay unchanged; for numbers, name every value."
    )
    cuts: tuple[Cut, ...] | None = param(
        None,
        "Cut points between intervals, each belonging to the interval above it: numbers, or for dates "
        "a year or 2020-01-31.",
    )
    groups: int | None = param(None, "Number of intervals with about equally many records.", ge=2, search=(20, 3))
    period: Period | None = param(None, "Period to which dates are reduced.")
    level: int | None = param(None, "Level of the attribute's hierarchy; 0 is the value itself.", ge=0)
    right_closed: bool = param(False, "Whether a cut point belongs to the interval below it.")

    @model_validator(mode="before")
    @classmethod
    def _one_way(cls, values: Any) -> Any:
        ways = ("map", "cuts", "groups", "period", "level")
        if isinstance(values, dict) and sum(values.get(way) is not None for way in ways) != 1:
            raise ValueError(f"give exactly one of {', '.join(ways)}")
        if isinstance(values, dict) and values.get("period") is not None and values.get("right_closed"):
            raise ValueError("right_closed does not apply to periods: leave it out")
        return values

    @field_validator("map", mode="before")
    @classmethod
    def _as_written(cls, given: Any) -> Any:
        """Codes may be written as numbers; they match categories of any type."""
        if not isinstance(given, Mapping):
            return given
        return {_written(value): _written(new) for value, new in given.items()}

    @classmethod
    def examples(cls) -> list[Self]:
        """By groups and by cuts; maps and levels belong to the categories of a file."""
        return [cls(groups=4), cls(cuts=(30.0, 60.0), right_closed=True)]

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Count classes, and treat them as classes."""
        return Usage(
            "Counts of the released classes are exact.",
            "Tables and models of classes; shares of classes are those of the original file.",
            "Do not split classes, and do not treat midpoints as values: where a value lies within its "
            "class is unknown.",
            f"print(file[{quoted(columns[0])}].value_counts())" if columns else "",
        )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Work out for each column what its values become."""
        recodes = {name: self._recode(source, name) for name in self.chosen(source.schema)}
        return Plan(
            Schema(tuple(recode.attribute for recode in recodes.values())),
            {name: recode.lookup for name, recode in recodes.items()},
            tuple(recode.published for recode in recodes.values()),
        )

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Look each value up."""
        masked = {}
        for name, lookup in plan.state.items():
            masked[name] = lookup(block[name])
        return block.with_columns(masked, plan.schema)

    @classmethod
    def search_columns(cls, schema: Schema) -> tuple[str, ...]:
        """The search recodes numbers into equal groups; hierarchies are for their owner to choose."""
        return tuple(a.name for a in schema if a.kind & (Kind.NUMERIC | Kind.DATE))

    def _recode(self, source: Source, name: str) -> _Recode:
        attribute = source.schema[name]
        if self.map is not None:
            return _by_names(attribute, self._mapped(attribute))
        if self.level is not None:
            if attribute.hierarchy is None:
                raise InputError(f"'{name}' has no hierarchy: give it one, or recode by map, cuts or groups.")
            return _by_names(attribute, attribute.hierarchy.level(self.level))
        if not attribute.is_numeric:
            raise InputError(f"'{name}' is {attribute.kind.label}, which has no intervals: recode it by map or level.")
        clock = Clock(attribute.ticks_per_day) if attribute.kind is Kind.DATE else None
        if self.period is not None:
            if clock is None:
                raise InputError(f"'{name}' is {attribute.kind.label}, which has no {self.period}s: recode it by cuts.")
            return self._by_cuts(source, attribute, *clock.periods(name, self.period, *_ends(source, name)))
        bounds = np.unique(self._bounds(source, name, clock))
        bounds = bounds[np.isfinite(bounds)]
        if clock is None:
            return self._by_cuts(source, attribute, bounds, _interval_labels(bounds, self.right_closed, _number_text))
        if self.groups is not None:
            bounds = clock.readable(bounds, self.right_closed, *_ends(source, name))
        return self._by_cuts(source, attribute, bounds, _interval_labels(bounds, self.right_closed, clock.text))

    def _bounds(self, source: Source, name: str, clock: Clock | None) -> NDArray[np.float64]:
        if self.cuts is None:
            assert self.groups is not None
            return quantiles(source, name, [i / self.groups for i in range(1, self.groups)])
        if clock is not None:
            return np.array([clock.ticks(name, cut) for cut in self.cuts])
        for cut in self.cuts:
            if isinstance(cut, date):
                raise InputError(f"'{name}' is numeric, but the cut {cut} is a date: write a number.")
        return np.array(self.cuts, dtype=np.float64)

    def _mapped(self, attribute: Attribute) -> Mapping[str, str]:
        assert self.map is not None
        if attribute.categories is None:
            return self.map
        known = [str(category) for category in attribute.categories]
        new_names = {value: value for value in known}
        places = match_categories(list(self.map), attribute.categories)
        for (value, new), place in zip(self.map.items(), places.tolist(), strict=True):
            if place < 0:
                raise InputError(f"'{attribute.name}' has no value '{value}' to recode.{did_you_mean(value, known)}")
            new_names[known[place]] = new
        return new_names

    def _by_cuts(
        self, source: Source, attribute: Attribute, cuts: NDArray[np.float64], labels: tuple[str, ...]
    ) -> _Recode:
        lookup = _Intervals(cuts, self.right_closed)
        scores = source.fold(ClassMeans(attribute.name, lookup, len(labels)))
        after = attribute.replace(kind=Kind.ORDINAL, categories=labels, scores=tuple(scores.tolist()), hierarchy=None)
        published = Recoding((attribute.name,), labels, bounds=tuple(cuts.tolist()), right_closed=self.right_closed)
        return _Recode(after, lookup, published)


def _ends(source: Source, name: str) -> tuple[float, float]:
    ends = source.fold(Extremes((name,)))
    return float(ends.lowest[0]), float(ends.highest[0])


class _Recode:
    def __init__(self, attribute: Attribute, lookup: Any, published: Recoding) -> None:
        self.attribute, self.lookup, self.published = attribute, lookup, published


def _by_names(attribute: Attribute, new_names: Mapping[str, str]) -> _Recode:
    """Recode single values; the new dictionary is in the order in which the new names first appear."""
    categories = tuple(dict.fromkeys(new_names.values()))
    code = {name: position for position, name in enumerate(categories)}
    kind = attribute.kind if attribute.is_categorical else Kind.NOMINAL
    after = attribute.replace(kind=kind, categories=categories, scores=None)
    if attribute.is_numeric:
        numbers = sorted((_number(attribute, value), code[new]) for value, new in new_names.items())
        values, codes = tuple(n for n, _ in numbers), tuple(c for _, c in numbers)
        lookup: Any = _Numbers(attribute, np.array(values), np.array(codes))
        return _Recode(after, lookup, Recoding((attribute.name,), categories, values, codes))
    table = []
    old, listed = attribute.categories or (), list(new_names)
    for category, place in zip(old, match_categories(old, listed).tolist(), strict=True):
        if str(category) not in new_names and place < 0:
            raise InputError(f"The hierarchy of '{attribute.name}' lacks the value '{category}': add a row for it.")
        table.append(code[new_names[str(category) if str(category) in new_names else listed[place]]])
    lookup = _Table(np.array([*table, -1], dtype=np.int32))
    return _Recode(after, lookup, Recoding((attribute.name,), categories, attribute.categories or (), tuple(table)))


class _Table:
    """Code → code; -1, the last entry, stays missing."""

    def __init__(self, table: NDArray[np.int32]) -> None:
        self.table = table

    def __call__(self, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        return self.table[codes]


class _Numbers:
    """Number → code, for values that a map or a hierarchy lists one by one."""

    def __init__(self, attribute: Attribute, values: NDArray[np.float64], codes: NDArray[np.int64]) -> None:
        self.attribute, self.values, self.codes = attribute, values, codes.astype(np.int32)

    def __call__(self, values: NDArray[np.float64]) -> NDArray[np.int32]:
        position = np.minimum(np.searchsorted(self.values, values), len(self.values) - 1)
        missing = np.isnan(values)
        unknown = ~missing & (self.values[position] != values)
        if unknown.any():
            name, value = self.attribute.name, values[unknown][0]
            is_date = self.attribute.kind is Kind.DATE
            shown = Clock(self.attribute.ticks_per_day).text(value) if is_date else f"{value:g}"
            raise InputError(f"'{name}' has the value {shown}, which is not in the map or hierarchy: add it.")
        return np.where(missing, np.int32(-1), self.codes[position])


class _Intervals:
    """Number → position of its interval."""

    def __init__(self, cuts: NDArray[np.float64], right_closed: bool) -> None:
        self.cuts, self.side = cuts, "left" if right_closed else "right"

    def __call__(self, values: NDArray[np.float64]) -> NDArray[np.int32]:
        codes = np.searchsorted(self.cuts, values, side=self.side)  # type: ignore[call-overload]
        return np.where(np.isnan(values), -1, codes).astype(np.int32)


class ClassMeans(Summary[NDArray[np.float64], NDArray[np.float64]]):
    """The mean of each class, which stands for it when loss is measured; NaN for an empty one."""

    def __init__(self, column: str, lookup: _Intervals, size: int) -> None:
        self.columns = (column,)
        self.lookup, self.size = lookup, size

    def add(self, block: Block) -> NDArray[np.float64]:
        """Counts and sums of a chunk."""
        values = block.numbers(self.columns[0])
        values = values[~np.isnan(values)]
        codes = self.lookup(values)
        return np.stack([np.bincount(codes, minlength=self.size), np.bincount(codes, values, minlength=self.size)])

    def merge(self, left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
        """Counts and sums add."""
        return left + right

    def finish(self, state: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """Sums over counts."""
        if state is None:
            return np.full(self.size, np.nan)
        means: NDArray[np.float64] = np.full(self.size, np.nan)
        np.divide(state[1], state[0], out=means, where=state[0] > 0)
        return means


def _interval_labels(cuts: NDArray[np.float64], right_closed: bool, text: Callable[[float], str]) -> tuple[str, ...]:
    if not len(cuts):
        return ("all",)
    bounds = [text(float(cut)) for cut in cuts]
    first, last = (f"≤ {bounds[0]}", f"> {bounds[-1]}") if right_closed else (f"< {bounds[0]}", f"≥ {bounds[-1]}")
    shape = "({}, {}]" if right_closed else "[{}, {})"
    between = [shape.format(low, high) for low, high in pairwise(bounds)]
    return (first, *between, last)


def _number_text(cut: float) -> str:
    return f"{cut:g}" if float(f"{cut:g}") == cut else repr(cut)


def _written(value: Any) -> Any:
    return str(value) if isinstance(value, bool | int | float | date) else value


def _number(attribute: Attribute, value: str) -> float:
    if attribute.kind is Kind.DATE:
        return Clock(attribute.ticks_per_day).read(attribute.name, value)
    try:
        return float(value)
    except ValueError:
        raise InputError(
            f"'{attribute.name}' is numeric, but its map or hierarchy has the value '{value}': write numbers."
        ) from None
