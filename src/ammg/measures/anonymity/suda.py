"""Special uniques."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import InputError
from ammg.measures.anonymity.released_key import ReleasedKey, as_text, released_key, sampling_fraction
from ammg.measures.measure import Risk
from ammg.measures.measurement import Chart, Measurement, People, Table, counts, shares, text
from ammg.params import param


class Suda(Risk):
    """Special uniques (SUDA): expected share of correct matches with records that are unique on few attributes.

    A record scores for every minimal subset of known attributes on which it is unique; small subsets score most.
    DIS-SUDA turns the scores into the probability that a match with the record is correct. A missing value makes nobody
    unique. Source: Elliot, Manning and Ford (2002); Skinner and Elliot (2002) for DIS; Q as in sdcMicro unless given.
    """

    also_called: ClassVar[tuple[str, ...]] = ("Suda2",)

    dimension: int | None = param(None, "Largest subset to search; by default all attributes.", ge=1)
    exponent: float | None = param(None, "Q of DIS-SUDA; by default 1 + (8 - attributes) / 20.", gt=0)

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Find the minimal uniques of the known attributes."""
        from ammg.kernels.anonymity.suda import dis_suda, level_contributions, special_uniques

        key = released_key(pair, scenario)
        try:
            found = special_uniques(key.codes, key.sizes, self.dimension)
        except ValueError as error:
            raise InputError(str(error)) from None
        fraction = sampling_fraction(pair, scenario)
        risk = np.zeros(pair.t)
        risk[found.records] = dis_suda(found.scores, found.pairs, fraction, len(key.names), self.exponent)
        total = max(float(found.scores.sum()), np.finfo(float).tiny)
        sizes = sorted({len(keys) for keys in found.subsets})
        uniques = [sum(count for keys, count in found.subsets.items() if len(keys) == size) for size in sizes]
        categories, rare = _categories(key, level_contributions(found, key.codes, key.sizes))
        return Measurement(
            value=float(risk.mean()),
            by_column=dict(zip(key.names, (found.contributions.sum(axis=0) / total).tolist(), strict=True)),
            facts={
                "fraction": fraction,
                "uniques": int(np.sum(found.scores > 0)),
                "highest_score": float(found.scores.max(initial=0.0)),
            },
            tables={"subsets": _subsets(key, found.subsets), "categories": categories},
            charts=(
                Chart(
                    "bars",
                    "Minimal sample uniques by number of attributes",
                    tuple(sizes),
                    {"minimal uniques": tuple(float(count) for count in uniques)},
                    "attributes",
                    "minimal uniques",
                ),
            ),
            people=People(risk, riskiest=key.riskiest(risk), categories=rare),
        )


def _subsets(key: ReleasedKey, subsets: dict[tuple[int, ...], int], count: int = 10) -> Table:
    """The subsets with the most minimal uniques."""
    ranked = sorted(subsets.items(), key=lambda item: (len(item[0]), -item[1]))[:count]
    return Table(
        {
            "attributes": text(key.joined(keys) for keys, _ in ranked),
            "minimal_uniques": counts(number for _, number in ranked),
        }
    )


def _categories(key: ReleasedKey, contributions: list[np.ndarray], count: int = 5) -> tuple[Table, list[str]]:
    """For each attribute the categories that contribute most; those of few records apart, in words."""
    common: list[tuple[str, str, float]] = []
    rare: list[str] = []
    for position, (name, share) in enumerate(zip(key.names, contributions, strict=True)):
        for code in np.argsort(-share, kind="stable")[:count].tolist():
            if share[code] > 0 and key.is_common(position, code):
                common.append((name, as_text(key.categories[position][code]), float(share[code])))
            elif share[code] > 0:
                rare.append(f"{key.words([code], [position])}: {share[code]:.3g}")
    table = {
        "attribute": text(name for name, _, _ in common),
        "category": text(category for _, category, _ in common),
        "contribution": shares(share for _, _, share in common),
    }
    return Table(table), rare
