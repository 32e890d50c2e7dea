"""Several masked files of one original side by side."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, overload

import numpy as np
import polars as pl

from ammg import registry
from ammg.charts.drawing import Drawing
from ammg.data.microdata import Microdata
from ammg.data.pair import Pair
from ammg.data.pairs.anchors import permuted
from ammg.data.scenario import Scenario
from ammg.errors import InputError
from ammg.io.pictures import write_picture
from ammg.measures.measure import Measure
from ammg.pipeline.comparison_map import comparison_map
from ammg.pipeline.evaluation import Evaluation, MeasureLike, evaluate, resolve, shown
from ammg.pipeline.limits import LimitsLike, limits_of
from ammg.pipeline.masked import Masked
from ammg.progress import Report, part, reporting, tick

ITSELF, PERMUTED = "the file itself", "every column permuted"
"""Reference masks: nothing lost and nothing protected, and the other way round."""

_LOSS = "overall_loss"


@dataclass(frozen=True)
class Comparison:
    """The evaluations of several masked files by name, references last."""

    evaluations: Mapping[str, Evaluation]
    references: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Evaluation:
        return self.evaluations[name]

    @property
    def measures(self) -> Mapping[str, Measure]:
        """What was measured, by label, risks first."""
        measures = next(iter(self.evaluations.values())).measures
        return dict(sorted(measures.items(), key=lambda item: item[1].family != "risk"))

    def to_polars(self) -> pl.DataFrame:
        """One row per measure, one column per file; and `<file> score` for losses between 0 and 1."""
        rows: dict[str, list[Any]] = {"measure": list(self.measures), "family": []}
        rows["family"] = [measure.family for measure in self.measures.values()]
        for name, found in self.evaluations.items():
            rows[name] = [found[label].value for label in self.measures]
            if found.scores:
                rows[f"{name} score"] = [found.scores.get(label) for label in self.measures]
        types = {name: pl.String if name in ("measure", "family") else pl.Float64 for name in rows}
        return pl.DataFrame(rows, schema=types)

    def rows(self) -> list[tuple[str, ...]]:
        """The table as it is shown: a head, then the family, label and values of each measure."""
        head = ("", "measure", *self.evaluations)
        return [head, *((measure.family, label, *self._cells(label)) for label, measure in self.measures.items())]

    def _cells(self, label: str) -> list[str]:
        cells = []
        for found in self.evaluations.values():
            score = found.scores.get(label)
            value = shown(found.measures[label], found[label])
            cells.append(value if score is None else f"{value} ({score:.3f})")
        return cells

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {name: found.to_dict() for name, found in self.evaluations.items()}

    def notes(self) -> list[str]:
        """Remarks on the files, why a measure has no value for a file, and which limits it does not meet."""
        found = list(self.remarks)
        for name, evaluation in self.evaluations.items():
            found += [
                f"{name}: {label} is not defined, {m.reason}." for label, m in evaluation.items() if m.value is None
            ]
            if name not in self.references:
                found += [f"{name}: {sentence}" for sentence in evaluation.broken.values()]
        return found

    @overload
    def plot(self, path: None = None, risk: str | None = None, loss: str = _LOSS) -> Drawing: ...
    @overload
    def plot(self, path: str | Path, risk: str | None = None, loss: str = _LOSS) -> Path: ...
    def plot(self, path: str | Path | None = None, risk: str | None = None, loss: str = _LOSS) -> Drawing | Path:
        """Draw the R-U map, references included; without a path the drawing comes back, and a notebook shows it."""
        drawing = Drawing(comparison_map(self, risk or self._risk(), loss))
        return drawing if path is None else write_picture(drawing, path)

    def _risk(self) -> str:
        for label, measure in self.measures.items():
            if measure.family == "risk" and any(found[label].value is not None for found in self.evaluations.values()):
                return label
        raise InputError("No risk was measured: name one in `measures`, or say which to draw.")

    def __str__(self) -> str:
        rows = self.rows()
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        lines = []
        for row in rows:
            words = [f"{cell:<{width}}" for cell, width in zip(row[:2], widths[:2], strict=True)]
            values = [f"{cell:>{width}}" for cell, width in zip(row[2:], widths[2:], strict=True)]
            lines.append("  ".join([*words, *values]).rstrip())
        return "\n".join([*lines, *([""] if (notes := self.notes()) else []), *notes])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head, *rows = self.rows()
        titles = "".join(f"<th>{html.escape(cell)}</th>" for cell in head)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        table = f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"
        try:
            return table + self.plot().svg
        except InputError:  # no risk, or no loss, to draw
            return table


def compare(
    masked: Mapping[str, Any],
    original: Microdata | Any = None,
    measures: Iterable[MeasureLike] | MeasureLike | Literal["all"] | None = None,
    scenario: Scenario | None = None,
    *,
    limits: LimitsLike | None = None,
    links: Mapping[str, Any] | None = None,
    references: bool = True,
    progress: Report | None = None,
) -> Comparison:
    """Measure several masked files of one original by the same measures: `ammg.compare({"noise": a, "swapped": b})`.

    Files are what a pipeline made, pairs, or tables beside an `original`; `links` has, for tables, the position of the
    original that each record stands for (-1 for none), without which attacks and losses of single records are not
    defined. By default the measures of the table and `overall_loss`; "all" means every measure. Losses get scores. With
    `references`, the original itself and a file with every column permuted are compared too.
    """
    if not isinstance(masked, Mapping) or not masked:
        raise InputError('Nothing to compare: give masked files by name, {"noise": masked, …}.')
    pairs = {str(name): _pair(str(name), given, original, (links or {}).get(name)) for name, given in masked.items()}
    first = next(iter(pairs.values()))
    _check_original(pairs)
    if references:
        clash = [name for name in (ITSELF, PERMUTED) if name in pairs]
        if clash:
            raise InputError(f"'{clash[0]}' is the name of a reference: choose another name, or drop the references.")
        pairs |= {ITSELF: Pair.identity(first.original), PERMUTED: permuted(first.original)}
    chosen = _chosen(measures)
    judged = limits_of(limits, chosen)
    found = {}
    with reporting(progress):
        for position, (name, pair) in enumerate(pairs.items()):
            with part(position, len(pairs), name):
                found[name] = evaluate(pair, chosen, scenario, limits=judged, before=False, scores=True)
        tick(len(pairs), len(pairs))
    return Comparison(found, (ITSELF, PERMUTED) if references else ())


def _chosen(measures: Iterable[MeasureLike] | MeasureLike | Literal["all"] | None) -> list[Measure]:
    if measures == "all":
        return [unit() for unit in registry.units("measures").values()]
    chosen = resolve(measures)
    return chosen if any(measure.name == _LOSS for measure in chosen) else [*chosen, *resolve(_LOSS)]


def _pair(name: str, given: Any, original: Any, link: Any) -> Pair:
    if isinstance(given, Masked):
        return given.pair
    if isinstance(given, Pair):
        return given
    if original is None:
        raise InputError(f"'{name}' is a table without its original: give original=, or the result of a pipeline.")
    first = original if isinstance(original, Microdata) else Microdata(original)
    second = given if isinstance(given, Microdata) else Microdata(given)
    common = set(first.columns) & set(second.columns)
    if not common:
        raise InputError(f"'{name}' has no column of the original: compare files of the same data.")
    return Pair(first, second, None if link is None else np.asarray(link))


def _check_original(pairs: Mapping[str, Pair]) -> None:
    (first, one), *others = pairs.items()
    for name, other in others:
        if other.original is one.original or other.original.table is one.original.table:
            continue
        same = other.original.table.schema == one.original.table.schema
        if not same or not other.original.table.equals(one.original.table):
            raise InputError(
                f"'{name}' and '{first}' are not made from the same original: compare files of one original."
            )
