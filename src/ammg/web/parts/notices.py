"""What a page says in passing: that something worked, or why it did not."""

from __future__ import annotations

from nicegui import ui

from ammg.errors import AmmgError, ProjectError
from ammg.io.urls import hidden
from ammg.web.errors import UNFORESEEN
from ammg.web.logs import told_error


def tell(message: str) -> None:
    """Say that something worked."""
    ui.notify(message, type="positive", position="bottom")


def warn(message: str) -> None:
    """Say why something did not work; it stays until it is closed."""
    ui.notify(message, type="negative", position="bottom", timeout=0, close_button="Close", multi_line=True)


def tell_error(error: Exception) -> None:
    """Show an error as one sentence. Pages need not call it: what an event handler raises comes here by itself."""
    if isinstance(error, ProjectError):
        warn(" ".join(f"{one.place}: {one.message}" for one in error.problems[:5]))
    elif isinstance(error, AmmgError):
        warn(hidden(str(error)))
    else:
        told_error(error)
        warn(UNFORESEEN)
