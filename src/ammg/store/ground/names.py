"""File names given by people."""

from __future__ import annotations

from ammg import registry
from ammg.errors import InputError

LONGEST = 100
_BESIDE = (".yaml", ".yml", ".sas7bcat")
"""Suffixes of codebooks, hierarchies and catalogs, which are uploaded with the data."""


def checked_file_name(name: str) -> str:
    """A name for a data set: no path, no control characters, and a suffix that AMMG reads."""
    _refuse_unusable(name)
    if not is_beside(name):
        registry.format_for(name)
    return name


def is_beside(name: str) -> bool:
    """Whether a file describes data and contains none itself."""
    return name.lower().endswith(_BESIDE)


def checked_target(name: str) -> str:
    """A name for a masked file: its suffix is a format that AMMG writes."""
    _refuse_unusable(name)
    registry.format_for(name).refuse_read_only(name)
    return name


def _refuse_unusable(name: str) -> None:
    if not name or len(name) > LONGEST or len(name.encode(errors="replace")) > 2 * LONGEST:
        raise InputError(f"A file name must have 1 to {LONGEST} characters: choose another one.")
    if any(sign in name for sign in '/\\:*?"<>|\0') or not name.isprintable() or name != name.strip():
        raise InputError("A file name cannot have slashes, colons, quotes or control characters: choose another one.")
    if name.startswith(".") or name.endswith("."):
        raise InputError("A file name cannot begin or end with a dot: choose another one.")
