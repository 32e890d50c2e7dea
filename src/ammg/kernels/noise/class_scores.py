"""Normal scores within classes, before an error moved records between classes: fitted by EM.

Symbols: Z scores before the error u, Z* = Z + u; a class of the order consists of the records with the highest score W*
among those that no earlier class took, and W is drawn at random within its class before masking.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_DRAWS = 40  # errors tried for each record and class, the same in all rounds
_ROUNDS = 40
_SEED = 1989


class ClassFit(NamedTuple):
    """Shares, means and covariances of the scores of each class."""

    shares: Floats
    means: Floats
    covariances: Floats


def fit_classes(values: Floats, classes: Ints, noise: Floats) -> ClassFit:
    """Fit the scores of each class before masking; `noise` is the error covariance of numbers, then classes."""
    rng = np.random.default_rng(_SEED)
    n, p = values.shape
    scores = np.column_stack([_scores(column, rng) for column in values.T])
    own = noise[:p, :p]
    masked = scores * np.sqrt(1 + np.diag(own))
    likelihood = _ClassLikelihood(classes, noise, p)
    size = len(likelihood.shares)
    half = rng.standard_normal((n, _DRAWS // 2, p))
    normal = np.concatenate([half, -half], axis=1)
    shares = likelihood.shares
    parts = [_part(scores, classes == k) for k in range(size)]
    means = np.array([part.mean(axis=0) for part in parts])
    covariances = np.array([np.atleast_2d(np.cov(part.T)) + 0.05 * np.eye(p) for part in parts])
    for _ in range(_ROUNDS):
        weight, drawn = np.zeros((n, size)), []
        for k in range(size):
            total = covariances[k] + own
            inverse = np.linalg.inv(total)
            apart = masked - means[k]
            density = np.exp(-0.5 * ((apart @ inverse) * apart).sum(axis=1)) / np.sqrt(np.linalg.det(total))
            slope = covariances[k] @ inverse
            before = (means[k] + apart @ slope.T)[:, None] + normal @ _root(covariances[k] - slope @ covariances[k]).T
            chance = likelihood.of(k, masked[:, None] - before)
            weight[:, k] = shares[k] * density * chance.mean(axis=1)
            drawn.append((before, chance / np.maximum(chance.sum(axis=1, keepdims=True), 1e-300)))
        weight /= np.maximum(weight.sum(axis=1, keepdims=True), 1e-300)
        shares = weight.mean(axis=0)
        for k, (before, chance) in enumerate(drawn):
            each = chance * weight[:, k, None]
            each /= max(each.sum(), 1e-300)
            means[k] = np.einsum("im,ima->a", each, before)
            apart = before - means[k]
            covariances[k] = np.einsum("im,ima,imb->ab", each, apart, apart) + 1e-4 * np.eye(p)
    return ClassFit(shares, means, covariances)


def values_at(values: Floats, fit: ClassFit, place: int, draws: int = 20_000) -> Floats:
    """Values that a class would have: drawn scores, converted to values by the distribution of each column.

    Scores of tied values are in random order, which hides part of their correlations. The distribution is therefore
    adjusted until its own scores, with ties in random order, have the fitted moments.
    """
    from scipy.special import ndtr, ndtri

    rng = np.random.default_rng(_SEED)
    n, p = values.shape
    normal, within = rng.standard_normal((draws, p)), rng.random((draws, p))
    ordered = np.sort(values, axis=0)
    low = np.column_stack([np.searchsorted(column, column, side="left") for column in ordered.T]) / n
    high = np.column_stack([np.searchsorted(column, column, side="right") for column in ordered.T]) / n
    mean, covariance = fit.means[place].copy(), fit.covariances[place].copy()
    columns = np.arange(p)
    for _ in range(12):
        drawn = mean + normal @ _root(covariance).T
        row = np.minimum((ndtr(drawn) * n).astype(np.int64), n - 1)
        below, above = low[row, columns], high[row, columns]
        again = ndtri(np.clip(below + within * (above - below), 1e-6, 1 - 1e-6))
        again = np.where(above - below > 1.5 / n, again, drawn)
        mean += 0.8 * (fit.means[place] - again.mean(axis=0))
        covariance += 0.8 * (fit.covariances[place] - np.atleast_2d(np.cov(again.T)))
        eigenvalues, vectors = np.linalg.eigh(covariance)
        covariance = (vectors * np.maximum(eigenvalues, 1e-4)) @ vectors.T
    return np.asarray(ordered[row, columns])


class _ClassLikelihood:
    """How likely the released class of each record is, given its class and the errors of its numbers."""

    def __init__(self, classes: Ints, noise: Floats, p: int) -> None:
        from scipy.special import ndtr, ndtri

        size = noise.shape[0] - p + 1
        counts = np.bincount(classes, minlength=size).astype(np.float64)
        self.classes, self.shares = classes, counts / counts.sum()
        left = counts[::-1].cumsum()[::-1]
        chances = counts[:-1] / np.maximum(left[:-1], 1)
        self.slopes = np.linalg.solve(noise[:p, :p], noise[:p, p:])
        self.grid = np.linspace(-6, 6, 241)
        nodes = (np.arange(200) + 0.5) / 200
        self.tables = []
        for j, chance in enumerate(np.clip(chances, 1e-6, 1 - 1e-6)):
            spread = np.sqrt(max(noise[p + j, p + j] - noise[:p, p + j] @ self.slopes[:, j], 1e-3))
            cut = np.sqrt(1 + noise[p + j, p + j]) * ndtri(1 - chance)
            starts = (nodes * (1 - chance), 1 - chance + nodes * chance, nodes)
            self.tables.append([ndtr((ndtri(s) + self.grid[:, None] - cut) / spread).mean(axis=1) for s in starts])

    def of(self, k: int, errors: Floats) -> Floats:
        """The probability of each record's released class if it was in class k, for errors of its numbers."""
        out = np.ones(errors.shape[:2])
        for j, table in enumerate(self.tables):
            one = np.interp(errors @ self.slopes[:, j], self.grid, table[0 if k > j else 1 if k == j else 2])
            here, later = (self.classes == j)[:, None], (self.classes > j)[:, None]
            out *= np.where(here, one, np.where(later, 1 - one, 1.0))
        return out


def _scores(column: Floats, rng: np.random.Generator) -> Floats:
    from scipy.special import ndtri

    out = np.empty(len(column))
    out[np.lexsort((rng.random(len(column)), column))] = ndtri((np.arange(len(column)) + 0.5) / len(column))
    return out


def _part(scores: Floats, chosen: NDArray[np.bool_]) -> Floats:
    """The records of a class, or all records if it has too few to start from."""
    return scores[chosen] if chosen.sum() > scores.shape[1] + 1 else scores


def _root(covariance: Floats) -> Floats:
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))
