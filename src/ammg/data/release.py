"""The file that leaves: no identifiers, no link, no original order."""

from __future__ import annotations

from copy import copy
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg import registry
from ammg.data.buckets import shuffled
from ammg.data.clearance import Clearance
from ammg.data.encoding import ID
from ammg.data.leaving import Leaving
from ammg.data.native import Native, to_pandas
from ammg.data.occurring import occurring
from ammg.data.records import Order, Records, ReleasedInPlace
from ammg.data.schema import Schema
from ammg.draws import Draws


class Release:
    """Masked records in random order; households carry new numbers, so that the old ones link to nothing.

    The order is that of a keyed random number a record: the same in memory, streamed and on a cluster.
    """

    def __init__(self, records: Records, native: Native, draws: Draws, order: Order = "records") -> None:
        self._records, self._native, self._draws, self._order = records, native, draws, order
        self._leaving = Leaving.of(records.schema, draws, order)
        self.clearance = Clearance()

    def cleared(self, clearance: Clearance) -> Release:
        """The same release with what its audit found."""
        release = copy(self)
        release.clearance = clearance
        return release

    @cached_property
    def _whole(self) -> tuple[pl.DataFrame, Schema]:
        return occurring(self._leaving.sort(self._prepared(self._records.collect())), self._leaving.schema)

    def record_ids(self) -> NDArray[np.int64]:
        """The id of each released record, in the order of the release: for the owner alone, it undoes the order."""
        household = self._leaving.schema.household
        frame = self._records.collect().select(ID, *([household] if household else []))
        return self._leaving.sorted_ids(self._prepared(frame))

    def _prepared(self, frame: pl.DataFrame) -> pl.DataFrame:
        return self._leaving.prepare(frame, self._leaving.numbering([frame]))

    @property
    def table(self) -> pl.DataFrame:
        """The released records."""
        return self._whole[0]

    @property
    def schema(self) -> Schema:
        """The released attributes, without categories and labels that no record has."""
        return self._whole[1]

    def write(self, target: str | Path, **options: Any) -> None:
        """Write to a file whose ending names the format, or to a database; the target is whole or as it was before.

        Records that are streamed go to Parquet without ever being in memory together.
        """
        name = str(target)
        if isinstance(self._records, ReleasedInPlace) and name.lower().endswith(".parquet"):
            present = self._records.release_parquet(name, self._draws, self._order)
            if "://" not in name:  # the engine's own file systems are out of reach from here
                registry.format_for(name, **options).describe(*occurring(present, self._leaving.schema), name)
            return
        form = registry.format_for(name, **options)
        if self._records.in_memory or not form.streams:
            form.write(self.table, self.schema, name)
            return
        folder = Path(name).expanduser().parent
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
