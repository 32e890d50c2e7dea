"""Log-likelihoods of all pairs of released record and person, from distributions of columns or of whole records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.columns import selected
from ammg.kernels.jit import jit
from ammg.kernels.linkage.replay_law import BINS, EDGE, ColumnLaw, log_density
from ammg.kernels.threads import in_threads

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST_DIRECTION = 1e-9  # of the variance of a standardised residual: smaller variances count as zero
LOG_ROUNDING = 1e-9


class RecordLaw(NamedTuple):
    """Residuals of several columns together, rotated so that they are uncorrelated."""

    rotation: Floats  # columns × directions, scaled to deviation one
    log_density: Floats  # directions × bins


def columns_likelihood(laws: Sequence[ColumnLaw], shape: tuple[int, int]) -> Floats:
    """Records × people: the sum over columns that are independent given the person."""
    t, n = shape
    total = np.zeros(shape)
    none = np.zeros((1, n))
    inverses = [1.0 / law.spread for law in laws]
    logs = [law.log_rest - np.log(law.spread) for law in laws]
    atoms = [np.ascontiguousarray(law.log_atoms.T) if law.log_atoms.size else none for law in laws]

    def work(start: int, stop: int) -> None:
        rows = slice(start, stop)
        for law, inverse, log, atom in zip(laws, inverses, logs, atoms, strict=True):
            _add_column(law.values[rows], law.atom[rows], law.centre, inverse, log, law.log_density, atom, total[rows])

    over_blocks(work, t, block=128)
    return total


def record_law(laws: Sequence[ColumnLaw]) -> RecordLaw:
    """Learn how the residuals of columns are correlated."""
    draws, people = laws[0].draws.shape
    residuals = np.empty((draws, people, len(laws)))
    finite = np.empty((draws, people), dtype=bool)

    def standardise(first: int, last: int) -> None:
        for place, law in enumerate(laws):
            residuals[first:last, :, place] = (law.draws[first:last] - law.centre) / law.spread
        np.isfinite(residuals[first:last]).all(axis=2, out=finite[first:last])

    over_blocks(standardise, draws, block=1, brief=True)
    complete = selected(residuals, finite).reshape(-1, len(laws))
    if len(complete) < 2:
        return RecordLaw(np.zeros((len(laws), 0)), np.zeros((0, BINS)))
    clipped = np.empty_like(complete)

    def clip(start: int, stop: int) -> None:
        np.clip(complete[start:stop], -EDGE, EDGE, out=clipped[start:stop])

    over_blocks(clip, len(complete), brief=True)
    values, vectors = np.linalg.eigh(clipped.T @ clipped / len(clipped))
    rotation = vectors / np.sqrt(np.maximum(values, LEAST_DIRECTION))
    return RecordLaw(rotation, np.stack(in_threads(log_density, (complete @ rotation).T, complete.size)))


def records_likelihood(laws: Sequence[ColumnLaw], law: RecordLaw, rest: Sequence[ColumnLaw] = ()) -> Floats:
    """Records × people: correlated columns, and the rest, which are independent."""
    t, n = len(laws[0].values), len(laws[0].centre)
    total = columns_likelihood(rest, (t, n))
    shown = np.column_stack([one.values for one in laws])
    centre = np.column_stack([one.centre for one in laws])
    spread = np.column_stack([one.spread for one in laws])
    logs = -np.log(spread).sum(axis=1)
    known = np.asarray(np.isfinite(shown).all(axis=1))

    def work(start: int, stop: int) -> None:
        span = slice(start, stop)
        _add_records(shown[span], known[span], centre, 1.0 / spread, logs, law.rotation, law.log_density, total[span])

    over_blocks(work, t, block=64)
    return total


def draws_likelihood(draws: Floats, released: Floats, width: float) -> Floats:
    """Records × people: the mean over each person's draws of a normal kernel around them, all columns together."""
    total = np.empty((len(released), draws.shape[1]))
    points = np.ascontiguousarray(np.nan_to_num(draws.transpose(1, 0, 2), nan=1e6))
    shown = np.ascontiguousarray(np.nan_to_num(released, nan=1e6))

    def work(start: int, stop: int) -> None:
        _add_draws(shown[start:stop], points, 0.5 / width**2, total[start:stop])

    over_blocks(work, len(released), block=64)
    return total


