"""Small distributions: how many records each class of a number, or each frequent value, has."""

from __future__ import annotations

import numpy as np
import polars as pl

from ammg.analyzer.profile import Profile
from ammg.data.attribute import Kind

CLASSES = 10
_VALUES = 8

Distribution = tuple[tuple[str, int], ...]


def distribution(profile: Profile, kind: Kind, sample: pl.Series | None) -> Distribution:
    """Classes of equal width between the 1st and the 99th percentile of a sample for numbers, else the top values."""
    if kind & Kind.NUMERIC and profile.distinct > CLASSES and sample is not None:
        return _classes(sample)
    if profile.is_unique or not kind & Kind.CODED:
        return ()
    return _frequent(profile, kind)


def _classes(sample: pl.Series) -> Distribution:
    values = sample.cast(pl.Float64).drop_nulls().to_numpy()
    if not len(values):
        return ()
    low, high = np.quantile(values, [0.01, 0.99])
    if low == high:
        low, high = values.min(), values.max()
    bounds = np.linspace(low, high, CLASSES + 1)
    counts = np.histogram(np.clip(values, low, high), bounds)[0]
    return tuple((f"{a:.4g} to {b:.4g}", int(c)) for a, b, c in zip(bounds, bounds[1:], counts, strict=False))


def _frequent(profile: Profile, kind: Kind) -> Distribution:
    values = pl.DataFrame({"value": profile.values.values, "count": profile.values.counts})
    in_order = kind & Kind.ORDERED and len(values) <= 2 * CLASSES
    values = values.sort("value") if in_order else values.head(_VALUES)
    shown = values["value"].cast(pl.String) if values["value"].dtype == pl.Date else values["value"]  # beyond 9999, too
    return tuple((str(value), int(count)) for value, count in zip(shown, values["count"], strict=True))
