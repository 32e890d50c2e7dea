"""One writer per target."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ammg.errors import InputError
from ammg.io.urls import hidden


@contextmanager
def only_writer(path: Path, what: str) -> Iterator[None]:
    """Hold a lock file; a second writer is refused at once. The lock of a killed process is released."""
    import fcntl

    while True:
        try:
            lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise InputError(f"Cannot write to '{path.parent}': {_reason(error)}. Choose another place.") from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(lock, path):
                break
        except BlockingIOError:
            os.close(lock)
            raise InputError(
                f"'{what}' is being written by another process: wait for it, or choose another target."
            ) from None
        os.close(lock)  # the one who held it has removed it: lock the new file
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(lock)


def lock_of_url(target: str) -> Path:
    """The lock file of a table: among the temporary files of this machine, since a table is in no folder."""
    shown = hidden(target)
    name = hashlib.sha256(shown.encode()).hexdigest()[:24]
    return Path(tempfile.gettempdir()) / f"ammg-{os.getuid()}-{name}.lock"


def _is_at(lock: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(lock), path.stat(follow_symlinks=False))
    except FileNotFoundError:
        return False


def _reason(error: OSError) -> str:
    return "permission denied" if isinstance(error, PermissionError) else str(error.strerror or error).lower()
