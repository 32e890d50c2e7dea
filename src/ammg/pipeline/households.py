"""Household-level steps: one row a household, masked by the unchanged unit, joined back to its members."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from ammg.data.encoding import ID
from ammg.engines.engine import Engine, EngineSource
from ammg.engines.local import LocalEngine, LocalSource
from ammg.errors import InputError
from ammg.methods.method import Plan

Applied = tuple[EngineSource, list[Plan]]


def on_households(engine: Engine, source: EngineSource, apply: Callable[[EngineSource], Applied]) -> Applied:
    """Mask the first member of each household and give the result to all members.

    Households that the step drops leave with all their members. A weight that the step rescales is rescaled by the
    same factor for every member.
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
    heads = frame.unique(subset=household, keep="first", maintain_order=True)
    original = source.original if isinstance(source, LocalSource) else None
    masked, plans = apply(LocalSource(engine, source.schema, heads, source.next_id, original=original))
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


def _refuse_varying(frame: pl.DataFrame, household: str, names: list[str]) -> None:
    for name in [name for name in names if name in frame.columns]:
        varying = frame.group_by(household).agg(pl.col(name).n_unique().alias("values")).filter(pl.col("values") > 1)
        if len(varying):
            raise InputError(
                f"'{name}' is said to describe households, but varies within {len(varying):,} of them, "
                f"the first is {varying[household][0]}: make it a person's attribute or correct it."
            )
