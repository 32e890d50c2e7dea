"""Information loss of a protected table, cell by cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from ammg.errors import InputError
from ammg.tables.layout import TOTAL, unused
from ammg.tables.table import Table


@dataclass(frozen=True, eq=False)
class TableComparison:
    """The true and the shown figures side by side.

    A suppressed figure is missing in `cells`; in `facts` it counts as lost with its full true value.
    """

    cells: pl.DataFrame
    """One row per cell: labels, `margin`, `true`, `shown`, `difference`, and `relative` to |true|, at least 1."""
    facts: Mapping[str, float]

    def __repr__(self) -> str:
        told = ", ".join(f"{name.replace('_', ' ')} {value:.4g}" for name, value in self.facts.items())
        return f"TableComparison({told})"


def compare(true: Table, shown: Table) -> TableComparison:
    """Compare a protected table with the true one; a category that one of them lacks counts as zero there."""
    if set(true.layout.names) != set(shown.layout.names):
        raise InputError(
            f"A table by {', '.join(true.layout.names)} cannot be compared with one by {', '.join(shown.layout.names)}."
        )
    names = list(true.layout.names)
    sides = [_side(table, column) for table, column in ((true, "true"), (shown, "shown"))]
    joined = sides[0].join(sides[1], on=names, how="full", coalesce=True, maintain_order="left_right")
    figures = joined.with_columns(
        pl.col("true").fill_null(0.0),
        pl.when(pl.col("has_shown").is_null()).then(0.0).otherwise(pl.col("shown")).alias("shown"),
        pl.any_horizontal(pl.col(name) == unused(TOTAL, true.layout.labels[name]) for name in names).alias("margin"),
    )
    cells = figures.select(
        *names,
        "margin",
        "true",
        "shown",
        (pl.col("shown") - pl.col("true")).alias("difference"),
        ((pl.col("shown") - pl.col("true")).abs() / pl.col("true").abs().clip(lower_bound=1.0)).alias("relative"),
    )
    return TableComparison(cells, _facts(cells))


def _side(table: Table, column: str) -> pl.DataFrame:
    values = pl.Series(column, table.values.ravel(), nan_to_null=True)
    return table.layout.frame().cast(pl.String).with_columns(values, pl.lit(True).alias(f"has_{column}"))


def _facts(cells: pl.DataFrame) -> dict[str, float]:
    inner = cells.filter(~pl.col("margin"))
    true = inner["true"].to_numpy()
    shown = inner["shown"].fill_null(float("nan")).to_numpy()
    gone = np.isnan(shown)
    used = np.where(gone, 0.0, shown)
    change = np.abs(used - true)
    roots = np.abs(np.sqrt(np.maximum(used, 0.0)) - np.sqrt(np.maximum(true, 0.0)))
    margins = cells.filter(pl.col("margin"))
    lost = (margins["shown"].fill_null(0.0) - margins["true"]).abs()
    return {
        "cells": len(inner),
        "suppressed": int(gone.sum()),
        "mean_absolute_difference": _mean(change),
        "mean_relative_difference": _mean(change / np.maximum(np.abs(true), 1.0)),
        "mean_root_difference": _mean(roots),
        "largest_difference": float(change.max(initial=0.0)),
        "false_zeros": int(np.sum(~gone & (shown == 0) & (true != 0))),
        "false_non_zeros": int(np.sum(~gone & (shown != 0) & (true == 0))),
        "mean_absolute_difference_of_margins": _mean(lost.to_numpy()),
    }


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else 0.0
