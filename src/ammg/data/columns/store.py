"""The columns of one table as codes, numbers and moments, kept so that nothing is encoded twice."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock, RLock
from typing import Any, TypeVar, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.attribute import Attribute
from ammg.data.block import Column
from ammg.data.encoding import categories_of, to_array
from ammg.data.streamed_table import StreamedTable
from ammg.kernels.columns import Profile, extent, profile
from ammg.kernels.threads import waiting

Made = TypeVar("Made")
Numbers = NDArray[np.float64]
Codes = NDArray[np.int32]

MOST_BYTES = 512 * 2**20
"""Bytes that the store of one table may hold; the least recently used entries are dropped first."""
PATIENCE = 300.0
"""Seconds after which a thread no longer waits for another one's result and computes it itself."""


class Kept:
    """Results that may be needed again, up to a number of bytes; the least recently used are dropped first."""

    def __init__(self, most: float = MOST_BYTES) -> None:
        self.most = most
        self.bytes = 0
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._making: dict[Hashable, RLock] = {}
        self._lock = Lock()

    def once(self, what: Hashable, make: Callable[[], Made], *, is_view: bool = False) -> Made:
        """Return the stored result for `what`, or compute it with `make`; views of the table cost no memory.

        If another thread is computing it, that result is awaited for some minutes.
        """
        with self._lock:
            if what in self._kept:
                return cast("Made", self._known(what))
            turn = self._making.setdefault(what, RLock())
        is_mine = False
        try:
            with waiting():
                is_mine = turn.acquire(timeout=PATIENCE)  # the other thread may itself wait for what this one holds
            with self._lock:
                if what in self._kept:
                    return cast("Made", self._known(what))
            made = make()
            self._keep(what, made, 0 if is_view else _size(made))
            return made
        finally:
            if is_mine:
                with self._lock:
                    self._making.pop(what, None)
                turn.release()

    def _known(self, what: Hashable) -> Any:
        self._kept.move_to_end(what)
        return self._kept[what][0]

    def _keep(self, what: Hashable, made: Any, taken: int) -> None:
        with self._lock:
            if what not in self._kept and taken <= self.most:
                self._kept[what] = made, taken
                self.bytes += taken
                while self.bytes > self.most:
                    self.bytes -= self._kept.popitem(last=False)[1][1]

    def __reduce__(self) -> tuple[type[Kept], tuple[Any, ...]]:
        return Kept, (self.most,)


class ColumnStore(Kept):
    """Encoded columns of one table and statistics computed from them.

    It lives as long as the microdata that share the table. Arrays that are views of the table need no memory of their
    own; a stream stays in its file, and only its dictionaries are kept. A copy in another process starts empty.
    """

    def __init__(self, table: pl.DataFrame | StreamedTable, most: float = MOST_BYTES) -> None:
        super().__init__(most)
        self.table = table

    def ids(self) -> NDArray[np.int64]:
        """The positions of the records."""
        return self.once("ids", lambda: _fixed(np.arange(self.table.height, dtype=np.int64)))

    def dictionary(self, name: str) -> tuple[Any, ...]:
        """The categories of a column that has no declared ones."""
        return self.once(("dictionary", name), lambda: self._categories(name))

    def _categories(self, name: str) -> tuple[Any, ...]:
        dtype = self.table.schema[name]
        if isinstance(dtype, pl.Enum):
            return categories_of(pl.Series(dtype=dtype))
        return categories_of(self.table[name] if isinstance(self.table, pl.DataFrame) else self.table.distinct(name))

    def array(self, attribute: Attribute) -> Column:
        """A column as blocks hold it, read-only."""
        table = self.table
        assert isinstance(table, pl.DataFrame), "a streamed table is not encoded as a whole"
        what = (attribute.name, attribute.kind, id(attribute.categories))  # kept with the entry: the id stays unique
        values = table[attribute.name]
        is_view = attribute.is_numeric and values.dtype == pl.Float64 and not values.null_count()

        def make() -> tuple[Column, Any]:
            return _fixed(to_array(values, attribute)), attribute.categories

        return self.once(what, make, is_view=is_view)[0]

    def profile(self, attribute: Attribute, numbers: Callable[[], Numbers]) -> Profile:
        """Moments and extremes of the numbers of a column."""
        if not attribute.is_numeric:
            return profile(numbers())
        return self.once(("profile", attribute.name, attribute.kind), lambda: profile(numbers()))

    def extent(self, attribute: Attribute, numbers: Callable[[], Numbers]) -> tuple[float, float]:
        """The smallest and the largest number of a column."""
        if not attribute.is_numeric:
            return extent(numbers())
        return self.once(("extent", attribute.name, attribute.kind), lambda: extent(numbers()))

    def numbered(self, attribute: Attribute, numbers: Callable[[], Numbers]) -> tuple[Codes, tuple[Any, ...]]:
        """The numbers of a column as codes of their distinct values."""
        return self.once(("numbered", attribute.name, attribute.kind), lambda: numbered(numbers()))

    def __reduce__(self) -> tuple[type[ColumnStore], tuple[Any, ...]]:
        return ColumnStore, (self.table, self.most)


def numbered(values: Numbers) -> tuple[Codes, tuple[Any, ...]]:
    """Numbers as codes of their distinct values."""
    from ammg.kernels.factorize import factorize

    codes, distinct = factorize(values)
    return codes, tuple(distinct.tolist())


def _fixed(values: Any) -> Any:
    values.flags.writeable = False
    return values


def _size(made: Any) -> int:
    """The bytes of arrays and of the entries of tuples, roughly."""
    if isinstance(made, np.ndarray):
        return made.nbytes
    if isinstance(made, tuple):
        return 40 * len(made) + (sum(map(_size, made)) if len(made) < 4 else 0)
    return 8
