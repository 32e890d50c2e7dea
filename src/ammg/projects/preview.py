"""What the steps of a project do to a sample of its records: before and after, column by column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from ammg.charts.chart import Chart
from ammg.data.microdata import Microdata
from ammg.draws import Secret
from ammg.optimizer.sample import sampled
from ammg.pipeline.masked import Masked
from ammg.progress import Report, reporting
from ammg.projects.project import Project
from ammg.report.distributions import distributions
from ammg.report.evidence import Reader

RECORDS = 1000
"""Records that are masked."""
SHOWN = 25
"""Records that are shown."""


@dataclass(frozen=True)
class PreviewColumn:
    """A column that some step touched."""

    name: str
    changed: int
    """Values that changed, without those of dropped records."""
    compared: int
    is_dropped: bool
    chart: Chart | None
    """Its distribution before and after, in classes that hold no few people."""
    values: tuple[tuple[str, str], ...]
    """Some records before and after, in words; for the owner alone."""


@dataclass(frozen=True)
class Preview:
    """A sample before and after masking."""

    records: int
    of: int
    """Records of the whole file."""
    after: int
    """Records of the sample that are left, simulated ones included."""
    columns: tuple[PreviewColumn, ...]
    steps: tuple[tuple[str, int, tuple[str, ...]], ...]
    """For each step its name, how many cells it changed, and its notes."""

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "records": self.records,
            "of": self.of,
            "after": self.after,
            "columns": [
                {
                    "name": column.name,
                    "changed": column.changed,
                    "compared": column.compared,
                    "is_dropped": column.is_dropped,
                    "chart": None if column.chart is None else column.chart.to_dict(),
                    "values": [list(pair) for pair in column.values],
                }
                for column in self.columns
            ],
            "steps": [{"name": name, "cells": cells, "notes": list(notes)} for name, cells, notes in self.steps],
        }


def preview_project(
    project: Project,
    data: Microdata | None = None,
    *,
    records: int = RECORDS,
    secret: Secret | None = None,
    progress: Report | None = None,
) -> Preview:
    """Mask a random sample of the project's records; nothing is written.

    Methods that group similar records have fewer to choose from in a sample, so they change more than on the whole
    file.
    """
    with reporting(progress):
        whole = project.read() if data is None else data
        key = secret or project.secret() or Secret.of(None)
        sample = sampled(whole, records, key)
        masked = project.pipeline().run(sample, key)
        return _compared(masked, len(whole))


def _compared(masked: Masked, of: int) -> Preview:
    before, after = masked.original.table, masked.table
    real = masked.link >= 0
    origins = masked.link[real]
    charts = {shown.name: shown.chart for shown in distributions(masked.pair, Reader("public"))}
    columns = []
    for name in before.columns:
        if name not in after.columns:
            columns.append(PreviewColumn(name, len(before), len(before), True, None, ()))
            continue
        old, new = _texts(before[name])[origins], _texts(after[name]).filter(pl.Series(real))
        changed = old.ne_missing(new)
        if changed.any():
            shown = tuple(zip(old[:SHOWN].fill_null("–"), new[:SHOWN].fill_null("–"), strict=True))
            columns.append(PreviewColumn(name, int(changed.sum()), len(changed), False, charts.get(name), shown))
    steps = tuple(
        (step.method, sum(int(change["cells"]) for change in step.changed.values()), tuple(step.notes))
        for step in masked.steps
    )
    return Preview(len(before), of, len(after), tuple(columns), steps)


def _texts(values: pl.Series) -> pl.Series:
    """Values as people read them; whole numbers have no point, whatever type they have."""
    if values.dtype.is_float():
        whole = values.round(0) == values
        short = values.round_sig_figs(6)
        return (
            pl.select(
                pl.when(whole.fill_null(False))
                .then(short.cast(pl.Int64, strict=False).cast(pl.String))
                .otherwise(short.cast(pl.String))
            )
            .to_series()
            .set(values.is_null(), None)
        )
    return values.cast(pl.String, strict=False)
