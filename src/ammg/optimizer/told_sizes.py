"""Columns that a search leaves as they are, because the household number tells them."""

from __future__ import annotations

from collections.abc import Collection

from ammg.data.attribute import Role
from ammg.data.microdata import Microdata
from ammg.data.pairs.members import IN_VAIN, told_columns


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
        f"{name} is left as it is, because the number of members of each {household} tells it: to have it masked, give "
        f"{household} the role identifier, so that it is not released."
        for name in told
    )
