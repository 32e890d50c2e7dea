"""The key of a store, and encryption with it: small values here, files in `files`."""

from __future__ import annotations

import hashlib
import hmac
import os
import stat
from contextlib import suppress
from pathlib import Path

from ammg.errors import InputError
from ammg.optional import require
from ammg.store.settings import Settings

VARIABLE = "AMMG_KEY"
_NONCE = 12


class Vault:
    """Encrypts bytes with keys derived from one key; a value can be decrypted only in the context it was sealed for."""

    def __init__(self, key: bytes) -> None:
        aead = require("cryptography.hazmat.primitives.ciphers.aead", "The store")
        self.key = key
        self._values = aead.AESGCM(self.derived("values"))

    def __repr__(self) -> str:
        return "Vault(…)"

    def __reduce__(self) -> tuple[type[Vault], tuple[bytes]]:
        return Vault, (self.key,)

    def derived(self, purpose: str, salt: bytes = b"") -> bytes:
        """A 256-bit key for one purpose (HKDF with SHA-256, RFC 5869)."""
        hkdf = require("cryptography.hazmat.primitives.kdf.hkdf", "The store").HKDF
        hashes = require("cryptography.hazmat.primitives.hashes", "The store")
        derived: bytes = hkdf(hashes.SHA256(), 32, salt or None, purpose.encode()).derive(self.key)
        return derived

    def seal(self, value: str | bytes, context: str) -> bytes:
        """Encrypt and authenticate a value (AES-256-GCM)."""
        nonce = os.urandom(_NONCE)
        plain = value.encode() if isinstance(value, str) else value
        return nonce + bytes(self._values.encrypt(nonce, plain, context.encode()))

    def unseal(self, sealed: bytes, context: str) -> str:
        """The text that was sealed."""
        return self.unseal_bytes(sealed, context).decode()

    def unseal_bytes(self, sealed: bytes, context: str) -> bytes:
        """The bytes that were sealed.

        Raises:
            InputError: they were changed, sealed for another context, or sealed with another key.
        """
        invalid = require("cryptography.exceptions", "The store").InvalidTag
        try:
            return bytes(self._values.decrypt(sealed[:_NONCE], sealed[_NONCE:], context.encode()))
        except invalid:
            raise InputError(f"A stored value ({context.partition(':')[0]}) was changed or has another key.") from None

    def tag(self, purpose: str, value: str | bytes) -> str:
        """A keyed digest (HMAC with SHA-256): without the key, nobody can forge it or guess its input."""
        plain = value.encode() if isinstance(value, str) else value
        return hmac.new(self.derived(f"tag {purpose}"), plain, hashlib.sha256).hexdigest()


def open_vault(settings: Settings) -> Vault:
    """The vault with the key from the environment, or from the key file, which is created (mode 0600) if absent."""
    if given := os.environ.get(VARIABLE):
        return Vault(_parsed(given, f"The environment variable {VARIABLE}"))
    path = settings.key_path
    if not path.exists():
        _write_new(path)
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        raise InputError(f"Others can read the key file '{path}' (mode {mode:04o}): run chmod 0600 on it.")
    return Vault(_parsed(path.read_text(encoding="ascii", errors="replace"), f"The key file '{path}'"))


def _write_new(path: Path) -> None:
    if not path.parent.is_dir():
        raise InputError(f"Folder '{path.parent}' does not exist: create it, or name another key file.")
    with suppress(FileExistsError):  # another process has just created it
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(os.urandom(32).hex() + "\n")
            file.flush()
            os.fsync(file.fileno())


def _parsed(text: str, where: str) -> bytes:
    try:
        key = bytes.fromhex(text.strip())
    except ValueError:
        key = b""
    if len(key) != 32:
        raise InputError(f"{where} does not hold a key: it needs 64 hexadecimal digits.")
    return key
