"""Categorical laws given other categories, and how many millions of draws are made from them at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Codes = NDArray[np.uint8]
Floats = NDArray[np.float64]
Integers = NDArray[np.int32]

AGES = np.arange(101)


class Law:
    """Shares of categories, one row per combination of the conditions.

    The last axis of `logits` runs over the categories, the axes before it over the conditions. Sums of terms that each
    depend on one condition give a log-linear model with two-way interactions only. Draws use the alias method (Walker
    1977): two table look-ups each, however many categories there are.
    """

    def __init__(self, logits: Floats) -> None:
        self.conditions = logits.shape[:-1]
        self.categories = logits.shape[-1]
        shares = np.exp(logits - logits.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        keep, alias = _alias_tables(shares.reshape(-1, self.categories))
        self.keep, self.alias = keep.ravel(), alias.ravel()

    def draw(self, rng: np.random.Generator, *given: NDArray[np.integer]) -> Codes:
        """Return one category per record, given the codes of its conditions."""
        row = np.zeros(len(given[0]), dtype=np.int32)
        for length, codes in zip(self.conditions, given, strict=True):
            row *= length
            row += codes
        # Widened single precision: the product is exact and never reaches the number of categories.
        point = rng.random(len(row), dtype=np.float32).astype(np.float64) * self.categories
        category = point.astype(np.uint8)
        place = row * np.int32(self.categories) + category
        drawn: Codes = np.where(point - category < self.keep[place], category, self.alias[place])
        return drawn


def _alias_tables(shares: Floats) -> tuple[Floats, Codes]:
    """Return for each row and category the chance to keep it, and the category to take instead.

    The smallest category left is topped up to an equal part by the largest one, until each has its part.
    """
    rows = np.arange(len(shares))
    left = shares * shares.shape[1]
    keep = np.ones_like(left)
    alias = np.zeros(left.shape, dtype=np.uint8)
    open_ = np.ones(left.shape, dtype=bool)
    for _ in range(shares.shape[1] - 1):
        small = np.where(open_, left, np.inf).argmin(axis=1)
        open_[rows, small] = False
        large = np.where(open_, left, -np.inf).argmax(axis=1)
        keep[rows, small] = left[rows, small]
        alias[rows, small] = large
        left[rows, large] -= 1 - left[rows, small]
    return keep, alias


def log_shares(shares: ArrayLike) -> Floats:
    """Return logarithms of shares, with shares of zero far below everything else."""
    return np.log(np.maximum(np.asarray(shares, dtype=np.float64), 1e-200))


def by_age(knots: Mapping[int, Sequence[float]]) -> Floats:
    """Return log shares for every age 0 to 100, linear in the shares between the ages given."""
    columns = zip(*knots.values(), strict=True)
    return log_shares(np.column_stack([np.interp(AGES, list(knots), column) for column in columns]))


def chance(rng: np.random.Generator, probability: NDArray[np.floating] | float, size: int) -> NDArray[np.bool_]:
    """Return one yes or no per record."""
    return rng.random(size, dtype=np.float32) < probability
