"""One pass over single columns: moments and extremes, covariances, and sums of changes between two columns.

Columns are processed in pieces that fit into the processor's cache, with numpy's own loops, so that a column is read
from memory once and no array of its length is made. Pieces and the order of sums are fixed, so results do not depend on
the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.threads import in_threads

Floats = NDArray[np.float64]
Value = TypeVar("Value", bound=np.generic)
PIECE = 1 << 15
_LONG = 1 << 17  # where little is done per value: more often, threads would wait for each other


class Profile(NamedTuple):
    """Result of one pass over a column: number of observed values, mean, sum of squared deviations and extremes."""

    observed: int
    mean: float
    squares: float
    least: float
    greatest: float

    @property
    def is_constant(self) -> bool:
        """Whether there are values, and all are equal."""
        return self.observed > 0 and self.least == self.greatest

    @property
    def size(self) -> float:
        """The greatest absolute value; 0 without values."""
        return max(abs(self.least), abs(self.greatest)) if self.observed else 0.0

    @property
    def sd(self) -> float:
        """Standard deviation with divisor n - 1; NaN for fewer than two values."""
        return float(np.sqrt(self.squares / (self.observed - 1))) if self.observed > 1 else float("nan")


def pieces(length: int, piece: int = PIECE) -> Iterator[slice]:
    """The pieces in which a column of this length is processed."""
    return (slice(start, start + piece) for start in range(0, length, piece))


def in_columns(columns: Sequence[Floats], rows: int) -> Floats:
    """Columns side by side in a new array, one contiguous column after the other."""
    out = np.empty((rows, len(columns)), order="F")

    def work(place: int) -> None:
        out[:, place] = columns[place]

    in_threads(work, range(len(columns)), out.size)
    return out


def taken(values: Floats, rows: NDArray[np.int64]) -> Floats:
    """Some rows of an array, or all in another order; the result has contiguous columns."""
    out = np.empty((len(rows), values.shape[1]), order="F")
    columns = range(values.shape[1])
    in_threads(lambda j: np.take(values[:, j], rows, out=out[:, j], mode="clip"), columns, out.size)
    return out


def selected(values: NDArray[Value], chosen: NDArray[np.bool_]) -> NDArray[Value]:
    """The chosen values: not to be changed, because it is the same array if that is all of them."""
    return values if chosen.all() else values[chosen]


def profile(values: Floats) -> Profile:
    """Moments and extremes of the observed values; NaN is missing."""
    found = Profile(0, float("nan"), 0.0, float("inf"), float("-inf"))
    with np.errstate(invalid="ignore", over="ignore"):
        for part in pieces(len(values)):
            found = _merged(found, _profile_of_piece(values[part]))
    if found.is_constant:  # rounding in the mean must not count as variation
        return found._replace(mean=found.least, squares=0.0)
    return found


def _profile_of_piece(values: Floats) -> Profile:
    total = float(values.sum())
    if np.isnan(total):
        values = values[~np.isnan(values)]
        if not len(values):
            return Profile(0, float("nan"), 0.0, float("inf"), float("-inf"))
        total = float(values.sum())
    mean = total / len(values)
    away = values - mean
    np.square(away, out=away)
    return Profile(len(values), mean, float(away.sum()), float(values.min()), float(values.max()))


def _merged(left: Profile, right: Profile) -> Profile:
    if not left.observed or not right.observed:
        return right if not left.observed else left
    count = left.observed + right.observed
    gap = right.mean - left.mean
    return Profile(
        count,
        left.mean + gap * (right.observed / count),
        left.squares + right.squares + gap * gap * (left.observed / count * right.observed),
        min(left.least, right.least),
        max(left.greatest, right.greatest),
    )


def covariances(columns: Sequence[Floats], mean: Floats) -> Floats:
    """Covariance matrix (divisor n - 1) of columns without missing values around their means."""
    n = len(columns[0])
    products = np.zeros((len(columns), len(columns)))
    buffer = np.empty((len(columns), min(PIECE, n)))
    for part in pieces(n):
        centred = buffer[:, : min(PIECE, n - part.start)]
        for place, column in enumerate(columns):
            np.subtract(column[part], mean[place], out=centred[place])
        products += centred @ centred.T
    return products / (n - 1)


def extent(values: Floats) -> tuple[float, float]:
    """The smallest and the largest observed value; (inf, -inf) if there is none."""
    least, greatest = float("inf"), float("-inf")
    for part in pieces(len(values)):
        piece = values[part]
        low, high = float(piece.min()), float(piece.max())
        if np.isnan(low):
            piece = piece[~np.isnan(piece)]
            if not len(piece):
                continue
            low, high = float(piece.min()), float(piece.max())
        least, greatest = min(least, low), max(greatest, high)
    return least, greatest


def median(values: Floats) -> float:
    """Like `np.median`, but faster; NaN if a value is missing or there is none."""
    half = len(values) // 2
    if not len(values):
        return float("nan")
    parted = np.partition(values, half)  # one place alone is found much faster than two
    if np.isnan(parted[half:].max()):
        return float("nan")
    return float(parted[half] if len(values) % 2 else np.mean([parted[:half].max(), parted[half]]))


class Sums(NamedTuple):
    """The sum of the defined entries of a column, and how many there are."""

    total: float
    defined: int


def sum_entries(original: Floats, masked: Floats, entries: Callable[[Floats, Floats], Floats]) -> Sums:
    """Sum the results of `entries` for two columns, piece by piece; NaN is undefined and left out.

    `entries` may modify only the array that it returns.
    """
    total, defined = 0.0, 0
    for part in pieces(len(original)):
        found = entries(original[part], masked[part])
        sum_ = float(found.sum())
        if np.isnan(sum_):
            found = found[~np.isnan(found)]
            sum_ = float(found.sum())
        total += sum_
        defined += len(found)
    return Sums(total, defined)


def sum_absolute_changes(original: Floats, masked: Floats) -> float:
    """Sum |x - z| over two columns; NaN if a value is missing."""
    total = 0.0
    buffer = np.empty(min(_LONG, len(original)))
    for part in pieces(len(original), _LONG):
        change = buffer[: min(_LONG, len(original) - part.start)]
        np.subtract(original[part], masked[part], out=change)
        np.abs(change, out=change)
        total += float(change.sum())
    return total
