"""An ordered list of methods, run on microdata."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import polars as pl

from ammg.data.encoding import ID
from ammg.data.masked import Masked, StepRecord
from ammg.data.microdata import Microdata
from ammg.draws import Draws, Secret
from ammg.engines.engine import Engine, EngineSource
from ammg.engines.local import LocalEngine, LocalSource
from ammg.errors import InputError
from ammg.methods.method import Method
from ammg.pipeline.apply import Place, apply
from ammg.pipeline.gate import audit

Progress = Callable[[int, int, str], None]
"""Called with (steps done, steps in all, name of the step at hand)."""


class Pipeline:
    """Methods in the order in which they are applied: none, one or many."""

    def __init__(self, steps: Iterable[Method] = ()) -> None:
        self.steps = tuple(steps)
        for step in self.steps:
            if not isinstance(step, Method):
                raise InputError(f"A pipeline is a list of methods, this is not one: {step!r}.")

    def run(
        self,
        data: Microdata | Any,
        secret: Secret | bytes | str | int | None = None,
        engine: Engine | None = None,
        progress: Progress | None = None,
    ) -> Masked:
        """Mask the data; the same pipeline, data and secret give the same masked file on every engine."""
        if not isinstance(data, Microdata):
            data = Microdata(data)
        engine = engine or LocalEngine()
        for step in self.steps:
            engine.check(step)
        key = Secret.of(secret)
        source = engine.open(data)
        records = []
        for position, method in enumerate(self.steps):
            if progress:
                progress(position, len(self.steps), method.name)
            place = Place(engine, data, Draws(key).at("step", position))
            started = time.perf_counter()
            try:
                after, plans = apply(place, source, method)
            except InputError as error:
                raise InputError(f"Step {position + 1} ({method.name}): {error}") from error
            records.append(
                StepRecord(
                    method=method.name,
                    parameters=method.model_dump(mode="json", exclude_unset=True),
                    seconds=time.perf_counter() - started,
                    records_before=_size(source),
                    records_after=_size(after),
                    changed=_changes(source, after),
                    disclosed=tuple(value for plan in plans for value in plan.disclosed),
                    notes=tuple(note for plan in plans for note in plan.notes),
                )
            )
            source = after
        if progress:
            progress(len(self.steps), len(self.steps), "")
        return Masked(data, source, tuple(records), key, audit)

    def __repr__(self) -> str:
        return f"Pipeline([{', '.join(map(repr, self.steps))}])"


def _size(source: EngineSource) -> int | None:
    return len(source.table) if isinstance(source, LocalSource) and isinstance(source.table, pl.DataFrame) else None


def _changes(before: EngineSource, after: EngineSource) -> Mapping[str, Mapping[str, float]]:
    """For each column that is not the same object any more: how many cells changed, and numbers by how much."""
    if not (isinstance(before, LocalSource) and isinstance(after, LocalSource)):
        return {}
    old, new = before.table, after.table
    if not isinstance(old, pl.DataFrame) or not isinstance(new, pl.DataFrame):
        return {}
    if len(old) != len(new):
        old = new.select(ID).join(old, on=ID, how="left", maintain_order="left")
    changed: dict[str, dict[str, float]] = {}
    for name in new.columns:
        if name == ID or name not in old.columns:
            continue
        x, z = old[name], new[name]
        if x.dtype.is_numeric() and z.dtype.is_numeric():
            moved = (z.cast(pl.Float64) - x.cast(pl.Float64)).abs()
            cells = int((moved > 0).sum()) + int((x.is_null() != z.is_null()).sum())
            if cells:
                changed[name] = {
                    "cells": cells,
                    "mean_change": _number(moved.mean()),
                    "largest_change": _number(moved.max()),
                }
        elif x.dtype != z.dtype or not x.equals(z):
            cells = int((x.cast(pl.String).fill_null("\0") != z.cast(pl.String).fill_null("\0")).sum())
            if cells:
                changed[name] = {"cells": cells}
    return changed


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
