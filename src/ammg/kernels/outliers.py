"""Find records far from the bulk of a file, by distances that outliers cannot distort."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blas import one_blas_thread
from ammg.kernels.blocks import over_blocks
from ammg.kernels.columns import PIECE, median
from ammg.kernels.threads import in_threads

Floats = NDArray[np.float64]

NORMAL_MAD = 1.482602218505602
"""The ratio of standard deviation to median absolute deviation of a normal distribution."""


class RobustDistances(NamedTuple):
    """Squared distances of the records and the number of dimensions they were measured in."""

    squared: Floats
    dimensions: int
    centre: Floats
    """The point from which they were measured."""

    def limit(self, level: float) -> float:
        """The `level` quantile of χ², adjusted to the median distance."""
        from scipy.special import chdtri

        if not self.dimensions:
            return float("inf")
        return float(chdtri(self.dimensions, 1 - level) * median(self.squared) / chdtri(self.dimensions, 0.5))


def robust_distances(records: Floats) -> RobustDistances:
    """Measure each record by the orthogonalised Gnanadesikan-Kettenring estimate (Maronna and Zamar 2002).

    Robust scales of sums and differences of columns give pairwise covariances, their eigenvectors the directions, and
    robust location and scale along each direction the distance. This takes O(n m²) time and no inverse, so linear
    identities only add a few more outliers (2 of 100 with two normal columns, 7 with their sum added). A missing value
    counts as the median of its column.
    """
    centred = np.empty_like(records)

    def centre(j: int) -> float:
        column = records[:, j]
        missing = np.isnan(column)
        has_missing = bool(missing.any())
        middle = _median_or_zero(column[~missing] if has_missing else column)
        np.subtract(column, middle, out=centred[:, j])
        if has_missing:
            centred[missing, j] = 0.0
        return middle

    middles = np.array(in_threads(centre, range(records.shape[1]), records.size))
    scale = robust_scale(centred)
    varying = np.flatnonzero(scale > 0)
    standard = np.empty((len(records), len(varying)), order="F")

    def standardise(place: int) -> None:
        np.divide(centred[:, varying[place]], scale[varying[place]], out=standard[:, place])

    in_threads(standardise, range(len(varying)), standard.size)
    columns = standard.shape[1]
    if not columns:
        return RobustDistances(np.zeros(len(records)), 0, middles)
    directions = robust_axes(standard)
    with one_blas_thread():
        projected = standard @ directions
    middle = np.array(in_threads(median, projected.T, projected.size))
    projected -= middle
    origin = middles.copy()
    origin[varying] += scale[varying] * (directions @ middle)
    spread = robust_scale(projected)
    varies = np.flatnonzero(spread > 1e-9 * spread.max())
    squared = np.zeros(len(records))

    def add_up(start: int, stop: int) -> None:
        for j in varies:
            squared[start:stop] += (projected[start:stop, j] / spread[j]) ** 2

    over_blocks(add_up, len(records), block=PIECE, brief=True)
    return RobustDistances(squared, len(varies), origin)


def robust_axes(standard: Floats) -> Floats:
    """Principal axes of columns of robust scale 1, from the scales of their sums and differences."""

    def scales(pair: tuple[int, int]) -> Floats:
        left, right = standard[:, pair[0]], standard[:, pair[1]]
        return np.append(robust_scale((left + right)[:, None]), robust_scale((left - right)[:, None]))

    similarity = np.eye(standard.shape[1])
    rows, columns = np.tril_indices(len(similarity), -1)
    if len(rows):
        pairs = list(zip(columns.tolist(), rows.tolist(), strict=True))
        plus, minus = np.array(in_threads(scales, pairs, len(standard) * len(pairs))).T
        similarity[rows, columns] = similarity[columns, rows] = (plus**2 - minus**2) / 4
    return np.asarray(np.linalg.eigh(similarity)[1])


def find_outliers(records: Floats, level: float = 0.975) -> NDArray[np.bool_]:
    """Mark the records whose robust distance exceeds the `level` quantile of χ², adjusted to the median distance."""
    if not 0 < level < 1:
        raise ValueError(f"The level must be a probability between 0 and 1; it is {level}.")
    distances = robust_distances(records)
    return np.asarray(distances.squared > distances.limit(level))


def pull_in(records: Floats, level: float) -> tuple[Floats, NDArray[np.bool_]]:
    """Move records beyond the `level` ellipsoid towards its centre onto its surface; also returns which ones."""
    distances = robust_distances(records)
    limit = distances.limit(level)
    outside = distances.squared > limit
    moved, rows = records.copy(order="K"), np.flatnonzero(outside)
    share = np.sqrt(limit / distances.squared[rows])
    moved[rows] = distances.centre + (records[rows] - distances.centre) * share[:, None]
    return moved, outside


def _median_or_zero(observed: Floats) -> float:
    return median(observed) if len(observed) else 0.0


def robust_scale(columns: Floats) -> Floats:
    """Median absolute deviation, or the standard deviation if more than half of the values are equal."""
    scale = NORMAL_MAD * np.array(in_threads(_median_deviation, columns.T, columns.size))
    if (scale > 0).all():
        return scale
    deviations = np.abs(columns - np.median(columns, axis=0))
    return np.asarray(np.where(scale > 0, scale, np.sqrt((deviations**2).mean(axis=0))))


def _median_deviation(column: Floats) -> float:
    return median(np.abs(column - median(column)))
