"""A Parquet file as a table that is never whole in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

import polars as pl

from ammg.data.encoding import ID
from ammg.draws import CHUNK


class ParquetTable:
    """Rows of a Parquet file, read in chunks of consecutive record ids whatever its row groups are."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @cached_property
    def schema(self) -> pl.Schema:
        """Column names and types."""
        return pl.scan_parquet(self.path).collect_schema()

    @cached_property
    def height(self) -> int:
        """The number of records, from the file's footer."""
        import pyarrow.parquet as pq

        return int(pq.read_metadata(self.path).num_rows)

    def chunks(self, columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """Frames of 65,536 records (the last is shorter), each with its record ids."""
        import pyarrow.parquet as pq

        waiting: list[pl.DataFrame] = []
        rows = start = 0
        names = self.schema.names() if columns is None else list(columns)
        types = {name: self.schema[name] for name in names}
        with pq.ParquetFile(self.path) as file:
            for batch in file.iter_batches(batch_size=CHUNK, columns=names):
                frame = pl.from_arrow(batch)
                assert isinstance(frame, pl.DataFrame)
                waiting.append(frame.cast(types))  # type: ignore[arg-type]
                rows += len(frame)
                while rows >= CHUNK:
                    whole = pl.concat(waiting) if len(waiting) > 1 else waiting[0]
                    yield _numbered(whole.head(CHUNK), start)
                    waiting = [whole.slice(CHUNK)] if rows > CHUNK else []
                    rows -= CHUNK
                    start += CHUNK
        if rows:
            yield _numbered(pl.concat(waiting), start)

    def read(self, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Some or all columns as one frame in memory."""
        return pl.read_parquet(self.path, columns=None if columns is None else list(columns))


def _numbered(frame: pl.DataFrame, start: int) -> pl.DataFrame:
    ids = pl.int_range(start, start + len(frame), dtype=pl.Int64, eager=True).alias(ID)
    return frame.rechunk().with_columns(ids)
