"""Unsafe combinations of key values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import InputError, did_you_mean
from ammg.measures.measure import Chart, Measure, Measurement
from ammg.measures.released_key import ReleasedKey, released_key
from ammg.params import param

if TYPE_CHECKING:
    from ammg.criteria.unsafe_combinations import UnsafeCombinations as Found


class UnsafeCombinations(Measure):
    """Share of released records with a combination of known values that fewer than k records have.

    All combinations of up to `dimension` known attributes, or those that identification levels call for, down to the
    categories and records behind them; a missing value makes no combination. The rule of μ-ARGUS, whose threshold is
    k - 1.
    Source: De Waal and Willenborg (1996); Hundepool et al. (2012), chapter 3.
    """

    family: ClassVar[Literal["risk", "loss"]] = "risk"
    percent: ClassVar[bool] = True
    default: ClassVar[bool] = False

    k: int = param(3, "Least number of records that have a combination.", ge=2)
    dimension: int = param(3, "Largest number of attributes in a combination.", ge=1, le=10)
    levels: Mapping[str, int] | None = param(
        None, "Identification level of attributes, 1 = most identifying, 0 = not; decides the combinations instead."
    )

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Count all combinations."""
        from ammg.criteria.unsafe_combinations import find_unsafe_combinations, subsets_by_level, subsets_up_to

        key = released_key(pair, scenario)
        if self.levels is None:
            subsets = subsets_up_to(len(key.names), self.dimension)
        else:
            subsets = subsets_by_level(_levels(key, self.levels))
        found = find_unsafe_combinations(key.codes, key.sizes, self.k, subsets)
        touched = np.array([counts.sum() for counts in found.by_category], dtype=np.float64)
        return Measurement(
            value=float(np.mean(found.by_record > 0)),
            by_column=dict(zip(key.names, (touched / max(1, found.total)).tolist(), strict=True)),
            by_record=(found.by_record > 0).astype(np.float64),
            details={
                "combinations": found.total,
                "by_dimension": found.by_dimension(),
                "categories": _worst_categories(key, found),
                "rarest": _rarest(key, found),
            },
            charts=(
                Chart(
                    "bars",
                    "Unsafe combinations by number of attributes",
                    tuple(found.by_dimension()),
                    {"combinations": tuple(float(count) for count in found.by_dimension().values())},
                    "attributes",
                    "combinations",
                ),
            ),
        )


def _levels(key: ReleasedKey, levels: Mapping[str, int]) -> list[int]:
    for name in levels:
        if name not in key.names:
            raise InputError(f"'{name}' has a level but is not known in the release.{did_you_mean(name, key.names)}")
    return [levels.get(name, 0) for name in key.names]


def _worst_categories(key: ReleasedKey, found: Found, count: int = 10) -> list[dict[str, Any]]:
    """The categories in most unsafe combinations, with their number by dimension."""
    entries = [
        (int(by_code[:, code].sum()), position, code)
        for position, by_code in enumerate(found.by_category)
        for code in np.flatnonzero(by_code.sum(axis=0)).tolist()
    ]
    return [
        {
            "category": key.words([code], [position]),
            "combinations": total,
            "by_dimension": found.by_category[position][:, code].tolist(),
        }
        for total, position, code in sorted(entries, key=lambda entry: (-entry[0], entry[1:]))[:count]
    ]


def _rarest(key: ReleasedKey, found: Found, count: int = 10) -> list[str]:
    """Combinations of fewest attributes and fewest records in words."""
    shown: list[str] = []
    for cell in sorted(found.cells, key=lambda cell: len(cell.keys)):
        for place in np.argsort(cell.counts, kind="stable")[: count - len(shown)]:
            records = "1 record" if cell.counts[place] == 1 else f"{cell.counts[place]} records"
            shown.append(f"{key.words(cell.codes[place].tolist(), cell.keys)}: {records}")
    return shown
