"""A hierarchy: increasingly coarse generalisations of each value."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from ammg.errors import InputError


@dataclass(frozen=True)
class Hierarchy:
    """Rows of (value, level 1, level 2, …); level 0 is the value itself, the last is usually `*`."""

    rows: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        if not self.rows:
            raise InputError("A hierarchy needs at least one row: value, then its generalisations.")
        problems = _problems(self.rows)
        if problems:
            raise InputError(" ".join(problems))

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[object]]) -> Hierarchy:
        """Build from rows of values, base value first."""
        return cls(tuple(tuple(map(str, row)) for row in rows))

    @classmethod
    def from_mapping(cls, levels: Mapping[str, Sequence[object]]) -> Hierarchy:
        """Build from `{value: [level 1, level 2, …]}`."""
        return cls.from_rows([value, *above] for value, above in levels.items())

    @classmethod
    def from_csv(cls, path: str | Path, separator: str | None = None) -> Hierarchy:
        """Read a file with one row per value, base value first, as ARX writes it.

        The default separator is a semicolon if the first row has one, else a tab, else a comma.
        """
        try:
            text = Path(path).expanduser().read_text(encoding="utf-8-sig")
            first = text.partition("\n")[0]
            between = separator or next((sign for sign in ";\t," if sign in first), ";")
            rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=between) if row]
        except (OSError, UnicodeError, csv.Error) as error:
            reason = getattr(error, "strerror", None) or f"it is not text in UTF-8 ({error})"
            raise InputError(f"Hierarchy file '{path}' cannot be read: {reason}.") from None
        if max(map(len, rows), default=0) == 1:
            raise InputError(
                f"Hierarchy file '{path}' has one column: write one row per value, with its generalisations after "
                f"'{between}'."
            )
        return cls.from_rows(rows)

    @property
    def height(self) -> int:
        """The number of levels above the values."""
        return len(self.rows[0]) - 1

    def level(self, number: int) -> dict[str, str]:
        """The generalisation of each base value at a level."""
        if not 0 <= number <= self.height:
            raise InputError(f"Level {number} does not exist: this hierarchy has levels 0 to {self.height}.")
        return {row[0]: row[number] for row in self.rows}

    def preview(self, number: int, counts: Mapping[str, int]) -> dict[str, int]:
        """The categories at a level with their numbers of records, given the number of records of each value."""
        parents = self.level(number)
        shown: dict[str, int] = {}
        for value, count in counts.items():
            if value not in parents:
                raise InputError(f"The hierarchy lacks the value '{value}': add a row for it.")
            shown[parents[value]] = shown.get(parents[value], 0) + count
        return shown

    def check(self, values: Iterable[object]) -> list[str]:
        """Problems of the hierarchy with these values, one sentence each: values it lacks, gaps between intervals."""
        known = {row[0] for row in self.rows}
        lacking = [text for text in map(str, values) if text not in known]
        problems = [f"The hierarchy lacks the value '{text}': add a row for it." for text in lacking[:_SHOWN]]
        if len(lacking) > _SHOWN:
            problems.append(f"It lacks {len(lacking) - _SHOWN:,} more values.")
        for number in range(1, self.height + 1):
            intervals = sorted(filter(None, map(_interval, dict.fromkeys(row[number] for row in self.rows))))
            for (low, high, name), (start, _, other) in pairwise(intervals):
                if start > high:
                    problems.append(f"Level {number} has a gap between '{name}' and '{other}': {high:g} to {start:g}.")
                elif start < high and low != start:
                    problems.append(f"Level {number} has intervals that overlap: '{name}' and '{other}'.")
        return problems


def value_text(value: object) -> str:
    """A value as hierarchies spell it: 34 rather than 34.0."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return str(value)


_SHOWN = 5
_NUMBER = r"(-?[\d.]+)"


def _interval(label: str) -> tuple[float, float, str] | None:
    """The bounds of a class named `30-34` (whole numbers) or `[30, 35)`; None for other names."""
    if found := re.fullmatch(r"(-?\d+)-(-?\d+)", label):
        return float(found[1]), float(found[2]) + 1, label
    if found := re.fullmatch(rf"\[{_NUMBER}, {_NUMBER}\)", label):
        return float(found[1]), float(found[2]), label
    return None


def _problems(rows: Sequence[Sequence[str]]) -> list[str]:
    """All problems of the rows themselves: lengths, repetitions, values with two parents."""
    height = len(rows[0])
    problems: list[str] = []
    seen: set[str] = set()
    coarser: list[dict[str, str]] = [{} for _ in range(height - 1)]
    told: set[tuple[int, str]] = set()
    for number, row in enumerate(rows, 1):
        if len(row) != height:
            problems.append(f"Hierarchy row {number} has {len(row)} levels, the first row has {height}: {list(row)}.")
            continue
        if row[0] in seen:
            problems.append(f"Hierarchy row {number} repeats the value '{row[0]}': keep one row per value.")
        seen.add(row[0])
        for level in range(height - 1):
            parent = coarser[level].setdefault(row[level], row[level + 1])
            if parent != row[level + 1] and (level, row[level]) not in told:
                told.add((level, row[level]))
                problems.append(
                    f"Hierarchy value '{row[level]}' of level {level} has two parents, '{parent}' and "
                    f"'{row[level + 1]}': give it one."
                )
    return problems
