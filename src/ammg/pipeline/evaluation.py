"""Risk and loss of a masked file, side by side with releasing the file as it was."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ammg import registry
from ammg.data.masked import Masked
from ammg.data.microdata import Microdata
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import InputError, NotDefined, did_you_mean
from ammg.measures.measure import Measure, Measurement
from ammg.progress import Report, part, reporting, tick

MeasureLike = Measure | str


@dataclass(frozen=True)
class Evaluation:
    """Measurements by name; `before` has the risks of the unmasked file where they were asked for."""

    measures: Mapping[str, Measure]
    after: Mapping[str, Measurement]
    before: Mapping[str, Measurement]
    records: Mapping[str, float]

    def __getitem__(self, name: str) -> Measurement:
        if name in self.after:
            return self.after[name]
        own = registry.own_name("measures", name)
        if own not in self.after:
            raise InputError(f"'{name}' was not measured here.{did_you_mean(name, self.after)}")
        return self.after[own]

    def value(self, name: str) -> float:
        """One number; NaN when it is not defined."""
        value = self[name].value
        return math.nan if value is None else value

    def to_dict(self) -> dict[str, Any]:
        """Everything but record-level values, as plain values."""
        return {
            "records": dict(self.records),
            "measures": {
                name: {"family": self.measures[name].family, **measurement.to_dict()}
                for name, measurement in self.after.items()
            },
            "unmasked": {name: measurement.to_dict() for name, measurement in self.before.items()},
        }

    def rows(self) -> list[tuple[str, str, str, str, str]]:
        """(family, name, before, after, meaning) of each measure, risks first."""
        order = sorted(self.after, key=lambda name: self.measures[name].family != "risk")
        return [
            (
                self.measures[name].family,
                name,
                _shown(self.measures[name], self.before.get(name)),
                _shown(self.measures[name], self.after[name]),
                meaning(type(self.measures[name])),
            )
            for name in order
        ]

    def _sizes(self) -> str:
        records = self.records
        factors = "no link between them"
        if "sf" in records:
            factors = f"sampling factor {records['sf']:.3g}, simulated factor {records['fs']:.3g}"
        return f"{records['n']:,.0f} records before, {records['t']:,.0f} after ({factors})"

    def _notes(self) -> list[str]:
        return [f"{name}: not defined, {m.reason}" for name, m in self.after.items() if m.value is None]

    def __str__(self) -> str:
        lines = [self._sizes(), ""]
        rows = [("", "measure", "before", "after", "meaning"), *self.rows()]
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        for row in rows:
            family, name, before, after = (row[column].ljust(widths[column]) for column in range(4))
            lines.append(f"{family}  {name}  {before.strip():>{widths[2]}}  {after.strip():>{widths[3]}}  {row[4]}")
        notes = self._notes()
        return "\n".join([*lines, *([""] if notes else []), *notes])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        cells = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in self.rows()
        )
        head = "".join(f"<th>{title}</th>" for title in ("", "measure", "before", "after", "meaning"))
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self._notes())
        caption = f"<caption>{html.escape(self._sizes())}</caption>"
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{cells}</tbody></table>{notes}"


def evaluate(
    masked: Masked | Pair | Microdata | Any,
    measures: Iterable[MeasureLike] | MeasureLike | None = None,
    scenario: Scenario | None = None,
    *,
    before: bool = True,
    progress: Report | None = None,
) -> Evaluation:
    """Measure risk and loss; with `before`, also the risk of releasing the original file as it is.

    `measures` are names or measures with parameters; by default all that are meant for the table.
    `progress(done, total, name)` hears how many are done, fractions included, and stops by returning False.
    """
    pair = _pair(masked)
    chosen = _by_name(resolve(measures))
    scenario = scenario or Scenario()
    after, unmasked = {}, {}
    baseline = Pair.identity(pair.original)
    with reporting(progress):
        for position, (name, measure) in enumerate(chosen.items()):
            twice = before and measure.family == "risk"
            with part(position, len(chosen), name, size=0.5 if twice else 1.0):
                after[name] = _measured(measure, pair, scenario)
            if twice:
                with part(position + 0.5, len(chosen), name, size=0.5):
                    unmasked[name] = _measured(measure, baseline, scenario)
        tick(len(chosen), len(chosen))
    records: dict[str, float] = {"n": pair.n, "t": pair.t}
    if pair.is_linked:
        records |= {"r": pair.r, "sf": pair.sampling_factor, "fs": pair.simulated_factor}
    return Evaluation(chosen, after, unmasked, records)


def resolve(measures: Iterable[MeasureLike] | MeasureLike | None) -> list[Measure]:
    """Measures from names, with their default parameters; all default ones when none are named."""
    if measures is None:
        return [unit() for unit in registry.units("measures").values() if unit.default]
    if isinstance(measures, MeasureLike):
        measures = [measures]
    found = [registry.find("measures", m)() if isinstance(m, str) else m for m in measures]
    for measure in found:
        if not isinstance(measure, Measure):
            raise InputError(f"{measure!r} is not a measure: give its name, or a measure with its parameters.")
    return found


def _by_name(measures: list[Measure]) -> dict[str, Measure]:
    chosen: dict[str, Measure] = {}
    for measure in measures:
        if chosen.setdefault(measure.name, measure) != measure:
            raise InputError(f"Measure '{measure.name}' is asked for twice with other parameters: evaluate them apart.")
    return chosen


def meaning(unit: type[Any]) -> str:
    """The first line of a unit's docstring, which is what users see."""
    return (unit.__doc__ or "").strip().splitlines()[0]


def _pair(masked: Masked | Pair | Microdata | Any) -> Pair:
    if isinstance(masked, Masked):
        return masked.pair
    if isinstance(masked, Pair):
        return masked
    return Pair.identity(masked if isinstance(masked, Microdata) else Microdata(masked))


def _measured(measure: Measure, pair: Pair, scenario: Scenario) -> Measurement:
    try:
        return measure.measure(pair, scenario)
    except NotDefined as reason:
        return Measurement(value=None, reason=str(reason))


def _shown(measure: Measure, measurement: Measurement | None) -> str:
    if measurement is None:
        return ""
    if measurement.value is None:
        return "–"
    return f"{100 * measurement.value:.2f} %" if measure.percent else f"{measurement.value:.4f}"
