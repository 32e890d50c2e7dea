"""Any loss on a part of the file: records that meet a condition, each level of an attribute, the most outlying ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.data.pairs.subpair import levels, meeting, part_of
from ammg.data.scenario import Scenario
from ammg.errors import InputError, NotDefined
from ammg.kernels.outliers import robust_distances
from ammg.measures.measure import Loss, Measure
from ammg.measures.measurement import Measurement, Table, counts, numbers, text

Find = Callable[[Measure, Pair, Scenario], Measurement]

SHOWN = 10
"""Levels of fewer records are not named."""
MOST_LEVELS = 100


def looks_at_a_part(measure: Measure) -> bool:
    """Whether a loss is asked for a part of the file."""
    return isinstance(measure, Loss) and (measure.where, measure.each, measure.outlying) != (None, None, None)


def measured_in_parts(measure: Loss, pair: Pair, scenario: Scenario, find: Find) -> Measurement:
    """What the loss finds in the part, or in the parts, that it is asked for."""
    whole = measure.model_copy(update={"where": None, "each": None, "outlying": None})
    if measure.where is not None:
        pair = part_of(pair, meeting(pair, measure.where))
    if measure.outlying is not None:
        far = _outlying(pair, measure.outlying)
        found = find(whole, part_of(pair, far), scenario)
        rest = _tried(whole, pair, ~far, scenario, find)
        return replace(found, facts={**found.facts, "records": int(far.sum()), "rest": rest.value})
    if measure.each is None:
        return find(whole, part_of(pair, np.ones(pair.n, dtype=bool)), scenario)
    return _by_level(whole, pair, measure.each, scenario, find)


def _by_level(whole: Loss, pair: Pair, name: str, scenario: Scenario, find: Find) -> Measurement:
    """The greatest loss of any level, and a table of all."""
    found = levels(pair, name)
    if len(found) > MOST_LEVELS:
        raise InputError(f"'{name}' has {len(found):,} levels: recode it, or choose one with at most {MOST_LEVELS}.")
    parts = [_tried(whole, pair, chosen, scenario, find) for _, chosen in found]
    values = [part.value for part in parts if part.value is not None]
    if not values:
        reasons = {part.reason for part in parts}
        raise NotDefined(f"no level of '{name}' has a value: {'; '.join(sorted(reasons)) or 'there is no level'}")
    sizes = [int(chosen.sum()) for _, chosen in found]
    named = (label if size >= SHOWN else "a small level" for (label, _), size in zip(found, sizes, strict=True))
    table = Table({"level": text(named), "records": counts(sizes), "value": numbers(part.value for part in parts)})
    facts = {"mean": sum(values) / len(values), "undefined": len(parts) - len(values)}
    return Measurement(max(values), facts=facts, tables={"levels": table})


def _tried(whole: Loss, pair: Pair, chosen: NDArray[np.bool_], scenario: Scenario, find: Find) -> Measurement:
    try:
        return find(whole, part_of(pair, chosen), scenario)
    except NotDefined as reason:
        return Measurement(value=None, reason=str(reason))


def _outlying(pair: Pair, share: float) -> NDArray[np.bool_]:
    """The records that lie farthest from the bulk of the numbers, by a robust distance."""
    names = pair.numeric()
    if not names or pair.n < 2:
        raise NotDefined("there is no numeric attribute to find outliers by")
    distances = robust_distances(pair.originals(names)).squared
    size = max(1, round(share * pair.n))
    return np.asarray(distances >= np.sort(distances)[-size])
