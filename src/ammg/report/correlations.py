"""How masking changed the correlations between numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.charts.chart import Chart
from ammg.data.attribute import Kind
from ammg.data.pair import Pair
from ammg.errors import NotDefined
from ammg.kernels.columns import Profile, in_columns
from ammg.kernels.pairwise import moments
from ammg.report.evidence import Evidence, Reader

Matrix = NDArray[np.float64]

_MOST = 60  # attributes in a map that can still be read


def correlation_charts(evidence: Evidence, reader: Reader) -> tuple[tuple[Chart, ...], str]:
    """The maps before and after masking, or the reason why there are none; a note on what they leave out."""
    if evidence.is_streamed:
        return (), "The records are streamed from disk, so correlations are not shown."
    pair, fewest = evidence.pair, max(reader.fewest, 2)
    names = [name for name in pair.numeric() if _is_number(pair, name) and _is_finite(pair, name)]
    if len(names) < 2:
        return (), (
            "There are no correlations to show: fewer than two attributes are numeric both before and after masking."
        )
    note = ""
    if len(names) > _MOST:
        note = f"The first {_MOST} of {len(names)} numeric attributes are shown."
        names = names[:_MOST]
    charts = tuple(
        Chart("heat", f"Correlations {when}", tuple(names), _rows(names, np.where(records >= fewest, found, np.nan)))
        for when, (found, records) in pair.once("correlations", lambda: _both(pair, names)).items()
    )
    return charts, note


def _both(pair: Pair, names: list[str]) -> dict[str, tuple[Matrix, Matrix]]:
    """Correlations on both sides, and from how many records each is."""
    before, after = [pair.original_column(name) for name in names], [pair.released_column(name) for name in names]
    return {
        "before masking": correlations(before, [pair.original_profile(name) for name in names]),
        "after masking": correlations(after, [pair.released_profile(name) for name in names]),
    }


def correlations(columns: list[NDArray[np.float64]], profiles: list[Profile]) -> tuple[Matrix, Matrix]:
    """Correlations from all records that have both numbers, and how many have; NaN where a number does not vary."""
    records = _observed_together(columns, profiles)
    cov = moments(columns, profiles).cov
    scale = np.sqrt(np.diag(cov))
    with np.errstate(invalid="ignore", divide="ignore"):
        found = cov / np.outer(scale, scale)
    return np.clip(found, -1.0, 1.0), records


def _observed_together(columns: list[NDArray[np.float64]], profiles: list[Profile]) -> Matrix:
    n = len(columns[0])
    if all(profile.observed == n for profile in profiles):
        return np.full((len(columns), len(columns)), float(n))
    observed = (~np.isnan(in_columns(columns, n))).astype(np.float64)
    return np.asarray(observed.T @ observed)


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
