"""What is left of regressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.kernels.loss.models import interval_overlap, linear, logistic
from ammg.kernels.threads import in_threads
from ammg.measures.loss.analysis.features import Features, Floats, features, modelled, spaced
from ammg.measures.measure import Loss
from ammg.measures.measurement import Measurement, Table, numbers, shares, text
from ammg.params import param

_TARGETS = 5
_NORMAL = 1.959963984540054


class RegressionOverlap(Loss):
    """Mean share by which confidence intervals of regression coefficients from the two files do not overlap.

    Linear regressions of numbers and logistic regressions of categories (the most frequent against the others) on other
    attributes are fitted to both files. 95 % intervals that do not overlap count 1 (Karr et al. 2006). By default each
    of the first five numbers is regressed on all other attributes. The table has coefficients, in original standard
    deviations, and standard errors. Models see at most 100,000 records, evenly spaced.
    """

    exempt: ClassVar[Mapping[str, str]] = {
        "category_order": "categories are compared with the first one, so another order compares other coefficients"
    }

    range = (0.0, 1.0)
    percent = True

    targets: tuple[str, ...] | None = param(None, "Attributes to explain; by default the first five numbers.")
    regressors: tuple[str, ...] | None = param(None, "Attributes that explain; by default all others.")

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Fit every regression twice."""
        names = modelled(pair, None)
        explaining = modelled(pair, self.regressors)
        targets = self.targets or tuple(n for n in names if pair.original.schema[n].is_numeric)[:_TARGETS]
        rows: list[tuple[str, str, float, float, float, float, float]] = []
        by_column = {}
        made = features(pair, tuple(dict.fromkeys((*targets, *explaining))), spaced(pair.n), spaced(pair.t))

        def compared(target: str) -> list[tuple[str, float, float, float, float, float]]:
            others = tuple(name for name in explaining if name != target)
            return _compared(made.of((target,)), made.of(others), pair.original.schema[target].is_numeric)

        for target, found in zip(targets, in_threads(compared, targets, made.before.size, brief=False), strict=True):
            if found:
                rows += [(target, *row) for row in found]
                by_column[target] = sum(1 - row[-1] for row in found) / len(found)
        if not rows:
            raise NotDefined("no regression can be fitted: name a target that varies and an attribute that explains it")
        cells = list(zip(*rows, strict=True))
        table = Table(
            {
                "target": text(cells[0]),
                "term": text(cells[1]),
                "original": numbers(cells[2]),
                "masked": numbers(cells[3]),
                "error_original": numbers(cells[4]),
                "error_masked": numbers(cells[5]),
                "overlap": shares(cells[6]),
            }
        )
        value = sum(1 - row[-1] for row in rows) / len(rows)
        return Measurement(value, by_column=by_column, tables={"coefficients": table})


def _compared(
    explained: Features, explaining: Features, is_number: bool
) -> list[tuple[str, float, float, float, float, float]]:
    if not explained.names or not explaining.names:
        return []
    responses = [_response(explained, side, is_number) for side in (explained.before, explained.after)]
    fits = []
    for response, columns in zip(responses, (explaining.before, explaining.after), strict=True):
        if len(response) <= len(explaining.names) + 1:
            return []
        matrix = np.column_stack([np.ones(len(columns)), columns])
        fits.append((linear if is_number else logistic)(matrix, response))
    (first, first_error), (second, second_error) = fits
    overlap = interval_overlap(
        first - _NORMAL * first_error,
        first + _NORMAL * first_error,
        second - _NORMAL * second_error,
        second + _NORMAL * second_error,
    )
    near = np.abs(first - second) <= 1e-6 * (1 + np.abs(first))
    overlap = np.where(near & (np.abs(first_error - second_error) <= 1e-6 * (1 + first_error)), 1.0, overlap)
    terms = ("constant", *explaining.names)
    return [
        (term, *map(float, cells))
        for term, *cells in zip(terms, first, second, first_error, second_error, overlap, strict=True)
    ]


def _response(explained: Features, side: Floats, is_number: bool) -> Floats:
    """The number itself, or whether the category is not the most frequent one."""
    return side[:, 0] if is_number else np.clip(side.sum(axis=1), 0.0, 1.0)
