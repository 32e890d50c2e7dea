"""What a goal leaves open: attributes outside the scenario that could identify people."""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from ammg.data.attribute import Kind, Role
from ammg.data.microdata import Microdata

_MANY = 0.1  # share of records that an attribute alone singles out, from which it is named


def open_attributes(data: Microdata, known: Collection[str]) -> tuple[str, ...]:
    """One sentence per attribute that makes many records unique but is not among those known to the intruder."""
    found = []
    for attribute in data.schema:
        if attribute.name in known or attribute.role not in (Role.OTHER, Role.CONFIDENTIAL):
            continue
        if not attribute.kind & (Kind.NUMERIC | Kind.CODED) or (share := _unique_share(data, attribute.name)) < _MANY:
            continue
        found.append(
            f"{attribute.name} alone singles out {100 * share:.0f} % of the records: if an intruder may know it, "
            "give it the role key or name it in the scenario."
        )
    return tuple(found)


def _unique_share(data: Microdata, name: str) -> float:
    values = data.table.select(pl.col(name)).drop_nulls()
    return float(values.select(pl.col(name).is_unique().sum()).item()) / max(1, len(data))
