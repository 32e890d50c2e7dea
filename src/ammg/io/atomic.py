"""A file is whole or absent: write beside it, then rename."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ammg.errors import InputError


@contextmanager
def atomic(target: str | Path, mode: int | None = None) -> Iterator[Path]:
    """Yield a path beside `target` to write to; it takes the target's name only when all went well."""
    path = Path(target).expanduser()
    if not path.parent.is_dir():
        raise InputError(f"Folder '{path.parent}' does not exist: make it, or write elsewhere.")
    if path.is_dir():
        raise InputError(f"'{path}' is a folder: name a file to write to.")
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.touch(mode=mode or 0o666)
        if mode is not None:
            temporary.chmod(mode)
        yield temporary
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    except PermissionError:
        raise InputError(f"Cannot write '{path}': permission denied. Choose another place.") from None
    finally:
        temporary.unlink(missing_ok=True)
