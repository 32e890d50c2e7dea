"""Files of a store: encrypted at rest, written and read in chunks, complete or absent.

A file is a header (magic, salt) and chunks of one mebibyte, each encrypted by AES-256-GCM with a key used for this file
only. The nonce counts the chunks and marks the last one (the STREAM construction of Hoang, Reyhanitabar, Rogaway and
Vizár, 2015), so that chunks cannot be cut off, swapped or taken from another file.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Protocol, Self

from ammg.errors import InputError, NotFound, NotStored
from ammg.io.atomic import is_alive
from ammg.optional import require
from ammg.store.ground.vault import Vault


class AesGcm(Protocol):
    """The part of `cryptography`'s AESGCM that is used."""

    def encrypt(self, nonce: bytes, data: bytes, associated_data: bytes | None) -> bytes:
        """Close."""

    def decrypt(self, nonce: bytes, data: bytes, associated_data: bytes | None) -> bytes:
        """Decrypt, if authentic."""


CipherMaker = Callable[[str, bytes], AesGcm]

CHUNK = 2**20
MAGIC = b"AMMGFIL1"
_SALT = 32
_TAG = 16
_GONE = "The file no longer exists."


@dataclass(frozen=True)
class Stored:
    """A stored file: its id, and the size and SHA-256 of its content."""

    file_id: str
    size: int
    sha256: str


class Files:
    """The encrypted files below one folder, each under a random id."""

    def __init__(self, folder: Path, vault: Vault) -> None:
        self.folder = folder
        self._vault = vault
        self._incoming = folder / "incoming"
        for place in (folder, self._incoming):
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            place.chmod(0o700)

    def writer(self, file_id: str) -> Writer:
        """A writer for a new file; nothing exists under the id before `finish`."""
        return Writer(self._place(file_id), self._incoming / f"{file_id}.{os.getpid()}", file_id, self._cipher)

    def add(self, file_id: str, source: Path) -> Stored:
        """Encrypt a file of the file system."""
        with self.writer(file_id) as writer, source.open("rb") as plain:
            while chunk := plain.read(CHUNK):
                writer.write(chunk)
            return writer.finish()

    def add_bytes(self, file_id: str, content: bytes) -> Stored:
        """Encrypt a value as a file."""
        with self.writer(file_id) as writer:
            writer.write(content)
            return writer.finish()

    def chunks(self, file_id: str) -> Iterator[bytes]:
        """The content of a file, chunk by chunk; each chunk is authenticated before it is returned.

        Raises:
            NotFound: there is no such file.
            InputError: it was changed, or encrypted with another key.
        """
        path = self._place(file_id)
        if not path.is_file():
            raise NotFound(_GONE)
        return self._decrypted(path, file_id)

    def _decrypted(self, path: Path, file_id: str) -> Iterator[bytes]:
        invalid = require("cryptography.exceptions", "The store").InvalidTag
        try:
            opened = path.open("rb")
        except FileNotFoundError:  # removed since the call
            raise NotFound(_GONE) from None
        with opened as file:
            head = file.read(len(MAGIC) + _SALT)
            cipher = self._cipher(file_id, head[len(MAGIC) :])
            ahead = file.read(CHUNK + _TAG)
            number = 0
            while ahead:
                here, ahead = ahead, file.read(CHUNK + _TAG)
                try:
                    yield bytes(cipher.decrypt(_nonce(number, not ahead), here, MAGIC))
                except invalid:
                    raise InputError(f"The stored file {file_id} was changed, or encrypted with another key.") from None
                number += 1
        if number == 0 or not head.startswith(MAGIC):
            raise InputError(f"The stored file {file_id} is incomplete.")

    def read(self, file_id: str) -> bytes:
        """The content of a small file."""
        return b"".join(self.chunks(file_id))

    def extract(self, file_id: str, target: Path) -> None:
        """Decrypt a file to a path that only the owner may read."""
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            for chunk in self.chunks(file_id):
                file.write(chunk)

    def remove(self, file_id: str) -> None:
        """Remove a file, if it still exists."""
        self._place(file_id).unlink(missing_ok=True)

    def ids(self) -> Iterator[str]:
        """The ids of all files."""
        return (path.name for path in self.folder.glob("??/*") if path.parent != self._incoming)

    def clean(self) -> None:
        """Remove leftovers of writers that were killed."""
        for path in self._incoming.iterdir():
            process = path.name.rpartition(".")[2]
            if not (process.isdigit() and is_alive(int(process))):
                path.unlink(missing_ok=True)

    def path(self, file_id: str) -> Path:
        """The path of the encrypted file."""
        return self._place(file_id)

    def _place(self, file_id: str) -> Path:
        if not file_id.isalnum():
            raise NotFound("There is no such file.")
        return self.folder / file_id[:2] / file_id

    def _cipher(self, file_id: str, salt: bytes) -> AesGcm:
        aead = require("cryptography.hazmat.primitives.ciphers.aead", "The store")
        cipher: AesGcm = aead.AESGCM(self._vault.derived(f"file {file_id}", salt))
        return cipher


class Writer:
    """Encrypts what is written; `finish` puts the file in its place, and nothing remains without it."""

    def __init__(self, place: Path, temporary: Path, file_id: str, cipher: CipherMaker) -> None:
        self._place, self._temporary, self._file_id = place, temporary, file_id
        salt = os.urandom(_SALT)
        self._cipher = cipher(file_id, salt)
        self._buffer = bytearray()
        self._number = 0
        self._digest = hashlib.sha256()
        self.size = 0
        try:
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            self._file: BinaryIO = os.fdopen(descriptor, "wb")
            self._file.write(MAGIC + salt)
        except OSError as error:
            raise _refused(error) from None

    def write(self, content: bytes) -> None:
        """Add bytes, in pieces of any size."""
        self._digest.update(content)
        self.size += len(content)
        self._buffer += content
        begin = 0
        while len(self._buffer) - begin > CHUNK:  # a chunk is held back until it is known not to be the last
            self._emit(bytes(self._buffer[begin : begin + CHUNK]), last=False)
            begin += CHUNK
        del self._buffer[:begin]

    def finish(self) -> Stored:
        """Write the last chunk and rename the file into place."""
        self._emit(bytes(self._buffer), last=True)
        try:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            self._place.parent.mkdir(mode=0o700, exist_ok=True)
            self._temporary.replace(self._place)
            _sync_folder(self._place.parent)
        except OSError as error:
            self.abort()
            raise _refused(error) from None
        return Stored(self._file_id, self.size, self._digest.hexdigest())

    def abort(self) -> None:
        """Remove everything written so far."""
        try:
            self._file.close()
        except OSError:  # on a full disk the last bytes fail too
            pass
        finally:
            self._temporary.unlink(missing_ok=True)

    def _emit(self, plain: bytes, *, last: bool) -> None:
        try:
            self._file.write(self._cipher.encrypt(_nonce(self._number, last), plain, MAGIC))
        except OSError as error:
            self.abort()
            raise _refused(error) from None
        self._number += 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.abort()  # does nothing after `finish`


def _nonce(number: int, last: bool) -> bytes:
    return number.to_bytes(11, "big") + (b"\1" if last else b"\0")


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _refused(error: OSError) -> NotStored:
    return NotStored(f"The file cannot be stored: {str(error.strerror or error).lower()}. Tell the administrator.")
