"""Several files and folders at once: written apart, then moved into their place together."""

from __future__ import annotations

import glob
import os
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ammg.errors import DataWarning, InputError
from ammg.io.atomic import is_alive, refusal_of_system

_READY, _ELSEWHERE, _OLD = ".ready", ".elsewhere", ".old"


@contextmanager
def staged(folder: str | Path, name: str) -> Iterator[Path]:
    """Yield an empty folder to write to; when all went well, what is in it takes its place in `folder`.

    A process that is killed before all is written leaves `folder` as it was. One that is killed between the moves
    loses nothing: the next call of the same name moves the rest.
    """
    home = Path(folder).expanduser()
    _finish_others(home, name)
    place = home / f".{name}.{os.getpid()}.staged"
    try:
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(mode=0o700)
    except OSError as error:
        raise InputError(f"Cannot write to '{home}': {refusal_of_system(error)}. Choose another place.") from None
    try:
        yield place
        _refuse_collisions(place, home)
        _sync(place)
        (place / _READY).touch()
    except InputError as error:
        raise type(error)(str(error).replace(str(place), str(home))) from None
    except OSError as error:
        raise InputError(f"Cannot write to '{home}': {refusal_of_system(error)}. Choose another place.") from None
    finally:
        if not (place / _READY).exists():
            shutil.rmtree(place, ignore_errors=True)
    try:
        _move(place, home)
    except OSError as error:
        raise InputError(
            f"Cannot write to '{home}': {refusal_of_system(error)}. What is missing there is in '{place}'."
        ) from None


def write_elsewhere(place: Path) -> None:
    """Say that something leaves for another place now, such as a database: from here on, leftovers may belong to it."""
    _sync(place)
    (place / _ELSEWHERE).touch()


def _finish_others(home: Path, name: str) -> None:
    """Complete what processes that were killed between their moves have left; remove what was not ready."""
    for left in home.glob(f".{glob.escape(name)}.*.staged"):
        process = left.name.split(".")[-2]
        if not process.isdigit() or (is_alive(int(process)) and int(process) != os.getpid()):
            continue
        if (left / _READY).exists():
            _move(left, home)
        elif (left / _ELSEWHERE).exists():
            warnings.warn(
                f"'{left}' is from a run that was killed while it wrote to a database. If the table was written, this "
                "is its secret and link: move it to where you keep them, else remove it.",
                DataWarning,
                stacklevel=4,
            )
        else:
            shutil.rmtree(left, ignore_errors=True)


def _entries(place: Path) -> list[Path]:
    """What is to be moved, folders first: what only the owner has is in place before what leaves."""
    own = {_READY, _ELSEWHERE, _OLD}
    return sorted((path for path in place.iterdir() if path.name not in own), key=lambda p: (p.is_file(), p.name))


def _refuse_collisions(place: Path, home: Path) -> None:
    for entry in _entries(place):
        refuse_collision(home / entry.name, folder=entry.is_dir())


def refuse_collision(path: Path, *, folder: bool) -> None:
    """A file cannot take the place of a folder, nor a folder that of a file."""
    if folder and path.exists() and not path.is_dir():
        raise InputError(f"'{path}' is a file where a folder is to be written: move it, or choose another place.")
    if not folder and path.is_dir():
        raise InputError(f"'{path}' is a folder: name a file to write to.")


def _sync(place: Path) -> None:
    for path in place.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())


def _move(place: Path, home: Path) -> None:
    old = place / _OLD
    old.mkdir(exist_ok=True)
    for entry in _entries(place):
        target = home / entry.name
        if entry.is_dir() and target.is_dir():
            target.rename(old / entry.name)
        entry.replace(target)
    shutil.rmtree(place, ignore_errors=True)
