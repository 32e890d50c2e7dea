"""Posterior probabilities of the person behind a masked record if the distribution of the noise is published.

With noise e = A w and independent w of a known density, the posterior of original j given masked record i is
proportional to the product of the densities of w = A⁺(z_i - x_j) (Fuller 1993 for normal noise; also exact for
mixtures, because the colouring can be undone on its range). Pairs whose density is below e⁻⁴⁵ of the truth's are
negligible and skipped.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.jit import jit
from ammg.kernels.kd_tree import KdTree, stack_of
from ammg.kernels.linkage.nearest import tree_of
from ammg.kernels.psd import RANK_TOLERANCE

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NEGLIGIBLE = 45.0  # nats
TIE = 1e-9


class Mixture(NamedTuple):
    """A mixture of normals with common variance; normal noise is one component with mean 0 and variance 1."""

    weights: Floats
    means: Floats
    variance: float


NORMAL = Mixture(np.ones(1), np.zeros(1), 1.0)


class Posterior(NamedTuple):
    """The posterior distribution of each masked record, in three figures."""

    truth: Floats  # posterior probability of the true original; 0 without one
    largest: Floats  # the largest posterior probability of a single original
    hit: Floats  # probability that the most probable original is the truth, 1/c among c tied


def uncolour(factor: Floats, *files: Floats) -> list[Floats]:
    """Convert files to the coordinates of w in x + A w, without the directions in which A is zero.

    The rank is determined on the columns of A in units of the rows' deviations.
    """
    spread = np.sqrt((factor**2).sum(axis=1))
    varies = spread > 0
    scaled = factor[varies] / spread[varies][:, None]
    sizes = (scaled**2).sum(axis=0)
    kept = sizes > RANK_TOLERANCE * sizes.max(initial=0.0)
    inverse = np.linalg.pinv(scaled[:, kept], rcond=np.sqrt(RANK_TOLERANCE))
    centre = files[0][:, varies].mean(axis=0) if files and len(files[0]) else 0.0
    return [((values[:, varies] - centre) / spread[varies]) @ inverse.T for values in files]


def noise_posterior(original: Floats, masked: Floats, origin: Ints, law: Mixture = NORMAL) -> Posterior:
    """Posterior over all originals, under equal priors, in coordinates of independent noise (`uncolour`)."""
    tree = tree_of(original)
    result = Posterior(np.zeros(len(masked)), np.zeros(len(masked)), np.zeros(len(masked)))
    points, records = np.ascontiguousarray(original), np.ascontiguousarray(masked)
    spread = float(np.abs(law.means).max())

    def work(start: int, stop: int) -> None:
        span = slice(start, stop)
        outs = result.truth[span], result.largest[span], result.hit[span]
        _integrate(tree, points, records[span], origin[span], law, spread, *outs, *stack_of(tree))

    over_blocks(work, len(masked), block=512)
    return result


@jit
def _log_density(gap: float, law: Mixture) -> float:
    """Log density of one coordinate, up to the constant of the normal distribution."""
    best = -np.inf
    for k in range(len(law.weights)):
        best = max(best, np.log(law.weights[k]) - 0.5 * (gap - law.means[k]) ** 2 / law.variance)
    total = 0.0
    for k in range(len(law.weights)):
        total += np.exp(np.log(law.weights[k]) - 0.5 * (gap - law.means[k]) ** 2 / law.variance - best)
    return float(best + np.log(total))


@jit
def _log_likelihood(record: Floats, point: Floats, law: Mixture, limit: float) -> float:
    """Log density of a difference, or any value below `limit` as soon as that is certain (no term exceeds 0)."""
    total = 0.0
    for f in range(len(record)):
        total += _log_density(record[f] - point[f], law)
        if total < limit:
            return total
    return total


@jit
def _bound(record: Floats, low: Floats, high: Floats, law: Mixture, spread: float) -> float:
    """An upper bound of the log density of any point in the box."""
    total = 0.0
    for f in range(len(record)):
        gap = max(low[f] - record[f], record[f] - high[f], 0.0) - spread
        if gap > 0.0:
            total -= 0.5 * gap * gap / law.variance
    return total


@jit
def _add(value: float, count: int, peak: float, total: float, ties: int) -> tuple[float, float, int]:
    """Add `count` originals of this log density to a sum in units of the peak, and count ties with the peak."""
    if value < peak - NEGLIGIBLE:
        return peak, total, ties
    if value > peak + TIE:
        total *= np.exp(peak - value)
        peak, ties = value, 0
    if value >= peak - TIE:
        ties += count
    return peak, total + count * np.exp(value - peak), ties


@jit
def _integrate(
    tree: KdTree,
    points: Floats,
    records: Floats,
    origin: Ints,
    law: Mixture,
    spread: float,
    truth: Floats,
    largest: Floats,
    hit: Floats,
    stack: Ints,
    bounds: Floats,
) -> None:
    for i in range(len(records)):
        record = records[i]
        own = -np.inf
        if origin[i] >= 0:
            own = _log_likelihood(record, points[origin[i]], law, -np.inf)
        peak, total, ties = max(own, -1e300), 0.0, 0
        stack[0], bounds[0], height = 0, 0.0, 1
        while height > 0:
            height -= 1
            node = stack[height]
            if bounds[height] < peak - NEGLIGIBLE:
                continue
            if tree.right[node] == 0:
                for p in range(tree.first[node], tree.last[node]):
                    value = _log_likelihood(record, tree.points[p], law, peak - NEGLIGIBLE)
                    peak, total, ties = _add(value, tree.counts[p], peak, total, ties)
                continue
            left, right = tree.left[node], tree.right[node]
            of_left = _bound(record, tree.low[left], tree.high[left], law, spread)
            of_right = _bound(record, tree.low[right], tree.high[right], law, spread)
            if of_left >= of_right:
                left, right, of_left, of_right = right, left, of_right, of_left
            stack[height], bounds[height] = left, of_left  # the better child goes on top
            stack[height + 1], bounds[height + 1] = right, of_right
            height += 2
        largest[i] = 1.0 / total
        if origin[i] >= 0:
            truth[i] = np.exp(own - peak) / total
            if own >= peak - TIE:
                hit[i] = 1.0 / ties
