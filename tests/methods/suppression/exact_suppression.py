"""The fewest values that local suppression could suppress, by an integer program written apart from the method."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def least_cost(codes: NDArray[np.int64], k: int, seconds: float | None = None) -> float:
    """Fewest suppressed values such that k records look like each one, a missing value matching every value.

    No record loses a value that it would not have to lose on its own. x[c, S] is how many records of cell c lose the
    keys of pattern S, and y[c, S] says that there are some, which then need k look-alikes. When the time is up, the
    bound below the optimum that is proven by then is returned.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    cells, counts = np.unique(codes, axis=0, return_counts=True)
    width = codes.shape[1]
    differs = (cells[:, None, :] != cells[None, :, :]) @ (1 << np.arange(width))
    patterns = np.arange(1 << width)
    alone = np.array([[counts[differs[c] & ~s == 0].sum() for s in patterns] for c in range(len(cells))])
    chosen = [
        (c, s)
        for c in range(len(cells))
        for s in patterns.tolist()
        if all(alone[c, s ^ (1 << j)] < k for j in range(width) if s >> j & 1)
    ]
    cell, mask = np.array(chosen).T
    size = len(chosen)
    alike = differs[cell][:, cell] & ~(mask[:, None] | mask[None, :]) == 0
    rows = [
        np.hstack([(cell[None, :] == np.arange(len(cells))[:, None]).astype(float), np.zeros((len(cells), size))]),
        np.hstack([-np.eye(size), np.diag(counts[cell].astype(float))]),  # y where there is an x
        np.hstack([alike.astype(float), -k * np.eye(size)]),  # k look-alikes, itself among them
    ]
    lower = np.concatenate([counts, np.zeros(2 * size)])
    upper = np.concatenate([counts, np.full(2 * size, np.inf)])
    cost = np.concatenate([[s.bit_count() for s in mask.tolist()], np.zeros(size)])
    found = milp(
        cost,
        constraints=LinearConstraint(coo_array(np.vstack(rows)).tocsc(), lower, upper),
        integrality=np.ones(2 * size),
        bounds=Bounds(0, np.concatenate([counts[cell], np.ones(size)])),
        options={} if seconds is None else {"time_limit": seconds},
    )
    return float(np.ceil(found.mip_dual_bound - 1e-6))


def random_table(rng: np.random.Generator, records: int) -> NDArray[np.int64]:
    """Records of four keys with two or three values each, some frequent and some rare."""
    return np.stack([rng.choice(size, records, p=rng.dirichlet(np.full(size, 2.0))) for size in (2, 2, 3, 3)], axis=1)
