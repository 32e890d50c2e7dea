"""What a recoding with suppressed records loses, from its classes; and a bound that no suppression can beat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ammg.methods.recoding.levels import KeyLevels

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Bools = NDArray[np.bool_]

LossName = Literal["generalisation", "entropy", "discernibility", "class_size", "cells"]


@dataclass(frozen=True, eq=False)
class RecodingLoss:
    """A loss over the lattice of one file.

    - generalisation: share of the domain that a class stands for, rescaled to 0..1 for each key, and the geometric mean
      of 1 + loss over keys, less 1; `factor` below ½ favours generalisation, above ½ suppression (ARX's Loss).
    - entropy: non-uniform entropy in bits; suppressed records also lose what told their classes apart
      (Gionis and Tassa 2009; the form of ARX).
    - discernibility: sum of squared class sizes; a suppressed record costs as many as there are records
      (Bayardo and Agrawal 2005).
    - class_size: mean class size, the suppressed records being one class (LeFevre et al. 2006).
    - cells: (m - 1)/(L - 1) for a class of m of the L values that occur, 1 for a suppressed value (Iyengar 2002).
    """

    name: LossName
    keys: Sequence[KeyLevels]
    margins: Sequence[Floats]
    """Records of each value of each key."""
    weights: Floats
    """How much each key counts; for losses that are about keys."""
    factor: float
    n: int

    def __call__(self, levels: Sequence[int], classes: Sequence[Codes], sizes: Ints, failing: Bools) -> float:
        """The loss at some levels when the failing classes are suppressed."""
        gone = int(sizes[failing].sum())
        if self.name == "discernibility":
            kept = sizes[~failing].astype(np.float64)
            return float((kept * kept).sum()) + float(gone) * self.n
        if self.name == "class_size":
            return self.n / max(1, int(np.count_nonzero(~failing)) + (gone > 0))
        suppressed = sizes[failing].astype(np.float64)
        by_key = np.empty(len(self.keys))
        for place, level in enumerate(levels[: len(self.keys)]):  # keys that the step leaves alone come last
            codes = classes[place][failing]
            by_key[place] = self._of_key(place, level) + self._of_suppressed(place, level, codes, suppressed, gone)
        return self._joined(by_key)

    def bounds(self, nodes: Ints) -> Floats:
        """For each transformation what it loses at least, whatever is suppressed; 0 where classes must be counted."""
        if self.name in ("discernibility", "class_size"):
            return np.zeros(len(nodes))
        tables = [
            np.array([self._least_of_key(place, level) for level in range(key.height + 1)])
            for place, key in enumerate(self.keys)
        ]
        by_key = np.stack([table[nodes[:, place]] for place, table in enumerate(tables)], axis=1)
        return np.array(self._joined(by_key), dtype=np.float64)

    def bound_of(self, sizes: Ints) -> float:
        """What a coarser transformation loses at least, for losses that depend on class sizes alone."""
        if self.name == "discernibility":
            return float((sizes.astype(np.float64) ** 2).sum())
        return self.n / max(1, sizes.size) if self.name == "class_size" else 0.0

    def _per_class(self, place: int, level: int) -> Floats:
        """Loss of one record of each class."""
        key = self.keys[place]
        if self.name == "generalisation":
            return self._generalising * key.leaves[level] / key.domain
        present = np.bincount(key.classes[level], minlength=len(key.labels[level])).astype(np.float64)
        return (present - 1) / max(1, key.most_leaves - 1)

    @property
    def _generalising(self) -> float:
        return min(1.0, 2 * self.factor)

    @property
    def _suppressing(self) -> float:
        return min(1.0, 2 * (1 - self.factor)) if self.name == "generalisation" else 1.0

    def _of_key(self, place: int, level: int) -> float:
        """Loss of all records when none is suppressed."""
        key, margin = self.keys[place], self.margins[place]
        totals = np.bincount(key.classes[level], margin, len(key.labels[level])).astype(np.float64)
        if self.name == "entropy":
            return _bits(totals) - _bits(margin)
        return float((totals * self._per_class(place, level)).sum())

    def _of_suppressed(self, place: int, level: int, codes: Codes, suppressed: Floats, gone: int) -> float:
        """What suppression adds."""
        known = codes >= 0
        codes, suppressed = codes[known], suppressed[known]
        if self.name == "entropy":
            totals = np.bincount(codes, suppressed, 1).astype(np.float64)
            return _bits(np.array([totals.sum()])) - _bits(totals)
        return float((suppressed * (self._suppressing - self._per_class(place, level)[codes])).sum())

    def _least_of_key(self, place: int, level: int) -> float:
        if self.name == "entropy":
            return self._of_key(place, level)
        key, margin = self.keys[place], self.margins[place]
        totals = np.bincount(key.classes[level], margin, len(key.labels[level]))
        return float((totals * np.minimum(self._per_class(place, level), self._suppressing)).sum())

    def _joined(self, by_key: Floats) -> float:
        """One number for all keys; the last axis is keys."""
        if self.name == "entropy":
            return (by_key * self.weights).sum(axis=-1)  # type: ignore[no-any-return]
        known = np.maximum(1.0, [margin.sum() for margin in self.margins])
        share = self.weights / self.weights.sum()
        if self.name == "cells":
            return (by_key / known * share).sum(axis=-1)  # type: ignore[no-any-return]
        least = self._generalising / np.array([key.domain for key in self.keys])
        most = max(self._generalising, self._suppressing)
        spread = np.where(most > least, most - least, 1.0)
        scaled = np.maximum(0.0, (by_key / known - least) / spread)
        return np.exp((np.log1p(scaled) * share).sum(axis=-1)) - 1  # type: ignore[no-any-return]


def _bits(totals: Floats) -> float:
    some = totals[totals > 0]
    return float((some * np.log2(some)).sum())
