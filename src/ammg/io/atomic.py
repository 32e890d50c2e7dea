"""Atomic writes: write beside the target, then rename."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ammg.errors import InputError


@contextmanager
def atomic(target: str | Path, mode: int | None = None) -> Iterator[Path]:
    """Yield a path beside `target` to write to; it takes the target's name only when all went well.

    A symbolic link stays one: what it leads to is written.
    """
    path = expanded(target)
    path = path.resolve() if path.is_symlink() else path
    if not path.parent.is_dir():
        raise InputError(f"Folder '{path.parent}' does not exist: create it, or choose another target.")
    if path.is_dir():
        raise InputError(f"'{path}' is a folder: name a file to write to.")
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        _clean(path)
        temporary.touch(mode=mode or 0o666)
        if mode is not None:
            temporary.chmod(mode)
        yield temporary
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    except Exception as error:
        reason = refusal_of_system(error)
        if reason is None:
            raise
        raise InputError(f"Cannot write '{path}': {reason}. Choose another place.") from None
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def expanded(path: str | Path) -> Path:
    """A path with its ~ written out; where that is nobody's home, as it is."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def refusal_of_system(error: Exception) -> str | None:
    """What the operating system said, whichever library passes it on; None where it said nothing."""
    said = next((one for one in (error, *error.args, error.__cause__) if isinstance(one, OSError)), None)
    if isinstance(said, PermissionError):
        return "permission denied"
    number = re.search(r"\(os error (\d+)\)", str(error))
    if number is not None:
        return os.strerror(int(number[1])).lower()
    return None if said is None else str(said.strerror or said).lower()


def _clean(path: Path) -> None:
    """Remove what processes that were killed while they wrote this target have left."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.*.tmp"):
        process = left.name.split(".")[-2]
        if process.isdigit() and not is_alive(int(process)):
            left.unlink(missing_ok=True)


def is_alive(process: int) -> bool:
    """Whether a process of this number runs."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is somebody else's
        return True
    return True
