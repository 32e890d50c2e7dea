"""How much worse a model trained on the masked file predicts a target."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Role
from ammg.data.pair import Pair
from ammg.data.pairs.anchors import canonical_order
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.kernels.loss.models import ridge_predictions
from ammg.measures.loss.analysis.features import Floats, features, modelled, spaced
from ammg.measures.loss.tables.tables_in_memory import TablesInMemory
from ammg.measures.measure import Loss
from ammg.measures.measurement import Fact, Measurement
from ammg.params import param


class TargetPrediction(Loss):
    """Share of a model's predictive success that is lost when it is trained on the masked file.

    A ridge regression (for categories, of their indicators) is trained on half of the original records and on their
    masked versions; both predict the other half of the originals. Success is R², or for categories the Brier skill
    score: the share of the squared error that the model saves over a baseline without other attributes. The facts also
    give the share of correct categories. By default the first confidential attribute is predicted. Models see at most
    100,000 records.
    """

    exempt: ClassVar[Mapping[str, str]] = {
        "category_order": "which half of the records learns follows the order of their values",
        "column_order": "without a target it predicts the first attribute, which then is another one",
    }

    range = (0.0, 1.0)
    percent = True

    target: str | None = param(None, "The attribute to predict; by default the first confidential one.")
    predictors: tuple[str, ...] | None = param(None, "Attributes that predict it; by default all others.")

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Train twice, and predict the same records."""
        target = self._target(pair)
        others = tuple(name for name in modelled(pair, self.predictors) if name != target)
        if not others:
            raise NotDefined("no attribute predicts the target")
        rank = np.empty(pair.n, dtype=np.int64)
        rank[canonical_order(pair.original)] = np.arange(pair.n)
        learns = rank % 2 == 0
        rows, masked = spaced(pair.n), spaced(pair.t)
        real = pair.link[masked] >= 0
        masked = masked[real & learns[pair.link[masked]]]
        made = features(pair, others, rows, masked)
        is_number = pair.original.schema[target].is_numeric
        responses = _numbers(pair, target) if is_number else _indicators(pair, target)
        truth, released = responses[0][rows], responses[1][masked]
        trained, tested = learns[rows], ~learns[rows]
        seen, shown = ~np.isnan(truth[:, 0]), ~np.isnan(released[:, 0])
        if (trained & seen).sum() < 2 or (tested & seen).sum() < 2 or not made.names:
            raise NotDefined("too few records, or no attribute that varies, to learn from")
        before, after = (np.column_stack([np.ones(len(side)), side]) for side in (made.before, made.after))
        exam, answers = before[tested & seen], truth[tested & seen]
        learnt = truth[trained & seen]
        guess = np.broadcast_to(learnt.mean(axis=0), answers.shape)
        first = ridge_predictions(before[trained & seen], learnt, exam)
        second = ridge_predictions(after[shown], released[shown], exam) if shown.sum() >= 2 else guess
        baseline, original, own = (_success(predicted, answers) for predicted in (guess, first, second))
        if original <= baseline + 1e-9:
            raise NotDefined("a model of the original predicts the target no better than without any attribute")
        value = min(1.0, max(0.0, (original - own) / (original - baseline)))
        facts: dict[str, Fact] = {"target": target, "original": original, "masked": own, "baseline": baseline}
        if not is_number:
            facts["right"] = tuple(_right(predicted, answers) for predicted in (first, second, guess))
        return Measurement(value, facts=facts)

    def _target(self, pair: Pair) -> str:
        if self.target is not None:
            return modelled(pair, (self.target,))[0]
        names = modelled(pair, None)
        confidential = [name for name in names if pair.original.schema[name].role is Role.CONFIDENTIAL]
        return (confidential or list(names))[0]


def _numbers(pair: Pair, target: str) -> tuple[Floats, Floats]:
    before, after = pair.originals([target]), pair.released([target])
    spread = np.nanstd(before) if not np.isnan(before).all() else 0.0
    if not spread:
        raise NotDefined("the target does not vary")
    centre = np.nanmean(before)
    return (before - centre) / spread, (after - centre) / spread


def _indicators(pair: Pair, target: str) -> tuple[Floats, Floats]:
    """Indicators of the categories; a class is shared among them, what is missing is NaN."""
    tables = TablesInMemory((target,), pair, 10, weighted=False)
    coded, made = tables.coded(target), tables.transition(target)
    if coded.size < 2 or coded.size > 1_000:
        raise NotDefined("the target has fewer than 2 or more than 1,000 categories")
    shared = np.full((coded.classes + 1, coded.size), 0.0)
    shared[made.classes, made.categories] = 1 / made.members[made.classes]
    shared[-1] = np.nan
    own = np.vstack([np.eye(coded.size), np.full(coded.size, np.nan)])
    return own[coded.before], shared[coded.after]


def _success(predicted: Floats, answers: NDArray[np.float64]) -> float:
    return float(
        1 - np.square(answers - predicted).sum() / max(np.square(answers - answers.mean(axis=0)).sum(), 1e-300)
    )


def _right(predicted: Floats, answers: NDArray[np.float64]) -> float:
    return float((np.argmax(predicted, axis=1) == np.argmax(answers, axis=1)).mean())
