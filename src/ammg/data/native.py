"""A table comes out as what it went in: pandas, polars, pyarrow or anything else that narwhals reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from ammg.errors import InputError
from ammg.optional import require


@dataclass(frozen=True)
class Native:
    """Which library a table came from."""

    library: str

    @classmethod
    def of(cls, frame: Any) -> Native:
        """Recognise the table's library."""
        if isinstance(frame, pl.DataFrame | pl.LazyFrame):
            return cls("polars")
        import narwhals as nw

        try:
            return cls(str(nw.from_native(frame).implementation.value))
        except TypeError:
            raise InputError(
                f"A {type(frame).__name__} is not a table: give a polars, pandas or pyarrow table, "
                "or read a file with ammg.read."
            ) from None

    def to_polars(self, frame: Any) -> pl.DataFrame:
        """The table as a polars frame, sharing memory where the libraries allow it."""
        if isinstance(frame, pl.DataFrame):
            return frame
        if isinstance(frame, pl.LazyFrame):
            return frame.collect()
        if self.library == "pandas" and not all(isinstance(name, str) for name in frame.columns):
            raise InputError(f"Column names must be text, these are {list(frame.columns)[:5]}: rename them.")
        import narwhals as nw

        table = nw.from_native(frame)
        eager = table.collect() if isinstance(table, nw.LazyFrame) else table
        return eager.to_polars()

    def from_polars(self, frame: pl.DataFrame) -> Any:
        """A polars frame as a table of this library; libraries that cannot be built eagerly get polars."""
        if self.library == "pandas":
            return to_pandas(frame)
        if self.library == "pyarrow":
            return frame.to_arrow()
        return frame


def to_pandas(frame: pl.DataFrame) -> Any:
    """A pandas frame with numpy types, as pandas users expect it."""
    require("pandas", "Conversion to pandas")
    return frame.to_pandas()
