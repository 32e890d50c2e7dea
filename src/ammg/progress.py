"""How far a long computation is, and a way to stop it.

Callers open `reporting(report)`; long computations call `tick(done, total)` from time to time, however many calls lie
between them. A context variable joins the two: threads do not hear of each other. Reading, masking, shuffling and
writing tick chunk by chunk; a report that returns False stops them, and what was being written does not appear.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias, TypeVar

from ammg.errors import Cancelled

Report: TypeAlias = Callable[[float, float, str], object]
"""`report(done, total, what is at hand)`; one that returns False asks for an end."""

S = TypeVar("S", bound=Sized)

_report: ContextVar[Report | None] = ContextVar("report", default=None)


@contextmanager
def reporting(report: Report | None) -> Iterator[None]:
    """Tell `report` about every tick inside; None leaves things as they are."""
    token = _report.set(report or _report.get())
    try:
        yield
    finally:
        _report.reset(token)


def tick(done: float, total: float, label: str = "") -> None:
    """Say how far the computation is.

    Raises:
        Cancelled: the caller asked to stop.
    """
    report = _report.get()
    if report is not None and report(done, total, label) is False:
        raise Cancelled("Stopped on request; nothing was written.")


def ticking(parts: Iterable[S], total: int, label: str = "") -> Iterator[S]:
    """The same parts (frames, lists), with a tick before each that says how many of `total` records came before it."""
    done = 0
    for each in parts:
        tick(done, total, label)
        yield each
        done += len(each)


@contextmanager
def part(position: float, total: float, label: str = "", *, size: float = 1.0) -> Iterator[None]:
    """Let the ticks inside move the whole from `position` to `position + size` of `total`, and never back.

    What is at hand is `label`; without one, what the ticks inside say.
    """
    outer = _report.get()
    reached = position

    def inner(done: float, whole: float, at_hand: str) -> object:
        nonlocal reached
        reached = max(reached, position + size * min(done / whole, 1.0)) if whole > 0 else reached
        return outer(reached, total, label or at_hand) if outer else None

    tick(position, total, label)
    with reporting(inner if outer else None):
        yield
