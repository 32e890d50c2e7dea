"""Where a release came from: what is published with it, and what stays with the owner."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.draws import RANDOM_BYTES, Secret
from ammg.errors import InputError
from ammg.io.atomic import atomic, expanded
from ammg.io.urls import hidden
from ammg.kernels.threads import in_threads
from ammg.release.clearance import Clearance
from ammg.release.masking import Masking
from ammg.release.release import Release
from ammg.version import __version__

PACKAGES = ("numpy", "polars", "randomgen", "numba", "scipy")

_HEX = set("0123456789abcdefABCDEF")
_LONG_ENOUGH, _LONGEST = 20, 1000  # characters of a typed secret


def provenance(
    masked: Masking,
    source: str | None = None,
    target: str | None = None,
    clearance: Clearance | None = None,
    written: str | Path | None = None,
    *,
    real: int,
) -> dict[str, Any]:
    """Versions, steps with parameters and durations, digests of input and output, the audit; no secret, no link.

    `real` is the number of masked records that stand for a real one. `written` is where the output is now, if it has
    yet to take the place of the target.
    """
    output = str(written or target) if target else None
    files = [file for file in (source, output) if file]
    sums = dict(zip(files, in_threads(digest, files, masked.n * len(masked.schema)), strict=True))
    return {
        "ammg": __version__,
        "python": platform.python_version(),
        "packages": {name: version(name) for name in PACKAGES},
        "records": {"before": masked.n, "after": masked.t, "real": real},
        "input": {"source": hidden(source), "sha256": sums[source]} if source else None,
        "output": {"target": hidden(target), "sha256": sums[output]} if target and output else None,
        "clearance": asdict(clearance) if clearance else None,
        "steps": [
            {
                "method": step.method,
                "parameters": dict(step.parameters),
                "seconds": round(step.seconds, 3),
                "records_before": step.records_before,
                "records_after": step.records_after,
                "changed": {name: dict(change) for name, change in step.changed.items()},
                "notes": list(step.notes),
            }
            for step in masked.steps
        ],
    }


def digest(path: str) -> str | None:
    """SHA-256 of a file's bytes; None for what is not a file."""
    if "://" in path or not Path(path).is_file():
        return None
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_json(values: Mapping[str, Any], path: str | Path, mode: int | None = None) -> None:
    """Write values as JSON, whole or not at all."""
    with atomic(path, mode) as temporary:
        temporary.write_text(json.dumps(values, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def write_private(secret: Secret, originals: int, release: Release, folder: str | Path) -> Path:
    """Write the secret and the link, readable by the owner only: with them, the masking can be undone.

    The link has the original's position (-1 for nobody) for each record of the release, in the order of the release.
    """
    path = Path(folder)
    path.mkdir(mode=0o700, exist_ok=True)
    path.chmod(0o700)
    write_secret(secret, path / "secret")
    with atomic(path / "link.parquet", 0o600) as temporary, release.record_ids(path) as ids:
        _write_link((np.where(part < originals, part, -1) for part in ids), temporary)
    return path


def _write_link(parts: Iterable[NDArray[np.int64]], path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([("original", pa.int64())])
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for part in parts:
            array = pl.Series(part).to_arrow()  # from numpy itself, pyarrow would import pandas first
            writer.write_table(pa.Table.from_arrays([array], schema=schema))


def read_link(target: str | Path) -> NDArray[np.int64] | None:
    """The link in a release's private folder: the original's position for each record; None where there is none."""
    path = Path(f"{expanded(target)}.private") / "link.parquet"
    if not path.is_file():
        return None
    import pyarrow.parquet as pq

    return np.asarray(pq.read_table(path)["original"].to_numpy(), dtype=np.int64)


def secret_of(target: str | Path, source: str) -> Secret | None:
    """The secret of a release if the file, and the source it was made from, are still the same; None otherwise."""
    folder = Path(f"{expanded(target)}.private")
    try:
        told = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
        output, input_ = told["output"]["sha256"], told["input"]["sha256"]
        secret = read_secret(folder / "secret")
    except (OSError, ValueError, KeyError, TypeError):
        return None
    is_same = None not in (output, input_) and (output, input_) == (digest(str(expanded(target))), digest(source))
    return secret if is_same else None


def write_secret(secret: Secret, path: Path) -> None:
    """Write a secret, readable by the owner alone."""
    with atomic(path, 0o600) as temporary:
        temporary.write_text(secret.key.hex() + "\n", encoding="ascii")


def read_secret(path: str | Path) -> Secret:
    """The secret that `ammg mask` or `ammg search` kept; with it the same project makes the same release again.

    A typed passphrase is a secret too: it is stretched, as in Python.
    """
    text = _secret_text(path)
    return Secret(bytes.fromhex(text)) if _is_drawn(text) else Secret.of(text)


def is_guessable(path: str | Path) -> bool:
    """Whether a secret file holds a typed passphrase that is short enough to be guessed."""
    text = _secret_text(path)
    return not _is_drawn(text) and len(text) < _LONG_ENOUGH


def _secret_text(path: str | Path) -> str:
    path = expanded(path)
    if not path.is_file():
        raise InputError(f"Secret file '{path}' does not exist: check the path, or omit it to draw a new secret.")
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(_LONGEST + 1).strip()
    except ValueError:
        text = ""
    is_damaged = len(text) >= _LONG_ENOUGH and set(text) <= _HEX and not _is_drawn(text)
    if not text or len(text) > _LONGEST or not text.isprintable() or is_damaged:
        raise InputError(f"'{path}' does not hold a secret: 64 hexadecimal digits as AMMG writes them, or one line.")
    return text


def _is_drawn(text: str) -> bool:
    return len(text) == 2 * RANDOM_BYTES and set(text) <= _HEX
