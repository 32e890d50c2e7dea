"""Backup and restore: one file with every row and every encrypted file, whichever database the store is in.

The rows are encrypted like the files, so a backup reveals nothing without the key. The key itself is not included: keep
it elsewhere.
"""

from __future__ import annotations

import base64
import io
import json
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from ammg.errors import AmmgError, Conflict, InputError
from ammg.io.atomic import atomic
from ammg.store.ground.chain import note
from ammg.store.ground.files import Files
from ammg.store.models import metadata
from ammg.store.models.people import LoginFailureRow, SessionRow, UserRow
from ammg.store.models.projects import FileRow
from ammg.store.settings import Settings
from ammg.store.store import Store, open_store
from ammg.version import __version__

_LEFT_OUT = {SessionRow.__tablename__, LoginFailureRow.__tablename__}
"""Tables left out, so that everybody signs in again after a restore."""
_ROWS = "rows"
_PART = 8 * 2**20
_LOCAL = ("facts", "audit_head")
"""Tables whose rows a new store already has; the rows of the backup replace them."""


def write_backup(store: Store, path: Path) -> int:
    """Write a backup, even while the server runs; returns the number of files in it."""
    with atomic(path, 0o600) as temporary, tarfile.open(temporary, "w") as archive:
        parts = _write_rows(store, archive)
        with store.reading() as session:
            ids = list(session.scalars(sa.select(FileRow.id)))
        count = 0
        for file_id in ids:
            place = store.files.path(file_id)
            if place.is_file():  # otherwise it has just been removed, with its row
                archive.add(place, f"files/{file_id}", recursive=False)
                count += 1
        manifest = {
            "ammg": __version__,
            "format": 1,
            "schema": _revision(store.engine),
            "key": store.vault.tag("store", "key"),
            "parts": parts,
            "written_at": store.clock().isoformat(),
        }
        _add(archive, "manifest.json", json.dumps(manifest, indent=2).encode())
    with store.writing() as session:
        note(session, None, "backup", files=count)
    return count


def restore_backup(path: Path, settings: Settings) -> Store:
    """Make a store from a backup; its folder and its database must be empty.

    Raises:
        InputError: the file is not a backup, is from another version, or was written with another key.
        Conflict: a store already exists there.
    """
    with _readable(path), tarfile.open(path, "r:") as archive:
        manifest = json.loads(_read(archive, "manifest.json"))
        store = open_store(settings)
        try:
            _refuse_unfit(store, manifest, path)
            _restore_files(archive, store.files)
            _restore_rows(archive, store, manifest["parts"])
            with store.writing() as session:
                note(session, None, "restored", written_at=manifest["written_at"])
        except BaseException:
            store.close()
            raise
    return store


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except AmmgError:
        raise
    except (tarfile.TarError, KeyError, ValueError):
        raise InputError(f"'{path}' is not a backup of AMMG, or is incomplete.") from None


def _write_rows(store: Store, archive: tarfile.TarFile) -> int:
    """Write every row as of one moment."""
    engine = store.engine
    if engine.dialect.name != "sqlite":
        engine = engine.execution_options(isolation_level="REPEATABLE READ")
    number, lines, size = 0, [], 0
    with engine.connect() as connection:
        for line in _dumped(connection):
            lines.append(line)
            size += len(line)
            if size >= _PART:
                _add(archive, f"{_ROWS}/{number}", _sealed(store, lines, number))
                number, lines, size = number + 1, [], 0
    _add(archive, f"{_ROWS}/{number}", _sealed(store, lines, number))
    return number + 1


def _dumped(connection: sa.Connection) -> Iterator[str]:
    for table in metadata.sorted_tables:
        if table.name in _LEFT_OUT:
            continue
        for row in connection.execute(sa.select(table)).mappings():
            yield json.dumps([table.name, {name: _plain(value) for name, value in row.items()}])


def _sealed(store: Store, lines: list[str], number: int) -> bytes:
    return store.vault.seal("\n".join(lines), f"backup:{number}")


def _refuse_unfit(store: Store, manifest: dict[str, Any], path: Path) -> None:
    if manifest["key"] != store.vault.tag("store", "key"):
        raise InputError(f"'{path}' was written with another key: give its key file.")
    if (manifest["format"], manifest["schema"]) != (1, _revision(store.engine)):
        raise InputError(f"'{path}' was written by AMMG {manifest['ammg']}: restore it there, then update.")
    with store.reading() as session:
        if session.scalar(sa.select(sa.func.count()).select_from(UserRow)):
            raise Conflict("A store already exists: restore to an empty folder and an empty database.")


def _restore_files(archive: tarfile.TarFile, files: Files) -> None:
    for member in archive:
        name = member.name.partition("/")
        if name[0] != "files" or not member.isfile():
            continue
        content = archive.extractfile(member)
        assert content is not None
        place = files.path(name[2])  # refuses anything but an id
        place.parent.mkdir(mode=0o700, exist_ok=True)
        with atomic(place, 0o600) as temporary, temporary.open("wb") as file:
            while chunk := content.read(2**20):
                file.write(chunk)


def _restore_rows(archive: tarfile.TarFile, store: Store, parts: int) -> None:
    tables = {table.name: table for table in metadata.sorted_tables}
    with store.writing() as session:
        for name in _LOCAL:
            session.execute(sa.delete(tables[name]))
        for number in range(parts):
            text = store.vault.unseal(_read(archive, f"{_ROWS}/{number}"), f"backup:{number}")
            for line in text.splitlines():
                name, row = json.loads(line)
                session.execute(sa.insert(tables[name]).values({key: _valued(value) for key, value in row.items()}))
        if session.get_bind().dialect.name == "postgresql":  # its sequence does not advance for explicit ids
            last = "SELECT setval(pg_get_serial_sequence('job_events', 'id'), (SELECT max(id) + 1 FROM job_events))"
            session.execute(sa.text(last))


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    if isinstance(value, datetime):
        return {"moment": value.astimezone(UTC).isoformat()}
    return value


def _valued(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return base64.b64decode(value["bytes"]) if "bytes" in value else datetime.fromisoformat(value["moment"])


def _revision(engine: sa.Engine) -> str:
    with engine.connect() as connection:
        return str(connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar_one())


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode = len(content), 0o600
    archive.addfile(member, io.BytesIO(content))


def _read(archive: tarfile.TarFile, name: str) -> bytes:
    content = archive.extractfile(name)
    if content is None:
        raise KeyError(name)
    return content.read()
