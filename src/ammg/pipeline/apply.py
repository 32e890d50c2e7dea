"""Apply one method to a source: its columns, its level, its missing values, its condition, its linked attributes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl

from ammg.data.attribute import Level
from ammg.data.condition import unfit
from ammg.data.microdata import Microdata
from ammg.data.published import HOUSEHOLDS
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.engines.engine import Engine, EngineSource, PlannedStep
from ammg.errors import InputError
from ammg.methods.method import Links, Method, MultivariateMethod, Plan, seen_by
from ammg.pipeline.class_labels import with_class_labels
from ammg.pipeline.households import on_households
from ammg.pipeline.missing import by_pattern, refuse_missing
from ammg.pipeline.where import condition


@dataclass(frozen=True)
class Place:
    """Where in a pipeline a step stands."""

    engine: Engine
    original: Microdata
    draws: Draws

    def at(self, label: str) -> Place:
        """A place within this one, with draws of its own."""
        return replace(self, draws=self.draws.at(label))


def apply(
    place: Place, source: EngineSource, method: Method, *, plan_from_all: bool = False
) -> tuple[EngineSource, list[Plan]]:
    """Apply a method with everything that the pipeline adds to it.

    A step that is limited to some records plans from those, unless it is told to plan from all.
    """
    where = None if method.where is None else condition(method.where, source, place.original)
    limited = source if where is None else _limited(source, method, where)
    if limited is None:
        return source, [Plan(Schema(()), notes=("no record meets the condition",))]
    if isinstance(method, MultivariateMethod) and method.missing == "refuse":
        refuse_missing(limited, method)
    if isinstance(method, MultivariateMethod) and method.missing == "by_pattern":
        return by_pattern(
            source,
            method,
            lambda part, step, label, rare: apply(place.at(label), part, step, plan_from_all=rare),
        )
    if method.acts_on(source.schema) is Level.HOUSEHOLD:
        _refuse_rules_about_members(method, source.schema)
        after, plans = on_households(
            source,
            method,
            where,
            lambda heads, which: _apply_plain(place, heads, method, which, plan_from_all),
        )
        return after, [_among(HOUSEHOLDS, plan) for plan in plans]
    return _apply_plain(place, source, method, where, plan_from_all)


def _apply_plain(
    place: Place, source: EngineSource, method: Method, where: pl.Expr | None, plan_from_all: bool
) -> tuple[EngineSource, list[Plan]]:
    source = source.with_categories((*method.needs(source.schema), *method.strata(source.schema)))
    known = source if where is None or plan_from_all else source.filter(where)
    plan = method.plan(seen_by(method, known), place.draws)
    plan = replace(plan, schema=with_class_labels(source.schema, plan.schema, plan.published))
    if where is not None:
        _refuse_partial_change(method, source.schema, plan)
    followers = _followers(method, source.schema, plan)
    plan = _with_followers_dropped(source.schema, plan)
    step = PlannedStep(method, plan, place.draws, source.schema, where, followers)
    after = place.engine.map(source, step)
    plan = plan.with_findings(after.findings)
    return after, [plan if where is None else _among(where, plan)]


def _among(part: pl.Expr | str, plan: Plan) -> Plan:
    """The plan with what it discloses limited to a part of the records."""
    return replace(plan, published=tuple(replace(value, among=part) for value in plan.published), among=part)


def _refuse_rules_about_members(method: Method, schema: Schema) -> None:
    """A step on households sees one member of each, and cannot correct what the others break."""
    if method.post_edit is None or not method.takes_columns:
        return
    masked = method.chosen(schema)
    for rule in schema.rules:
        persons = [name for name in rule.columns if schema[name].level is Level.PERSON]
        if persons and any(name in masked for name in rule.columns):
            raise InputError(
                f"post_edit cannot correct '{rule}' in a step on households, because it is about '{persons[0]}' of "
                "each member: leave post_edit out and correct it in a step on persons."
            )


def _limited(source: EngineSource, method: Method, where: pl.Expr) -> EngineSource | None:
    """The records that meet the condition, or None if there are none."""
    try:
        part = source.filter(where)
        return part if part.count() else None
    except pl.exceptions.PolarsError as error:
        raise unfit(method.where, error) from None


def _refuse_partial_change(method: Method, schema: Schema, plan: Plan) -> None:
    """A condition leaves other records unchanged, so the attribute must keep its categories."""
    for after in plan.schema:
        before = schema.get(after.name)
        same = before is not None and (
            (before.is_numeric and after.is_numeric)
            or (before.kind == after.kind and before.categories == after.categories)
        )
        if not same:
            raise InputError(
                f"{method.name} changes the categories of '{after.name}' and cannot be limited by a condition: "
                "apply it to all records."
            )
    if plan.dropped:
        raise InputError(
            f"{method.name} drops {', '.join(plan.dropped)} and cannot be limited by a condition: remove the condition."
        )


def _followers(method: Method, schema: Schema, plan: Plan) -> dict[str, tuple[str, ...]]:
    written = set(plan.schema.names)
    found: dict[str, tuple[str, ...]] = {}
    for attribute in schema:
        leader = attribute.linked_to
        if leader not in written or attribute.name in written:
            continue
        if method.links is Links.REFUSED:
            raise InputError(
                f"'{attribute.name}' is linked to '{leader}', and {method.name} cannot carry the change over to it: "
                "mask it in the same step, or drop it."
            )
        found[leader] = (*found.get(leader, ()), attribute.name)
    return found


def _with_followers_dropped(schema: Schema, plan: Plan) -> Plan:
    linked = [a.name for a in schema if a.linked_to in plan.dropped and a.name not in plan.dropped]
    if not linked:
        return plan
    return replace(plan, dropped=(*plan.dropped, *linked))
