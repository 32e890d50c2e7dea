"""Bounded samples of records: a plain one for relations between columns, and one of whole households."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from ammg.analyzer.distinct import hashes

RECORDS = 50_000
"""Records that a sample holds at most; a smaller file is its own sample."""


class RecordSample:
    """A random sample of about `size` records, the same for the same file."""

    def __init__(self, records: int, size: int = RECORDS) -> None:
        self.share = min(1.0, size / records) if records else 1.0
        self._rng = np.random.Generator(np.random.PCG64(0))
        self._parts: list[pl.DataFrame] = []

    @property
    def is_whole(self) -> bool:
        """Whether the sample is the file."""
        return self.share == 1.0

    def add(self, frame: pl.DataFrame) -> None:
        """Draw from one part of the records."""
        if self.is_whole:
            self._parts.append(frame)
            return
        wanted = min(len(frame), math.ceil(self.share * len(frame)))
        rows = np.sort(self._rng.choice(len(frame), wanted, replace=False))
        self._parts.append(frame[rows])

    def finish(self) -> pl.DataFrame | None:
        """The sampled records in the order of the file."""
        return pl.concat(self._parts).rechunk() if self._parts else None


class HouseholdSample:
    """All records of a random sample of households: those whose identifier's hash lies below a limit.

    The limit halves when there are too many, so the sample does not depend on whether members stand together.
    """

    def __init__(self, household: str, size: int = RECORDS) -> None:
        self.household, self.size = household, size
        self._level = 0
        self._parts: list[pl.DataFrame] = []
        self._rows = 0

    def add(self, frame: pl.DataFrame) -> None:
        """Take the sampled households of one part of the records in."""
        part = self._below(frame.filter(pl.col(self.household).is_not_null()))
        self._parts.append(part)
        self._rows += len(part)
        while self._rows > 2 * self.size:
            self._level += 1
            self._parts = [self._below(pl.concat(self._parts))]
            self._rows = len(self._parts[0])

    def finish(self) -> pl.DataFrame | None:
        """The records of the sampled households."""
        return pl.concat(self._parts).rechunk() if self._parts else None

    def _below(self, frame: pl.DataFrame) -> pl.DataFrame:
        if not self._level:
            return frame
        return frame.filter(hashes(frame[self.household]) < (1 << (64 - self._level)))
