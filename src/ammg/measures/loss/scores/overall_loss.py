"""The overall loss: one number for everything that masking can destroy."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import field_validator

from ammg.data.attribute import Role
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.measures.loss.cell_loss import CellLoss
from ammg.measures.loss.scores.anchor_score import at_anchor, share_lost
from ammg.measures.loss.tables.contingency_table_distance import ContingencyTableDistance
from ammg.measures.measure import Loss
from ammg.measures.measurement import Measurement, Table, shares, text
from ammg.params import param

_MASKED_ROLES = (Role.KEY, Role.CONFIDENTIAL)


class OverallLoss(Loss):
    """Root mean square of loss scores over the attributes that masking could change: 0 nothing lost, 1 everything.

    Three scores for each attribute: its cells (`cell_loss` over that of a permuted column), its distribution (the table
    of its categories or of ten bands over that of a constant column) and its pairs (its tables with every other
    attribute, over those of permuted columns). The attributes are the keys and confidential ones (all if no roles are
    given), and any other that the release changed; weights say how much each counts. With the root mean square, one
    ruined attribute costs more than several that change a little; `power` 1 gives the plain mean.
    """

    range = (0.0, 1.0)
    percent = True

    columns: tuple[str, ...] | None = param(None, "Attributes that count; by default those that masking could change.")
    weights: Mapping[str, float] = param({}, "How much attributes count; 1 for those that are not named.")
    cells: float = param(1.0, "How much the values of single cells count.", ge=0)
    distributions: float = param(1.0, "How much the distribution of an attribute counts.", ge=0)
    pairs: float = param(1.0, "How much the tables of an attribute with each other one count.", ge=0)
    power: float = param(2.0, "Power of the mean over attributes: 1 the mean, 2 the root mean square.", ge=1, le=10)
    bands: int = param(10, "Bands of equal counts that a number is cut into.", ge=2, le=100)

    @field_validator("weights")
    @classmethod
    def _positive(cls, weights: Mapping[str, float]) -> Mapping[str, float]:
        if wrong := {name: weight for name, weight in weights.items() if not 0 <= weight < float("inf")}:
            raise ValueError(f"weights must be numbers of at least 0, not {wrong}")
        return weights

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Average the scores of each attribute, then over attributes."""
        names = self._names(pair)
        comparable = tuple(name for name in pair.analysed() if _is_coded(pair, name))
        parts: dict[str, tuple[float, Loss]] = {
            "cells": (self.cells, CellLoss()),
            "distributions": (self.distributions, _Margins(columns=comparable, order=1, bands=self.bands)),
            "pairs": (self.pairs, _Pairs(columns=comparable, order=2, bands=self.bands)),
        }
        found = {
            part: _scores(measure, names, pair, scenario) for part, (weight, measure) in parts.items() if weight > 0
        }
        by_column, columns = {}, {part: [found[part].get(name) for name in names] for part in found}
        for position, name in enumerate(names):
            own = [
                (parts[part][0], score) for part, scores in columns.items() if (score := scores[position]) is not None
            ]
            if own:
                by_column[name] = sum(weight * score for weight, score in own) / sum(weight for weight, _ in own)
        total = sum(self.weights.get(name, 1.0) for name in by_column)
        if not total:
            raise NotDefined("no attribute counts: give one a weight, or a role that methods mask")
        powers = (self.weights.get(name, 1.0) * score**self.power for name, score in by_column.items())
        value = (sum(powers) / total) ** (1 / self.power)
        table = Table({"attribute": text(names), **{part: shares(scores) for part, scores in columns.items()}})
        return Measurement(min(1.0, value), by_column=by_column, tables={"scores": table})

    def _names(self, pair: Pair) -> list[str]:
        schema = pair.original.schema
        analysed = [name for name in pair.analysed() if _is_coded(pair, name)]
        named = {schema[name].name for name in (*(self.columns or ()), *self.weights)}
        if self.columns:
            names = [name for name in analysed if name in named]
        else:
            touched = {name for fact in pair.published for name in fact.columns}
            touched |= {name for name in analysed if name not in pair.masked.schema}
            roles = {name for name in analysed if schema[name].role in _MASKED_ROLES}
            names = [name for name in analysed if name in roles | touched or not roles]
        if not names or not pair.n or not pair.t:
            raise NotDefined("no attribute to compare" if pair.n and pair.t else "no record to compare")
        return names


class _Margins(ContingencyTableDistance):
    """Tables of single attributes, which a permutation does not change."""

    anchor = "constant"


class _Pairs(ContingencyTableDistance):
    """Tables of two attributes, one of which counts."""

    counted: tuple[str, ...] | None = param(None, "Attributes that count; by default all.")

    def spanned(self, names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
        """The pairs with an attribute that counts."""
        counted = set(self.counted or names)
        return tuple(pair for pair in super().spanned(names) if counted.intersection(pair))


def _is_coded(pair: Pair, name: str) -> bool:
    attribute = pair.original.schema[name]
    return attribute.is_categorical or attribute.is_numeric


def _scores(measure: Loss, names: list[str], pair: Pair, scenario: Scenario) -> dict[str, float | None]:
    """The score of each attribute that counts; none where the measure is not defined for the file."""
    own = measure.model_copy(update={"counted": tuple(names)}) if isinstance(measure, _Pairs) else measure
    try:
        lost = own.measure(pair, scenario)
    except NotDefined:
        if not pair.is_linked:
            raise
        return {}
    whole = at_anchor(measure, pair, scenario, lambda unit, other, under: unit.measure(other, under))
    everything = {} if whole is None else whole.by_column
    return {name: share_lost(value, everything.get(name)) for name, value in lost.by_column.items()}
