"""Data shuffling: the values of each column dealt out anew by the ranks of a model.

Muralidhar and Sarathy (2006). The confidential columns are modelled as monotone transforms of normal variables with the
file's rank correlations; fresh normal variables are drawn given the columns that stay, and the i-th smallest value
of a column goes to the record with the i-th smallest fresh variable.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.pairwise import pairwise_moments
from ammg.kernels.psd import nearest_psd, psd_factor
from ammg.kernels.ranks.rank_swap import random_order
from ammg.kernels.whitening import orthonormal_scores, remove_scores, whiten

Floats = NDArray[np.float64]

SHORTER = 0.8
"""What a step of the correction shrinks by after one that was no better."""


class Shuffled(NamedTuple):
    """The shuffled columns and the greatest change of a rank correlation, among them and with those that stay.

    `sources` holds the position from which each value came.
    """

    records: Floats
    sources: NDArray[np.int64]
    gap: float


def shuffle_columns(
    confidential: Floats,
    rng: np.random.Generator,
    given: Floats | None = None,
    rounds: int = 20,
    tolerance: float = 0.005,
) -> Shuffled:
    """Shuffle the confidential columns, given those that stay, and keep all rank correlations (Spearman's).

    The published method is round zero. Ties and a finite file make its rank correlations miss the file's, so further
    rounds move the model's correlations by what is missing, on the same draws, until no rank correlation is off by
    more than `tolerance`; the best round is returned. Where ties make a round overshoot, the next ones take smaller
    steps; few records with many ties can stay beyond the tolerance. A missing value stays missing and takes no part.

    Raises:
        ValueError: fewer records than columns need (n - 1 >= columns of both kinds).
    """
    n, columns = confidential.shape
    known = np.empty((n, 0)) if given is None else given
    joint = np.column_stack([confidential, known])
    if n - 1 < joint.shape[1]:
        raise ValueError(f"Shuffling {joint.shape[1]} columns needs more than as many records; there are {n}.")
    target = _rank_correlations(joint)
    scores = np.column_stack([normal_scores(column, rng) for column in known.T]) if known.shape[1] else known
    fresh = rng.standard_normal((n, columns))
    if known.shape[1]:
        fresh = remove_scores(fresh, orthonormal_scores(scores))
    fresh = whiten(fresh)

    model = 2 * np.sin(np.pi * target / 6)
    np.fill_diagonal(model, 1.0)
    holders = _holders(confidential)
    best, step = Shuffled(confidential, holders, np.inf), 1.0
    for _ in range(rounds + 1):
        model = nearest_psd(model)
        sources = _deal(holders, ~np.isnan(confidential), _draw_given(model, scores, fresh))
        dealt = np.take_along_axis(confidential, sources, axis=0)
        missing = target - _rank_correlations(np.column_stack([dealt, known]))
        missing[columns:, columns:] = 0.0
        np.fill_diagonal(missing, 0.0)
        gap = float(np.abs(missing).max(initial=0.0))
        if gap < best.gap:
            best = Shuffled(dealt, sources, gap)
        else:
            step *= SHORTER
        if gap <= tolerance:
            break
        model = np.clip(model + step * missing, -1.0, 1.0)
    return best


def mid_ranks(records: Floats) -> Floats:
    """Rank each column from 1, equal values sharing their average rank, missing values none."""
    ranks = np.full(records.shape, np.nan)
    for j, column in enumerate(records.T):
        observed = ~np.isnan(column)
        _, inverse, counts = np.unique(column[observed], return_inverse=True, return_counts=True)
        ranks[observed, j] = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    return ranks


def normal_scores(values: Floats, rng: np.random.Generator) -> Floats:
    """Replace values by the normal quantiles of their ranks, (R - 1/2)/n, equal values in random order.

    A missing value gets zero, the mean.
    """
    from scipy.special import ndtri

    scores = np.zeros(len(values))
    observed = np.flatnonzero(~np.isnan(values))
    order = observed[random_order(values[observed], rng)]
    scores[order] = ndtri((np.arange(len(order)) + 0.5) / max(len(order), 1))
    return scores


def _rank_correlations(records: Floats) -> Floats:
    """Spearman's correlations over the pairs observed together, zero where there is none."""
    return np.nan_to_num(pairwise_moments(mid_ranks(records)).correlation)


def _draw_given(model: Floats, scores: Floats, fresh: Floats) -> Floats:
    """Place the fresh variables where the normal model expects them, given the scores of the columns that stay."""
    columns = fresh.shape[1]
    slopes = model[:columns, columns:] @ np.linalg.pinv(model[columns:, columns:], hermitian=True)
    left = nearest_psd(_symmetric(model[:columns, :columns] - slopes @ model[columns:, :columns]))
    return np.asarray(scores @ slopes.T + fresh @ psd_factor(left, "sym").T)


def _symmetric(matrix: Floats) -> Floats:
    """Take out rounding: the symmetric part, with no variance below zero."""
    symmetric = (matrix + matrix.T) / 2
    np.fill_diagonal(symmetric, np.maximum(np.diag(symmetric), 0.0))
    return symmetric


def _holders(columns: Floats) -> NDArray[np.int64]:
    """Positions of the values of each column in rising order, missing ones last."""
    return np.argsort(columns, axis=0, kind="stable")


def _deal(holders: NDArray[np.int64], observed: NDArray[np.bool_], guide: Floats) -> NDArray[np.int64]:
    """Send the i-th smallest observed value of each column to the record with the i-th smallest guide."""
    sources = np.tile(np.arange(len(guide))[:, None], guide.shape[1])
    for j in range(guide.shape[1]):
        rows = np.flatnonzero(observed[:, j])
        order = rows[np.argsort(guide[rows, j], kind="stable")]
        sources[order, j] = holders[: len(rows), j]
    return sources
