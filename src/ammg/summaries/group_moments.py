"""Means and deviations of one column in groups of records, weighted or not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ammg.data.block import Block
from ammg.summaries.summary import Summary

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class GroupState:
    """One row of `groups`, and one entry of the other arrays, per group, in the order of their values."""

    groups: Numbers
    count: Numbers
    positive: Numbers
    """Number of values with positive weight."""
    weight: Numbers
    weight_squared: Numbers
    zero: Numbers
    """Total weight of the zeros."""
    mean: Numbers
    cross: Numbers
    lowest: Numbers
    highest: Numbers


@dataclass(frozen=True, eq=False)
class GroupValues:
    """One entry per group."""

    groups: Numbers
    """The values that define the group; missing is infinity."""
    count: Numbers
    positive: Numbers
    weight: Numbers
    nonzero: Numbers
    """Total weight of the values that are not zero."""
    deviation: Numbers
    """0 if all values are equal, or fewer than two have a positive weight."""


class GroupMoments(Summary[GroupState, GroupValues]):
    """Standard deviations of a column within groups, with the divisors of `Moments`."""

    def __init__(self, column: str, within: tuple[str, ...], weight: str | None = None) -> None:
        self.column, self.within, self.weight = column, within, weight
        self.columns = tuple(dict.fromkeys((column, *within, *([weight] if weight else []))))

    def add(self, block: Block) -> GroupState:
        """Partial moments of a chunk, about the means of its groups."""
        groups, label = groups_of(block, self.within)
        values = block.numbers(self.column)
        seen = ~np.isnan(values)
        label, values = label[seen], values[seen]
        weights = block.numbers(self.weight)[seen] if self.weight else np.ones(len(values))

        def total(numbers: Numbers) -> Numbers:
            return np.bincount(label, numbers, len(groups)).astype(np.float64)  # integers if there are no numbers

        weight = total(weights)
        mean = _ratio(total(weights * values), weight)
        # Far from zero, rounding of a sum exceeds the deviations: a second pass removes the error of the mean.
        rounding = _ratio(total(weights * (values - mean[label])), weight)
        cross = total(weights * (values - mean[label] - rounding[label]) ** 2)
        lowest, highest = np.full(len(groups), np.inf), np.full(len(groups), -np.inf)
        np.minimum.at(lowest, label, values)
        np.maximum.at(highest, label, values)
        count, positive = total(np.ones(len(values))), total((weights > 0).astype(np.float64))
        zero = total(np.where(values == 0, weights, 0.0))
        return GroupState(
            groups, count, positive, weight, total(weights**2), zero, mean + rounding, cross, lowest, highest
        )

    def merge(self, left: GroupState, right: GroupState) -> GroupState:
        """Merge by the updating formulas of Chan, Golub and LeVeque (1983), group by group."""
        groups, place = _distinct(np.concatenate([left.groups, right.groups]))
        a, b = _spread(left, groups, place[: len(left.groups)]), _spread(right, groups, place[len(left.groups) :])
        weight = a.weight + b.weight
        shift, share = b.mean - a.mean, _ratio(b.weight, weight)
        both = a.weight > 0
        return GroupState(
            groups,
            a.count + b.count,
            a.positive + b.positive,
            weight,
            a.weight_squared + b.weight_squared,
            a.zero + b.zero,
            np.where(both, a.mean + shift * share, b.mean),
            a.cross + b.cross + np.where(both, shift**2 * a.weight * share, 0.0),
            np.minimum(a.lowest, b.lowest),
            np.maximum(a.highest, b.highest),
        )

    def finish(self, state: GroupState | None) -> GroupValues:
        """Deviations of all groups."""
        if state is None:
            nothing = np.zeros(0)
            return GroupValues(np.zeros((0, len(self.within))), nothing, nothing, nothing, nothing, nothing)
        divisor = state.weight - _ratio(state.weight_squared, state.weight)
        varies = (state.positive >= 2) & (state.lowest < state.highest)
        variance = np.where(varies, _ratio(np.maximum(state.cross, 0.0), divisor), 0.0)
        nonzero = state.weight - state.zero
        return GroupValues(state.groups, state.count, state.positive, state.weight, nonzero, np.sqrt(variance))


def groups_of(block: Block, columns: tuple[str, ...]) -> tuple[Numbers, Places]:
    """The combinations of values of some columns in ascending order, and the combination of each record.

    Missing is infinity, so that records without a value form a group.
    """
    return _distinct(np.nan_to_num(block.matrix(columns), nan=np.inf))


def places_in(groups: Numbers, block: Block, columns: tuple[str, ...]) -> Places:
    """The group of each record; `groups` contains all groups of the block."""
    own, label = groups_of(block, columns)
    place = _distinct(np.concatenate([groups, own]))[1][len(groups) :]
    return place[label]


def _distinct(rows: Numbers) -> tuple[Numbers, Places]:
    """Distinct rows in ascending order, and the distinct row of each row; column by column, which is faster."""
    first = place = np.zeros(len(rows), dtype=np.intp)
    for column in rows.T:
        values, code = np.unique(column, return_inverse=True)
        _, first, place = np.unique(place * len(values) + code, return_index=True, return_inverse=True)
    return rows[first], place


def _spread(state: GroupState, groups: Numbers, place: Places) -> GroupState:
    """The state extended by empty groups."""

    def spread(numbers: Numbers, nothing: float = 0.0) -> Numbers:
        out = np.full(len(groups), nothing)
        out[place] = numbers
        return out

    return GroupState(
        groups,
        spread(state.count),
        spread(state.positive),
        spread(state.weight),
        spread(state.weight_squared),
        spread(state.zero),
        spread(state.mean),
        spread(state.cross),
        spread(state.lowest, np.inf),
        spread(state.highest, -np.inf),
    )


def _ratio(above: Numbers, below: Numbers) -> Numbers:
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
