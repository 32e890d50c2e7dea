"""The released file: no identifiers, no link, no original order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg import registry
from ammg.data.native import Native, to_pandas
from ammg.data.records import Order, Records, ReleasedInPlace
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.io.atomic import expanded
from ammg.progress import tick
from ammg.release.buckets import shuffled, shuffled_ids
from ammg.release.clearance import Clearance
from ammg.release.leaving import Leaving
from ammg.release.occurring import occurring


class Release:
    """Masked records in random order; households carry new numbers, so that the old ones link to nothing.

    The order follows a keyed random number per record: the same in memory, streamed and on a cluster.
    """

    def __init__(self, records: Records, native: Native, draws: Draws, order: Order = "records") -> None:
        self._records, self._native = records, native
        self._leaving = Leaving.of(records.schema, draws, order)
        self.clearance = Clearance()

    def cleared(self, clearance: Clearance) -> Release:
        """The same release with the results of its checks."""
        release = object.__new__(type(self))
        release.__dict__.update(self.__dict__)
        release.clearance = clearance
        return release

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles hold only the released file: no identifiers, no link, no secret."""
        kept = {
            name: kind
            for name, kind in self._native.types.items()
            if name in self.table.columns and str(kind) != "category"  # which lists values that may occur no more
        }
        return Departed, (self.table, self.schema, replace(self._native, types=kept))

    @cached_property
    def _sorted(self) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        frame = self._records.collect()
        return self._leaving.sort(self._leaving.prepare(frame, self._leaving.numbering([frame])))

    @cached_property
    def _whole(self) -> tuple[pl.DataFrame, Schema]:
        return occurring(self._sorted[0], self._leaving.schema)

    @contextmanager
    def record_ids(self, folder: Path) -> Iterator[Iterator[NDArray[np.int64]]]:
        """The ids of the released records in the order of the release, some at a time.

        For the owner alone: they undo the order. Of a stream they are sorted in a folder, which is to be private.
        """
        if isinstance(self._records, ReleasedInPlace):
            yield self._records.release_ids(self._leaving)
            return
        if not self._records.in_memory:
            with shuffled_ids(self._records, self._leaving, folder) as ids:
                yield ids
            return
        yield iter([self._sorted[1]])

    @property
    def table(self) -> pl.DataFrame:
        """The released records."""
        return self._whole[0]

    @property
    def schema(self) -> Schema:
        """The released attributes, without categories and labels that no record has."""
        return self._whole[1]

    def write(self, target: str | Path, **options: Any) -> None:
        """Write to a file whose ending names the format, or to a database; a failure leaves the target unchanged.

        Records that are streamed go to Parquet without ever being in memory together.
        """
        name = str(target)
        if isinstance(self._records, ReleasedInPlace) and name.lower().endswith(".parquet"):
            present = self._records.release_parquet(name, self._leaving)
            if "://" not in name:  # the engine's own file systems are out of reach from here
                registry.format_for(name, **options).describe(*occurring(present, self._leaving.schema), name)
            return
        form = registry.format_for(name, **options)
        tick(0, 1, "writing")
        if self._records.in_memory or not form.streams:
            form.write(self.table, self.schema, name)
            return
        folder = expanded(name).parent
        with shuffled(self._records, self._leaving, folder) as (schema, frames):
            form.write_frames(frames, schema, name)

    def to_polars(self) -> pl.DataFrame:
        """The release as a polars frame."""
        return self.table

    def to_pandas(self) -> Any:
        """The release as a pandas frame."""
        return to_pandas(self.table)

    def to_native(self) -> Any:
        """The release as what the data came from: pandas, polars or pyarrow."""
        return self._native.from_polars(self.table)

    def __len__(self) -> int:
        return self._records.count()

    def __repr__(self) -> str:
        return f"Release({len(self):,} records × {len(self._leaving.schema)} attributes)"


class Departed(Release):
    """A release that came out of a pickle: the records that left, and no way back."""

    def __init__(self, table: pl.DataFrame, schema: Schema, native: Native) -> None:
        self._native = native
        self._whole = table, schema
        self.clearance = Clearance()

    @contextmanager
    def record_ids(self, folder: Path) -> Iterator[Iterator[NDArray[np.int64]]]:
        """Refused: the link stayed behind."""
        raise InputError("This release was copied or unpickled, so it has no link: use the original release object.")
        yield

    def write(self, target: str | Path, **options: Any) -> None:
        """Write to a file whose ending names the format, or to a database; a failure leaves the target unchanged."""
        registry.format_for(str(target), **options).write(self.table, self.schema, str(target))

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        return f"Release({len(self):,} records × {len(self.schema)} attributes)"
