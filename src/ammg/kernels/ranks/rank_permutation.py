"""Redistribute the values of a column so that no rank moves far, without pairs that exchange values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit
from ammg.kernels.ranks.rank_swap import random_order
from ammg.kernels.splitmix import State, next_uniform, start_stream

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SWEEPS = 20


def permuted_sources(values: Floats, reach: int, rng: np.random.Generator) -> Ints:
    """Positions from which each value comes: a random permutation that moves no rank farther than `reach`.

    A chain of transpositions, each made if both values stay within reach, converges to the uniform distribution over
    all such permutations, because each is as likely as its reverse; there are `SWEEPS` of them per value. Ties are
    ranked at random. `values` must not contain missing values.
    """
    order = random_order(values, rng)
    source = np.arange(len(values))
    if len(values) > 1 and reach >= 1:
        _transpose(source, reach, SWEEPS * len(values), start_stream(rng))
    sources = np.empty_like(order)
    sources[order] = order[source]
    return sources


@jit
def _transpose(source: Ints, reach: int, steps: int, state: State) -> None:
    n = len(source)
    span = min(2 * reach, n - 1)
    for _ in range(steps):
        a = int(next_uniform(state) * n)
        b = a - span + int(next_uniform(state) * (2 * span + 1))
        if b < 0 or b >= n or a == b:
            continue
        if abs(source[b] - a) <= reach and abs(source[a] - b) <= reach:
            source[a], source[b] = source[b], source[a]
