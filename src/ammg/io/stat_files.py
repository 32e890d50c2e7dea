"""What the files of SPSS, Stata and SAS have in common: numbers that stand for days, blanks that stand for missing."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from ammg.data.attribute import Attribute, Kind
from ammg.data.encoding import kind_of
from ammg.errors import InputError
from ammg.io.format import existing, first_line, refuse_duplicates
from ammg.optional import require

LARGEST_EXACT = 2**53
"""Up to here every whole number is a float64, the only number that these programs have."""

_LAST_DAY = {pl.Int32: 2.0**31 - 1, pl.Int64: 2.0**63 / 1000 - 1e12}
"""What days, and milliseconds that become microseconds, can be counted with."""

MEASURES = {"nominal": Kind.NOMINAL, "ordinal": Kind.ORDINAL}


@dataclass(frozen=True)
class Calendar:
    """How a program counts time: its first day before 1970, and the ticks of a date, a moment and a time of day."""

    epoch_days: int
    date_ticks: int
    moment_ticks_per_second: int

    def read_date(self, values: pl.Series) -> pl.Series:
        """Numbers as dates, or as moments when they are not whole days."""
        days = values / self.date_ticks
        if (days != days.floor()).any():
            return self.read_moment(values * (86_400 * self.moment_ticks_per_second / self.date_ticks))
        return _counted(days - self.epoch_days, pl.Int32).cast(pl.Date)

    def read_moment(self, values: pl.Series) -> pl.Series:
        """Numbers as moments, to the millisecond."""
        milliseconds = _counted((values * (1000 / self.moment_ticks_per_second)).round(), pl.Int64)
        return ((milliseconds - self.epoch_days * 86_400_000) * 1000).cast(pl.Datetime("us"))

    def read_time(self, values: pl.Series) -> pl.Series:
        """Numbers as times of day; durations of a day and more stay numbers."""
        seconds = values / self.moment_ticks_per_second
        if not seconds.drop_nulls().is_between(0, 86_400, closed="left").all():
            return values
        return ((seconds * 1000).round().cast(pl.Int64) * 1_000_000).cast(pl.Time)

    def write(self, values: pl.Series) -> pl.Series:
        """Dates, moments (to the millisecond) and times as numbers."""
        if values.dtype == pl.Date:
            return (values.to_physical().cast(pl.Float64) + self.epoch_days) * self.date_ticks
        if values.dtype == pl.Time:
            return (values.to_physical() / 1_000_000).round() / 1000 * self.moment_ticks_per_second
        if values.dtype.time_zone:  # type: ignore[attr-defined]
            values = values.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        milliseconds = (values.dt.cast_time_unit("us").to_physical() / 1000).round() + self.epoch_days * 86_400_000
        return milliseconds / 1000 * self.moment_ticks_per_second


def _counted(ticks: pl.Series, dtype: type[pl.Int32 | pl.Int64]) -> pl.Series:
    """Days or milliseconds as whole numbers; what is no day of any calendar is refused."""
    if not ticks.is_between(-_LAST_DAY[dtype], _LAST_DAY[dtype]).all():
        raise InputError(
            f"Column '{ticks.name}' has a date format but holds numbers that are not dates: the file may "
            "be damaged, or the column needs a numeric format."
        )
    return ticks.cast(dtype)


def load(reader: str, source: str, program: str, **options: Any) -> tuple[pl.DataFrame, Any]:
    """The numbers and texts of a file, and what the program says about them; blank text is missing."""
    pyreadstat = require("pyreadstat", f"Reading {program} files")
    path = existing(source)
    names: list[str] = []
    try:
        read = getattr(pyreadstat, reader)
        frame, meta = read(str(path), output_format="polars", disable_datetime_conversion=True, **options)
        names = meta.column_names
    except InputError:
        raise
    except LookupError as error:
        raise InputError(f"File '{source}' cannot be read: unknown encoding {error}.") from None
    except Exception as error:  # pyreadstat's errors have no root but Exception
        if "Unable to write" in str(error):
            raise OSError("unable to write, the disk may be full") from None
        raise InputError(f"File '{source}' cannot be read as {program}: {first_line(error)}.") from None
    refuse_duplicates(source, names)
    if not len(frame):
        raise InputError(f"File '{source}' has no records.")
    texts = [pl.col(name).replace("", None) for name, dtype in frame.schema.items() if dtype == pl.String]
    empty = [pl.col(name).cast(pl.String) for name in frame.columns if _is_text(meta, name, frame)]
    empty += [
        pl.col(n).cast(pl.Float64) for n, t in frame.schema.items() if t == pl.Null and not _is_text(meta, n, frame)
    ]
    return frame.with_columns(*texts).with_columns(*empty), meta


def _is_text(meta: Any, name: str, frame: pl.DataFrame) -> bool:
    return bool(meta.readstat_variable_types[name] == "string" and frame.schema[name] != pl.String)


def save(writer: str, frame: pl.DataFrame, path: Any, program: str, **options: Any) -> None:
    """Write numbers and texts with labels; what the program cannot hold is refused before anything is written."""
    pyreadstat = require("pyreadstat", f"Writing {program} files")
    for column in frame:
        if column.dtype == pl.String and column.str.contains("\0", literal=True).any():
            raise InputError(f"Column '{column.name}' has a NUL character, which {program} cannot store: remove it.")
    try:
        getattr(pyreadstat, writer)(frame.with_columns(pl.col(pl.String).fill_null("")), str(path), **options)
    except OSError:
        raise
    except Exception as error:  # pyreadstat's errors have no root but Exception
        if "Unable to write" in str(error):
            raise OSError("unable to write, the disk may be full") from None
        raise InputError(f"{program} cannot store this file: {first_line(error)}.") from None
    _refuse_cut_off(Path(path))


def _refuse_cut_off(path: Path) -> None:
    """Readstat may say nothing when the disk is full; then there is no room for more either, which Python notices."""
    size = path.stat().st_size
    with path.open("ab") as file:
        file.write(bytes(2**16))
        file.flush()
        os.fsync(file.fileno())
        file.truncate(size)


def numbers(values: pl.Series, program: str, least: float, largest: float) -> pl.Series:
    """A numeric or logical column as float64 without NaN; numbers that would change are refused."""
    if values.dtype.is_integer() or values.dtype.is_decimal():
        wide = values.cast(pl.Int128) if values.dtype.is_integer() else values.cast(pl.Float64)
        if values.dtype.is_integer() and (wide.abs() > LARGEST_EXACT).any():
            value = wide.filter(wide.abs() > LARGEST_EXACT)[0]
            raise InputError(
                f"Column '{values.name}' holds {value}, but {program} keeps whole numbers only up to 2^53: "
                "make it text, or write another format."
            )
    result = values.cast(pl.Float64).fill_nan(None)
    size = result.abs()
    beyond = result.filter((size > largest) | ((size < least) & (size > 0)))
    if len(beyond):
        raise InputError(
            f"Column '{values.name}' holds {beyond[0]}, which is outside the range of {program} ({least:g} "
            f"to {largest:g}): scale it, or write another format."
        )
    return result


def whole(values: pl.Series) -> pl.Series:
    """Float64 as int64 if nothing is lost, else as it is."""
    if values.dtype != pl.Float64 or not values.drop_nulls().is_between(-LARGEST_EXACT, LARGEST_EXACT).all():
        return values
    integers = values.cast(pl.Int64)
    return integers if (integers.cast(pl.Float64) == values).all() else values


def attributes(frame: pl.DataFrame, meta: Any, keep: Callable[[str], bool]) -> dict[str, Attribute]:
    """What the file says about its columns; `keep` tells which display formats are worth keeping."""
    result = {}
    for name, dtype in frame.schema.items():
        labels = meta.variable_value_labels.get(name, {})
        form = meta.original_variable_types.get(name) or ""
        result[name] = Attribute(
            name=name,
            kind=MEASURES.get(meta.variable_measure.get(name, ""), kind_of(dtype)),
            label=meta.column_names_to_labels.get(name) or "",
            value_labels={plain(value): label for value, label in labels.items()},
            display_format=form if keep(form) else "",
        )
    return result


def plain(value: Any) -> Any:
    """Whole floats as integers, so that labels match integer columns."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def width_and_decimals(form: str) -> tuple[int, int] | None:
    """Width and decimals of a numeric display format of SPSS (F8.2), SAS (8.2) or Stata (%8.2f)."""
    match = re.fullmatch(r"%?-?0?(?:[FfEe]|COMMA|DOT|BEST)?(\d+)(?:\.(\d*))?[fgec]*", form)
    return (int(match[1]), int(match[2] or 0)) if match else None
