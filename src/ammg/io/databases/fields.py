"""Columns from the bytes that a database sent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.io.databases.wire import big_endian, civil_moments, clock_times, gather, little_endian

CHUNK_BYTES = 2**21
"""Rows are decoded in runs of this many bytes, which stay in the processor's cache while their columns are read."""


def decoded(runs: Iterable[Any], decode: Callable[[Any], pl.DataFrame], names: Sequence[str]) -> pl.DataFrame:
    """All runs as one table: a run is decoded while the next one is on its way."""
    with ThreadPoolExecutor(max_workers=1) as worker:
        frames = [frame.result() for frame in [worker.submit(decode, run) for run in runs]]
    return pl.concat(frames, rechunk=True) if frames else pl.DataFrame(schema=list(names))


@dataclass(frozen=True)
class Field:
    """One column of a run of rows: the bytes, and where its values are among them (length -1 for missing)."""

    buffer: NDArray[np.uint8]
    begins: NDArray[np.int64]
    lengths: NDArray[np.int64]

    def integers(self) -> pl.Series:
        """Big-endian integers of any width."""
        return self._masked(pl.Series(big_endian(self.buffer, self.begins, self.lengths)))

    def doubles(self) -> pl.Series:
        """Big-endian float64."""
        return self._masked(pl.Series(big_endian(self.buffer, self.begins, self.lengths).view(np.float64)))

    def singles(self) -> pl.Series:
        """Big-endian float32."""
        return self._masked(
            pl.Series(big_endian(self.buffer, self.begins, self.lengths).astype(np.int32).view(np.float32))
        )

    def little_integers(self, signed: bool) -> pl.Series:
        """Little-endian integers of any width."""
        values = little_endian(self.buffer, self.begins, self.lengths, signed)
        return self._masked(pl.Series(values if signed else values.view(np.uint64)))

    def little_floats(self) -> pl.Series:
        """Little-endian float32 or float64, by the width of the values."""
        values = little_endian(self.buffer, self.begins, self.lengths, True)
        single = self.lengths.max(initial=0) == 4
        return self._masked(pl.Series(values.astype(np.int32).view(np.float32) if single else values.view(np.float64)))

    def moments(self) -> pl.Series:
        """Moments of MariaDB; dates of zeros are missing."""
        values, present = civil_moments(self.buffer, self.begins, self.lengths)
        return pl.Series(values).set(pl.Series(~present), None).cast(pl.Datetime("us"))

    def clock_times(self) -> pl.Series:
        """Times of day of MariaDB; durations, which are held by the same type, if any is beyond a day."""
        values = self._masked(pl.Series(clock_times(self.buffer, self.begins, self.lengths)))
        within = values.drop_nulls().is_between(0, 86_400_000_000, closed="left").all()
        return (values * 1000).cast(pl.Time) if within else values.cast(pl.Duration("us"))

    def texts(self) -> pl.Series:
        """UTF-8 text."""
        return self._arrow("large_string")

    def binaries(self) -> pl.Series:
        """Bytes as they are."""
        return self._arrow("large_binary")

    def _masked(self, values: pl.Series) -> pl.Series:
        missing = pl.Series(self.lengths < 0)
        return values.set(missing, None) if missing.any() else values

    def _arrow(self, kind: str) -> pl.Series:
        import pyarrow as pa

        content, ends = gather(self.buffer, self.begins, self.lengths)
        valid = pa.py_buffer(np.packbits(self.lengths >= 0, bitorder="little").tobytes())
        buffers = [valid, pa.py_buffer(ends), pa.py_buffer(content)]
        series = pl.from_arrow(pa.Array.from_buffers(getattr(pa, kind)(), len(self.lengths), buffers))
        assert isinstance(series, pl.Series)
        return series
