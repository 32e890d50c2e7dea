"""The reference data of the microaggregation literature, where they are at hand."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

SHARED = Path(__file__).parents[3] / "shared"


def reference_table(name):
    """Census (1080 x 13), EIA11 (4092 x 11, with UTILITYID) or EIA10 (without); skips where absent."""
    path = SHARED / "data" / ("CENSUS.csv" if name == "Census" else "EIA.csv")
    if not path.exists():
        pytest.skip(f"the reference file {path.name} is not here")
    frame = pl.read_csv(path)
    if name == "Census":
        return frame
    return frame.drop("UTILNAME", "STATE", "YEAR", "MONTH", *(["UTILITYID"] if name == "EIA10" else []))


def standardised(name):
    """A reference file as z-scores."""
    data = reference_table(name).to_numpy().astype(float)
    return (data - data.mean(axis=0)) / data.std(axis=0, ddof=1)


def published_losses():
    """Rows (data set, k, loss of MDAV in percent) of the verified table."""
    path = SHARED / "spec" / "targets" / "prototype_mdav_exact.csv"
    if not path.exists():
        return []
    rows = pl.read_csv(path).rows()
    return [(name.split(" ")[0], k, loss) for name, k, loss in rows]


def percent_lost(original, released):
    """Sum of squares that a masked table has lost, in percent of the whole, each column in standard deviations."""
    before, after = (table.to_numpy().astype(float) for table in (original, released))
    return 100 * (((before - after) ** 2).sum(axis=0) / before.var(axis=0)).sum() / before.size


def survey_like(n, seed=0):
    """Ages, incomes with zeros and round numbers, small counts: skewed, discrete, with many ties."""
    rng = np.random.default_rng(seed)
    income = np.round(rng.lognormal(10, 1, n), -2) * (rng.random(n) > 0.1)
    savings = rng.lognormal(8, 2, n) * (rng.random(n) > 0.4)
    hours = np.clip(np.round(rng.normal(30, 15, n)), 0, 80)
    data = np.column_stack(
        [rng.integers(16, 96, n), income, savings, rng.integers(1, 8, n), hours, 1 + rng.poisson(1.5, n)]
    ).astype(float)
    return (data - data.mean(axis=0)) / data.std(axis=0, ddof=1)
