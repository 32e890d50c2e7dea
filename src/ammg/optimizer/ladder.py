"""Judge one recipe by a ladder: loss first, then risks from cheap to dear, and stop at the first broken limit."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ammg.data.microdata import Microdata
from ammg.data.scenario import Scenario
from ammg.draws import Secret
from ammg.errors import AmmgError, Cancelled, NotDefined, ReleaseBlocked
from ammg.measures.measure import Measure, Score
from ammg.optimizer.options import Recipe, written
from ammg.pipeline.evaluation import evaluate
from ammg.pipeline.labels import labelled
from ammg.pipeline.limits import Limit
from ammg.pipeline.masked import Masked
from ammg.pipeline.pipeline import Pipeline

_COUNTS = 1  # the cost of a count of records
_KEPT = 16  # masked files that a process keeps between the loss and the risk of a recipe


@dataclass(frozen=True)
class Verdict:
    """What is known of a recipe: its loss and, as far as the ladder went, its risks.

    `pressure` is the worst risk found as a multiple of its limit. Where a limit is broken, the ladder stopped there and
    the true pressure may be higher; where nothing is broken, it is exact. A recipe that breaks a limit on a loss is
    `lossy`: a milder one may keep it. One that the score of another recipe beats is `broken` without any risks.
    """

    recipe: Recipe
    state: Literal["refused", "measured", "lossy", "broken", "safe"]
    loss: float = float("nan")
    risks: Mapping[str, float] = field(default_factory=dict)
    pressure: float = float("nan")
    reason: str = ""


class Problem:
    """One file, the limits and the loss: what recipes are judged by."""

    def __init__(
        self, data: Microdata, limits: tuple[Limit, ...], loss: Measure, scenario: Scenario, secret: Secret
    ) -> None:
        self.data, self.loss, self.scenario, self.secret = data, loss, scenario, secret
        labels = labelled([*(limit.measure for limit in limits), loss])
        self.limits = {
            label: limit for label, measure in labels.items() for limit in limits if limit.measure == measure
        }
        self.loss_label = next(label for label, measure in labels.items() if measure == loss)
        self._kept: OrderedDict[str, tuple[Recipe, Masked]] = OrderedDict()

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_kept": OrderedDict()}

    def with_secret(self, secret: Secret) -> Problem:
        """The same question under another secret."""
        return Problem(self.data, tuple(self.limits.values()), self.loss, self.scenario, secret)

    def only(self, labels: Collection[str]) -> Problem:
        """The same question with some of the limits."""
        limits = tuple(limit for label, limit in self.limits.items() if label in labels)
        return Problem(self.data, limits, self.loss, self.scenario, self.secret)

    def masked(self, recipe: Recipe) -> tuple[Recipe, Masked]:
        """The masked file, and the recipe without the steps that change nothing."""
        text = written(recipe)
        if text not in self._kept:
            self._kept[text] = self._masked(recipe)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return self._kept[text]

    def _masked(self, recipe: Recipe) -> tuple[Recipe, Masked]:
        masked = Pipeline(recipe).run(self.data, self.secret, begun=self._begun(recipe))
        while len(working := _working(recipe, masked)) < len(recipe):
            recipe = working
            masked = Pipeline(recipe).run(self.data, self.secret)
        if masked.table.equals(self.data.table):
            raise NotDefined("no step changes anything")
        return recipe, masked

    def _begun(self, recipe: Recipe) -> Masked | None:
        """What the longest beginning of the recipe made, if that is at hand."""
        for length in range(len(recipe) - 1, 0, -1):
            working, masked = self._kept.get(written(recipe[:length]), ((), None))
            if masked is not None and len(working) == length:
                return masked
        return None

    def measured(self, recipe: Recipe) -> Verdict:
        """The loss alone."""
        try:
            working, masked = self.masked(recipe)
            if isinstance(self.loss, Score):
                return Verdict(working, "measured", self.loss.bound(masked.pair, self.scenario))
            return Verdict(working, "measured", self._value(masked, self.loss, self.loss_label))
        except Cancelled:
            raise
        except AmmgError as refused:
            return Verdict(recipe, "refused", reason=str(refused))

    def judged(self, recipe: Recipe, *, whole: bool = False, most: float = math.inf) -> Verdict:
        """Loss and risks, cheap ones first, up to the first broken limit; with `whole` all of them to the end.

        Of a score of risk and loss only a bound is known so far. The score itself comes before the limits on attacks,
        because it stops early: a recipe with one of `most` or more counts as risky, so that its family goes to the
        stronger side.
        """
        verdict = self.measured(recipe)
        if verdict.state == "refused":
            return verdict
        recipe, masked = self.masked(recipe)
        risks: dict[str, float] = {}
        loss = verdict.loss
        try:
            pressure = self._climb(masked, risks, attacks=False, whole=whole)
            if isinstance(self.loss, Score) and pressure <= 1:
                loss = self.loss.up_to(math.inf if whole else most, masked.pair, self.scenario)
                if loss >= most:
                    return Verdict(recipe, "broken", verdict.loss, pressure=max(loss / most, 1.0 + 1e-9))
            if whole or pressure <= 1:
                pressure = max(pressure, self._climb(masked, risks, attacks=True, whole=whole))
        except Cancelled:
            raise
        except AmmgError as refused:
            return Verdict(recipe, "refused", verdict.loss, reason=str(refused))
        found = {label: risks[label] for label in self.limits if label in risks}
        if pressure > 1:
            lossy = not whole and self.limits[list(risks)[-1]].measure.family == "loss"
            return Verdict(recipe, "lossy" if lossy else "broken", verdict.loss, found, pressure)
        if blocked := _blocked(masked):
            return Verdict(recipe, "refused", verdict.loss, found, pressure, blocked)
        return Verdict(recipe, "safe", loss, found, pressure)

    def _climb(self, masked: Masked, risks: dict[str, float], *, attacks: bool, whole: bool) -> float:
        """Add the limited figures, those of attacks or the others, up to the first above its limit; the pressure."""
        pressure = 0.0
        for label in sorted(self.limits, key=lambda label: _cost(self.limits[label].measure)):
            limit = self.limits[label]
            if (_cost(limit.measure) > _COUNTS) is not attacks:
                continue
            risks[label] = self._value(masked, limit.measure if whole else _stopping(limit), label)
            pressure = max(pressure, limit.pressure(risks[label]))
            if pressure > 1 and not whole:
                break
        return pressure

    def unmasked(self, recipe: Recipe = ()) -> Verdict:
        """The file without any step, as far as the limits have a value for it; attacks stop at their limit."""
        risks: dict[str, float] = {}
        for label, limit in self.limits.items():
            (found,) = evaluate(self.data, _stopping(limit), self.scenario).after.values()
            if found.value is not None:
                risks[label] = found.value
        pressure = max((self.limits[label].pressure(risk) for label, risk in risks.items()), default=0.0)
        return Verdict(recipe, "safe" if pressure <= 1 else "broken", 0.0, risks, pressure)

    def _value(self, masked: Masked, measure: Measure, label: str) -> float:
        (measurement,) = evaluate(masked, measure, self.scenario, before=False).after.values()
        if measurement.value is None:
            raise NotDefined(f"'{label}' is not defined: {measurement.reason}")
        return measurement.value


def _blocked(masked: Masked) -> str:
    """Why the release checks block the file, declared rules included; empty if they do not."""
    try:
        masked.release()
    except ReleaseBlocked as blocked:
        return str(blocked)
    return ""


def _stopping(limit: Limit) -> Measure:
    """The measure of a limit, told to stop where the limit is broken if it can: that much is proof."""
    measure = limit.measure
    if "limit" not in type(measure).model_fields or limit.at_most > 1:
        return measure
    return measure.model_copy(update={"limit": limit.at_most})


def _cost(measure: Measure) -> int:
    """Losses, then counts, then attacks by the class of their costs; the worst case, which tries them all, last."""
    if measure.family == "loss":
        return 0
    if "limit" not in type(measure).model_fields:
        return _COUNTS
    return _COUNTS + 1 + int(getattr(measure, "cost", 9))


def _working(recipe: Recipe, masked: Masked) -> Recipe:
    """The steps that changed a cell, or dropped a record or a column."""
    kept = set(masked.table.columns)
    return tuple(
        step
        for step, done in zip(recipe, masked.steps, strict=True)
        if done.changed or done.records_before != done.records_after or not kept.issuperset(step.columns or ())
    )
