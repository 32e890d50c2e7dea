"""Noise that zero bounds: what lay below was mirrored, so a small released value may come from either side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ammg.data.published import NoiseLaw
from ammg.measures.linkage.intruder import Knowledge

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

REACH = 2.0  # deviations of the noise up to which a released value may have been mirrored
COLUMNS = 6  # of a record, those nearest to zero, that may have been mirrored
TOGETHER = 3  # of them at once


@dataclass(frozen=True)
class Mirrored:
    """Released records as they are and with some values below zero, and which record each stands for."""

    known: Knowledge
    record: Ints

    def summed(self, likelihood: Floats) -> Floats:
        """Log-likelihoods of records × people, added up over what each record may have been."""
        starts = np.flatnonzero(np.diff(self.record, prepend=-1))
        if len(starts) == len(likelihood):
            return likelihood
        total: Floats = np.logaddexp.reduceat(likelihood, starts, axis=0)
        return total


def mirrored(law: NoiseLaw, known: Knowledge, rows: Ints) -> Mirrored:
    """These released records, each with every few of its values that the bound may have mirrored put below zero."""
    masked = known.masked[rows]
    names = [name for name in law.floors if name in known.names]
    if not names:
        return Mirrored(replace(known, masked=masked), np.arange(len(rows)))
    places = np.array([known.names.index(name) for name in names])
    spread = np.sqrt(law.covariance.diagonal()[[law.columns.index(name) for name in names]]) * abs(law.scale)
    with np.errstate(divide="ignore", invalid="ignore"):
        away = np.where(spread > 0, np.abs(masked[:, places]) / spread, np.inf)
    away = np.where(np.isnan(away), np.inf, away)
    nearest = np.argsort(away, axis=1, kind="stable")[:, :COLUMNS]
    near = np.take_along_axis(away, nearest, axis=1) <= REACH
    files, record = [masked], [np.arange(len(rows))]
    for size in range(1, TOGETHER + 1):
        for some in combinations(range(nearest.shape[1]), size):
            which = np.flatnonzero(near[:, some].all(axis=1))
            turned = masked[which]
            for one in some:
                turned[np.arange(len(which)), places[nearest[which, one]]] *= -1.0
            files.append(turned)
            record.append(which)
    order = np.argsort(np.concatenate(record), kind="stable")
    return Mirrored(replace(known, masked=np.concatenate(files)[order]), np.concatenate(record)[order])
