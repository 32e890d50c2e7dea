"""Unsafe combinations of key values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import InputError, did_you_mean
from ammg.measures.anonymity.released_key import FEW, ReleasedKey, released_key
from ammg.measures.measure import Risk
from ammg.measures.measurement import Chart, Measurement, People, Table, counts, text
from ammg.params import param

if TYPE_CHECKING:
    from ammg.criteria.unsafe_combinations import UnsafeCombinations as Found


class UnsafeCombinations(Risk):
    """Share of released records with a combination of known values that fewer than k records share.

    All combinations of up to `dimension` known attributes are checked, or those that identification levels require. A
    missing value is not part of a combination. This is the rule of μ-ARGUS, whose threshold is k - 1. Source: De Waal
    and Willenborg (1996); Hundepool et al. (2012), chapter 3.
    """

    k: int = param(3, "Smallest number of records that must share a combination.", ge=2)
    dimension: int = param(3, "Largest number of attributes in a combination.", ge=1, le=10)
    levels: Mapping[str, int] | None = param(
        None,
        "Identification level of attributes (1 = most identifying, 0 = not identifying), which "
        "determines the combinations instead.",
    )

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Count all combinations."""
        from ammg.criteria.class_sizes import UnsafeCombinations as Criterion
        from ammg.criteria.unsafe_combinations import subsets_by_level
        from ammg.kernels.anonymity.key_table import key_table

        key = released_key(pair, scenario)
        subsets = None if self.levels is None else subsets_by_level(_levels(key, self.levels))
        table, cells = key_table(key.codes, key.sizes)
        found = Criterion(k=self.k, dimension=self.dimension).find(table, cells.first, subsets)
        found = replace(found, by_record=found.by_record[cells.index])
        touched = np.array([counts.sum() for counts in found.by_category], dtype=np.float64)
        categories, rare = self._worst_categories(key, found)
        return Measurement(
            value=float(np.mean(found.by_record > 0)),
            by_column=dict(zip(key.names, (touched / max(1, found.total)).tolist(), strict=True)),
            facts={"combinations": found.total},
            tables={"categories": categories},
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
            people=People((found.by_record > 0).astype(np.float64), rarest=_rarest(key, found), categories=rare),
        )

    def _worst_categories(self, key: ReleasedKey, found: Found, count: int = 10) -> tuple[Table, list[str]]:
        """The categories in most unsafe combinations, with their number by dimension; rare ones apart, in words."""
        entries = [
            (int(by_code[:, code].sum()), position, code)
            for position, by_code in enumerate(found.by_category)
            for code in np.flatnonzero(by_code.sum(axis=0)).tolist()
        ]
        worst = sorted(entries, key=lambda entry: (-entry[0], entry[1:]))[:count]
        common = [entry for entry in worst if key.is_common(*entry[1:], least=max(self.k, FEW))]
        rare = [entry for entry in worst if entry not in common]
        dimensions = {
            f"of_{d + 1}": counts(found.by_category[position][d, code] for _, position, code in common)
            for d in range(len(found.by_category[0]))
        }
        table = {
            "category": text(key.words([code], [position]) for _, position, code in common),
            "combinations": counts(total for total, _, _ in common),
            **dimensions,
        }
        return Table(table), [f"{key.words([code], [position])}: {total}" for total, position, code in rare]


def _levels(key: ReleasedKey, levels: Mapping[str, int]) -> list[int]:
    for name in levels:
        if name not in key.names:
            raise InputError(
                f"'{name}' has an identification level but is not a known attribute of the "
                f"release.{did_you_mean(name, key.names)}"
            )
    return [levels.get(name, 0) for name in key.names]


def _rarest(key: ReleasedKey, found: Found, count: int = 10) -> list[str]:
    """The combinations with the fewest attributes and records, in words."""
    shown: list[str] = []
    for cell in sorted(found.cells, key=lambda cell: len(cell.keys)):
        for place in np.argsort(cell.counts, kind="stable")[: count - len(shown)]:
            records = "1 record" if cell.counts[place] == 1 else f"{cell.counts[place]} records"
            shown.append(f"{key.words(cell.codes[place].tolist(), cell.keys)}: {records}")
    return shown
