"""What a search leaves: attributes outside the scenario that could identify people, and sizes that households tell."""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from ammg.data.attribute import Kind, Role
from ammg.data.microdata import Microdata
from ammg.data.pairs.members import IN_VAIN, told_columns

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


def told_sizes(data: Microdata, names: Collection[str]) -> tuple[str, ...]:
    """Confidential columns, and others of the `names`, that the number of members of each household tells.

    Masking them would protect nobody, as the household number leaves with the release, and a search drops no column
    that the owner may need. So other columns carry the protection.
    """
    household = data.schema.household
    if household is None:
        return ()
    masked = [a.name for a in data.schema if a.name in names or a.role is Role.CONFIDENTIAL]
    return tuple(name for name, share in told_columns(data, household, masked).items() if share >= IN_VAIN)


def left_as_they_are(data: Microdata, told: Collection[str]) -> tuple[str, ...]:
    """One sentence per column on why it is not masked, and on what to do to have it masked."""
    household = data.schema.household
    return tuple(
        f"{name} is left as it is, because the number of members of each {household} reveals it: to have it masked, "
        f"give {household} the role identifier, so that it is not released."
        for name in told
    )


def _unique_share(data: Microdata, name: str) -> float:
    values = data.table.select(pl.col(name)).drop_nulls()
    return float(values.select(pl.col(name).is_unique().sum()).item()) / max(1, len(data))
