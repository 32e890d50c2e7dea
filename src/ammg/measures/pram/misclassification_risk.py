"""Risk of uniques whose keys were changed at random."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ammg.data.dictionary import match_categories
from ammg.data.pair import Pair
from ammg.data.published import Transition
from ammg.data.scenario import Scenario
from ammg.errors import InputError, NotDefined
from ammg.measures.anonymity.released_key import Floats, ReleasedKey, released_key, survey_weights
from ammg.measures.measure import Risk
from ammg.measures.measurement import Measurement, People
from ammg.measures.population.log_linear_risk import LogLinearRisk
from ammg.params import param


class MisclassificationRisk(Risk):
    """Expected share of records that a match on a sample unique gets right after categories were changed at random.

    The published transition probabilities say how likely a unique is shown where it belongs, and how many others are
    shown there too. Without weights or inclusion probability the original file is the population and its counts are
    used, by the exact formula or the one for small samples; else a log-linear model of the changed file says how many
    people share the combination.
    Source: Shlomo and Skinner (2010), Annals of Applied Statistics 4.
    """

    exact: bool = param(True, "Whether to use the exact formula; the other is for small sampling fractions.")

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Adjust the risk of the uniques of the changed file."""
        from ammg.kernels.anonymity.cells import count_cells

        key = released_key(pair, scenario)
        changed = [name for name in key.names if any(name in t.columns for t in _transitions(pair))]
        if not changed:
            raise NotDefined("no transition of a known attribute is published")
        alone = count_cells(key.codes, key.sizes).frequencies == 1
        if survey_weights(pair) is None and scenario.inclusion is None:
            risk, source = self._known_population(pair, key), "original file"
        else:
            risk, source = _unknown_population(pair, key, scenario), "log-linear model of the changed file"
        risk = np.where(alone, risk, 0.0)
        return Measurement(
            value=float(risk.sum()) / pair.t,
            facts={
                "keys": key.names,
                "changed": tuple(changed),
                "population": source,
                "sample_uniques": int(alone.sum()),
                "expected_matches": float(risk.sum()),
            },
            people=People(risk, riskiest=key.riskiest(risk)),
        )

    def _known_population(self, pair: Pair, key: ReleasedKey) -> Floats:
        from ammg.kernels.population.log_linear.layout import Layout
        from ammg.kernels.pram.misclassification import approximate_misclassified_risk, misclassified_risk

        columns = [pair.common_codes(name) for name in key.names]
        try:
            layout = Layout(tuple(len(categories) + 1 for _, _, categories in columns))  # one more for missing
        except ValueError as error:
            raise InputError(str(error)) from None
        before = layout.locate([_last(codes, len(categories)) for codes, _, categories in columns])
        after = layout.locate([_last(codes, len(categories)) for _, codes, categories in columns])
        population = layout.unflatten(np.bincount(before, minlength=layout.size).astype(np.float64))
        matrices = [_matrix(pair, name, (*column[2], None)) for name, column in zip(key.names, columns, strict=True)]
        if self.exact:
            risk = misclassified_risk(population, matrices, pair.sampling_factor)
        else:
            risk = approximate_misclassified_risk(population, matrices)
        return layout.flatten(risk)[after]


def _unknown_population(pair: Pair, key: ReleasedKey, scenario: Scenario) -> Floats:
    """E(1/F) of a model of the changed file, times the chance that the record is shown where it belongs."""
    from ammg.kernels.pram.misclassification import stay_probability

    matrices = [_matrix(pair, name, values) for name, values in zip(key.names, key.categories, strict=True)]
    modelled = LogLinearRisk(tau=2).measure(pair, scenario).people.by_record
    return np.asarray(modelled) * stay_probability(key.codes, matrices)


def _transitions(pair: Pair) -> list[Transition]:
    return [published for published in pair.published if isinstance(published, Transition)]


def _matrix(pair: Pair, name: str, categories: tuple[Any, ...]) -> Floats | None:
    """M of an attribute in the order of its categories: row = shown, column = true; None if it was not changed.

    Categories that the transition does not know stay as they are.
    """
    matrix: Floats | None = None
    for transition in _transitions(pair):
        if name in transition.columns:
            known = match_categories(categories, transition.categories)
            inside, places = np.flatnonzero(known >= 0), known[known >= 0]
            step = np.eye(len(categories))
            block = transition.matrix[np.ix_(places, places)]
            step[np.ix_(inside, inside)] = (block / block.sum(axis=1, keepdims=True)).T
            matrix = step if matrix is None else step @ matrix
    return matrix


def _last(codes: NDArray[np.int32], size: int) -> NDArray[np.int32]:
    return np.where(codes < 0, np.int32(size), codes)
