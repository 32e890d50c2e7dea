"""The distribution of whole masked records given the person, learned from replays of everybody or of similar people.

Many masks are linear in a person's values, with noise of one covariance: a regression over everybody shows both. If
noise is correlated within parts of the file and differs between parts (percentile groups, strata), neither one
covariance for all nor a few draws per person show it. The draws of a person's nearest neighbours do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.linkage.nearest import k_nearest

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NEIGHBOURS = 6
KIN = 20
LEAST_DIRECTION = 1e-9  # of the largest variance around a person
CELLS = 4_000_000  # records × people × columns at a time


def linear_likelihood(own: Floats, draws: Floats, released: Floats, people: Ints) -> Floats:
    """Records × some people: one normal distribution around a linear function of each person's own values."""
    columns = draws.shape[2]
    spread = _spread(draws)
    terms = np.column_stack([np.ones(len(own)), own / spread])
    centre = terms @ np.linalg.lstsq(terms, draws.mean(axis=0) / spread, rcond=None)[0]
    residuals = (draws / spread - centre).reshape(-1, columns)
    values, vectors = np.linalg.eigh(residuals.T @ residuals / len(residuals))
    rotation = vectors / np.sqrt(np.maximum(values, max(LEAST_DIRECTION * values[-1], 1e-300)))
    shown, middle = released / spread @ rotation, centre[people] @ rotation
    likelihood = np.empty((len(released), len(people)))

    def work(start: int, stop: int) -> None:
        gaps = shown - middle[start:stop, None]
        likelihood[:, start:stop] = -0.5 * (gaps**2).sum(axis=2).T

    over_blocks(work, len(people), block=max(1, CELLS // max(released.size, 1)))
    return likelihood


def neighbours_likelihood(own: Floats, draws: Floats, released: Floats, people: Ints) -> Floats:
    """Records × some people: normal distributions around each person's values, moved as neighbours moved on average.

    `own` has the values of everybody and `draws` their replays, draws × people × columns, without missing values.
    """
    count, total, _ = draws.shape
    spread = _spread(draws)
    mean = draws.mean(axis=0)
    places = mean.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable") / total
    near = k_nearest(places, places[people], min(NEIGHBOURS, total))[0]
    centre = own + (mean - own)[k_nearest(places, places, min(NEIGHBOURS, total))[0]].mean(axis=1)
    residuals = (draws - centre) / spread
    products = np.einsum("sni,snj->nij", residuals, residuals) / count
    return _normal_likelihood(centre[people] / spread, products[near].mean(axis=1), released / spread)


def kin_likelihood(draws: Floats, released: Floats, people: Ints) -> Floats:
    """Records × some people: normal distributions around the mean of each person's draws, shared by similar spreads.

    People whose draws spread alike in all columns belong to one part of the file, whatever their values.
    """
    count = len(draws)
    spread = _spread(draws)
    mean = draws.mean(axis=0)
    residuals = (draws - mean) / spread
    products = np.einsum("sni,snj->nij", residuals, residuals) / max(count - 1, 1)
    variances = np.einsum("nii->ni", products)
    kinds = np.sqrt(count / 2) * np.log(np.maximum(variances, 1e-18))
    near = k_nearest(kinds, kinds[people], min(KIN, len(kinds)))[0]
    return _normal_likelihood(mean[people] / spread, products[near].mean(axis=1) * (1 + 1 / count), released / spread)


def _normal_likelihood(middle: Floats, covariance: Floats, shown: Floats) -> Floats:
    """Records × people, each person with their own centre and covariance."""
    values, vectors = np.linalg.eigh(covariance)
    values = np.maximum(values, np.maximum(LEAST_DIRECTION * values[:, -1:], 1e-300))
    rotation = vectors / np.sqrt(values)[:, None, :]
    logs = 0.5 * np.log(values).sum(axis=1)
    likelihood = np.empty((len(shown), len(middle)))

    def work(start: int, stop: int) -> None:
        gaps = shown - middle[start:stop, None]
        likelihood[:, start:stop] = -0.5 * ((gaps @ rotation[start:stop]) ** 2).sum(axis=2).T - logs[start:stop]

    over_blocks(work, len(middle), block=max(1, CELLS // max(shown.size, 1)))
    return likelihood


def _spread(draws: Floats) -> Floats:
    """The standard deviation of each column, 1 if it is zero."""
    spread = draws.reshape(-1, draws.shape[2]).std(axis=0)
    return np.where(spread > 0, spread, 1.0)