def hit_chance(likelihood: Floats, origin: Ints) -> Floats:
    """The probability that each record's most likely person is the true one: 1/c among c equally likely."""
    hit = np.zeros(len(likelihood))
    over_blocks(lambda a, b: _hits(likelihood[a:b], origin[a:b], hit[a:b]), len(likelihood), block=256)
    return hit


def top_chance(likelihood: Floats) -> Floats:
    """The posterior probability of each record's most likely person, under equal prior probabilities."""
    top = np.zeros(len(likelihood))
    over_blocks(lambda a, b: _top(likelihood[a:b], top[a:b]), len(likelihood), block=256)
    return top


@jit
def _top(likelihood: Floats, top: Floats) -> None:
    for j in range(len(likelihood)):
        peak = -np.inf
        for i in range(likelihood.shape[1]):
            peak = max(peak, likelihood[j, i])
        mass = 0.0
        for i in range(likelihood.shape[1]):
            gap = likelihood[j, i] - peak
            if gap > -40.0:
                mass += np.exp(gap)
        if mass > 0.0:
            top[j] = 1.0 / mass


@jit
def _add_column(
    shown: Floats,
    atom: Ints,
    centre: Floats,
    inverse: Floats,
    logs: Floats,
    density: Floats,
    atoms: Floats,
    total: Floats,
) -> None:
    bins = len(density)
    scale = bins / (2.0 * EDGE)
    for j in range(len(shown)):
        if atom[j] >= 0:
            for i in range(len(centre)):
                total[j, i] += atoms[atom[j], i]
            continue
        value = shown[j]
        if not np.isfinite(value):
            continue
        for i in range(len(centre)):
            place = ((value - centre[i]) * inverse[i] + EDGE) * scale
            k = int(min(max(place, 0.0), bins - 1.0))
            total[j, i] += density[k] + logs[i]


@jit
def _add_records(
    shown: Floats,
    known: NDArray[np.bool_],
    centre: Floats,
    inverse: Floats,
    logs: Floats,
    rotation: Floats,
    density: Floats,
    total: Floats,
) -> None:
    columns, directions = rotation.shape
    bins = density.shape[1] if directions else 1
    scale = bins / (2.0 * EDGE)
    gap = np.empty(columns)
    for j in range(len(shown)):
        if not known[j]:
            continue
        for i in range(len(centre)):
            for c in range(columns):
                gap[c] = (shown[j, c] - centre[i, c]) * inverse[i, c]
            value = logs[i]
            for d in range(directions):
                turned = 0.0
                for c in range(columns):
                    turned += gap[c] * rotation[c, d]
                k = int(min(max((turned + EDGE) * scale, 0.0), bins - 1.0))
                value += density[d, k]
                if turned > EDGE or turned < -EDGE:
                    value -= 2.0 * np.log(abs(turned) / EDGE)
            total[j, i] += value


@jit
def _add_draws(shown: Floats, points: Floats, factor: float, total: Floats) -> None:
    people, draws, columns = points.shape
    exponents = np.empty(draws)
    for j in range(len(shown)):
        for i in range(people):
            best = -1e300
            for s in range(draws):
                squares = 0.0
                for c in range(columns):
                    gap = shown[j, c] - points[i, s, c]
                    squares += gap * gap
                exponents[s] = -factor * squares
                best = max(best, exponents[s])
            mass = 0.0
            for s in range(draws):
                if exponents[s] > best - 30.0:
                    mass += np.exp(exponents[s] - best)
            total[j, i] = best + np.log(mass / draws)


@jit
def _hits(likelihood: Floats, origin: Ints, hit: Floats) -> None:
    for j in range(len(likelihood)):
        if origin[j] < 0:
            continue
        own = likelihood[j, origin[j]]
        slack = LOG_ROUNDING * (1.0 + abs(own))
        ties = 0
        for i in range(likelihood.shape[1]):
            if likelihood[j, i] > own + slack:
                ties = -1
                break
            if likelihood[j, i] >= own - slack:
                ties += 1
        if ties > 0:
            hit[j] = 1.0 / ties
