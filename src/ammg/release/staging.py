"""Several files and folders at once: written separately, then moved into place together."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ammg.errors import DataWarning, InputError
from ammg.io.atomic import expanded, refusal_of_system
from ammg.release.lock import only_writer

_READY, _ELSEWHERE = ".ready", ".elsewhere"


@contextmanager
def staged(folder: str | Path, name: str) -> Iterator[Path]:
    """Yield an empty folder to write to; when all went well, what is in it takes its place in `folder`.

    One process at a time writes what has this name. One that is killed before all is written leaves `folder` as it
    was. One that is killed between the moves loses nothing: the next call in this folder moves the rest. A file takes
    the place of an older one, a folder never does: the older one is kept aside, with a number.
    """
    home = expanded(folder)
    with only_writer(_lock(home, name), str(home / name)):
        _finish_others(home, name)
        with _staged(home, name) as place:
            yield place


@contextmanager
def _staged(home: Path, name: str) -> Iterator[Path]:
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
            f"Cannot write to '{home}': {refusal_of_system(error)}. The missing files are in '{place}'."
        ) from None


def write_elsewhere(place: Path) -> None:
    """Say that something leaves for another place now, such as a database: from here on, leftovers may belong to it."""
    _sync(place)
    (place / _ELSEWHERE).touch()


def _lock(home: Path, name: str) -> Path:
    return home / f".{name}.lock"


def _finish_others(home: Path, own: str) -> None:
    """Complete what killed processes have left in this folder, whatever its name, unless somebody is writing it."""
    for left in home.glob(".*.staged"):
        name, _, process = left.name[1:].removesuffix(".staged").rpartition(".")
        if not name or not process.isdigit():
            continue
        if name == own:
            _finish(left, home)
            continue
        with suppress(InputError), only_writer(_lock(home, name), name):
            if left.exists():
                _finish(left, home)


def _finish(left: Path, home: Path) -> None:
    """Move what was ready, remove what was not, and name what may belong to a table."""
    if (left / _READY).exists():
        _move(left, home)
    elif (left / _ELSEWHERE).exists():
        warnings.warn(
            f"'{left}' is from a run that was killed while writing to a database. If the table was "
            "written, this is its secret and link: keep it in a safe place, otherwise delete it.",
            DataWarning,
            stacklevel=6,
        )
    else:
        shutil.rmtree(left, ignore_errors=True)


def _entries(place: Path) -> list[Path]:
    """What is to be moved, folders first: what only the owner has is in place before what leaves."""
    own = {_READY, _ELSEWHERE}
    return sorted((path for path in place.iterdir() if path.name not in own), key=_order)


def _order(path: Path) -> tuple[bool, bool, str]:
    """Private folders, other folders (which is how Spark writes a file), files."""
    return not path.name.endswith(".private"), path.is_file(), path.name


def _refuse_collisions(place: Path, home: Path) -> None:
    for entry in _entries(place):
        refuse_collision(home / entry.name, folder=entry.is_dir())


def refuse_collision(path: Path, *, folder: bool) -> None:
    """A file cannot take the place of a folder, nor a folder that of a file."""
    if folder and path.exists() and not path.is_dir():
        raise InputError(f"'{path}' is a file, but a folder must be written there: move it, or choose another place.")
    if not folder and path.is_dir():
        raise InputError(f"'{path}' is a folder: name a file to write to.")


def _sync(place: Path) -> None:
    for path in place.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())


def _move(place: Path, home: Path) -> None:
    for entry in _entries(place):
        target = home / entry.name
        if entry.is_dir():
            keep_aside(target)
        entry.replace(target)
    shutil.rmtree(place, ignore_errors=True)


def keep_aside(folder: Path) -> None:
    """Give a folder that is in the way the next free number: nothing that somebody may still need is replaced."""
    if not os.path.lexists(folder):
        return
    number = 1
    while os.path.lexists(aside := folder.with_name(f"{folder.name}.{number}")):
        number += 1
    folder.rename(aside)
