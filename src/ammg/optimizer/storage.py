"""A search that can be stopped and taken up again: its trials in a journal, its secret beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from ammg.draws import Secret
from ammg.errors import InputError
from ammg.release.provenance import read_secret, write_secret

DIRECTIONS: tuple[Literal["minimize"], ...] = ("minimize", "minimize")


def secret_of(given: Secret | bytes | str | int | None, storage: str | Path | None) -> Secret:
    """The given secret, else the one that was kept beside the journal (mode 0600), else a new one."""
    if given is not None or storage is None:
        return Secret.of(given)
    kept = Path(f"{storage}.secret")
    if kept.is_file():
        return read_secret(kept)
    secret = Secret.of(None)
    if not Path(storage).exists():
        write_secret(secret, kept)
    return secret


def _refuse_other_files(path: Path) -> None:
    """A journal has a JSON object a line; what is something else is never written to."""
    if not path.parent.is_dir():
        raise InputError(f"Folder '{path.parent}' does not exist: make it, or keep the search elsewhere.")
    if not path.exists():
        return
    if path.is_dir():
        raise InputError(f"'{path}' is a folder: name a file to keep the search in.")
    with path.open("rb") as file:
        first = file.readline()
    try:
        entry = json.loads(first) if first else {"op_code": None}
    except ValueError:
        entry = None
    if not isinstance(entry, dict) or "op_code" not in entry:
        raise InputError(f"'{path}' is not a search that was kept: name another file, it is made if need be.")


def _drop_half_line(path: Path) -> None:
    """Take off the line that a process was writing when it was killed; everybody who writes has the lock."""
    from optuna.storages.journal import JournalFileSymlinkLock

    if not path.exists():
        return
    lock = JournalFileSymlinkLock(str(path))
    lock.acquire()
    try:
        with path.open("r+b") as file:
            written = file.read()
            file.truncate(written.rfind(b"\n") + 1)
    finally:
        lock.release()


def open_study(storage: str | Path | None, question: str) -> Any:
    """The study of a journal, or one in memory; a journal answers one question and refuses others."""
    import optuna
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    if storage is None:
        return optuna.create_study(directions=DIRECTIONS)
    _refuse_other_files(Path(storage))
    _drop_half_line(Path(storage))
    journal = JournalStorage(JournalFileBackend(str(storage)))
    study = optuna.create_study(storage=journal, study_name="search", directions=DIRECTIONS, load_if_exists=True)
    asked = study.user_attrs.get("question")
    if asked is None:
        study.set_user_attr("question", question)
    elif asked != question:
        raise InputError(
            f"'{storage}' holds a search with other data, limits, methods or another secret: name another file, "
            "or give the secret it was begun with."
        )
    return study
