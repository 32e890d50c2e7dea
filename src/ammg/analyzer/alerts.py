"""Warnings: what a person should look at before masking."""

from __future__ import annotations

import numpy as np
import polars as pl

from ammg.analyzer.analysis import Proposal, Warned
from ammg.analyzer.distinct import DistinctValues
from ammg.analyzer.profile import Profile
from ammg.analyzer.relations import Dependency
from ammg.data.attribute import Kind, Role
from ammg.data.rules.household_sum import HouseholdSum
from ammg.data.rules.linear import LinearRule

RARE = 5
"""A category of a key with fewer records than this is rare."""
_FENCE = 3.0  # interquartile ranges beyond the quartiles (Tukey 1977: "far out")
_SHOWN = 3
_CODES = frozenset(
    {97, 98, 99, 997, 998, 999, 9997, 9998, 9999, 99999, 999999, -1, -7, -8, -9, -97, -98, -99, -999, -9999}
)


def warn(
    proposals: list[Proposal],
    profiles: dict[str, Profile],
    sample: pl.DataFrame | None,
    rows: DistinctValues,
    identities: list[LinearRule],
    sums: list[HouseholdSum],
    dependencies: list[Dependency],
) -> list[Warned]:
    """All warnings, those about single columns first."""
    found: list[Warned] = []
    for proposal in proposals:
        profile = profiles[proposal.name]
        checks = [
            _empty(proposal, profile),
            _rare(proposal, profile),
            _exact_key(proposal, profile),
            _stored_as_text(proposal, profile),
            _missing_code(proposal, profile),
        ]
        if sample is not None:
            checks.append(_outliers(proposal, profile, sample[proposal.name]))
        found.extend(warning for warning in checks if warning is not None)
    found.extend(_second_weights(proposals))
    found.extend(_related(proposals, identities, dependencies))
    found.extend(_household_sums(sums))
    found.extend(_duplicates(next(iter(profiles.values())).records if profiles else 0, rows))
    return found


def _empty(proposal: Proposal, profile: Profile) -> Warned | None:
    if not profile.observed:
        return Warned("constant", (profile.name,), "every value is missing; drop it if you like")
    if profile.is_constant and proposal.role is not Role.WEIGHT:  # a sample may have equal weights
        what = "the same value in every record" + (" that has one" if profile.missing else "")
        return Warned("constant", (profile.name,), f"{what}; it can be dropped")
    return None


def _rare(proposal: Proposal, profile: Profile) -> Warned | None:
    if proposal.role is not Role.KEY or not (proposal.kind & Kind.CATEGORICAL):
        return None
    values = profile.values
    rare = values.counts < RARE
    number = int(rare.sum())
    if not number or profile.is_constant:
        return None
    names = values.values.filter(rare).cast(pl.String).to_list()[-_SHOWN:]
    more = ", …" if number > _SHOWN else ""
    about = "" if values.is_exact else "about "
    count = round(number / values.share)
    return Warned(
        "rare categories",
        (proposal.name,),
        f"{about}{count:,} of {profile.distinct:,} categories {'has' if count == 1 else 'have'} fewer than "
        f"{RARE} records ({', '.join(names)}{more}): a rare category nearly identifies the person",
    )


def _exact_key(proposal: Proposal, profile: Profile) -> Warned | None:
    if proposal.role is not Role.KEY:
        return None
    if "coordinates" in proposal.reason:
        return Warned(
            "coordinates as key", (proposal.name,), "coordinates show where people live: recode them to areas"
        )
    if profile.dtype.is_temporal():
        return Warned(
            "exact date as key",
            (proposal.name,),
            f"exact dates with {profile.distinct:,} distinct values: recode them to months or years",
        )
    return None


