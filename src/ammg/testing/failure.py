"""How a check fails where an `assert` cannot stand."""

from __future__ import annotations

from typing import NoReturn


def fail(message: str) -> NoReturn:
    """Raise what a failed assertion raises."""
    raise AssertionError(message)
