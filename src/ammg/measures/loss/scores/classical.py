"""Shared base of the scores of the literature: 50 times the sum of a loss and a share of re-identified records."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from pydantic import field_validator

from ammg import registry
from ammg.data.pair import Pair
from ammg.data.pairs.members import views
from ammg.data.scenario import Scenario
from ammg.errors import InputError, NotDefined
from ammg.kernels.threads import MANY, side_by_side
from ammg.measures.measure import Score
from ammg.measures.measurement import Measurement
from ammg.params import param


class ClassicalScore(Score):
    """Base of the scores of Yancey, Winkler and Creecy (2002)."""

    loss: ClassVar[str]

    reidentification: str = param("distance_linkage", "The risk whose share of re-identified records counts.")

    @field_validator("reidentification")
    @classmethod
    def _is_risk(cls, name: str) -> str:
        try:
            unit = registry.find("measures", name)
        except InputError as error:
            raise ValueError(str(error)) from None
        if unit.family != "risk":
            raise ValueError(f"'{name}' measures {unit.family}, not risk")
        return name

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Add loss and risk."""
        names = self.loss, self.reidentification
        parts = {name: partial(_part, name, pair, scenario) for name in names}
        values: dict[str, float] = {}
        for name, part in side_by_side(parts, threads=pair.is_at_hand and pair.n >= MANY).items():
            if isinstance(part, NotDefined):
                raise part
            values[name] = part
        return Measurement(50 * sum(values.values()), facts=values)

    def bound(self, pair: Pair, scenario: Scenario) -> float:
        """The loss alone, which needs no attack."""
        return 50 * value_of(self.loss, pair, scenario)

    def up_to(self, most: float, pair: Pair, scenario: Scenario) -> float:
        """The score, or a value above `most` as soon as an attack shows that it is above."""
        loss = value_of(self.loss, pair, scenario)
        unit = registry.find("measures", self.reidentification)
        left = min(max(most / 50 - loss, 0.0), 1.0)
        parameters = {"limit": left} if "limit" in unit.model_fields else {}
        return 50 * (loss + value_of(self.reidentification, pair, scenario, **parameters))


def _part(name: str, pair: Pair, scenario: Scenario) -> float | NotDefined:
    """The value of a part of a score, or why it is not defined: that must not stop the other part."""
    try:
        return value_of(name, pair, scenario)
    except NotDefined as reason:
        return reason


def value_of(name: str, pair: Pair, scenario: Scenario, **parameters: Any) -> float:
    """The value of another measure, a risk also for who counts members; not defined where one of its parts is not."""
    unit = registry.find("measures", name)(**parameters)
    seen = views(pair) if unit.family == "risk" else (pair,)
    values = [unit.measure(files, scenario).value for files in seen]
    if None in values:
        raise NotDefined(f"'{name}' is not defined")
    return max(map(float, values))
