"""Distributions before and after masking, in classes that a public report may show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ammg.charts.chart import Chart
from ammg.data.attribute import Kind
from ammg.data.microdata import Microdata
from ammg.data.pair import Pair
from ammg.errors import NotDefined
from ammg.kernels.threads import in_threads
from ammg.report.evidence import Reader

Numbers = NDArray[np.float64]
Counts = NDArray[np.int64]

_CLASSES = 9
_CATEGORIES = 9
_OTHERS = "all others"


@dataclass(frozen=True)
class Distribution:
    """An attribute's classes as a chart, or in words why there is none."""

    name: str
    chart: Chart | None
    note: str = ""


def distributions(pair: Pair, reader: Reader) -> list[Distribution]:
    """Every attribute that an analyst uses; counted once for all who ask on behalf of this reader."""
    names = pair.analysed()

    def make() -> list[Distribution]:
        return in_threads(lambda name: _distribution(pair, name, reader), names, pair.t * len(names))

    return pair.once(("distributions", reader), make)


def most_changed(found: Sequence[Distribution], most: int) -> list[Distribution]:
    """Those that can be drawn, at most so many, in their order: the attributes whose shares changed most."""
    charts = {one.name: one.chart for one in found if one.chart is not None}
    kept = sorted(charts, key=lambda name: -_change(charts[name]))[:most]
    return [one for one in found if one.name in kept]


def _change(chart: Chart) -> float:
    """The share of records that would have to change their class (total variation)."""
    before, after = chart.series.values()
    return sum(abs((a or 0.0) - (b or 0.0)) for a, b in zip(before, after, strict=True)) / 2


def _distribution(pair: Pair, name: str, reader: Reader) -> Distribution:
    kind = pair.original.schema[name].kind
    if name not in pair.masked.schema:
        return Distribution(name, None, "dropped by the masking")
    if kind is Kind.TEXT:
        return Distribution(name, None, "free text is not drawn")
    try:
        classes = _classes(pair, name, reader)
    except NotDefined as reason:
        return Distribution(name, None, str(reason))
    if classes is None or len(classes.labels) < 2:
        few = (
            f"with classes of at least {reader.least} people there is nothing to compare"
            if reader.is_public
            else "one class"
        )
        return Distribution(name, None, few)
    return Distribution(name, classes.chart(name), _missing(pair, name, reader))


@dataclass(frozen=True)
class _Classes:
    """Classes of an attribute with their records before and after masking."""

    labels: tuple[str, ...]
    before: Counts
    after: Counts

    def chart(self, name: str) -> Chart:
        shares = {
            "before masking": self.before / max(self.before.sum(), 1),
            "after masking": self.after / max(self.after.sum(), 1),
        }
        series = {when: tuple(np.round(values, 3).tolist()) for when, values in shares.items()}
        return Chart("bars", name, self.labels, series, "", "share of the records with a value", percent=True)


def _classes(pair: Pair, name: str, reader: Reader) -> _Classes | None:
    sides = _numbers(pair, name)
    if sides is None:
        return _of_categories(pair, name, reader)
    before, after = (values[np.isfinite(values)] for values in sides)
    shown = (
        after if reader.is_public else np.concatenate([before, after])
    )  # a public axis tells nothing of the original
    if len(shown) == 0:
        return None
    if _are_few(shown) and pair.original.schema[name].kind is not Kind.DATE:
        return _of_categories(pair, name, reader)
    edges = _edges(shown)
    counts = [
        np.bincount(np.searchsorted(edges, side, side="right"), minlength=len(edges) + 1) for side in (before, after)
    ]
    return _merged(edges, counts[0], counts[1], reader.fewest)


def _are_few(values: Numbers) -> bool:
    """Whether there are so few different values that each is a class; most columns tell it by their first records."""
    return len(np.unique(values[:1000])) <= _CATEGORIES and len(np.unique(values)) <= _CATEGORIES


def _numbers(pair: Pair, name: str) -> tuple[Numbers, Numbers] | None:
    """Both columns as numbers, dates as years; None where one of them has classes."""
    kinds = [data.schema[name].kind for data in (pair.original, pair.masked)]
    if all(kind is Kind.DATE for kind in kinds):
        return _years(pair.original, name), _years(pair.masked, name)
    if all(kind & Kind.NUMERIC for kind in kinds):
        return pair.originals([name])[:, 0], pair.released([name])[:, 0]
    return None


