"""What masking does to distributions and tables: distances of counts, Kolmogorov-Smirnov, Cramér's V, variances.

The measures of Shlomo's overview of disclosure control methods, with the scale of each written out because the slides
leave it open (a Kolmogorov-Smirnov value of 1.53 can only be the scaled one).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class KolmogorovSmirnov(NamedTuple):
    """The greatest distance between two distribution functions, in [0, 1]; `scaled` is √(n m/(n+m)) times that."""

    statistic: float
    scaled: float

    @property
    def percent(self) -> float:
        """The statistic in percent."""
        return 100 * self.statistic


def average_absolute_distance(original: Floats, masked: Floats) -> float:
    """Average |masked - original| over all cells of a table of counts, empty ones included (AAD)."""
    return float(np.abs(masked - original).mean()) if original.size else float("nan")


def relative_average_absolute_distance(original: Floats, masked: Floats) -> float:
    """Express the average absolute distance in percent of the average original count (RAAD)."""
    return 100 * average_absolute_distance(original, masked) / _denominator(original.mean() if original.size else 0.0)


def kolmogorov_smirnov(
    original: Floats,
    masked: Floats,
    original_weights: Floats | None = None,
    masked_weights: Floats | None = None,
) -> KolmogorovSmirnov:
    """Compare two distributions over their pooled values; missing values are left out."""
    first, first_share = _distribution(original, original_weights)
    second, second_share = _distribution(masked, masked_weights)
    if not len(first) or not len(second):
        return KolmogorovSmirnov(float("nan"), float("nan"))
    points = np.concatenate((first, second))
    distance = np.abs(
        np.r_[0.0, first_share][np.searchsorted(first, points, side="right")]
        - np.r_[0.0, second_share][np.searchsorted(second, points, side="right")]
    ).max()
    sizes = len(first) * len(second) / (len(first) + len(second))
    return KolmogorovSmirnov(float(distance), float(np.sqrt(sizes) * distance))


def relative_difference(original: float, masked: float) -> float:
    """Express a change in percent of the original value; NaN where that is zero."""
    return 100 * (masked - original) / _denominator(original)


def cramers_v(table: Floats) -> float:
    """Compute Cramér's V of a two-way table, √((χ²/n) / min(R-1, C-1)), without its empty rows and columns."""
    return _cramers_v(table, table.sum(axis=1) > 0, table.sum(axis=0) > 0)


def cramers_v_change(original: Floats, masked: Floats) -> float:
    """Compute the relative difference of Cramér's V in percent (RCV), rows and columns being those of the original."""
    rows, columns = original.sum(axis=1) > 0, original.sum(axis=0) > 0
    return relative_difference(_cramers_v(original, rows, columns), _cramers_v(masked, rows, columns))


def between_variance(totals: Floats, sizes: Floats, size_weighted: bool = False) -> float:
    """Compute the variance of group means (or proportions) around the overall one, Σ(ȳ_c - ȳ)²/(n_c - 1).

    `totals` are the sums of the variable in each group, or the counts of those who have the target property; `sizes`
    the groups' sizes. Empty groups are left out. `size_weighted` counts each group by its size over the mean size.
    """
    filled = sizes > 0
    count = int(filled.sum())
    if count < 2:
        return float("nan")
    kept = sizes[filled]
    deviations = totals[filled] / kept - totals[filled].sum() / kept.sum()
    emphasis = kept / kept.mean() if size_weighted else np.ones(count)
    return float((emphasis * deviations**2).sum() / (count - 1))


def between_variance_as_printed(row: Floats, all_rows: Floats) -> float:
    """Compute the between variance to the letter of the slides, for one row of a table and the sums of all its rows.

    P(c) is the cell's share of the row and P the row's share of the table: two scales in one difference. It is here
    to compare with published figures; `between_variance` is what is meant.
    """
    if len(row) < 2 or row.sum() == 0:
        return float("nan")
    share = row / row.sum()
    return float(((share - row.sum() / all_rows.sum()) ** 2).sum() / (len(row) - 1))


def _denominator(value: float) -> float:
    return float("nan") if value == 0 else float(value)


def _distribution(values: Floats, weights: Floats | None) -> tuple[Floats, Floats]:
    """Sort the observed values and accumulate their shares."""
    observed = ~np.isnan(values)
    weight = np.ones(len(values)) if weights is None else weights
    order = np.argsort(values[observed], kind="stable")
    shares = np.cumsum(weight[observed][order])
    return values[observed][order], shares / shares[-1] if len(shares) else shares


def _cramers_v(table: Floats, rows: NDArray[np.bool_], columns: NDArray[np.bool_]) -> float:
    kept = table[np.ix_(rows, columns)]
    n, least = kept.sum(), min(kept.shape) - 1
    if n == 0 or least < 1:
        return float("nan")
    expected = np.outer(kept.sum(axis=1), kept.sum(axis=0)) / n
    terms = np.divide((kept - expected) ** 2, expected, out=np.zeros_like(expected), where=expected > 0)
    return float(np.sqrt(terms.sum() / n / least))
