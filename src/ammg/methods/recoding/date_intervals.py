"""Intervals of dates: where they begin, and their labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ammg.errors import InputError

Period = Literal["day", "month", "quarter", "year", "decade"]
Cut = float | date | datetime

_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_FIRST = date(1970, 1, 1)
_MOST = 200_000  # days of five centuries


@dataclass(frozen=True)
class Clock:
    """How the numbers of a date attribute count time since 1970: in days, or in fractions of a day."""

    ticks_per_day: int

    def ticks(self, name: str, cut: Cut) -> float:
        """A date, a moment or the beginning of a year as the column counts it."""
        if isinstance(cut, datetime):
            moment = cut.replace(tzinfo=UTC) if cut.tzinfo is None else cut
            passed = moment - datetime(1970, 1, 1, tzinfo=UTC)
            seconds = passed.seconds + passed.microseconds / 1e6
            return (passed.days + seconds / 86_400) * self.ticks_per_day
        if isinstance(cut, date):
            return float((cut - _FIRST).days * self.ticks_per_day)
        if not (float(cut).is_integer() and 1 <= cut <= 9999):
            raise InputError(
                f"'{name}' has dates, but {cut:g} is not a year: write cuts as years or as dates such as 2020-01-31."
            )
        return float((date(int(cut), 1, 1) - _FIRST).days * self.ticks_per_day)

    def read(self, name: str, text: str) -> float:
        """A date written as in ISO 8601."""
        try:
            return self.ticks(name, date.fromisoformat(text) if len(text) <= 10 else datetime.fromisoformat(text))
        except ValueError:
            raise InputError(
                f"'{name}' has dates, but '{text}' is not a date: write dates such as 2020-01-31."
            ) from None

    def text(self, ticks: float) -> str:
        """The date, with the time of day where there is one."""
        days, rest = divmod(ticks, self.ticks_per_day)
        if not -719_162 <= days <= 2_932_896:
            return f"{days:g} days from 1970"
        day = _FIRST + timedelta(days=int(days))
        if not rest:
            return day.isoformat()
        moment = datetime(day.year, day.month, day.day) + timedelta(days=rest / self.ticks_per_day)
        return moment.isoformat(sep=" ", timespec="seconds")

    def readable(
        self, cuts: NDArray[np.float64], right_closed: bool, lowest: float, highest: float
    ) -> NDArray[np.float64]:
        """Bounds moved to whole days, unless an interval would be empty then."""
        days = cuts / self.ticks_per_day
        moved = np.unique(np.floor(days) if right_closed else np.ceil(days)) * self.ticks_per_day
        fits = len(moved) == len(cuts) and (moved >= lowest).all() and (moved <= highest).all()
        return moved if fits else cuts

    def periods(
        self, name: str, period: Period, lowest: float, highest: float
    ) -> tuple[NDArray[np.float64], tuple[str, ...]]:
        """Where the periods between two values begin, without the first, and what each is called."""
        if np.isnan(lowest):
            return np.array([]), ("all",)
        first, last = (int(value // self.ticks_per_day) for value in (lowest, highest))
        if period == "day":
            starts = np.arange(first, last + 1)
        else:
            step = _MONTHS[period]
            months = [np.datetime64(day, "D").astype("datetime64[M]").astype(np.int64) for day in (first, last)]
            begin = months[0] - (months[0] + 1970 * 12) % step
            starts = np.arange(begin, months[1] + 1, step).astype("datetime64[M]").astype("datetime64[D]").astype(int)
        if len(starts) > _MOST:
            raise InputError(f"'{name}' covers {len(starts):,} {period}s: choose a longer period.")
        labels = _names(starts.astype("datetime64[D]"), period)
        return (starts[1:] * self.ticks_per_day).astype(np.float64), labels


def _names(starts: NDArray[np.datetime64], period: Period) -> tuple[str, ...]:
    days: Sequence[str] = np.datetime_as_string(starts, unit="D").tolist()
    if period == "day":
        return tuple(days)
    parts = [(day.rsplit("-", 2)[0], int(day.rsplit("-", 2)[1])) for day in days]
    words = {
        "month": [f"{year}-{month:02d}" for year, month in parts],
        "quarter": [f"{year} Q{(month + 2) // 3}" for year, month in parts],
        "year": [year for year, _ in parts],
        "decade": [f"{year}s" for year, _ in parts],
    }
    return tuple(words[period])
