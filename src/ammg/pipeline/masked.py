"""The masked file: records, where they came from, and what was done to them."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import get_args, overload

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.charts.drawing import Drawing
from ammg.data.coded_records import CodedRecords, CodedStream
from ammg.data.encoding import ID
from ammg.data.microdata import Microdata
from ammg.data.pair import Pair
from ammg.data.parquet_table import ParquetTable
from ammg.data.published import Published
from ammg.data.records import Order, Records, ReleasedInPlace
from ammg.draws import Draws, Secret
from ammg.engines.engine import EngineSource
from ammg.errors import InputError, ReleaseBlocked
from ammg.forks import refuse_forked
from ammg.io.pictures import write_picture
from ammg.methods.method import Method
from ammg.pipeline.folded import StreamedPair
from ammg.pipeline.recipe import Recipe
from ammg.release.gate import audit
from ammg.release.masking import Masking, StepRecord
from ammg.release.release import Release
from ammg.report.distributions import distributions
from ammg.report.evidence import Reader

_SHOWN = 12  # attributes that a notebook shows at once


class Masked(Masking):
    """Result of a pipeline. It still holds the link and the secret; publish only what `release()` returns."""

    def __init__(
        self,
        original: Microdata,
        source: Records,
        steps: tuple[StepRecord, ...],
        secret: Secret,
        again: Recipe | None = None,
    ) -> None:
        super().__init__(original, source, steps)
        self.secret = secret
        self._again = again

    def so_far(self, data: Microdata, secret: Secret) -> tuple[EngineSource, list[StepRecord], list[Method]]:
        """The records, what the steps did and the steps themselves, for a pipeline that goes on from here.

        Raises:
            InputError: it was made of other data or under another secret.
        """
        made_here = self._again is not None and self.original is data and self.secret.key == secret.key
        if self._again is None or not made_here or not isinstance(self.source, EngineSource):
            raise InputError(
                "A pipeline can only continue from the result of its own first steps on the same data and secret."
            )
        return self.source, list(self.steps), list(self._again.steps)

    @cached_property
    def _frame(self) -> pl.DataFrame:
        return self.source.collect()

    @property
    def table(self) -> pl.DataFrame:
        """The masked records, in the order of their originals and with identifiers if no step removed them."""
        return self._frame.drop(ID)

    @cached_property
    def link(self) -> NDArray[np.int64]:
        """For each masked record the position of its original, -1 if it stands for nobody."""
        ids = self._frame[ID].to_numpy()
        return np.where(ids < self.n, ids, -1)

    @property
    def published(self) -> tuple[Published, ...]:
        """What a published description of all steps reveals; nothing about columns that a step left unchanged."""
        return tuple(fact for step in self.steps for fact in step.published if not _is_idle(step, fact))

    @property
    def r(self) -> int:
        """Masked records that stand for a real one."""
        return self.pair.r

    @cached_property
    def pair(self) -> Pair:
        """Original and masked side by side, for measures; a stream is read only by those that do not add up."""
        if not self.source.in_memory and isinstance(self.source, EngineSource):
            return StreamedPair(self.original, self.source, self.published, again=self._again)
        idle = [position for position, step in enumerate(self.steps) if _did_nothing(step)]
        again = None if self._again is None else self._again.without(idle)
        return Pair(self.original, Microdata(self.table, self.schema), self.link, self.published, again=again)

    def release(self, order: Order = "records", *, force: str | None = None) -> Release:
        """The file to publish: no identifiers, no link, in random order (households kept together on request).

        Release checks block a file that reveals what masking should hide; `force` is the reason for releasing it all
        the same, recorded in `release.clearance`.
        """
        refuse_forked()
        if force is not None and (not isinstance(force, str) or not force.strip()):
            raise InputError(f"force = {force!r} is not a reason: write why the file may be released.")
        if order not in get_args(Order):
            raise InputError(f"order = {order!r} does not exist: choose {' or '.join(get_args(Order))}.")
        release = Release(self._leaving_records(), self.original.native, Draws(self.secret).at("release"), order)
        clearance = audit(self, release)
        if not clearance.reasons:
            return release.cleared(clearance)
        if force is None:
            raise ReleaseBlocked(clearance.reasons)
        return release.cleared(replace(clearance, forced=force.strip()))

    def _leaving_records(self) -> Records:
        """The records with the codes of values that were missing before, where these were set aside."""
        file = self.original.streamed
        if isinstance(file, ParquetTable) and file.codes and not isinstance(self.source, ReleasedInPlace):
            return CodedStream(self.source, file)
        if not self.original.missing_reasons.width or not self.source.in_memory:
            return self.source
        return CodedRecords(self.source, self.original.table, self.original.missing_reasons)

    @overload
    def plot(self, path: None = None) -> Drawing: ...
    @overload
    def plot(self, path: str | Path) -> Path: ...
    def plot(self, path: str | Path | None = None) -> Drawing | Path:
        """Draw each attribute before and after masking; without a path a notebook shows the drawing.

        It is for the owner: classes of few people are not merged.
        """
        refuse_forked()
        if not self.source.in_memory:
            raise InputError(
                "The records are streamed from disk and cannot be plotted: plot a sample that fits in memory."
            )
        charts = [shown.chart for shown in distributions(self.pair, Reader("internal")) if shown.chart is not None]
        drawing = Drawing(charts, columns=3)
        return drawing if path is None else write_picture(drawing, path)

    def _repr_html_(self) -> str:
        if not self.source.in_memory:
            return f"<p>{escape(repr(self))}</p>"  # counting what is elsewhere takes long
        rows = "".join(
            f"<tr><td>{number}</td><td>{escape(step.method)}</td><td>{escape(', '.join(step.changed) or '–')}</td>"
            f"<td>{sum(int(change['cells']) for change in step.changed.values()):,}</td>"
            f"<td>{step.records_after:,}</td></tr>"
            for number, step in enumerate(self.steps, 1)
        )
        titles = ("", "step", "changed attributes", "cells changed", "records after")
        head = "".join(f"<th>{title}</th>" for title in titles)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        charts = [shown.chart for shown in distributions(self.pair, Reader("internal")) if shown.chart is not None]
        drawn = f"<div>{Drawing(charts[:_SHOWN], columns=3).svg}</div>" if charts else ""
        rest = f"<p>and {len(charts) - _SHOWN} more: masked.plot()</p>" if len(charts) > _SHOWN else ""
        return f"<p>{escape(repr(self))}</p>{table}{drawn}{rest}"

    def __repr__(self) -> str:
        names = " → ".join(step.method for step in self.steps) or "no step"
        kept = f"{self.t:,} of " if self.source.in_memory else ""  # counting what is elsewhere takes long
        return f"Masked({kept}{self.n:,} records; {names})"


def _did_nothing(step: StepRecord) -> bool:
    """Whether a step changed no cell, dropped no record and made none."""
    return step.records_before is not None and step.records_before == step.records_after and not step.changed


def _is_idle(step: StepRecord, fact: Published) -> bool:
    """Whether a step changed none of the cells that a fact is about: then the fact would only mislead an intruder."""
    if step.records_before is None or step.records_before != step.records_after:
        return False  # not counted, or records were dropped
    return not any(name in step.changed for name in fact.columns or step.changed)
