"""Moments and sizes in words."""

from __future__ import annotations

from datetime import UTC, datetime

_STEPS = ((60, "minute"), (3600, "hour"), (86400, "day"))


def moment(at: datetime) -> str:
    """A moment to the minute, in the time of the server."""
    return at.astimezone().strftime("%Y-%m-%d %H:%M")


def ago(at: datetime, now: datetime | None = None) -> str:
    """How long ago something was; after a month the day itself."""
    seconds = ((now or datetime.now(UTC)) - at).total_seconds()
    if seconds < 60:
        return "just now"
    if seconds > 30 * 86400:
        return f"{at:%Y-%m-%d}"
    length, unit = next((step for step in reversed(_STEPS) if seconds >= step[0]), _STEPS[0])
    number = int(seconds // length)
    return f"{number} {unit}{'s' if number > 1 else ''} ago"


def size(count: int | None) -> str:
    """Bytes in words."""
    if count is None:
        return "not known"
    amount = float(count)
    for unit in ("bytes", "kB", "MB"):
        if amount < 1000:
            return f"{amount:,.0f} {unit}" if unit == "bytes" else f"{amount:,.1f} {unit}"
        amount /= 1000
    return f"{amount:,.1f} GB"
