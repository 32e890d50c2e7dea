"""The nearest images of records, in dimensions too many for a tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.jit import jit
from ammg.kernels.linkage.nearest import k_nearest

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_TREE = 5  # dimensions up to which a tree examines fewer than all images
_CHUNK = 256  # images at a time: with their distances they fit into the fastest cache
_MIXED = 64
_STEPS, _PART = (64, 8), 1_000  # look first at every 64th, then every 8th image, if these are at least this many


def distance_to_others(images: Floats, places: Floats, own: Floats, nearest: int) -> Floats:
    """The squared distance from each place to the `nearest`-th nearest image, not counting the one in its own row.

    An upper bound below the squared distance `own` to the own image is good enough: for most records, few images
    suffice to show that they are masked well. Infinite if there are too few images.
    """
    if images.shape[1] <= _TREE:
        return _by_trees(images, places, own, nearest)
    by_length = np.argsort(own, kind="stable")
    order = np.concatenate([by_length[start::_MIXED] for start in range(_MIXED)])  # mixes images of all lengths
    columns, rows = np.ascontiguousarray(images[order].T), np.ascontiguousarray(places)
    self_ = np.argsort(order)
    best = np.full((len(places), nearest), np.inf)

    def work(start: int, stop: int) -> None:
        span = slice(start, stop)
        _scan(columns, rows[span], self_[span], own[span], best[span], np.empty(_CHUNK))

    over_blocks(work, len(places), block=1024)
    return np.asarray(best[:, -1])


def _by_trees(images: Floats, places: Floats, own: Floats, nearest: int) -> Floats:
    """First with a tree of few images, then with one of all images for the records that need it."""
    n = len(places)
    limit, left = np.full(n, np.inf), np.arange(n)
    by_length = np.argsort(own, kind="stable")
    parts = [by_length[::step] for step in _STEPS if n // step >= _PART]
    for some in (*parts, np.arange(n)):
        rows, distances = k_nearest(images[some], places[left], min(nearest + 1, len(some)))
        others = np.where(some[rows] == left[:, None], np.inf, distances)
        found = np.sort(others, axis=1)
        limit[left] = found[:, min(nearest, found.shape[1]) - 1]
        left = left[own[left] <= limit[left]]
    return limit


@jit
def _scan(columns: Floats, places: Floats, self_: Ints, own: Floats, best: Floats, distance: Floats) -> None:
    last, dimensions = best.shape[1] - 1, columns.shape[0]
    for start in range(0, columns.shape[1], len(distance)):
        width = min(len(distance), columns.shape[1] - start)
        for i in range(len(places)):
            bound = best[i, last]
            if bound < own[i]:
                continue
            for c in range(width):
                distance[c] = 0.0
            d = 0
            while d + 4 <= dimensions:  # four at a time, so that distances are written less often
                p, q, r, s = places[i, d], places[i, d + 1], places[i, d + 2], places[i, d + 3]
                for c in range(width):
                    w, x = columns[d, start + c] - p, columns[d + 1, start + c] - q
                    y, z = columns[d + 2, start + c] - r, columns[d + 3, start + c] - s
                    distance[c] += w * w + x * x + y * y + z * z
                d += 4
            while d < dimensions:
                p = places[i, d]
                for c in range(width):
                    w = columns[d, start + c] - p
                    distance[c] += w * w
                d += 1
            for c in range(width):
                if distance[c] < bound and start + c != self_[i]:
                    j = last
                    while j > 0 and best[i, j - 1] > distance[c]:
                        best[i, j] = best[i, j - 1]
                        j -= 1
                    best[i, j] = distance[c]
                    bound = best[i, last]
