"""Random order without loading all records: they go to buckets on disk, which are sorted one by one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.records import ORDER_KEY, Records
from ammg.data.schema import Schema
from ammg.draws import CHUNK
from ammg.errors import InputError
from ammg.io.atomic import is_alive
from ammg.progress import part, tick
from ammg.release.leaving import Leaving
from ammg.release.occurring import occurring

ROWS = 8 * CHUNK
"""Records of a bucket, about: what is in memory at once."""
MOST = 256
"""Files open at the same time."""


@contextmanager
def shuffled(records: Records, leaving: Leaving, folder: Path) -> Iterator[tuple[Schema, Iterator[pl.DataFrame]]]:
    """The schema and the frames of a release, in the order in which `Leaving.sort` would put all records together."""
    present = _Present()
    with _dealt(records, leaving, folder, None, present) as paths:
        narrowed, schema = occurring(present.table, leaving.schema)
        yield schema, _sorted(paths, leaving, narrowed)


@contextmanager
def shuffled_ids(records: Records, leaving: Leaving, folder: Path) -> Iterator[Iterator[NDArray[np.int64]]]:
    """The ids of the records in the order of the release, some at a time."""
    household = leaving.schema.household
    with _dealt(records, leaving, folder, [household] if household else []) as paths:
        yield (leaving.sort(frame)[1] for frame in _read(paths))


@contextmanager
def _dealt(
    records: Records, leaving: Leaving, folder: Path, columns: list[str] | None, present: _Present | None = None
) -> Iterator[list[Path]]:
    """Files of prepared records, or of some of their columns, that follow each other in the order of the release."""
    buckets = max(1, min(MOST, -(-records.count() // ROWS)))
    household = leaving.renumbered
    with part(0, 3, "numbering households"):
        numbering = leaving.numbering(_frames(records, [household])) if household else None
    with _scratch(folder) as scratch:
        paths = [Path(scratch) / f"{bucket}.arrows" for bucket in range(buckets)]
        with part(1, 3, "shuffling"), ExitStack() as stack:
            writers = _Writers(paths, stack)
            for frame in _frames(records, columns):
                prepared = leaving.prepare(frame, numbering)
                if present is not None:
                    present.add(prepared, leaving.schema)
                writers.deal(prepared, _places(prepared, leaving, numbering, buckets))
        yield paths


def _scratch(folder: Path) -> TemporaryDirectory[str]:
    """A private folder on the disk of the release; leftovers of killed runs are removed."""
    for left in folder.glob(".ammg-*-*"):
        process = left.name.split("-")[1]
        if process.isdigit() and not is_alive(int(process)):
            shutil.rmtree(left, ignore_errors=True)
    try:
        return TemporaryDirectory(dir=folder, prefix=f".ammg-{os.getpid()}-")
    except OSError as error:
        raise InputError(f"Cannot write to '{folder}': {error.strerror}. Choose another place.") from None


def _frames(records: Records, columns: list[str] | None = None) -> Iterator[pl.DataFrame]:
    """The chunks of the records; one empty frame if there are none, so that a release keeps its columns."""
    empty = True
    for frame in records.chunks(columns):
        empty = False
        yield frame
    if empty:
        yield records.collect()


def _places(frame: pl.DataFrame, leaving: Leaving, numbering: pl.DataFrame | None, buckets: int) -> NDArray[np.int64]:
    """The bucket of each record; buckets follow each other in the order of the release."""
    if leaving.order == "households" and numbering is not None:
        numbers = frame[str(leaving.schema.household)].to_numpy()
        return (numbers - 1) * buckets // len(numbering)
    return (frame[ORDER_KEY].to_numpy() * buckets).astype(np.int64)


def _sorted(paths: Sequence[Path], leaving: Leaving, narrowed: pl.DataFrame) -> Iterator[pl.DataFrame]:
    types = {name: dtype for name, dtype in narrowed.schema.items() if isinstance(dtype, pl.Enum)}
    yielded = False
    for frame in _read(paths):
        yield leaving.sort(frame)[0].cast(types)  # type: ignore[arg-type]
        yielded = True
    if not yielded:
        yield narrowed.clear()


def _read(paths: Sequence[Path]) -> Iterator[pl.DataFrame]:
    """The buckets that have records, one by one; each is read once."""
    import pyarrow as pa

    for number, path in enumerate(paths):
        tick(2 + number / len(paths), 3, "writing")
        if path.exists():
            with pa.ipc.open_stream(path) as reader:
                frame = pl.from_arrow(reader.read_all())
            path.unlink()
            assert isinstance(frame, pl.DataFrame)
            yield frame


class _Present:
    """Which values of labelled and enumerated columns some record has."""

    def __init__(self) -> None:
        self.values: dict[str, pl.Series] = {}

    def add(self, frame: pl.DataFrame, schema: Schema) -> None:
        for attribute in schema:
            values = frame[attribute.name]
            matters = isinstance(values.dtype, pl.Enum) or attribute.value_labels or attribute.categories is not None
            found = values.unique() if matters else values.clear()
            if attribute.name in self.values:
                found = pl.concat([self.values[attribute.name], found]).unique()
            self.values[attribute.name] = found

    @property
    def table(self) -> pl.DataFrame:
        """Side by side, the shorter columns filled up with missing values."""
        return pl.concat([values.to_frame() for values in self.values.values()], how="horizontal_extend")


class _Writers:
    """One growing Arrow file per bucket."""

    def __init__(self, paths: list[Path], stack: ExitStack) -> None:
        self.paths, self.stack = paths, stack
        self.open: dict[int, object] = {}

    def deal(self, frame: pl.DataFrame, places: NDArray[np.int64]) -> None:
        import pyarrow as pa

        if not len(frame):
            return
        order = np.argsort(places, kind="stable")
        table = frame[order].to_arrow(compat_level=pl.CompatLevel.oldest())
        found, starts = np.unique(places[order], return_index=True)
        for bucket, start, stop in zip(found.tolist(), starts, [*starts[1:], len(places)], strict=True):
            if bucket not in self.open:
                options = pa.ipc.IpcWriteOptions(compression="lz4")
                self.open[bucket] = self.stack.enter_context(
                    pa.ipc.new_stream(self.paths[bucket], table.schema, options=options)
                )
            self.open[bucket].write_table(table.slice(start, stop - start))  # type: ignore[attr-defined]