def _stored_as_text(proposal: Proposal, profile: Profile) -> Warned | None:
    if profile.dtype != pl.String or proposal.role is Role.IDENTIFIER or not len(profile.values.values):
        return None
    values = profile.values.values.str.strip_chars()
    if float(values.str.contains(r"^[-+]?\d+(?:[.,]\d+)?$").mean() or 0) > 0.95:  # type: ignore[arg-type]
        return Warned("numbers as text", (proposal.name,), "numbers stored as text: convert them if they are amounts")
    if float(values.str.contains(r"^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}$").mean() or 0) > 0.95:  # type: ignore[arg-type]
        return Warned(
            "dates as text", (proposal.name,), "dates stored as text: convert them; exact dates identify people easily"
        )
    return None


def _outliers(proposal: Proposal, profile: Profile, column: pl.Series) -> Warned | None:
    if proposal.role not in (Role.KEY, Role.CONFIDENTIAL, Role.OTHER) or not proposal.kind & Kind.NUMERIC:
        return None
    values = column.cast(pl.Float64).drop_nulls().to_numpy()
    if len(values) < 20:
        return None
    low, high = np.quantile(values, [0.25, 0.75])
    if high == low:
        return None
    fence = _FENCE * (high - low)
    sides = [(float(np.mean(values > high + fence)), "above", high + fence, profile.high, "largest")]
    sides += [(float(np.mean(values < low - fence)), "below", low - fence, profile.low, "smallest")]
    share, where, bound, extreme, which = max(sides, key=lambda side: side[0])
    if not 0 < share < 0.05:
        return None
    return Warned(
        "outliers",
        (proposal.name,),
        f"{100 * share:.2g} % of the values are far {where} the others, beyond {bound:,.6g}; the "
        f"{which} is {extreme:,.6g} and may identify one person",
    )


def _missing_code(proposal: Proposal, profile: Profile) -> Warned | None:
    """A 9, 99, 97, -1 … that stands farther from the other values than these spread."""
    if (
        not profile.whole
        or proposal.role in (Role.IDENTIFIER, Role.HOUSEHOLD, Role.WEIGHT)
        or not profile.values.is_exact
    ):
        return None
    values = np.sort(profile.values.values.cast(pl.Float64).to_numpy())
    if len(values) < 6:
        return None
    for code, rest in ((values[-1], values[:-1]), (values[0], values[1:])):
        if code in _CODES and min(abs(code - rest[0]), abs(code - rest[-1])) > rest[-1] - rest[0]:
            return Warned(
                "missing code",
                (proposal.name,),
                f"{code:g} lies far from all other values: if it is a code for missing, declare it",
            )
    return None


def _second_weights(proposals: list[Proposal]) -> list[Warned]:
    return [
        Warned("weights", (p.name,), "a second weight: together with the first it may reveal households or strata")
        for p in proposals
        if "is already the weight" in p.reason
    ]


def _related(proposals: list[Proposal], identities: list[LinearRule], dependencies: list[Dependency]) -> list[Warned]:
    found = []
    for identity in identities:
        if identity.is_image:
            message = f"{identity.described}: each can be computed from the other, so mask both together or drop one"
            found.append(Warned("linear image", identity.columns, message))
        else:
            message = f"{identity.described}: mask all terms or none; one masked alone can be computed from the others"
            found.append(Warned("identity", identity.columns, message))
    keys = {p.name for p in proposals if p.role in (Role.KEY, Role.CONFIDENTIAL)}
    for dependency in dependencies:
        pair = (dependency.determines, dependency.determined)
        if keys & set(pair):
            found.append(Warned("dependency", pair, f"{dependency}: recode or suppress both together"))
    return found


def _household_sums(sums: list[HouseholdSum]) -> list[Warned]:
    return [
        Warned(
            "household sum",
            rule.columns,
            f"'{rule.total}' is the household total of '{rule.part}', so it shows the value of people who "
            "live alone: mask both or none",
        )
        for rule in sums
    ]


def _duplicates(records: int, rows: DistinctValues) -> list[Warned]:
    repeated = max(0, records - rows.number) if rows.is_exact else round(int((rows.counts - 1).sum()) / rows.share)
    if not repeated:
        return []
    about = "" if rows.is_exact else "about "
    return [
        Warned(
            "duplicated records", (), f"{about}{repeated:,} records are duplicates in every column except row numbers"
        )
    ]
