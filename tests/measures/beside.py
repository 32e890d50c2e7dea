"""Two tables beside each other record by record, and what a measure of loss says of them."""

from typing import Any

import numpy as np
import polars as pl

import ammg

Columns = dict[str, Any]


def pair_of(before: Columns, after: Columns, **roles: Any) -> ammg.Pair:
    """Two files of the same records in the same order."""
    original, masked = (ammg.Microdata(pl.DataFrame(columns)) for columns in (before, after))
    if roles:
        original = original.with_roles(**roles)
    return ammg.Pair(original, masked, np.arange(masked.table.height))


def found(measure: ammg.Measure, before: Columns, after: Columns, **roles: Any) -> ammg.Measurement:
    """What the measure says."""
    return ammg.evaluate(pair_of(before, after, **roles), [measure])[measure.name]


def masked(measure: ammg.Measure, table: Columns, *steps: ammg.Method, **roles: Any) -> ammg.Measurement:
    """What the measure says of a file that was masked."""
    data = ammg.Microdata(pl.DataFrame(table))
    release = ammg.Pipeline(steps).run(data.with_roles(**roles) if roles else data, 1)
    return ammg.evaluate(release, [measure])[measure.name]
