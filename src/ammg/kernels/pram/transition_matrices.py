"""Matrices of transition probabilities: row = original category, column = released category; rows sum to 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_STEPS = 60  # of the bisection: more would change a probability by less than the last bit


def spread(shares: Floats, stay: float) -> Floats:
    """Each category stays with probability `stay`; otherwise it changes in proportion to row i of `shares`.

    The diagonal of `shares` is ignored. A category without possible changes stays.
    """
    others = np.array(shares, dtype=np.float64)
    np.fill_diagonal(others, 0.0)
    totals = others.sum(axis=1)
    leaves = np.where(totals > 0, 1.0 - stay, 0.0)
    matrix = np.divide(others * leaves[:, None], totals[:, None], out=np.zeros_like(others), where=totals[:, None] > 0)
    np.fill_diagonal(matrix, 1.0 - leaves)
    return np.asarray(matrix)


def uniform_shares(size: int) -> Floats:
    """All other categories with equal shares."""
    return np.ones((size, size))


def proportional_shares(counts: Floats) -> Floats:
    """Other categories in proportion to their frequency."""
    return np.tile(counts, (len(counts), 1))


def neighbour_shares(size: int, reach: int) -> Floats:
    """Categories at most `reach` places away in the order, with equal shares."""
    place = np.arange(size)
    return np.asarray(np.abs(place[:, None] - place[None, :]) <= reach, dtype=np.float64)


def block_shares(labels: NDArray[np.int64]) -> Floats:
    """Categories with the same label, with equal shares."""
    return np.asarray(labels[:, None] == labels[None, :], dtype=np.float64)


def invariant_matrix(base: Floats, counts: Floats) -> Floats:
    """R = P Q with T R = T for the counts T: Bayes' rule undoes P, Q_jk = p_kj T_k / Σ_l p_lj T_l.

    Gouweleeuw, Kooiman, Willenborg and De Wolf (1998), section 5. A category without records stays unchanged.
    """
    reached = counts @ base
    joint = base * counts[:, None]
    back = np.divide(joint.T, reached[:, None], out=np.zeros_like(joint), where=reached[:, None] > 0)
    matrix = base @ back
    empty = counts <= 0
    matrix[empty] = np.eye(len(counts))[empty]
    return _rows_made_whole(matrix)


def chance_to_stay(matrix: Floats, counts: Floats) -> float:
    """Expected share of records that keep their category; 1 if there are no records."""
    total = float(counts.sum())
    return float(counts @ np.diagonal(matrix)) / total if total > 0 else 1.0


def eased(matrix: Floats, counts: Floats, stay: float) -> Floats | None:
    """α R + (1-α) I with the given probability to stay: as invariant as R. None if R itself keeps more records."""
    least = chance_to_stay(matrix, counts)
    if least >= 1.0:
        return matrix if stay >= 1.0 else None
    share = (1.0 - stay) / (1.0 - least)
    if share > 1.0 + 1e-12:
        return None
    return min(share, 1.0) * matrix + (1.0 - min(share, 1.0)) * np.eye(len(matrix))


def invariant_staying(shares: Floats, counts: Floats, stay: float) -> Floats:
    """The invariant matrix with changes according to `shares` and exactly the wanted probability to stay.

    The base's own probability to stay is found by bisection, from 1 down to where a category mixes with the reachable
    ones as if it were one of them; that is the result if even then more records stay than wanted.
    """
    mixed = shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-300)
    low, high = 0.0, 1.0

    def base(weight: float) -> Floats:
        return np.asarray(weight * np.eye(len(shares)) + (1.0 - weight) * mixed)

    if chance_to_stay(invariant_matrix(base(0.0), counts), counts) >= stay:
        return invariant_matrix(base(0.0), counts)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if chance_to_stay(invariant_matrix(base(middle), counts), counts) > stay:
            high = middle
        else:
            low = middle
    return invariant_matrix(base(low), counts)


def _rows_made_whole(matrix: Floats) -> Floats:
    """Rows that sum to 1 to the last bit: the difference goes to the diagonal."""
    out = matrix.copy()
    place = np.arange(len(out))
    out[place, place] += 1.0 - out.sum(axis=1)
    return np.maximum(out, 0.0)
