"""`ammg serve`, `ammg backup`, `ammg restore`: the server of a team, and what its administrator does."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from ammg.cli.console import out
from ammg.errors import InputError
from ammg.optional import require

Data: TypeAlias = Annotated[Path, typer.Option(help="Folder of the encrypted files; it is created if necessary.")]
Database: TypeAlias = Annotated[
    str, typer.Option(help="URL of a PostgreSQL or MariaDB database; without it SQLite in the data folder.")
]
KeyFile: TypeAlias = Annotated[
    Path | None, typer.Option(help="File with the key (mode 0600), unless AMMG_KEY has it; by default beside the data.")
]


def serve(
    data: Data = Path("ammg-data"),
    database: Database = "",
    key_file: KeyFile = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.", min=1, max=65535)] = 8080,
    certificate: Annotated[Path | None, typer.Option(help="TLS certificate (PEM), if no proxy does TLS.")] = None,
    key: Annotated[Path | None, typer.Option(help="Private key of the certificate (PEM).")] = None,
    proxy: Annotated[str, typer.Option(help="Address of the reverse proxy that does TLS.")] = "",
    public_url: Annotated[str, typer.Option(help="Address that people use, such as https://ammg.example.org.")] = "",
    workers: Annotated[int, typer.Option(help="Jobs that run at the same time.", min=1, max=64)] = 2,
    megabytes: Annotated[int, typer.Option(help="Memory that a job may use, in MB.", min=200)] = 4096,
    hours: Annotated[float, typer.Option(help="Hours that a job may take.", min=0.01)] = 6.0,
    upload: Annotated[int, typer.Option(help="Largest upload, in MiB.", min=1)] = 2048,
) -> None:
    """Run the web application and the API; the first start shows a link for the first administrator."""
    for package in ("fastapi", "uvicorn", "python_multipart", "nicegui"):
        require(package, "The server")
    from ammg.web.listener import Listener

    listener = Listener(host, port, certificate, key, proxy, public_url)

    from ammg.store.settings import Settings
    from ammg.web.serve import serve as run

    settings = Settings(
        data,
        database,
        key_file,
        workers=workers,
        job_megabytes=megabytes,
        job_seconds=3600 * hours,
        upload_bytes=upload * 2**20,
    )
    out.print(f"Data in '{data}', key in {_shown_key(settings.key_path)}.", markup=False)
    run(settings, listener, lambda line: out.print(line, markup=False, highlight=False, soft_wrap=True))


def backup(
    file: Annotated[Path, typer.Argument(help="The backup to write (.tar); it is encrypted and holds no key.")],
    data: Data = Path("ammg-data"),
    database: Database = "",
    key_file: KeyFile = None,
) -> None:
    """Back up a server to one encrypted file; the server may keep running."""
    from ammg.store.backup import write_backup
    from ammg.store.settings import Settings
    from ammg.store.store import open_store

    if not data.is_dir():
        raise InputError(f"Folder '{data}' does not exist: name the data folder of the server.")
    store = open_store(Settings(data, database, key_file))
    try:
        count = write_backup(store, file)
    finally:
        store.close()
    out.print(
        f"'{file}' holds the whole database and {count} files. Keep the key in another place: without "
        "it the backup is useless."
    )


def restore(
    file: Annotated[Path, typer.Argument(help="The backup to restore.")],
    data: Data = Path("ammg-data"),
    database: Database = "",
    key_file: KeyFile = None,
) -> None:
    """Restore a server from a backup, to an empty folder and an empty database."""
    from ammg.store.backup import restore_backup
    from ammg.store.settings import Settings

    if not file.is_file():
        raise InputError(f"Backup '{file}' does not exist: check the name.")
    restore_backup(file, Settings(data, database, key_file)).close()
    out.print(f"'{data}' is restored; everybody has to sign in again.")


def _shown_key(path: Path) -> str:
    return "the environment" if os.environ.get("AMMG_KEY") else f"'{path}'"
