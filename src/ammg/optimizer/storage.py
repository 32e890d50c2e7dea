"""A search that can be stopped and taken up again: a journal of verdicts, one per line, with its secret beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ammg.draws import Secret
from ammg.errors import InputError
from ammg.release.provenance import read_secret, write_secret

_FORMAT = "ammg search"


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


class Journal:
    """What was found out so far, by key; in a file it survives the process.

    A search asks the same questions in the same order whenever it runs. What a journal has is not computed again, so an
    interrupted search goes on where it stopped. A line that was cut off by a kill is dropped.
    """

    def __init__(self, storage: str | Path | None, question: str) -> None:
        self._path = None if storage is None else Path(storage)
        self._found: dict[str, Mapping[str, Any]] = {}
        if self._path is None:
            return
        lines = _lines(self._path)
        if lines is None:
            self._append({"journal": _FORMAT, "question": question})
            return
        if lines[0].get("question") != question:
            raise InputError(
                f"'{storage}' holds a search with other data, limits, methods or another secret: name another "
                "file, or give the secret of that search."
            )
        self._found = {line["key"]: line["value"] for line in lines[1:]}

    def get(self, key: str) -> Mapping[str, Any] | None:
        """What was found out under this key."""
        return self._found.get(key)

    def put(self, key: str, value: Mapping[str, Any]) -> None:
        """Keep it."""
        self._found[key] = value
        if self._path is not None:
            self._append({"key": key, "value": value})

    def _append(self, line: Mapping[str, Any]) -> None:
        assert self._path is not None
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def _lines(path: Path) -> list[dict[str, Any]] | None:
    """The lines of a journal, without a last one that was cut off; None if there is none yet.

    Raises:
        InputError: the file is something else; it is never written to.
    """
    if not path.parent.is_dir():
        raise InputError(f"Folder '{path.parent}' does not exist: create it, or keep the search elsewhere.")
    if path.is_dir():
        raise InputError(f"'{path}' is a folder: name a file to keep the search in.")
    if not path.exists():
        return None
    written = path.read_bytes()
    whole = written[: written.rfind(b"\n") + 1]
    try:
        lines = [json.loads(line) for line in whole.splitlines()]
        first_is_ours = isinstance(lines[0], dict) and lines[0].get("journal") == _FORMAT if lines else not written
    except ValueError:
        first_is_ours = False
    if not first_is_ours:
        raise InputError(f"'{path}' does not hold a search: name another file; it is created if necessary.")
    if len(whole) < len(written):
        with path.open("r+b") as file:
            file.truncate(len(whole))
    return lines or None
