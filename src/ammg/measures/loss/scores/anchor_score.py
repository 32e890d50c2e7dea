"""A loss as a share of the largest possible loss."""

from __future__ import annotations

from collections.abc import Callable

from ammg.data.pair import Pair
from ammg.data.pairs.anchors import anchored
from ammg.data.pairs.originals import once_of
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.measures.measure import Loss
from ammg.measures.measurement import Measurement

Find = Callable[[Loss, Pair, Scenario], Measurement]


def at_anchor(measure: Loss, pair: Pair, scenario: Scenario, find: Find) -> Measurement | None:
    """What a loss finds at its anchor; None where it is not defined there."""
    key = ("anchor", measure.name, measure.model_dump_json())
    return once_of(pair.original, key, lambda: _at_anchor(measure, pair, scenario, find))


def _at_anchor(measure: Loss, pair: Pair, scenario: Scenario, find: Find) -> Measurement | None:
    try:
        return find(measure, anchored(pair, measure.anchor), scenario)
    except NotDefined:
        return None


def share_lost(value: float | None, everything: float | None) -> float | None:
    """A loss over the loss at its anchor, from 0 to 1; any loss is whole where the anchor has none."""
    if value is None:
        return None
    if not everything or everything <= 0:
        return 0.0 if value <= 1e-12 else 1.0
    return min(1.0, max(0.0, value / everything))
