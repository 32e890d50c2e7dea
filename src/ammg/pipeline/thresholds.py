"""The owner's limits of risk and loss, and which of them a masked file breaks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ammg.measures.measure import Measure
from ammg.pipeline.evaluation import Evaluation, MeasureLike, resolve


def with_limited(measures: Iterable[MeasureLike] | None, thresholds: Mapping[str, float]) -> list[Measure]:
    """The measures, and those that only a threshold names: what is limited is measured."""
    chosen = resolve(measures)
    named = {measure.name for measure in chosen}
    return chosen + resolve([name for name in thresholds if name not in named])


def broken(evaluation: Evaluation, thresholds: Mapping[str, float]) -> dict[str, str]:
    """A sentence for each threshold that is not kept; a measure without a value keeps none."""
    sentences = {}
    for name, limit in thresholds.items():
        measurement = evaluation[name]
        if measurement.value is None:
            reason = f"{name} is not defined ({measurement.reason})"
            sentences[name] = f"{reason}, so that the threshold of {limit:g} is not shown to be kept."
        elif not measurement.value <= limit:
            sentences[name] = f"{name} is {measurement.value:.4g}, the threshold is {limit:g}."
    return sentences
