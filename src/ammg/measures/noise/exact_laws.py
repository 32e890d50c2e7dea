"""The likelihood of pairs where the published law of noise is known exactly, not by its covariance alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.data.published import NoiseLaw
from ammg.measures.linkage.intruder import Knowledge, Search, untouched
from ammg.measures.noise.mirrored import mirrored

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DISAGREES = 60.0  # nats against a pair for each attribute that must agree and does not
LEAST_SPREAD = 1e-6  # of the deviation in all records: strata without noise are sure, not infinitely sure
NORMAL = 20_000  # quantiles of the normal law
REFINED = 3  # rounds in which modes are taken from linked pairs


def exact_likelihood(
    pair: Pair, search: Search, laws: Sequence[NoiseLaw], *, everybody: bool
) -> tuple[str, Floats | None]:
    """The kind of law and the log-likelihoods of records × people; None where the normal law is all there is.

    Without `everybody`, of the records of people sought.
    """
    if len(laws) != 1:
        return "none", None
    law, known = laws[0], search.known
    rows = np.arange(pair.t) if everybody else np.flatnonzero(search.origin >= 0)
    errors = known.only([name for name in law.columns if name in known.names]).error
    shown = mirrored(law, known, rows)
    if law.within:
        spread = None if errors.any() else _spread_within(pair, law, known)
        return ("none", None) if spread is None else ("strata", shown.summed(_columns(law, shown.known, spread)))
    if law.joint is not None and law.joint[1] < 1 and everybody:
        return "joint mixture", shown.summed(_joint(law, known, shown.known, errors))
    if law.quantiles is not None and not errors.any():
        return "columns", shown.summed(_columns(law, shown.known))
    if law.mixture is not None and law.factor is not None and not law.logarithmic:
        return "mixture", shown.summed(_mixture(law, shown.known, errors))
    return "none", None


def normal_likelihood(original: Floats, masked: Floats) -> Floats:
    """Log-likelihoods of records × people in coordinates where the noise is white and normal."""
    from ammg.kernels.blocks import over_blocks

    likelihood = np.empty((len(masked), len(original)))
    lengths = (original**2).sum(axis=1)

    def work(start: int, stop: int) -> None:
        some = masked[start:stop]
        squares = (some**2).sum(axis=1)[:, None] + lengths - 2.0 * some @ original.T
        likelihood[start:stop] = -0.5 * np.maximum(squares, 0.0)

    over_blocks(work, len(masked), block=256)
    return likelihood


def disagree(likelihood: Floats, same: NDArray[Any], shown: NDArray[Any]) -> None:
    """Take from each pair what it loses by columns of codes that must agree."""
    for mine, theirs in zip(same.T, shown.T, strict=True):
        likelihood -= DISAGREES * (theirs[:, None] != mine)


def unscaled(law: NoiseLaw, known: Knowledge) -> tuple[list[int], Floats, Floats]:
    """Places of the known attributes in the law, and both files with the published rescaling undone."""
    names = [name for name in law.columns if name in known.names]
    places = [law.columns.index(name) for name in names]
    some = known.only(names)
    if law.logarithmic:
        some = replace(some, original=logarithms(some.original), masked=logarithms(some.masked))
    centre = law.centre[places] if law.centre is not None else np.zeros(len(places))
    masked = (some.masked - (1 - law.scale) * centre) / law.scale - law.mean
    seen = ~np.isnan(some.original)
    mean = np.where(seen, some.original, 0.0).sum(axis=0) / np.maximum(seen.sum(axis=0), 1)
    return places, np.where(seen, some.original, mean), np.where(np.isnan(masked), mean, masked)


def logarithms(values: Floats) -> Floats:
    """Logarithms of absolute values, NaN for zero."""
    return np.log(np.abs(values), out=np.full(values.shape, np.nan), where=values != 0)


def _columns(law: NoiseLaw, known: Knowledge, spread: Floats | None = None) -> Floats:
    """Columns with noise of their own, whose density is that of the quantiles; `spread` has people × columns."""
    from scipy.special import ndtri

    from ammg.kernels.linkage.pair_likelihood import columns_likelihood
    from ammg.kernels.linkage.replay_law import known_law

    points = (np.arange(NORMAL) + 0.5) / NORMAL
    quantiles = ndtri(points) if law.quantiles is None else law.quantiles
    places, original, masked = unscaled(law, known)
    if spread is None:
        spread = np.broadcast_to(np.sqrt(law.covariance.diagonal()[places]), original.shape)
    return columns_likelihood(
        [
            known_law(masked[:, j], original[:, j], spread[:, j], quantiles)
            for j in range(len(places))
            if (spread[:, j] > 0).all()
        ],
        (len(masked), len(original)),
    )


def _spread_within(pair: Pair, law: NoiseLaw, known: Knowledge) -> Floats | None:
    """The deviation of the noise for each person and known column, by the stratum; None if strata are not known."""
    if not set(law.within) <= {*untouched(pair, known)}:
        return None
    strata = np.nan_to_num(known.only(law.within).original, nan=np.inf)
    place = np.unique(strata, axis=0, return_inverse=True)[1].reshape(-1)
    places, original, _ = unscaled(law, known)
    count = np.bincount(place).astype(np.float64)
    spread = np.empty(original.shape)
    for j, column in enumerate(original.T):
        mean = np.bincount(place, column) / count
        squares = np.bincount(place, (column - mean[place]) ** 2)
        spread[:, j] = np.sqrt(law.strength * squares / np.maximum(count - 1, 1))[place]
    overall = np.sqrt(law.covariance.diagonal()[places])
    return np.maximum(spread, LEAST_SPREAD * overall)


def _mixture(law: NoiseLaw, known: Knowledge, errors: Floats) -> Floats:
    """Some columns of coloured mixture noise, by its patterns."""
    from ammg.kernels.noise.mixture_patterns import pattern_likelihood, pattern_space
    from ammg.kernels.noise.noise_posterior import Mixture

    assert law.mixture is not None and law.factor is not None
    weights, means, variance = law.mixture
    mixture = Mixture(np.asarray(weights, float), np.asarray(means, float), float(variance))
    places, original, masked = unscaled(law, known)
    factor = np.sqrt(law.strength) * law.factor[places]
    return pattern_likelihood(pattern_space(original, masked, factor, errors, mixture), mixture, np.arange(len(masked)))


def _joint(law: NoiseLaw, known: Knowledge, mirrored: Knowledge, errors: Floats) -> Floats:
    """A mixture along secret directions, which are found first, by the records as they are."""
    from ammg.kernels.matching.likely_assignment import assign_likely
    from ammg.kernels.noise.joint_modes import joint_likelihood, joint_modes, refined
    from ammg.kernels.spaces import whitening

    assert law.joint is not None
    count, variance = law.joint
    places, original, masked = unscaled(law, known)
    rotation = whitening(law.covariance[np.ix_(places, places)] + np.diag(errors**2))
    mean = original.mean(axis=0)
    before, after = (original - mean) @ rotation, (masked - mean) @ rotation
    modes = joint_modes(before, after, count, variance)
    likelihood = joint_likelihood(before, after, modes, count, variance)
    for _ in range(REFINED if len(modes) else 0):
        moved = refined(before, after, assign_likely(likelihood).links, modes, variance)
        if np.allclose(moved, modes, atol=1e-3 * np.sqrt(variance)):
            break
        modes = moved
        likelihood = joint_likelihood(before, after, modes, count, variance)
    if len(mirrored.masked) == len(known.masked):
        return likelihood
    after = (unscaled(law, mirrored)[2] - mean) @ rotation
    return joint_likelihood(before, after, modes, count, variance)
