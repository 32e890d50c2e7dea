"""Small data on which contracts are tested: every kind of attribute, ties, a heavy tail, weights, strata."""

from __future__ import annotations

from datetime import date
from functools import cache
from typing import Literal

import numpy as np
import polars as pl

from ammg.data.microdata import Microdata
from ammg.data.pair import Pair

RECORDS = 200
PAIRED = 100
"""Records of the pairs that measures see: some compare all with all."""
LEVELS = ("none", "school", "college", "university")
REGIONS = ("East", "North", "South", "West")

Variant = Literal["plain", "missing", "constant", "unweighted", "planted"]

PLANTED: dict[str, tuple[int, str | int | date]] = {
    "name": (3, "Ysolde Quarrington"),
    "region": (3, "Zathrumwick"),
    "income": (3, 736_451_928),
    "age": (40, 918_273_645),
    "savings": (40, 827_364_519),
    "born": (77, date(1066, 10, 14)),
    "visits": (77, 645_738_291),
}
"""Values that only one person has, by column, with the person's record: nothing about the whole file shows them."""


@cache
def sample(variant: Variant = "plain", records: int = RECORDS) -> Microdata:
    """Microdata with roles; `missing` lacks a tenth of the values, `constant` has columns that do not vary.

    In `planted` some people have values that would be recognised anywhere.
    """
    data = Microdata(_table(variant, records)).with_kinds(ordinal="education")
    roles: dict[str, list[str]] = {
        "identifier": ["name"],
        "key": ["age", "born", "education", "region"],
        "confidential": ["income", "savings", "visits"],
        "stratum": ["zone"],
    }
    return data.with_roles(**roles) if variant == "unweighted" else data.with_roles(**roles, weight="weight")


def _table(variant: Variant, records: int) -> pl.DataFrame:
    rng = np.random.default_rng(20)
    skill = rng.normal(size=RECORDS)
    table = pl.DataFrame(
        {
            "name": [f"person {number}" for number in range(RECORDS)],
            "age": rng.integers(18, 90, RECORDS),
            "born": pl.Series(rng.integers(-10_000, 12_000, RECORDS).astype(np.int32)).cast(pl.Date),
            "education": pl.Series(rng.choice(LEVELS, RECORDS), dtype=pl.Enum(LEVELS)),
            "region": rng.choice(REGIONS, RECORDS, p=[0.4, 0.3, 0.2, 0.1]),
            "income": np.round(np.exp(3.5 + 0.8 * skill), 2),
            "savings": np.where(skill < -0.5, 0.0, np.round(np.exp(skill + rng.normal(size=RECORDS)), 2)),
            "visits": rng.poisson(2, RECORDS),
            "zone": rng.choice(["a", "b"], RECORDS),
            "weight": np.round(rng.uniform(1, 4, RECORDS), 2),
        }
    )
    if variant == "constant":
        table = table.with_columns(income=pl.lit(7.5), visits=pl.lit(3, dtype=pl.Int64), region=pl.lit("East"))
    if variant == "missing":
        table = table.with_columns(
            pl.when(pl.Series(rng.random(RECORDS) >= 0.1)).then(pl.col(name)).alias(name)
            for name in ("name", "age", "born", "education", "region", "income", "savings", "visits")
        )
    if variant == "planted":
        rows = pl.int_range(pl.len())
        table = table.with_columns(
            pl.when(rows == row).then(pl.lit(value, table.schema[name])).otherwise(pl.col(name)).alias(name)
            for name, (row, value) in PLANTED.items()
        )
    return table.head(records)


@cache
def sample_pairs(variant: Variant = "plain", records: int = PAIRED) -> dict[str, Pair]:
    """The sample beside itself and beside what registered methods make of it, one for each kind of disclosure."""
    from ammg import registry
    from ammg.draws import Secret
    from ammg.errors import AmmgError
    from ammg.pipeline.pipeline import Pipeline
    from ammg.testing.methods import fitted

    data = sample(variant, records)
    pairs = {"itself": Pair.identity(data)}
    published = set()
    for name, unit in registry.units("methods").items():
        try:
            pair = Pipeline([fitted(unit.examples()[0], data.schema)]).run(data, secret=Secret.known(name)).pair
        except AmmgError:
            continue  # a method may refuse data that are too small for it
        told = frozenset(type(disclosure) for disclosure in pair.published)
        if told not in published:
            published.add(told)
            pairs[name] = pair
    return pairs
