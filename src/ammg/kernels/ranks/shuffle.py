"""Data shuffling: the values of each column redistributed by the ranks of a model.

Muralidhar and Sarathy (2006). The confidential columns are modelled as monotone transforms of normal variables with the
file's rank correlations. New normal variables are drawn given the unchanged columns, and the i-th smallest value of a
column goes to the record with the i-th smallest new variable.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.orders import run_starts, stable_order
from ammg.kernels.pairwise import pairwise_moments
from ammg.kernels.psd import nearest_psd, psd_factor
from ammg.kernels.ranks.rank_swap import shuffle_ties
from ammg.kernels.threads import in_threads
from ammg.kernels.whitening import orthonormal_scores, remove_scores, whiten

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SHORTER = 0.8
"""Factor by which a step of the correction shrinks after one that was no improvement."""


class Shuffled(NamedTuple):
    """The shuffled columns and the largest change of a rank correlation, among them and with the unchanged columns.

    `sources` are the positions from which each value came.
    """

    records: Floats
    sources: Integers
    gap: float


def shuffle_columns(
    confidential: Floats,
    rng: np.random.Generator,
    given: Floats | None = None,
    rounds: int = 20,
    tolerance: float = 0.005,
) -> Shuffled:
    """Shuffle the confidential columns, given the unchanged ones, and keep all rank correlations (Spearman's).

    The published method is round zero. Because of ties and the finite file, its rank correlations differ from the
    file's; further rounds correct the model's correlations by the difference, on the same draws, until no rank
    correlation is off by more than `tolerance`. The best round is returned. If ties make a round overshoot, the next
    ones take smaller steps; a small file with many ties may not reach the tolerance. A missing value stays missing and
    is not used.

    Raises:
        ValueError: fewer records than the columns need (n - 1 >= columns of both kinds).
    """
    n, columns = confidential.shape
    known = np.empty((n, 0)) if given is None else given
    joint = np.column_stack([confidential, known]) if known.shape[1] else confidential
    if n - 1 < joint.shape[1]:
        raise ValueError(f"Shuffling {joint.shape[1]} columns needs more records than columns; there are {n}.")

    def draw() -> tuple[list[Floats], Floats]:
        return _chances(known, rng), rng.standard_normal((n, columns))

    # One thread draws all random numbers, in their order, while others sort.
    tasks: list[Callable[[], Any]] = [draw, *(partial(stable_order, values) for values in joint.T)]
    (chances, fresh), *orders = in_threads(lambda task: task(), tasks, joint.size)
    ranks = _mid_ranks(joint, orders)
    target = _correlations(ranks)
    scores = np.column_stack(_normal_scores(known, orders[columns:], chances)) if known.shape[1] else known
    if known.shape[1]:
        fresh = remove_scores(fresh, orthonormal_scores(scores))
    fresh = whiten(fresh)

    model = 2 * np.sin(np.pi * target / 6)
    np.fill_diagonal(model, 1.0)
    best, step, least = np.empty((0, columns), dtype=np.int64), 1.0, np.inf
    for _ in range(rounds + 1):
        model = nearest_psd(model)
        sources = _deal(confidential, orders, _draw_given(model, scores, fresh))
        missing = target - _correlations(_moved(ranks, sources))  # a value keeps its rank
        missing[columns:, columns:] = 0.0
        np.fill_diagonal(missing, 0.0)
        gap = float(np.abs(missing).max(initial=0.0))
        if gap < least:
            best, least = sources, gap
        else:
            step *= SHORTER
        if gap <= tolerance:
            break
        model = np.clip(model + step * missing, -1.0, 1.0)
    return Shuffled(_moved(confidential, best), best, least)


def mid_ranks(records: Floats) -> Floats:
    """Rank each column from 1, with the mean rank for ties and none for missing values."""
    return _mid_ranks(records, _orders(records))


def normal_scores(values: Floats, rng: np.random.Generator) -> Floats:
    """Replace values by the normal quantiles of their ranks, (R - 1/2)/n, with ties in random order.

    A missing value gets zero, the mean.
    """
    column = values[:, None]
    return _normal_scores(column, _orders(column), _chances(column, rng))[0]


def _orders(records: Floats) -> list[Integers]:
    """Positions of the values of each column in ascending order, missing last; sorted once for later use."""
    return in_threads(stable_order, records.T, records.size)


def _moved(records: Floats, sources: Integers) -> Floats:
    """The records with the values of their first columns taken from other places; further columns stay."""
    moved = np.empty_like(records)

    def move(j: int) -> None:
        moved[:, j] = np.take(records[:, j], sources[:, j]) if j < sources.shape[1] else records[:, j]

    in_threads(move, range(records.shape[1]), records.size)
    return moved


def _mid_ranks(records: Floats, orders: list[Integers]) -> Floats:
    def ranked(j: int) -> None:
        order, column = orders[j], records[:, j]
        ordered = column[order]
        known = int(np.searchsorted(ordered, np.nan))  # where missing values begin
        starts = run_starts(ordered[:known])
        counts = np.diff(starts, append=known)
        ranks[order[:known], j] = np.repeat(starts + (counts + 1) / 2, counts)
        ranks[order[known:], j] = np.nan

    ranks = np.empty(records.shape)
    in_threads(ranked, range(len(orders)), records.size)
    return ranks


def _chances(columns: Floats, rng: np.random.Generator) -> list[Floats]:
    """A random number for each observed value of each column."""
    return [rng.random(int(np.count_nonzero(~np.isnan(values)))) for values in columns.T]


def _normal_scores(columns: Floats, orders: list[Integers], chances: list[Floats]) -> list[Floats]:
    from scipy.special import ndtri

    def scored(j: int) -> Floats:
        scores = np.zeros(len(columns))
        order = shuffle_ties(np.ascontiguousarray(columns[:, j]), orders[j][: len(chances[j])].copy(), chances[j])
        scores[order] = ndtri((np.arange(len(order)) + 0.5) / max(len(order), 1))
        return scores

    return in_threads(scored, range(len(orders)), columns.size)


def _correlations(ranks: Floats) -> Floats:
    """Spearman's correlations over the pairs observed together, zero where there is none."""
    return np.nan_to_num(pairwise_moments(ranks).correlation)


def _draw_given(model: Floats, scores: Floats, fresh: Floats) -> Floats:
    """Place the new variables where the normal model expects them, given the scores of the unchanged columns."""
    columns = fresh.shape[1]
    slopes = model[:columns, columns:] @ np.linalg.pinv(model[columns:, columns:], hermitian=True)
    left = nearest_psd(_symmetric(model[:columns, :columns] - slopes @ model[columns:, :columns]))
    guide: Floats = fresh @ psd_factor(left, "sym").T
    return guide + scores @ slopes.T if scores.shape[1] else guide


def _symmetric(matrix: Floats) -> Floats:
    """Remove rounding errors: the symmetric part, without negative variances."""
    symmetric = (matrix + matrix.T) / 2
    np.fill_diagonal(symmetric, np.maximum(np.diag(symmetric), 0.0))
    return symmetric


def _deal(records: Floats, orders: list[Integers], guide: Floats) -> Integers:
    """Send the i-th smallest observed value of each column to the record with the i-th smallest guide."""
    sources = np.empty(guide.shape, dtype=np.int64, order="F")

    def deal(j: int) -> None:
        missing = np.isnan(records[:, j])
        if missing.any():
            rows = np.flatnonzero(~missing)
            sources[:, j] = np.arange(len(guide))
            sources[rows[stable_order(guide[rows, j])], j] = orders[j][: len(rows)]
        else:
            sources[stable_order(np.ascontiguousarray(guide[:, j])), j] = orders[j]

    in_threads(deal, range(guide.shape[1]), guide.size)
    return sources
