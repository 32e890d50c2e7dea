"""Find the secret directions of a joint mixture: they are modes of the differences of all pairs.

A record moves along one of K directions, with little noise around it. The differences of true pairs therefore cluster
in K places, while those of other pairs are spread out: the clusters show in the density of all differences and reveal
the distribution. Coordinates are such that the noise as a whole has variance one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.jit import jit

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DIFFERENCES = 12_000  # among which modes are searched
REACH = 2.0, 6.0  # bound of the squared length of noise: a multiple of the dimensions, plus a constant
SHELL = 1.6  # outer radius of the shell that shows the density of the differences of other pairs
LEAST = 3.0  # deviations above that density


def joint_modes(original: Floats, masked: Floats, count: int, variance: float) -> Floats:
    """Up to `count` mode directions, K × dimensions.

    The search uses the differences of records with the fewest people within reach of the noise, of which the truth is a
    larger share.
    """
    dimensions = original.shape[1]
    points, record = _differences(original, masked)
    radius = 2.0 * variance * (dimensions + 2.0 * np.sqrt(dimensions))
    inside, around = np.zeros(len(points)), np.zeros(len(points))
    over_blocks(lambda a, b: _count(points, record, radius, a, inside[a:b], around[a:b]), len(points), block=64)
    chance = around / (SHELL**dimensions - 1.0)
    score = (inside - chance) / np.sqrt(chance + 1.0)
    found: list[Floats] = []
    for place in np.argsort(-score, kind="stable"):
        if len(found) == count or score[place] < LEAST:
            break
        mode = points[place]
        near = ((points - mode) ** 2).sum(axis=1) < radius
        mode = points[near].mean(axis=0)
        if all(((mode - other) ** 2).sum() >= radius for other in found):
            found.append(mode)
    return np.stack(found) if found else np.empty((0, dimensions))


def joint_likelihood(original: Floats, masked: Floats, modes: Floats, count: int, variance: float) -> Floats:
    """Log-likelihoods of records × people under the modes; directions not found count as normal noise."""
    total = np.empty((len(masked), len(original)))
    missing = max(count - len(modes), 0) / count
    before, after = np.ascontiguousarray(original), np.ascontiguousarray(masked)

    def work(start: int, stop: int) -> None:
        _mix(before, after[start:stop], modes, 1.0 / count, max(missing, 1e-6), variance, total[start:stop])

    over_blocks(work, len(masked), block=32)
    return total


def refined(original: Floats, masked: Floats, links: Ints, modes: Floats, variance: float) -> Floats:
    """The modes as means of nearby differences of linked pairs."""
    linked = links >= 0
    gaps = masked[linked] - original[links[linked]]
    squares = ((gaps[:, None, :] - modes[None]) ** 2).sum(axis=2)
    nearest = squares.argmin(axis=1)
    close = squares.min(axis=1) < variance * 4.0 * (gaps.shape[1] + 10.0)
    return np.stack(
        [
            gaps[close & (nearest == k)].mean(axis=0) if (close & (nearest == k)).any() else modes[k]
            for k in range(len(modes))
        ]
    )


def _differences(original: Floats, masked: Floats) -> tuple[Floats, Ints]:
    """Differences within reach of the noise, with their record, for the records with the fewest of them."""
    reach = REACH[0] * original.shape[1] + REACH[1]
    sizes = np.zeros(len(masked), dtype=np.int64)
    over_blocks(lambda a, b: _count_within(original, masked[a:b], reach, sizes[a:b]), len(masked), block=64)
    order = np.argsort(sizes, kind="stable")
    rows = order[(np.cumsum(sizes[order]) <= DIFFERENCES) & (sizes[order] > 0)]
    gaps = [masked[row] - original for row in rows]
    kept = [gap[(gap**2).sum(axis=1) < reach] for gap in gaps]
    if not kept:
        return np.empty((0, original.shape[1])), np.empty(0, dtype=np.int64)
    return np.concatenate(kept), np.repeat(rows, [len(part) for part in kept])


@jit
def _count_within(original: Floats, masked: Floats, reach: float, sizes: Ints) -> None:
    for j in range(len(masked)):
        for i in range(len(original)):
            squares = 0.0
            for d in range(original.shape[1]):
                gap = masked[j, d] - original[i, d]
                squares += gap * gap
                if squares >= reach:
                    break
            sizes[j] += squares < reach


@jit
def _count(points: Floats, record: Ints, radius: float, first: int, inside: Floats, around: Floats) -> None:
    """Number of differences of other records within the radius of each, and in the shell around it."""
    outer = radius * SHELL * SHELL
    for k in range(len(inside)):
        a = first + k
        for b in range(len(points)):
            if record[a] == record[b]:
                continue
            squares = 0.0
            for d in range(points.shape[1]):
                gap = points[a, d] - points[b, d]
                squares += gap * gap
                if squares >= outer:
                    break
            if squares < radius:
                inside[k] += 1.0
            elif squares < outer:
                around[k] += 1.0


@jit
def _mix(
    original: Floats, masked: Floats, modes: Floats, share: float, missing: float, variance: float, total: Floats
) -> None:
    dimensions = original.shape[1]
    log_share = np.log(share) - 0.5 * dimensions * np.log(variance)
    log_missing = np.log(missing)
    for j in range(len(masked)):
        for i in range(len(original)):
            squares = 0.0
            for d in range(dimensions):
                gap = masked[j, d] - original[i, d]
                squares += gap * gap
            peak, mass = log_missing - 0.5 * squares, 1.0
            for k in range(len(modes)):
                squares = 0.0
                for d in range(dimensions):
                    gap = masked[j, d] - original[i, d] - modes[k, d]
                    squares += gap * gap
                value = log_share - 0.5 * squares / variance
                if value > peak:
                    mass = mass * np.exp(peak - value) + 1.0
                    peak = value
                elif value > peak - 40.0:
                    mass += np.exp(value - peak)
            total[j, i] = peak + np.log(mass)
