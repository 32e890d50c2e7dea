"""Who is behind a record whose categories were changed at random with published probabilities?

PRAM discloses P(released | original) for every column. The likelihood of each original given a released record is a
product over columns, so Bayes' rule inverts the mask. Records with equal codes have equal likelihoods: the work is
done on distinct records only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.noise_posterior import Posterior

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BLOCK_CELLS = 4_000_000  # pairs of distinct records at a time


def transition_posterior(
    original: NDArray[np.int32], masked: NDArray[np.int32], origin: Ints, matrices: Sequence[Floats]
) -> Posterior:
    """Posterior over all originals, equally probable before, for each masked record.

    `matrices[j][a, b]` is the probability that code a of column j is released as b. A missing code (-1) on either side
    says nothing.
    """
    from_rows, original_cell = np.unique(original, axis=0, return_inverse=True)
    to_rows, masked_cell = np.unique(masked, axis=0, return_inverse=True)
    original_cell, masked_cell = original_cell.ravel(), masked_cell.ravel()
    copies = np.bincount(original_cell, minlength=len(from_rows)).astype(np.float64)
    logs = [_log_with_missing(matrix) for matrix in matrices]
    real = origin >= 0
    own_cell = np.where(real, original_cell[np.where(real, origin, 0)], 0)
    truth, largest, hit = np.zeros(len(masked)), np.zeros(len(masked)), np.zeros(len(masked))
    by_cell = np.argsort(masked_cell, kind="stable")
    sorted_cells = masked_cell[by_cell]
    step = max(1, BLOCK_CELLS // max(len(from_rows), 1))
    for start in range(0, len(to_rows), step):
        to = to_rows[start : start + step]
        likelihood = sum((log[np.ix_(from_rows[:, j], to[:, j])].T for j, log in enumerate(logs)), start=np.zeros(1))
        likelihood = np.broadcast_to(likelihood, (len(to), len(from_rows)))
        peak = likelihood.max(axis=1)
        possible = np.isfinite(peak)
        relative = np.exp(np.where(possible[:, None], likelihood - np.where(possible, peak, 0.0)[:, None], 0.0))
        total = relative @ copies
        ties = (relative >= 1 - 1e-9) @ copies
        rows = by_cell[np.searchsorted(sorted_cells, start) : np.searchsorted(sorted_cells, start + step)]
        cell = masked_cell[rows] - start
        own = relative[cell, own_cell[rows]]
        largest[rows] = 1.0 / total[cell]
        truth[rows] = np.where(real[rows], own / total[cell], 0.0)
        hit[rows] = np.where(real[rows] & (own >= 1 - 1e-9), 1.0 / ties[cell], 0.0)
    return Posterior(truth, largest, hit)


def _log_with_missing(matrix: Floats) -> Floats:
    """Logarithms, with a last row and column of zeros that the code -1 points to."""
    padded = np.ones((matrix.shape[0] + 1, matrix.shape[1] + 1))
    padded[:-1, :-1] = matrix
    return np.log(padded, where=padded > 0, out=np.full(padded.shape, -np.inf))
