"""Masked records, wherever they are stored."""

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
    """The result of a pipeline: in a frame, in a file with steps still to be applied, or on a cluster."""

    schema: Schema

    @property
    def in_memory(self) -> bool: ...  # noqa: D102

    def count(self) -> int: ...  # noqa: D102

    def collect(self) -> pl.DataFrame:
        """All records with their ids, in memory."""

    def head(self, rows: int) -> pl.DataFrame:
        """The first `rows` records as masked, with their ids."""

    def chunks(self, columns: list[str] | None = None) -> Iterator[pl.DataFrame]:
        """Records (or some of their columns) with their ids, in chunks, in the order of the ids."""

    def beside(self, columns: Sequence[str], compare: Compare[Out]) -> Iterator[Out]:
        """Results of `compare(original, masked)` on some columns of each chunk, where the records are.

        Both frames have the same records; dropped and added records are in neither.
        """


class Preparation(Protocol):
    """How records are prepared for release, wherever they are stored."""

    @property
    def schema(self) -> Schema:
        """The attributes of the release."""

    @property
    def order(self) -> Order:
        """The order of the records in the release."""

    @property
    def renumbered(self) -> str | None:
        """The household identifier that is renumbered."""

    def prepare(self, frame: pl.DataFrame, numbering: pl.DataFrame | None) -> pl.DataFrame:
        """Records with ids as they will be released, with the number to sort by in `ORDER_KEY`."""

    def home_keys(self, first: NDArray[np.int64]) -> NDArray[np.float64]:
        """The number that determines a household's place, from the id of its first record."""


@runtime_checkable
class ReleasedInPlace(Protocol):
    """Records too many to be collected: they are written to Parquet where they are stored."""

    def release_parquet(self, target: str, leaving: Preparation) -> pl.DataFrame:
        """Write the release; returns its columns with the values of those that have labels, for the codebook."""

    def release_ids(self, leaving: Preparation) -> Iterator[NDArray[np.int64]]:
        """The ids of the records in the order of the release, in chunks."""
