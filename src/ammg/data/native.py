"""A table is returned in the library it came from: pandas, polars, pyarrow or any other that narwhals reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from ammg.data.native_types import as_pandas, as_pyarrow, ordered_categories
from ammg.errors import InputError
from ammg.forks import refuse_forked
from ammg.optional import require


@dataclass(frozen=True)
class Native:
    """Which library a table came from, and the types of its columns there."""

    library: str
    types: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, frame: Any) -> Native:
        """Detect the table's library."""
        if isinstance(frame, pl.DataFrame | pl.LazyFrame):
            return cls("polars")
        import narwhals as nw

        _refuse_duplicates(frame)
        try:
            library = str(nw.from_native(frame).implementation.value)
        except TypeError:
            raise InputError(
                f"A {type(frame).__name__} is not a table: give a polars, pandas or pyarrow table, "
                "or read a file with ammg.read."
            ) from None
        if library == "pandas":
            return cls(library, dict(zip(frame.columns, frame.dtypes, strict=True)))
        if library == "pyarrow":
            return cls(library, dict(zip(frame.schema.names, frame.schema.types, strict=True)))
        return cls(library)

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
        try:
            converted = eager.to_polars()
        except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
            raise InputError(_unreadable(eager, error)) from None
        order = {name: ordered_categories(frame[name], kind) for name, kind in self.types.items()}
        return converted.with_columns(
            pl.col(name).cast(pl.Enum(categories)) for name, categories in order.items() if categories is not None
        )

    def from_polars(self, frame: pl.DataFrame) -> Any:
        """A polars frame as a table of this library, with the original column types where the values allow it.

        Libraries without eager tables get a polars frame.
        """
        if self.library == "pandas":
            return as_pandas(frame, self.types)
        if self.library == "pyarrow":
            return as_pyarrow(frame, self.types)
        return frame


def to_pandas(frame: pl.DataFrame) -> Any:
    """A pandas frame with numpy types, as pandas users expect."""
    require("pandas", "Conversion to pandas")
    refuse_forked()
    return frame.to_pandas()


def _refuse_duplicates(frame: Any) -> None:
    counts = Counter(getattr(frame, "column_names", getattr(frame, "columns", ())))
    for name, times in counts.items():
        if times > 1:
            raise InputError(f"The table has two columns called '{name}': rename one.")


def _unreadable(table: Any, error: Exception) -> str:
    """Name the column that cannot be converted; the libraries' own messages are long or do not name it."""
    for name in table.columns:
        try:
            table.select(name).to_polars()
        except (TypeError, ValueError, pl.exceptions.PolarsError):
            kinds = sorted({type(value).__name__ for value in table[name].to_list() if value is not None})
            return f"Column '{name}' mixes values of several types ({', '.join(kinds[:5])}): convert it to one type."
    return f"The table cannot be converted: {str(error).splitlines()[0]}."
