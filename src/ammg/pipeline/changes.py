"""What a step changed: how many cells of each column, and numbers by how much."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl

from ammg.data.encoding import ID
from ammg.engines.engine import EngineSource
from ammg.engines.local import LocalSource
from ammg.methods.method import Plan

FACTS = ("cells", "mean_change", "largest_change")

Changes = Mapping[str, Mapping[str, float]]


def changes(before: EngineSource, after: EngineSource, plans: Iterable[Plan]) -> Changes | None:
    """For each column that the plans write, and what is linked to it; None where the records are not in memory."""
    if not (isinstance(before, LocalSource) and isinstance(after, LocalSource)):
        return None
    old, new = before.table, after.table
    if not isinstance(old, pl.DataFrame) or not isinstance(new, pl.DataFrame):
        return None
    written = {name for plan in plans for name in plan.schema.names}
    written |= {attribute.name for attribute in after.schema if attribute.linked_to in written}
    names = [name for name in new.columns if name in written and name in old.columns]
    if names and len(old) != len(new):
        old = new.select(ID).join(old.select(ID, *names), on=ID, how="left", maintain_order="left")
    renamed = old.select(pl.col(name).alias(_was(name)) for name in names)
    facts = [fact for name in names for fact in _facts(name, old.schema[name], new.schema[name])]
    row = pl.concat([renamed, new.select(names)], how="horizontal").select(facts).row(0, named=True) if names else {}
    found = {
        name: {fact: float(row[_fact(name, fact)] or 0) for fact in FACTS if _fact(name, fact) in row} for name in names
    }
    return {name: change | {"cells": int(change["cells"])} for name, change in found.items() if change["cells"]}


def _facts(name: str, old: pl.DataType, new: pl.DataType) -> list[pl.Expr]:
    """What is to be known of one column, all columns in one pass."""
    before, after = pl.col(_was(name)), pl.col(name)
    if not (old.is_numeric() and new.is_numeric()):
        if old != new:
            before, after = _text(before, old), _text(after, new)
        differs = before.ne_missing(after)
        return [differs.sum().alias(_fact(name, "cells"))]
    x, z = (values.cast(pl.Float64).fill_nan(None) for values in (before, after))
    moved = (z - x).abs()
    facts = ((moved > 0).sum() + (x.is_null() != z.is_null()).sum(), moved.mean(), moved.max())
    return [value.alias(_fact(name, fact)) for fact, value in zip(FACTS, facts, strict=True)]


def _text(values: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    return (values.to_physical() if dtype == pl.Duration else values).cast(pl.String)


def _was(name: str) -> str:
    return f"was\0{name}"


def _fact(name: str, fact: str) -> str:
    return f"{fact}\0{name}"
