"""Where a release is to go, looked at before anything is computed for it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from ammg import registry
from ammg.errors import InputError
from ammg.io.codebook import codebook_path
from ammg.io.staging import refuse_collision


def check_target(target: str, sources: Iterable[str] = ()) -> None:
    """Refuse a target whose ending names no format, whose folder cannot be written to, or which is a source itself."""
    form = registry.format_for(target)
    form.refuse_read_only(target)
    for source in sources:
        if _is_same(source, target):
            raise InputError(f"'{target}' is what the project reads, and would be lost: write elsewhere.")
        codebook = codebook_path(source)
        if not form.holds_codebook and codebook.is_file() and _is_same(str(codebook), str(codebook_path(target))):
            raise InputError(f"'{codebook}' describes what the project reads, and would be lost: write elsewhere.")
    if "://" in target:
        return
    check_folder(Path(target).expanduser())


def check_folder(path: Path) -> None:
    """Refuse a file whose folder is not there or cannot be written to."""
    refuse_collision(path, folder=False)
    if not path.parent.is_dir():
        raise InputError(f"Folder '{path.parent}' does not exist: make it, or write elsewhere.")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise InputError(f"Cannot write to '{path.parent}': permission denied. Choose another place.")


def _is_same(one: str, other: str) -> bool:
    if "://" in one or "://" in other:
        return one == other
    return Path(one).expanduser().resolve() == Path(other).expanduser().resolve()
