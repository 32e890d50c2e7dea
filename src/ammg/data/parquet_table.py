"""A Parquet file, or a folder of them, as a table that is never entirely in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from ammg.data.encoding import ID, in_one_piece, nan_as_null
from ammg.data.missing_codes import Codes, without_codes
from ammg.data.streamed_table import StreamedTable
from ammg.draws import CHUNK
from ammg.errors import InputError
from ammg.progress import ticking


class ParquetTable(StreamedTable):
    """Rows of a Parquet file, read in chunks of consecutive record ids, whatever the row groups.

    The files of a folder, such as Spark writes, are read in the order of their names.
    """

    def __init__(self, path: str | Path, codes: Mapping[str, Codes] | None = None) -> None:
        self.path = Path(path)
        self.codes = dict(codes or {})

    @cached_property
    def files(self) -> tuple[Path, ...]:
        """The file, or the files of the folder except hidden files and markers."""
        if not self.path.is_dir():
            return (self.path,)
        files = [file for file in self.path.iterdir() if file.is_file() and not file.name.startswith(("_", "."))]
        if not files:
            raise InputError(f"Folder '{self.path}' has no Parquet files.")
        return tuple(sorted(files))

    @cached_property
    def schema(self) -> pl.Schema:
        """Column names and types."""
        return self._scan().collect_schema()

    @cached_property
    def heights(self) -> tuple[int, ...]:
        """The number of records of each file, from its footer."""
        import pyarrow.parquet as pq

        return tuple(int(pq.read_metadata(file).num_rows) for file in self.files)

    @property
    def height(self) -> int:
        """The number of records."""
        return sum(self.heights)

    def chunks(self, columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """Frames of 65,536 records (the last is shorter), each with its record ids."""
        waiting: list[pl.DataFrame] = []
        rows = start = 0
        names = self.schema.names() if columns is None else list(columns)
        for frame in ticking(self._batches(names), self.height, "reading"):
            waiting.append(frame)
            rows += len(frame)
            while rows >= CHUNK:
                whole = pl.concat(waiting) if len(waiting) > 1 else waiting[0]
                yield whole.head(CHUNK).rechunk().with_columns(_ids(start, CHUNK))
                waiting = [whole.slice(CHUNK)] if rows > CHUNK else []
                rows -= CHUNK
                start += CHUNK
        if rows:
            yield pl.concat(waiting).rechunk().with_columns(_ids(start, rows))

    def read(self, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Some or all columns as one frame in memory."""
        columns = None if columns is None else list(columns)
        return self._meant(in_one_piece(pl.read_parquet(list(self.files), columns=columns, glob=False)))

    def head(self, rows: int) -> pl.DataFrame:
        """The first records."""
        return self._meant(self._scan().head(rows).collect())

    def distinct(self, column: str) -> pl.Series:
        """The values that occur in a column, found without loading the column."""
        found = self._scan().select(pl.col(column).unique()).collect(engine="streaming")
        return self._meant(found)[column].unique()

    def without_codes(self, codes: Mapping[str, Codes]) -> ParquetTable:
        """The same rows with further codes set to missing."""
        both = {name: (*self.codes.get(name, ()), *given) for name, given in codes.items()}
        return ParquetTable(self.path, {**self.codes, **both})

    @property
    def raw(self) -> ParquetTable:
        """The rows as stored, including codes for missing values."""
        return ParquetTable(self.path)

    def _meant(self, frame: pl.DataFrame) -> pl.DataFrame:
        """A frame with NaN and declared codes set to missing."""
        return without_codes(nan_as_null(frame), self.codes)

    def _scan(self) -> pl.LazyFrame:
        return pl.scan_parquet(list(self.files), glob=False)

    def _batches(self, names: list[str]) -> Iterator[pl.DataFrame]:
        import pyarrow.parquet as pq

        if not names:  # a frame without columns has no height, so chunks of ids alone are built here
            for start in range(0, self.height, CHUNK):
                yield pl.DataFrame(_ids(start, min(CHUNK, self.height - start)))
            return
        types = {name: self.schema[name] for name in names}
        for path in self.files:
            with pq.ParquetFile(path, pre_buffer=False) as file:  # otherwise all data read stay in memory
                batches = file.iter_batches(batch_size=CHUNK, columns=names)
                while (batch := _next_of(path, batches)) is not None:
                    frame = pl.from_arrow(batch)
                    assert isinstance(frame, pl.DataFrame)
                    if len(frame):
                        yield self._meant(frame.select(names).cast(types))  # type: ignore[arg-type]


def _next_of(path: Path, batches: Iterator[Any]) -> Any:
    """The next batch of a file, None after the last."""
    try:
        batch = next(batches, None)
        if batch is not None:
            batch.validate(full=True)  # polars assumes that text is valid UTF-8
        return batch
    except (OSError, ValueError) as error:  # pyarrow's errors are subclasses of these
        reason = str(error).strip().splitlines()[0].rstrip(".")
        raise InputError(f"File '{path}' is damaged: {reason}. Get a new copy of it.") from None


def _ids(start: int, size: int) -> pl.Series:
    return pl.int_range(start, start + size, dtype=pl.Int64, eager=True).alias(ID)
