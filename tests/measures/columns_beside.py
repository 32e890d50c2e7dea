"""Two files given by their columns, beside each other record by record, and what was lost between them."""

import numpy as np
import polars as pl

import ammg

Columns = list[list[float]]


def loss_by(measure: ammg.Measure, before: Columns, after: Columns) -> ammg.Measurement:
    """What a measure of loss says of a file of numbers and its masked version."""
    original, masked = (
        ammg.Microdata(pl.DataFrame({f"x{j}": pl.Series(column, dtype=pl.Float64) for j, column in enumerate(columns)}))
        for columns in (before, after)
    )
    return ammg.evaluate(ammg.Pair(original, masked, np.arange(masked.table.height)), [measure])[measure.name]
