"""Household-level steps: one row a household, masked by the unchanged unit, joined back to its members."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from ammg.data.encoding import ID
from ammg.data.schema import Schema
from ammg.engines.engine import Engine, EngineSource
from ammg.engines.local import LocalEngine, LocalSource
from ammg.errors import InputError
from ammg.methods.method import Method, Plan, RiskAbove

Applied = tuple[EngineSource, list[Plan]]


def on_households(
    engine: Engine,
    source: EngineSource,
    method: Method,
    where: pl.Expr | None,
    apply: Callable[[EngineSource, pl.Expr | None], Applied],
) -> Applied:
    """Mask the first member of each household and give the result to all members.

    Households that the step drops leave with all their members. A weight that the step rescales is rescaled by the
    same factor for every member. A condition is one about all members; a household is as risky as its riskiest member.
    """
    household = source.schema.household
    if household is None:
        raise InputError("A step on households needs an attribute with the role household.")
    if not isinstance(engine, LocalEngine):
        raise InputError(f"Steps on households do not run on {engine.name} yet: they need all members at once.")
    frame = source.collect()
    if frame[household].null_count():
        raise InputError(
            f"Household '{household}' is missing in {frame[household].null_count():,} records: fill it in."
        )
    _refuse_varying_beside(frame, household, method, source.schema)
    which = None if where is None else _households_that_meet(frame, household, method, where)
    heads = frame.unique(subset=household, keep="first", maintain_order=True)
    original = source.original if isinstance(source, LocalSource) else None
    masked, plans = apply(LocalSource(engine, source.schema, heads, source.next_id, original=original), which)
    after = masked.collect()
    written = [name for plan in plans for name in plan.schema.names]
    written += [a.name for a in masked.schema if a.linked_to in written and a.name not in written]
    dropped = {name for plan in plans for name in plan.dropped}
    _refuse_varying(frame, household, [name for name in written if name != source.schema.weight])
    members = frame.drop(*dropped).join(
        after.select(household, *(pl.col(name).alias(f"__after__{name}") for name in written)),
        on=household,
        how="inner",
        maintain_order="left",
    )
    updated = [pl.col(f"__after__{name}").alias(name) for name in written if name != source.schema.weight]
    if (weight := source.schema.weight) in written and weight is not None:
        first = pl.col(weight).first().over(household)
        factor = pl.when(first > 0).then(pl.col(f"__after__{weight}") / first).otherwise(1.0)
        updated.append((pl.col(weight) * factor).alias(weight))
    order = [name for name in frame.columns if name not in dropped]
    extra = [name for name in written if name not in order]
    table = members.with_columns(updated).select(*order, *extra).sort(ID)
    return LocalSource(engine, masked.schema, table, source.next_id, original=original), plans


def _households_that_meet(frame: pl.DataFrame, household: str, method: Method, where: pl.Expr) -> pl.Expr:
    met = where.fill_null(False)
    homes = frame.group_by(household, maintain_order=True).agg(met.any().alias("__any__"), met.all().alias("__all__"))
    divided = homes.filter(pl.col("__any__") & ~pl.col("__all__"))
    if len(divided) and not isinstance(method.where, RiskAbove):
        raise InputError(
            f'Condition "{method.where}" is met by some members and not by others in {len(divided):,} households, the '
            f"first is {divided[household][0]}: limit a step on households by what all members share."
        )
    return pl.col(household).is_in(homes.filter("__any__")[household].implode())


def _refuse_varying_beside(frame: pl.DataFrame, household: str, method: Method, schema: Schema) -> None:
    """What a step looks at beside the columns it masks must be the same for all members; weights may differ."""
    own = {*method.chosen(schema), household, schema.weight} if method.takes_columns else {household, schema.weight}
    for name in dict.fromkeys((*method.needs(schema), *method.strata(schema))):
        if name not in own and (count := len(varying := _varying(frame, household, name))):
            raise InputError(
                f"A step on households looks at '{name}', which varies within {count:,} of them, the first is "
                f"{varying[0]}: name attributes that all members share."
            )


def _refuse_varying(frame: pl.DataFrame, household: str, names: list[str]) -> None:
    for name in [name for name in names if name in frame.columns]:
        if count := len(varying := _varying(frame, household, name)):
            raise InputError(
                f"'{name}' is said to describe households, but varies within {count:,} of them, "
                f"the first is {varying[0]}: make it a person's attribute or correct it."
            )


def _varying(frame: pl.DataFrame, household: str, name: str) -> pl.Series:
    """The households whose members differ in a column."""
    values = frame.group_by(household, maintain_order=True).agg(pl.col(name).n_unique().alias("__values__"))
    return values.filter(pl.col("__values__") > 1)[household]
