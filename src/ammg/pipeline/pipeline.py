"""An ordered list of methods, run on microdata."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ammg.data.alteration import Alteration
from ammg.data.attribute import Level
from ammg.data.microdata import Microdata
from ammg.data.schema import Schema
from ammg.draws import Draws, Secret
from ammg.engines.engine import Engine
from ammg.engines.local import LocalEngine
from ammg.errors import ColumnError, InputError
from ammg.forks import refuse_forked
from ammg.methods.method import Method, Plan
from ammg.pipeline.apply import Place, apply
from ammg.pipeline.masked import Masked
from ammg.pipeline.recipe import Recipe
from ammg.pipeline.trail import Trail, TrailStep, Walk
from ammg.progress import Report, part, reporting, tick
from ammg.release.masking import StepRecord


class Pipeline:
    """Methods in the order in which they are applied: none, one or many."""

    def __init__(self, steps: Iterable[Method] = ()) -> None:
        if isinstance(steps, Method | str) or not isinstance(steps, Iterable):
            raise InputError(f"A pipeline is a list of methods, and {steps!r} is not a list: write Pipeline([…]).")
        self.steps = tuple(steps)
        for step in self.steps:
            if not isinstance(step, Method):
                raise InputError(
                    f"A pipeline is a list of methods, but this is not a method: {step!r}. Write for example "
                    "ammg.Sampling(fraction=0.8)."
                )

    def run(
        self,
        data: Microdata | Any,
        secret: Secret | bytes | str | int | None = None,
        engine: Engine | None = None,
        progress: Report | None = None,
        *,
        begun: Masked | None = None,
    ) -> Masked:
        """Mask the data; the same pipeline, data and secret give the same masked file on every engine.

        `begun` is what the first steps of this pipeline made of the same data under the same secret: the other steps
        go on from there.
        """
        refuse_forked()
        if not isinstance(data, Microdata):
            data = Microdata(data)
        engine = engine or LocalEngine()
        for step in self.steps:
            engine.check(step, data.schema)
        key = Secret.of(secret)
        source = engine.open(data)
        records: list[StepRecord] = []
        done: list[Method] = []
        if begun is not None:
            source, records, done = begun.so_far(data, key)
        trail: Trail | None = None
        for position, method in enumerate(self.steps):
            if position < len(done):
                continue
            place = Place(engine, data, Draws(key).at("step", position))
            started = time.perf_counter()
            try:
                with reporting(progress), part(position, len(self.steps), method.name):
                    after, plans = apply(place, source, method)
            except (InputError, ColumnError) as error:
                raise type(error)(f"Step {position + 1} ({method.name}): {error}") from error
            seconds = time.perf_counter() - started
            notes: tuple[str, ...] = ()
            if left := _left_out(method, source.schema):
                notes = (
                    (
                        f"household-level columns are left unchanged: {', '.join(left)}; mask them in a step of their "
                        "own"
                    ),
                )
            walk = Walk(source, after, plans, notes)
            follows = after.follows(source)
            trail = trail if trail is not None and follows else Trail()
            record = TrailStep(
                method=method.name,
                parameters=_parameters(method, source.schema),
                seconds=seconds,
                planned=None if method.finds else tuple(value for plan in plans for value in plan.published),
                altered=tuple(promise for plan in plans if (promise := _altered(method, plan))),
                trail=trail,
                position=trail.add(walk),
            )
            if after.in_memory:
                _ = record.told  # at once, so that the records before the step need not be kept
            records.append(record)
            done.append(method.on_columns(method.chosen(source.schema)) if method.takes_columns else method)
            source, trail = after, trail if follows else None
        with reporting(progress):
            tick(len(self.steps), len(self.steps))
        return Masked(data, source, tuple(records), key, Recipe(tuple(done)))

    def __repr__(self) -> str:
        return f"Pipeline([{', '.join(map(repr, self.steps))}])"


def _parameters(method: Method, schema: Schema) -> dict[str, Any]:
    """All parameters, also those left at their defaults: who reads them later may have other defaults."""
    parameters = method.model_dump(mode="json")
    return {**parameters, "columns": list(method.chosen(schema))} if method.takes_columns else parameters


def _altered(method: Method, plan: Plan) -> Alteration | None:
    """What a plan was to change in every cell of the records that its step was limited to."""
    promise = method.alters(plan) if method.post_edit is None else None  # values that are put back stay by design
    return None if promise is None else replace(promise, among=plan.among)


def _left_out(method: Method, schema: Schema) -> list[str]:
    """What a step that names no columns would mask if it did not describe households."""
    if method.columns is not None or not method.takes_columns:
        return []
    chosen = method.chosen(schema)
    roles = {schema[name].role for name in chosen}
    if method.acts_on(schema) is Level.HOUSEHOLD:
        return []
    return [
        a.name
        for a in schema
        if a.level is Level.HOUSEHOLD and a.role in roles and a.kind & method.accepts and a.name not in chosen
    ]
