"""Risk and information loss of a masked file, compared with releasing the original."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Self, overload

import polars as pl

from ammg import registry
from ammg.charts.chart import Chart
from ammg.charts.drawing import Drawing
from ammg.data.microdata import Microdata
from ammg.data.native import to_pandas
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.data.schema import Schema
from ammg.errors import InputError, NotDefined, did_you_mean
from ammg.forks import refuse_forked
from ammg.io.pictures import write_picture
from ammg.kernels.threads import MANY, side_by_side
from ammg.measures.default_table import DEFAULT_TABLE
from ammg.measures.loss.scores.anchor_score import at_anchor, share_lost
from ammg.measures.measure import Loss, Measure
from ammg.measures.measurement import Measurement
from ammg.pipeline.evidence import evidence_of, pair_of
from ammg.pipeline.folded import measured
from ammg.pipeline.labels import labelled, meaning, parameters, with_parameters
from ammg.pipeline.limits import Limit, LimitsLike, limits_of
from ammg.pipeline.masked import Masked
from ammg.pipeline.survive import SurviveLike, survivors
from ammg.progress import Report, reporting
from ammg.report.evidence import LEAST, Evidence, Reader, Version
from ammg.report.page import write_report
from ammg.report.verdict import picture

MeasureLike = Measure | str


_COLUMNS = {
    "measure": pl.String,
    "family": pl.String,
    "before": pl.Float64,
    "after": pl.Float64,
    "lower": pl.Float64,
    "upper": pl.Float64,
    "score": pl.Float64,
    "limit": pl.Float64,
    "parameters": pl.String,
    "reason": pl.String,
    "meaning": pl.String,
}


@dataclass(frozen=True)
class Evaluation:
    """Measurements by label, with the scenario they are for and the limits they are judged by.

    A label is the name of a measure, with parameters where it was measured more than once: `k_anonymity(k=20)`.
    `before` has the risks of the unmasked file where they were asked for.
    """

    measures: Mapping[str, Measure]
    after: Mapping[str, Measurement]
    before: Mapping[str, Measurement]
    records: Mapping[str, float]
    scenario: Scenario = field(default_factory=Scenario)
    limits: Mapping[str, Limit] = field(default_factory=dict)
    scores: Mapping[str, float | None] = field(default_factory=dict)
    """Losses as shares of what there is to lose, where they were asked for."""
    of: Masked | Pair | None = field(default=None, repr=False, compare=False)
    """What was measured, for the report. It stays in memory: it knows the originals, and a masked file the secret."""

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "of": None}

    def __getitem__(self, name: str | Measure) -> Measurement:
        if not isinstance(name, str | Measure):
            raise InputError(f"{name!r} is not a measure: use one of {', '.join(self.after)}.")
        return self.after[self.label(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.after)

    def __len__(self) -> int:
        return len(self.after)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str | Measure) and len(self._labels(name)) == 1

    def keys(self) -> KeysView[str]:
        """The labels."""
        return self.after.keys()

    def items(self) -> ItemsView[str, Measurement]:
        """Each label with what was measured."""
        return self.after.items()

    def label(self, name: str | Measure) -> str:
        """The label of a measure, found by its label, by its name where only one has it, or by the measure itself.

        Raises:
            InputError: it was not measured, or the name alone does not say which.
        """
        labels = self._labels(name)
        if len(labels) == 1:
            return labels[0]
        if labels:
            raise InputError(f"'{name}' was measured more than once: use {' or '.join(labels)}.")
        text = name if isinstance(name, str) else repr(name)
        if "(" not in text:
            registry.own_name("measures", text)  # an unknown name gets the nearest one
        raise InputError(f"'{text}' was not measured here.{did_you_mean(text, self.after)}")

    def _labels(self, name: str | Measure) -> list[str]:
        if isinstance(name, Measure):
            return [label for label, measure in self.measures.items() if measure == name]
        if name in self.after:
            return [name]
        own = registry.known_as("measures", name)
        return [label for label, measure in self.measures.items() if measure.name == own]

    def value(self, name: str | Measure) -> float:
        """One number; NaN when it is not defined."""
        value = self[name].value
        return math.nan if value is None else value

    @property
    def broken(self) -> dict[str, str]:
        """One sentence for each limit that is not met, by label."""
        told = {label: limit.broken(label, self.after[label]) for label, limit in self.limits.items()}
        return {label: sentence for label, sentence in told.items() if sentence is not None}

    @property
    def measured(self) -> dict[str, tuple[Measure, Measurement]]:
        """Each measure with what it found in the masked file."""
        return {label: (self.measures[label], measurement) for label, measurement in self.after.items()}

    def to_dict(self) -> dict[str, Any]:
        """Everything but what is about single people, as plain values."""
        broken = self.broken
        return {
            "records": dict(self.records),
            "scenario": self.scenario.model_dump(mode="json", exclude={"known_by_record", "targets"}),
            "measures": {
                label: {
                    "family": measure.family,
                    "name": measure.name,
                    "parameters": parameters(measure),
                    **measurement.to_dict(),
                }
                for label, (measure, measurement) in self.measured.items()
            },
            **({"scores": dict(self.scores)} if self.scores else {}),
            "unmasked": {label: measurement.to_dict() for label, measurement in self.before.items()},
            "limits": {label: limit.at_most for label, limit in self.limits.items()},
            "missed": {label: self.limits[label].at_most for label in broken},
            "reasons": list(broken.values()),
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """The evaluation that `to_dict` described, without what was about single people."""
        measures = {
            label: with_parameters(entry["name"], entry["parameters"]) for label, entry in plain["measures"].items()
        }
        return cls(
            measures=measures,
            after={label: Measurement.from_dict(entry) for label, entry in plain["measures"].items()},
            before={label: Measurement.from_dict(entry) for label, entry in plain["unmasked"].items()},
            records=plain["records"],
            scenario=Scenario(**plain["scenario"]),
            limits={label: Limit(measures[label], at_most) for label, at_most in plain["limits"].items()},
        )

    def report(
        self,
        path: str | Path,
        *,
        version: Version = "public",
        k: int = LEAST,
        project: str = "",
        file: str = "masked.parquet",
        choice: tuple[str, Chart] | None = None,
    ) -> Path:
        """Write the report as one HTML file: the `public` version, or the `internal` version for the review panel.

        The public version holds nothing confidential, and no class of fewer than `k` people. `project` is the text of
        the project file, `file` what the snippets for users read, `choice` why a search chose this recipe and its map.
        """
        return write_report(self.evidence(project, file, choice), path, Reader(version, k))

    def evidence(
        self, project: str = "", file: str = "masked.parquet", choice: tuple[str, Chart] | None = None
    ) -> Evidence:
        """What a report is written from."""
        refuse_forked()
        return evidence_of(self, project, file, choice)

    @overload
    def plot(self, path: None = None) -> Drawing: ...
    @overload
    def plot(self, path: str | Path) -> Path: ...
    def plot(self, path: str | Path | None = None) -> Drawing | Path:
        """Draw every risk before and after masking; without a path the drawing comes back, and a notebook shows it."""
        chart = picture(self.evidence()) if self.of is not None else None
        drawing = Drawing(() if chart is None else chart)
        return drawing if path is None else write_picture(drawing, path)

    def to_polars(self) -> pl.DataFrame:
        """One row per measure, risks first: values before and after, limit, parameters and meaning."""
        return pl.DataFrame([self._row(label) for label in self._risks_first()], schema=_COLUMNS)

    def to_pandas(self) -> Any:
        """The table of `to_polars` as a pandas frame."""
        return to_pandas(self.to_polars())

    def _row(self, label: str) -> dict[str, Any]:
        measure, measurement = self.measured[label]
        unmasked, limit = self.before.get(label), self.limits.get(label)
        lower, upper = measurement.interval or (None, None)
        return {
            "measure": label,
            "family": measure.family,
            "before": unmasked.value if unmasked else None,
            "after": measurement.value,
            "lower": lower,
            "upper": upper,
            "score": self.scores.get(label),
            "limit": limit.at_most if limit else None,
            "parameters": json.dumps(parameters(measure), ensure_ascii=False),
            "reason": measurement.reason or None,
            "meaning": registry.meaning(type(measure)),
        }

    def _risks_first(self) -> list[str]:
        return sorted(self.after, key=lambda label: self.measures[label].family != "risk")

    def rows(self) -> list[tuple[str, str, str, str, str]]:
        """(family, label, before, after, meaning) of each measure, risks first."""
        return [
            (
                self.measures[label].family,
                label,
                shown(self.measures[label], self.before.get(label)),
                shown(self.measures[label], self.after[label]) + self._scored(label),
                meaning(label, self.measures[label]),
            )
            for label in self._risks_first()
        ]

    def _scored(self, label: str) -> str:
        score = self.scores.get(label)
        return "" if score is None else f" (score {score:.3f})"

    def _sizes(self) -> str:
        records = self.records
        factors = "no link between them"
        if "sf" in records:
            factors = f"sampling factor {records['sf']:.3g}, simulated factor {records['fs']:.3g}"
        return f"{records['n']:,.0f} records before, {records['t']:,.0f} after ({factors})"

    def _notes(self) -> list[str]:
        undefined = [f"{label}: not defined, {m.reason}" for label, m in self.after.items() if m.value is None]
        return [*undefined, *self.broken.values()]

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
        chart = None if self.of is None else picture(self.evidence())
        drawn = "" if chart is None else f"<div>{Drawing(chart).svg}</div>"
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{cells}</tbody></table>{notes}{drawn}"


def evaluate(
    masked: Masked | Pair | Microdata | Any,
    measures: Iterable[MeasureLike] | MeasureLike | None = None,
    scenario: Scenario | None = None,
    *,
    limits: LimitsLike | None = None,
    survive: SurviveLike | None = None,
    before: bool = True,
    scores: bool = False,
    progress: Report | None = None,
) -> Evaluation:
    """Measure risk and information loss; with `before`, also the risk of releasing the original file.

    `measures` are names or measures with parameters; by default those meant for the table. Measures in `limits` are
    added: `{measure: largest value}`, or a list of `Limit`. What must `survive`, such as "mean income by region within
    2 %", is checked like a limit. `progress(done, total, name)` is called with the number of measurements done,
    fractions included, and stops the run by returning False. With `scores`, losses are also given between 0 and 1, as
    shares of the loss at the anchor that the measure declares. On large files, two measures run at a time.
    """
    refuse_forked()
    pair = pair_of(masked)
    asked = resolve(measures)
    judged = limits_of((*limits_of(limits, asked), *(survivor.limit for survivor in survivors(survive))))
    chosen = labelled([*asked, *(limit.measure for limit in judged)])
    scenario = scenario or Scenario()
    baseline = pair.unmasked() if before else pair
    tasks: dict[tuple[str, str], Callable[[], Any]] = {}
    for label, measure in chosen.items():
        tasks[label, "after"] = partial(_measured, measure, pair, scenario)
        if before and measure.family == "risk" and baseline is not pair:
            tasks[label, "before"] = partial(_unmasked, measure, baseline, scenario)
        if scores and isinstance(measure, Loss):
            tasks[label, "anchor"] = partial(at_anchor, measure, pair, scenario, _measured)
    with reporting(progress):
        found = side_by_side(tasks, threads=pair.is_at_hand and pair.n >= MANY, name=lambda task: task[0])
    after = {label: found[label, "after"] for label in chosen}
    risks = [label for label, measure in chosen.items() if before and measure.family == "risk"]
    unmasked = {label: found.get((label, "before"), after[label]) for label in risks}
    scored = {label: _score(after[label], whole) for (label, task), whole in found.items() if task == "anchor"}
    records: dict[str, float] = {"n": pair.n, "t": pair.t}
    if pair.is_linked:
        records |= {"r": pair.r, "sf": pair.sampling_factor, "fs": pair.simulated_factor}
    limited = {label: limit for label, measure in chosen.items() for limit in judged if limit.measure == measure}
    of = masked if isinstance(masked, Masked) else pair
    return Evaluation(chosen, after, unmasked, records, scenario, limited, scored, of)


def resolve(measures: Iterable[MeasureLike] | MeasureLike | None) -> list[Measure]:
    """Measures from names, with their default parameters; all default ones when none are named."""
    if measures is None:
        measures = DEFAULT_TABLE
    elif isinstance(measures, MeasureLike):
        measures = [measures]
    found = [registry.find("measures", m)() if isinstance(m, str) else m for m in measures]
    for measure in found:
        if not isinstance(measure, Measure):
            raise InputError(f"{measure!r} is not a measure: give its name, or a measure with its parameters.")
    return found


def _measured(measure: Measure, pair: Pair, scenario: Scenario) -> Measurement:
    try:
        return measured(measure, pair, scenario)
    except NotDefined as reason:
        return Measurement(value=None, reason=str(reason))


def _unmasked(measure: Measure, baseline: Pair, scenario: Scenario) -> Measurement:
    """The risk of the file as it was, measured once per file: every release of it is compared with the same number."""
    special = scenario.external is not None or scenario.targets is not None or scenario.known_by_record
    if special or not baseline.is_at_hand:
        return _measured(measure, baseline, scenario)
    schema = baseline.original.schema

    def make() -> tuple[Schema, Measurement, Any]:
        found = _measured(measure, baseline, scenario)
        return schema, found, found.people.by_record

    what = ("unmasked", id(schema), type(measure), measure.model_dump_json(), repr(scenario))
    return baseline.original.once(what, make)[1]


def _score(found: Measurement, whole: Measurement | None) -> float | None:
    return None if found.value is None else share_lost(found.value, None if whole is None else whole.value)


def shown(measure: Measure, measurement: Measurement | None) -> str:
    """A value as tables show it: a dash where it is not defined, nothing where it was not asked for."""
    if measurement is None:
        return ""
    if measurement.value is None:
        return "–"
    return f"{100 * measurement.value:.2f} %" if measure.percent else f"{measurement.value:.4f}"
