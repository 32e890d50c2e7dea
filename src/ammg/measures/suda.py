"""Special uniques."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import InputError
from ammg.measures.measure import Chart, Measure, Measurement
from ammg.measures.released_key import ReleasedKey, released_key, sampling_fraction
from ammg.params import param


class Suda(Measure):
    """Special uniques (SUDA): expected share of records whose match is right because few attributes make them unique.

    A record scores for every smallest subset of known attributes on which it is alone, small subsets most. DIS-SUDA
    turns the scores into the probability that a match with the record is right. A missing value distinguishes nobody.
    Source: Elliot, Manning and Ford (2002); Skinner and Elliot (2002) for DIS; Q as in sdcMicro unless given.
    """

    family: ClassVar[Literal["risk", "loss"]] = "risk"
    percent: ClassVar[bool] = True
    default: ClassVar[bool] = False

    dimension: int | None = param(None, "Largest subset that is searched; by default all attributes.", ge=1)
    exponent: float | None = param(None, "Q of DIS-SUDA; by default 1 + (8 - attributes) / 20.", gt=0)

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Find the minimal uniques of the known attributes."""
        from ammg.kernels.suda import dis_suda, level_contributions, special_uniques

        key = released_key(pair, scenario)
        try:
            found = special_uniques(key.codes, key.sizes, self.dimension)
        except ValueError as error:
            raise InputError(str(error)) from None
        fraction = sampling_fraction(pair, scenario)
        risk = np.zeros(pair.t)
        risk[found.records] = dis_suda(found.scores, found.pairs, fraction, len(key.names), self.exponent)
        total = max(float(found.scores.sum()), np.finfo(float).tiny)
        scores = np.zeros(pair.t)
        scores[found.records] = found.scores
        sizes = sorted({len(keys) for keys in found.subsets})
        counts = [sum(count for keys, count in found.subsets.items() if len(keys) == size) for size in sizes]
        return Measurement(
            value=float(risk.mean()),
            by_column=dict(zip(key.names, (found.contributions.sum(axis=0) / total).tolist(), strict=True)),
            by_record=risk,
            details={
                "fraction": fraction,
                "uniques": int(np.sum(found.scores > 0)),
                "highest_score": float(found.scores.max(initial=0.0)),
                "minimal_uniques": dict(zip(sizes, counts, strict=True)),
                "subsets": _subsets(key, found.subsets),
                "levels": _levels(key, level_contributions(found, key.codes, key.sizes)),
                "riskiest": key.riskiest(risk),
            },
            charts=(
                Chart(
                    "bars",
                    "Minimal sample uniques by number of attributes",
                    tuple(sizes),
                    {"minimal uniques": tuple(float(count) for count in counts)},
                    "attributes",
                    "minimal uniques",
                ),
            ),
        )


def _subsets(key: ReleasedKey, subsets: dict[tuple[int, ...], int], count: int = 10) -> list[str]:
    """The smallest subsets with most minimal uniques in words."""
    ranked = sorted(subsets.items(), key=lambda item: (len(item[0]), -item[1]))[:count]
    words = {keys: " and ".join(key.names[i] for i in keys) for keys, _ in ranked}
    return [f"{words[keys]}: {number} record{'s' if number > 1 else ''}" for keys, number in ranked]


def _levels(key: ReleasedKey, shares: list[np.ndarray], count: int = 5) -> dict[str, dict[str, float]]:
    """For each attribute the categories that contribute most."""
    shown = {}
    for position, (name, share) in enumerate(zip(key.names, shares, strict=True)):
        top = [code for code in np.argsort(-share, kind="stable")[:count].tolist() if share[code] > 0]
        shown[name] = {key.words([code], [position]): float(share[code]) for code in top}
    return shown
