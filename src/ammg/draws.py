"""Secret, addressed, reproducible randomness.

A draw depends only on (secret, step, column, record id): a ChaCha20 stream keyed by a keyed hash of the secret and the
address, one key for each chunk of 65,536 consecutive ids. So one thread or two, streamed or whole, laptop or cluster
give the same numbers, and masking columns {a, b} gives the same b as masking {b}.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ammg.errors import InputError

CHUNK_BITS = 16
CHUNK = 1 << CHUNK_BITS
"""Records per chunk: the unit of addressing and of every partial sum."""

RANDOM_BYTES = 32
"""Bytes from which on a secret is taken for random."""


@dataclass(frozen=True, repr=False)
class Secret:
    """The secret can undo the noise, so it is in no report, log, project file or error."""

    key: bytes

    @classmethod
    def of(cls, value: Secret | bytes | str | int | None) -> Secret:
        """Take a given secret, or a new one of 256 bits from the operating system.

        Texts, numbers and short bytes are what people think of, and can be guessed: each guess costs a tenth of a
        second and 32 MB. At least 32 bytes are taken for random and used as they are.
        """
        if isinstance(value, Secret):
            return value
        if value is None:
            return cls(os.urandom(32))
        if isinstance(value, int | np.integer):
            value = f"int:{value}"
        if not isinstance(value, str | bytes) or not value:
            raise InputError("A secret is a whole number, a text or bytes that are not empty; omit it to generate one.")
        if isinstance(value, bytes) and len(value) >= RANDOM_BYTES:
            return cls(hashlib.sha256(b"ammg secret" + value).digest())
        return cls(_stretched(value.encode() if isinstance(value, str) else value))

    @classmethod
    def known(cls, value: str | int) -> Secret:
        """A secret that anybody may know, for experiments over many of them: quick to make, and no protection."""
        return cls(hashlib.sha256(f"ammg secret{'' if isinstance(value, str) else 'int:'}{value}".encode()).digest())

    def __repr__(self) -> str:
        return "Secret(…)"


@lru_cache(maxsize=512)
def _stretched(typed: bytes) -> bytes:
    """The key of a secret that somebody typed, by scrypt (RFC 7914), once per process."""
    return hashlib.scrypt(typed, salt=b"ammg secret", n=2**15, r=8, p=1, maxmem=2**26, dklen=32)


@dataclass(frozen=True, repr=False)
class Draws:
    """Random numbers for one place in a pipeline; `at` goes one place deeper (a step, a stratum)."""

    secret: Secret
    place: tuple[str, ...] = ()

    def at(self, *labels: object) -> Draws:
        """The draws of a sub-place, independent of all others."""
        return Draws(self.secret, (*self.place, *map(str, labels)))

    def generator(self, label: str = "") -> np.random.Generator:
        """One stream for units that see a stratum or the whole file."""
        return self._stream("generator", label)

    def uniform(self, ids: NDArray[np.int64], column: str) -> NDArray[np.float64]:
        """A uniform number in [0, 1) for each record."""
        return self._addressed(ids, "uniform", column)

    def normal(self, ids: NDArray[np.int64], column: str) -> NDArray[np.float64]:
        """A standard normal number for each record."""
        return self._addressed(ids, "normal", column)

    def keyed(self, label: str) -> bytes:
        """A key of 256 bits that depends on secret and label alone: the same in every step, pipeline and table."""
        return self._digest("keyed", label)

    def _stream(self, *address: str) -> np.random.Generator:
        from randomgen import ChaCha

        key = self._digest(*self.place, *address)
        return np.random.Generator(ChaCha(key=int.from_bytes(key, "little"), rounds=20))

    def _digest(self, *address: str) -> bytes:
        digest = hashlib.blake2b(key=self.secret.key, digest_size=32)
        for part in address:
            encoded = part.encode()
            digest.update(len(encoded).to_bytes(8, "little"))
            digest.update(encoded)
        return digest.digest()

    def _addressed(self, ids: NDArray[np.int64], law: str, column: str) -> NDArray[np.float64]:
        out = np.empty(len(ids))
        if np.any(ids[1:] < ids[:-1]):
            order = np.argsort(ids, kind="stable")
            out[order] = self._addressed(ids[order], law, column)
            return out
        for start, stop in chunk_bounds(ids):
            offsets = ids[start:stop] & (CHUNK - 1)
            last = int(offsets[-1]) + 1
            stream = self._stream(law, column, str(int(ids[start]) >> CHUNK_BITS))
            if last == stop - start and np.all(np.diff(offsets) == 1):  # all ids up to the last: no gathering
                fill = out[start:stop]
                stream.random(out=fill) if law == "uniform" else stream.standard_normal(out=fill)
            else:
                values = stream.random(last) if law == "uniform" else stream.standard_normal(last)
                out[start:stop] = values[offsets]
        return out


@dataclass(frozen=True, repr=False)
class WatchedDraws(Draws):
    """The same numbers, with a list of what was asked for: what asks for nothing is the same whatever the secret."""

    asked: list[tuple[str, ...]] = field(default_factory=list, compare=False)

    @property
    def drawn(self) -> bool:
        """Whether anything was asked for, here or at a place within."""
        return bool(self.asked)

    def at(self, *labels: object) -> WatchedDraws:
        """A place within, remembered in the same list."""
        return WatchedDraws(self.secret, (*self.place, *map(str, labels)), self.asked)

    def _digest(self, *address: str) -> bytes:
        self.asked.append((*self.place, *address))
        return super()._digest(*address)


def chunk_bounds(ids: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Positions where runs of ids of the same chunk start and stop, for ascending ids."""
    if len(ids) == 0:
        return []
    first, last = int(ids[0]) >> CHUNK_BITS, int(ids[-1]) >> CHUNK_BITS
    if last - first > len(ids):  # most chunks have no record
        cuts = np.flatnonzero(np.diff(ids >> CHUNK_BITS)) + 1
    else:
        cuts = np.unique(np.searchsorted(ids, np.arange(first + 1, last + 1) << CHUNK_BITS))
    return list(zip([0, *cuts.tolist()], [*cuts.tolist(), len(ids)], strict=True))
