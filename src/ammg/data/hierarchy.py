"""A hierarchy: for each value its ever coarser generalisations."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ammg.errors import InputError


@dataclass(frozen=True)
class Hierarchy:
    """Rows of (value, level 1, level 2, …); level 0 is the value itself, the last is usually `*`."""

    rows: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        if not self.rows:
            raise InputError("A hierarchy needs at least one row: value, then its generalisations.")
        height = len(self.rows[0])
        seen: set[str] = set()
        coarser: list[dict[str, str]] = [{} for _ in range(height - 1)]
        for number, row in enumerate(self.rows, 1):
            if len(row) != height:
                raise InputError(f"Hierarchy row {number} has {len(row)} levels, the first has {height}: {list(row)}.")
            if row[0] in seen:
                raise InputError(f"Hierarchy row {number} repeats the value '{row[0]}': keep one row a value.")
            seen.add(row[0])
            for level in range(height - 1):
                parent = coarser[level].setdefault(row[level], row[level + 1])
                if parent != row[level + 1]:
                    raise InputError(
                        f"Hierarchy value '{row[level]}' of level {level} has two parents, '{parent}' and "
                        f"'{row[level + 1]}': a value has one generalisation."
                    )

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[object]]) -> Hierarchy:
        """Build from rows of values, base value first."""
        return cls(tuple(tuple(map(str, row)) for row in rows))

    @classmethod
    def from_mapping(cls, levels: Mapping[str, Sequence[object]]) -> Hierarchy:
        """Build from `{value: [level 1, level 2, …]}`."""
        return cls.from_rows([value, *above] for value, above in levels.items())

    @classmethod
    def from_csv(cls, path: str | Path, separator: str = ";") -> Hierarchy:
        """Read a file with one row a value, base value first, as ARX writes it."""
        try:
            with Path(path).expanduser().open(newline="", encoding="utf-8-sig") as file:
                rows = [row for row in csv.reader(file, delimiter=separator) if row]
        except (OSError, UnicodeError, csv.Error) as error:
            reason = getattr(error, "strerror", None) or f"it is not text in UTF-8 ({error})"
            raise InputError(f"Hierarchy file '{path}' cannot be read: {reason}.") from None
        if max(map(len, rows), default=0) == 1:
            raise InputError(
                f"Hierarchy file '{path}' has one column: write a row a value, with its generalisations after "
                f"'{separator}'."
            )
        return cls.from_rows(rows)

    @property
    def height(self) -> int:
        """The number of levels above the values."""
        return len(self.rows[0]) - 1

    def level(self, number: int) -> dict[str, str]:
        """What each base value becomes at a level."""
        if not 0 <= number <= self.height:
            raise InputError(f"Level {number} does not exist: this hierarchy has levels 0 to {self.height}.")
        return {row[0]: row[number] for row in self.rows}
