"""Close the residuals of linear identities and means that a solver's tolerance leaves, up to rounding.

A move is measured in the reach of its cell. Among all moves that close the residuals, the one with the least sum of
squares is taken: for record i it is y_i = G_i⁺ r_i + (I - G_i⁺ G_i) p_i μ, where G_i are the coefficients times the
reaches, r_i the residuals, p_i the record's pull on the means, and μ solves a system with one equation per mean.
Repetition refines the result until the residuals are rounding errors.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.rounding.restore_additivity import Floats, Identities

ROUNDS = 5
DEPENDENT = 1e-9  # relative singular value below which identities of a record are redundant
NOTHING = 1e-15  # of its reach: values that are zero up to rounding
CLOSED = 1e-13  # of the size of terms: residuals that are rounding errors


def close_residuals(
    values: Floats,
    identities: Identities,
    reach: Floats,
    lower: Floats,
    upper: Floats,
    means: Floats | None = None,
    shares: Floats | None = None,
) -> Floats:
    """Values within their bounds whose residuals, and gaps to the means that are not NaN, are closed.

    Cells without reach stay. Residuals that they leave no room to close stay open.
    """
    kept = np.zeros(0, dtype=np.int64) if means is None else np.flatnonzero(~np.isnan(means))
    matrices = identities.coefficients * reach[:, None, :]
    sizes = np.abs(matrices).max(axis=2)
    rows = np.divide(1.0, sizes, out=np.zeros_like(sizes), where=sizes > 0)
    matrices = matrices * rows[:, :, None]
    inverses = np.linalg.pinv(matrices, rcond=DEPENDENT)
    for turn in range(2 * ROUNDS):
        residuals = identities.residuals(values)
        moves = np.einsum("nmq,nq->nm", inverses, residuals * rows)
        if turn < ROUNDS and len(kept) and means is not None and shares is not None:
            pull = shares[:, None] * reach
            lacking = means - shares @ values - (pull * moves).sum(axis=0)
            moves += _towards(lacking[kept], kept, pull, matrices, inverses)
        elif not _open(identities, values, residuals).any():
            break  # identities last: the pull of means leaves rounding errors of large reaches in small records
        values = values + moves * reach
        values = np.where((reach > 0) & (np.abs(values) <= NOTHING * reach), 0.0, values)
        values = np.clip(values, lower, upper)
    return values


def is_open(identities: Identities, values: Floats) -> NDArray[np.bool_]:
    """Records with a residual larger than rounding."""
    return _open(identities, values, identities.residuals(values))


def _open(identities: Identities, values: Floats, residuals: Floats) -> NDArray[np.bool_]:
    return np.asarray((np.abs(residuals) > CLOSED * identities.sizes(values)).any(axis=1))


def _towards(lacking: Floats, kept: NDArray[np.int64], pull: Floats, matrices: Floats, inverses: Floats) -> Floats:
    """Moves that change the means by their gaps and no identity."""
    free = np.eye(pull.shape[1]) - inverses @ matrices
    system = np.einsum("ni,nij,nj->ij", pull, free, pull)[np.ix_(kept, kept)]
    scale = np.sqrt(np.maximum(np.diag(system), 0.0))
    whole = np.sqrt((pull[:, kept] ** 2).sum(axis=0))
    unit = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > DEPENDENT * whole)
    pulls = unit * np.linalg.lstsq(system * np.outer(unit, unit), lacking * unit, rcond=1e-12)[0]
    return np.asarray(np.einsum("nij,nj->ni", free[:, :, kept], pull[:, kept] * pulls))