def _years(data: Microdata, name: str) -> Numbers:
    return data.table[name].dt.year().cast(float).fill_null(np.nan).to_numpy()


def _edges(values: Numbers) -> Numbers:
    """Round numbers between the 5th and the 95th percentile: neither the least nor the greatest value is told."""
    low, high = np.quantile(values, [0.05, 0.95])
    if high <= low:
        low, high = np.quantile(values, [0.005, 0.995])
    if high <= low:
        return np.array([low])
    step = (high - low) / _CLASSES
    size = 10.0 ** np.floor(np.log10(step))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor >= step)
    first, last = np.floor(low / step) + 1, np.ceil(high / step) - 1
    return np.asarray(np.arange(first, max(last, first) + 1) * step)


def _merged(edges: Numbers, before: Counts, after: Counts, fewest: int) -> _Classes:
    """Neighbouring classes together until each has enough people in both files."""
    bounds: list[float] = []
    kept: list[tuple[int, int]] = []
    held = np.zeros(2, dtype=np.int64)
    for position in range(len(before)):
        held += np.array([before[position], after[position]])
        if position < len(edges) and held.min() >= fewest:
            kept.append((int(held[0]), int(held[1])))
            bounds.append(float(edges[position]))
            held = np.zeros(2, dtype=np.int64)
    if held.min() >= fewest:
        kept.append((int(held[0]), int(held[1])))
    elif kept:
        bounds.pop()
        kept[-1] = (kept[-1][0] + int(held[0]), kept[-1][1] + int(held[1]))
    counts = np.array(kept, dtype=np.int64).reshape(-1, 2)
    return _Classes(_interval_labels(bounds), counts[:, 0], counts[:, 1])


def _interval_labels(bounds: Sequence[float]) -> tuple[str, ...]:
    told = [f"{bound:,.10g}" for bound in bounds]
    if not told:
        return ("all",)
    inner = [f"{low} to under {high}" for low, high in pairwise(told)]
    return (f"under {told[0]}", *inner, f"{told[-1]} or more")


def _of_categories(pair: Pair, name: str, reader: Reader) -> _Classes | None:
    """The most frequent categories that both files have; the others together, if they are enough people."""
    codes_before, codes_after, categories = pair.common_codes(name)
    before, after = (np.bincount(c[c >= 0], minlength=len(categories)) for c in (codes_before, codes_after))
    enough = np.flatnonzero((np.minimum(before, after) >= reader.fewest) & (before + after > 0))
    frequent = enough[np.argsort(-(before + after)[enough], kind="stable")]
    ordered = pair.original.schema[name].kind & Kind.ORDERED
    shown = frequent if len(frequent) <= _CATEGORIES else frequent[: _CATEGORIES - 1]
    rest = np.array([before.sum() - before[shown].sum(), after.sum() - after[shown].sum()])
    while len(shown) and rest.any() and rest.min() < reader.fewest:
        rest += before[shown[-1]], after[shown[-1]]
        shown = shown[:-1]
    if not len(shown):
        return None
    shown = np.sort(shown) if ordered else shown
    labels = [_label(pair, name, categories[code]) for code in shown.tolist()]
    tail = ([_OTHERS], rest[:1], rest[1:]) if rest.any() else ([], rest[:0], rest[:0])
    counts = (np.concatenate([side[shown], more]) for side, more in ((before, tail[1]), (after, tail[2])))
    return _Classes((*labels, *tail[0]), *counts)


def _label(pair: Pair, name: str, category: Any) -> str:
    told = pair.masked.schema[name].value_labels.get(category)
    if told:
        return str(told)
    return f"{category:,.10g}" if isinstance(category, float) else str(category)


def _missing(pair: Pair, name: str, reader: Reader) -> str:
    """How much is missing, where it is known of enough people or of nobody."""
    told = []
    for when, data in (("before", pair.original), ("after", pair.masked)):
        missing = data.table[name].null_count()
        if 0 < missing < reader.fewest:
            return ""
        told.append(f"{100 * missing / max(len(data), 1):.0f} % {when}")
    return "" if all(text.startswith("0 %") for text in told) else f"missing: {', '.join(told)}"
