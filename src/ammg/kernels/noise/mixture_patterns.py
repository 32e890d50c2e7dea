"""The likelihood of coloured mixture noise if some columns are known: one normal distribution per sign pattern.

Noise is A w with independent w, each from a mixture of normals with one variance. For q known columns, its distribution
is a mixture over all patterns of components. Directions in which components do not separate count as normal. A rotation
that makes A triangular allows a search coordinate by coordinate, which prunes branches that a pair cannot reach
(sphere decoding, Fincke and Pohst 1985), so that few of the patterns are examined.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.jit import jit
from ammg.kernels.noise.noise_posterior import Mixture
from ammg.kernels.spaces import whitening

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

PATTERNS = 4096
BEYOND = 60.0  # plus the dimensions: a squared distance that noise does not reach


class PatternSpace(NamedTuple):
    """Both files in coordinates with white noise within components, and the triangle along which components move."""

    original: Floats
    masked: Floats
    triangle: Floats  # coordinates × directions


def pattern_space(original: Floats, masked: Floats, factor: Floats, errors: Floats, law: Mixture) -> PatternSpace:
    """Rotate both files; `factor` has the known columns in rows, `errors` are the deviations of what is known."""
    apart = 1.0 - law.variance
    moves = factor[:, (factor != 0).any(axis=0)]
    base = law.variance * moves @ moves.T + np.diag(errors**2)
    most = int(np.log(PATTERNS) / np.log(len(law.weights)) + 1e-9)
    sizes = apart * ((whitening(base).T @ moves) ** 2).sum(axis=0)
    order = np.argsort(sizes, kind="stable")
    strong = np.sort(order[sizes[order] >= 1.0][-most:])
    weak = np.setdiff1d(np.arange(moves.shape[1]), strong)
    base = base + apart * moves[:, weak] @ moves[:, weak].T
    rotation = whitening(base)
    turn, triangle = np.linalg.qr(rotation.T @ moves[:, strong], mode="complete")
    mean = original.mean(axis=0)
    before, after = ((values - mean) @ rotation @ turn for values in (original, masked))
    return PatternSpace(np.ascontiguousarray(before), np.ascontiguousarray(after), np.ascontiguousarray(triangle))


def pattern_likelihood(space: PatternSpace, law: Mixture, records: Ints) -> Floats:
    """Log-likelihoods of some masked records × all originals."""
    total = np.empty((len(records), len(space.original)))
    shown = space.masked[records]
    logs, means = np.log(np.asarray(law.weights)), np.asarray(law.means)
    order = np.argsort(means)

    def work(start: int, stop: int) -> None:
        _search(space.original, shown[start:stop], space.triangle, logs[order], means[order], total[start:stop])

    over_blocks(work, len(records), block=32)
    return total


@jit
def _search(original: Floats, masked: Floats, triangle: Floats, logs: Floats, means: Floats, total: Floats) -> None:
    coordinates, directions = triangle.shape
    limit = coordinates + BEYOND
    gap = np.empty(coordinates)
    component = np.empty(directions + 1, dtype=np.int64)
    reached = np.empty(directions + 1)
    weight = np.empty(directions + 1)
    for j in range(len(masked)):
        for i in range(len(original)):
            outside = 0.0
            for d in range(coordinates):
                gap[d] = masked[j, d] - original[i, d]
                if d >= directions:
                    outside += gap[d] * gap[d]
            total[j, i] = -0.5 * limit - 20.0
            if outside < limit:
                reached[directions], weight[directions] = outside, 0.0
                value = _sum_patterns(gap, triangle, logs, means, limit, component, reached, weight)
                total[j, i] = max(value, total[j, i])


@jit
def _sum_patterns(
    gap: Floats,
    triangle: Floats,
    logs: Floats,
    means: Floats,
    limit: float,
    component: Ints,
    reached: Floats,
    weight: Floats,
) -> float:
    """Log of the sum over all patterns within the limit, depth first from the last direction."""
    coordinates, directions = triangle.shape
    if directions == 0:
        return float(-0.5 * reached[0])
    peak, mass = -0.5 * limit - 20.0, 0.0
    level = directions - 1
    component[level] = -1
    while level < directions:
        component[level] += 1
        k = component[level]
        if k >= len(means):
            level += 1
            continue
        squares = reached[level + 1]
        if level < coordinates:
            rest = gap[level]
            for c in range(level, directions):
                rest -= triangle[level, c] * means[component[c]]
            squares += rest * rest
        if squares >= limit:
            continue
        reached[level], weight[level] = squares, weight[level + 1] + logs[k]
        if level > 0:
            level -= 1
            component[level] = -1
            continue
        value = weight[0] - 0.5 * squares
        if value > peak:
            mass = mass * np.exp(peak - value) + 1.0
            peak = value
        else:
            mass += np.exp(value - peak)
    return float(peak + np.log(mass)) if mass > 0.0 else peak
