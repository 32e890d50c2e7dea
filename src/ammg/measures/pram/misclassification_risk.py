"""Risk of uniques whose keys were changed at random."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ammg.data.dictionary import match_categories
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import InputError, NotDefined
from ammg.measures.anonymity.released_key import Floats, ReleasedKey, released_key, survey_weights
from ammg.measures.linkage.intruder import Knowledge, knowledge
from ammg.measures.measure import Risk
from ammg.measures.measurement import Measurement, People
from ammg.measures.population.log_linear_risk import LogLinearRisk
from ammg.measures.pram.transitions import Change, Coded, chances_to_stay, changes_known, coded, more_stayed_than_told
from ammg.params import param


class MisclassificationRisk(Risk):
    """Expected share of records with a correct match on a sample unique after categories were changed at random.

    The published transition probabilities say how likely a unique record kept its combination, and how many others
    moved to it. Without weights or an inclusion probability, the original file is the population, and its counts enter
    the exact formula or the one for small samples. Otherwise a log-linear model of the changed file estimates how many
    people share the combination. The risk is not defined if the release contradicts the published probabilities.
    Source: Shlomo and Skinner (2010), Annals of Applied Statistics 4.
    """

    exact: bool = param(True, "Whether to use the exact formula; the other is for small sampling fractions.")

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Adjust the risk of the uniques of the changed file."""
        from ammg.kernels.anonymity.cells import count_cells

        key = released_key(pair, scenario)
        known = knowledge(pair, key.names, Scenario())
        changes = changes_known(pair, known)
        changed = [name for name in key.names if any(name in change.columns for change in changes)]
        if not changed:
            raise NotDefined("no transition of a known attribute is published")
        cells = coded(pair, known, changes)
        everybody = pair.is_linked and all(fact.among is None for fact in pair.published)
        if everybody and more_stayed_than_told(cells, pair.link):
            raise NotDefined("more values are unchanged than the published transition allows")
        alone = count_cells(key.codes, key.sizes).frequencies == 1
        if survey_weights(pair) is None and scenario.inclusion is None:
            plain = all(len(change.columns) == 1 and not change.within for change in changes)
            risk = self._by_table(pair, key, changes) if plain else self._by_records(pair, known, changes, cells)
            source = "original file"
        else:
            modelled = np.asarray(LogLinearRisk(tau=2).measure(pair, scenario).people.by_record)
            risk, source = modelled * chances_to_stay(cells), "log-linear model of the changed file"
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

    def _by_table(self, pair: Pair, key: ReleasedKey, changes: list[Change]) -> Floats:
        """From the table of all combinations, where each key changed by itself."""
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
        by_name = {change.columns[0]: change for change in changes}
        matrices = [
            _matrix(by_name[name], (*column[2], None)) if name in by_name else None
            for name, column in zip(key.names, columns, strict=True)
        ]
        if self.exact:
            risk = misclassified_risk(population, matrices, pair.sampling_factor)
        else:
            risk = approximate_misclassified_risk(population, matrices)
        return layout.flatten(risk)[after]

    def _by_records(self, pair: Pair, known: Knowledge, changes: list[Change], cells: Coded) -> Floats:
        """The same formula from pairs of records, where keys changed within groups or together."""
        from ammg.kernels.linkage.nearest import number_in_both
        from ammg.kernels.pram.transition_attack import shown_by

        changed = {name for change in changes for name in change.columns}
        same = known.only([name for name in known.names if name not in changed])
        unchanged = number_in_both(same.original, same.masked)
        fraction = pair.sampling_factor if self.exact else 0.0
        stay, others = shown_by(*cells.codes, cells.matrices, unchanged, cells.layers, fraction)
        odds = np.divide(stay, 1.0 - fraction * stay, out=np.full(len(stay), np.inf), where=fraction * stay < 1.0)
        sure = np.isinf(odds) & np.isinf(others)
        return np.where(sure, 1.0, np.divide(odds, others, out=np.zeros(len(stay)), where=others > 0))


def _matrix(change: Change, categories: tuple[Any, ...]) -> Floats:
    """M of an attribute in the order of its categories: row = shown, column = true.

    Categories that the transition does not know stay as they are.
    """
    (layer,) = change.layers
    known = match_categories(categories, [value for (value,) in layer.categories])
    inside, places = np.flatnonzero(known >= 0), known[known >= 0]
    matrix = np.eye(len(categories))
    block = layer.matrix[np.ix_(places, places)]
    matrix[np.ix_(inside, inside)] = (block / block.sum(axis=1, keepdims=True)).T
    return matrix


def _last(codes: NDArray[np.int32], size: int) -> NDArray[np.int32]:
    return np.where(codes < 0, np.int32(size), codes)
