"""How masking changed the correlations between numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.charts.chart import Chart
from ammg.data.attribute import Kind
from ammg.data.pair import Pair
from ammg.errors import NotDefined
from ammg.kernels.pairwise import pairwise_moments
from ammg.report.evidence import Evidence, Reader

_MOST = 60  # attributes in a map that can still be read


def correlation_charts(evidence: Evidence, reader: Reader) -> tuple[tuple[Chart, ...], str]:
    """The maps before and after masking, or the reason why there are none; a note on what they leave out."""
    if evidence.is_streamed:
        return (), "The records are streamed from disk, so correlations are not shown."
    pair = evidence.pair
    names = [name for name in pair.numeric() if _is_number(pair, name) and _is_finite(pair, name)]
    if len(names) < 2:
        return (), (
            "There are no correlations to show: fewer than two attributes are numeric both before and after masking."
        )
    note = ""
    if len(names) > _MOST:
        note = f"The first {_MOST} of {len(names)} numeric attributes are shown."
        names = names[:_MOST]
    sides = {"before masking": pair.originals(names), "after masking": pair.released(names)}
    charts = tuple(
        Chart("heat", f"Correlations {when}", tuple(names), _rows(names, correlations(values, reader.fewest)))
        for when, values in sides.items()
    )
    return charts, note


def correlations(values: NDArray[np.float64], fewest: int) -> NDArray[np.float64]:
    """Correlations from all records that have both numbers; NaN where fewer have, or a number does not vary."""
    moments = pairwise_moments(values)
    observed = (~np.isnan(values)).astype(np.float64)
    scale = np.sqrt(np.diag(moments.cov))
    with np.errstate(invalid="ignore", divide="ignore"):
        found = moments.cov / np.outer(scale, scale)
    return np.where(observed.T @ observed >= max(fewest, 2), np.clip(found, -1.0, 1.0), np.nan)


def _rows(names: list[str], matrix: NDArray[np.float64]) -> dict[str, tuple[float | None, ...]]:
    """Two digits, which is what a reader sees: a published matrix tells no more than its picture."""
    return {name: tuple(np.round(row, 2).tolist()) for name, row in zip(names, matrix, strict=True)}


def _is_number(pair: Pair, name: str) -> bool:
    """Whether it is a number before and after; whole ones may have become fractions."""
    masked = pair.masked.schema.get(name)
    return masked is not None and all(bool(a.kind & Kind.NUMERIC) for a in (pair.original.schema[name], masked))


def _is_finite(pair: Pair, name: str) -> bool:
    try:
        pair.originals([name])
    except NotDefined:
        return False
    return True
