"""Masked records wherever they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, Protocol, TypeVar, runtime_checkable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.schema import Schema

ORDER_KEY = "__ammg_order__"
"""Name of the column that a release is sorted by."""

Order = Literal["records", "households"]
Out = TypeVar("Out")
Compare = Callable[[pl.DataFrame, pl.DataFrame], Out]


class Records(Protocol):
    """What a pipeline leaves: in a frame, in a file with steps still to be applied, or on a cluster."""

    schema: Schema

    @property
    def in_memory(self) -> bool: ...  # noqa: D102

    def count(self) -> int: ...  # noqa: D102

    def collect(self) -> pl.DataFrame:
        """All records with their ids, in memory."""

    def head(self, rows: int) -> pl.DataFrame:
        """What became of the first `rows` records, with their ids."""

    def chunks(self, columns: list[str] | None = None) -> Iterator[pl.DataFrame]:
        """Records (or some of their columns) with their ids, some at a time, in the order of the ids."""

    def beside(self, columns: Sequence[str], compare: Compare[Out]) -> Iterator[Out]:
        """Results of `compare(original, masked)` on some columns of each chunk, where the records are.

        Both frames have the same records: those that were dropped or added are in neither.
        """


class Preparation(Protocol):
    """How records are made ready to leave, wherever they are."""

    @property
    def schema(self) -> Schema:
        """The attributes that leave."""

    @property
    def order(self) -> Order:
        """In which order records leave."""

    @property
    def renumbered(self) -> str | None:
        """The household identifier that gets new numbers."""

    def prepare(self, frame: pl.DataFrame, numbering: pl.DataFrame | None) -> pl.DataFrame:
        """Records with ids as they may leave, with the number to sort by in `ORDER_KEY`."""

    def home_keys(self, first: NDArray[np.int64]) -> NDArray[np.float64]:
        """The number that decides a household's place, from the id of its first record."""


@runtime_checkable
class ReleasedInPlace(Protocol):
    """Records that are too many to come here: where they are, they are released to Parquet as well."""

    def release_parquet(self, target: str, leaving: Preparation) -> pl.DataFrame:
        """Write the release; returns its columns with the values that labelled ones have, for the codebook."""

    def release_ids(self, leaving: Preparation) -> Iterator[NDArray[np.int64]]:
        """The ids of the records in the order of the release, some at a time."""
