"""The target of a release, checked before anything is computed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from ammg import registry
from ammg.errors import InputError
from ammg.io.atomic import expanded
from ammg.io.codebook import codebook_path
from ammg.io.urls import hidden
from ammg.release.staging import refuse_collision


def check_target(target: str, sources: Iterable[str] = ()) -> None:
    """Refuse a target whose ending names no format, whose folder cannot be written to, or which is a source itself."""
    if not target.strip():
        raise InputError("The target is empty: name a file or a database table to write to.")
    if "://" not in target:
        _refuse_unusable(expanded(target))
    form = registry.format_for(target)
    form.refuse_read_only(target)
    for source in sources:
        if _is_same(source, target):
            raise InputError(
                f"'{hidden(target)}' is the source of the project and would be overwritten: choose another target."
            )
        if not Path(source).name:  # a folder such as /, which is refused when it is read
            continue
        codebook = codebook_path(source)
        if not form.holds_codebook and codebook.is_file() and _is_same(str(codebook), str(codebook_path(target))):
            raise InputError(
                f"'{codebook}' describes the source of the project and would be overwritten: choose another target."
            )
    if "://" in target:
        if form.suffixes and not target.lower().endswith(".parquet"):  # which engines write to stores of their own
            raise InputError(f"'{hidden(target)}' is a web address, not a database: name a file by its path.")
        form.place(target)
        return
    path = expanded(target)
    if path.is_symlink():
        raise InputError(f"'{target}' is a symbolic link: name the file that it points to, '{path.resolve()}'.")
    check_folder(path)


def _refuse_unusable(path: Path) -> None:
    """Refuse a name that no file can have."""
    try:
        path.lstat()
        path.resolve()
    except FileNotFoundError:
        pass
    except (OSError, ValueError, RuntimeError) as error:  # a NUL in the name, a link that leads to itself
        reason = str(getattr(error, "strerror", None) or error).lower()
        raise InputError(f"Cannot write to '{str(path)[:200]}': {reason}. Choose another target.") from None
    if len(path.name.encode(errors="replace")) > LONGEST_NAME:
        raise InputError(f"The name '{path.name[:40]}…' is longer than {LONGEST_NAME} bytes: choose a shorter target.")


LONGEST_NAME = 200
"""Bytes of a target's name: file systems take 255, and the names of what is written beside it are longer."""


def check_folder(path: Path) -> None:
    """Refuse a file whose folder does not exist or is not writable."""
    refuse_collision(path, folder=False)
    if not path.parent.is_dir():
        raise InputError(f"Folder '{path.parent}' does not exist: create it, or choose another target.")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise InputError(f"Cannot write to '{path.parent}': permission denied. Choose another place.")


def _is_same(one: str, other: str) -> bool:
    if "://" in one or "://" in other:
        return hidden(one) == hidden(other)
    return expanded(one).resolve() == expanded(other).resolve()
