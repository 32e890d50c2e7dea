"""pMSE: how well a model tells masked records from original ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.kernels.loss.models import logistic, probabilities
from ammg.measures.loss.analysis.features import Floats, features, modelled, spaced
from ammg.measures.measure import Loss
from ammg.measures.measurement import Measurement
from ammg.params import param


class PropensityScore(Loss):
    """Mean squared difference between the propensity score of being masked and the share of masked records (pMSE).

    A logistic regression on all attributes, with squares and products of numbers, tries to tell which records are
    masked. The fact `expected` is the value for a file drawn at random from a correct model of the original, (k - 1)(1
    - c)²c/N. `ratio` is the value over it: about 1 for such a file, 0 for the original itself. Models see at most
    100,000 records of either file. Source: Snoke, Raab, Nowok, Dibben and Slavkovic (2018).
    """

    exempt: ClassVar[Mapping[str, str]] = {
        "category_order": "the numerical fit ends near the same score, not at it, when categories are reordered"
    }

    range = (0.0, 0.25)
    also_called: ClassVar[tuple[str, ...]] = ("PMSE",)

    columns: tuple[str, ...] | None = param(None, "Attributes to compare; by default all that an analyst gets.")
    products: bool = param(True, "Whether squares and products of numbers are features too.")

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Fit the propensity model."""
        names = modelled(pair, self.columns)
        if pair.n < 2 or pair.t < 2:
            raise NotDefined("fewer than two records")
        made = features(pair, names, spaced(pair.n), spaced(pair.t))
        if not made.names:
            raise NotDefined("no attribute varies")
        numeric = [place for place, name in enumerate(made.names) if name in pair.original.schema]
        numeric = [place for place in numeric if pair.original.schema[made.names[place]].is_numeric]
        sides = [_with_products(side, numeric) if self.products else side for side in (made.before, made.after)]
        stacked = np.vstack(sides)
        scale = stacked.std(axis=0)
        stacked = stacked[:, scale > 1e-12] / scale[scale > 1e-12]
        matrix = np.column_stack([np.ones(len(stacked)), stacked])
        is_masked = np.repeat([0.0, 1.0], [len(side) for side in sides])
        share = is_masked.mean()
        chance = probabilities(matrix, logistic(matrix, is_masked).coefficients)
        value = float(np.square(chance - share).mean())
        parameters = int(np.linalg.matrix_rank(matrix.T @ matrix, tol=1e-8 * len(matrix)))
        expected = (parameters - 1) * (1 - share) ** 2 * share / len(matrix)
        value = 0.0 if value < 1e-18 else value
        ratio = value / expected if expected > 0 else None
        return Measurement(value, facts={"expected": float(expected), "ratio": ratio, "parameters": parameters})


def _with_products(side: Floats, numeric: list[int]) -> Floats:
    pairs = [(a, b) for place, a in enumerate(numeric) for b in numeric[place:]]
    return np.column_stack([side, *(side[:, a] * side[:, b] for a, b in pairs)]) if pairs else side
