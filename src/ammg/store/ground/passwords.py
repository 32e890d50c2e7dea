"""Passwords hashed with argon2id, and tokens stored as digests."""

from __future__ import annotations

import hashlib
import secrets
from functools import lru_cache
from typing import Any

from ammg.errors import InputError
from ammg.optional import require
from ammg.store.settings import Settings

LONGEST = 200


def hashed(settings: Settings, password: str) -> str:
    """The hash of a password (argon2id with its own salt).

    Raises:
        InputError: it is too short, too long, or repeats one character.
    """
    if len(password) < settings.password_length:
        raise InputError(f"The password has fewer than {settings.password_length} characters: choose a longer one.")
    if len(password) > LONGEST:
        raise InputError(f"The password has more than {LONGEST} characters: choose a shorter one.")
    if len(set(password)) < 5:
        raise InputError("The password repeats one character: choose another one.")
    kept: str = _hasher(settings.password_cost).hash(password)
    return kept


def matches(settings: Settings, password: str, kept: str | None) -> bool:
    """Whether the password matches; an unknown name takes as long, so that timing does not reveal accounts."""
    hasher = _hasher(settings.password_cost)
    errors = require("argon2.exceptions", "The store")
    try:
        return bool(hasher.verify(kept or _nobody(settings.password_cost), password[:LONGEST])) and kept is not None
    except (errors.VerificationError, errors.InvalidHashError):
        return False


def new_token(prefix: str) -> tuple[str, str]:
    """A token of 256 random bits, and its digest, which is stored."""
    token = f"{prefix}{secrets.token_urlsafe(32)}"
    return token, digest(token)


def digest(token: str) -> str:
    """SHA-256, which suffices for 256 random bits."""
    return hashlib.sha256(token.encode()).hexdigest()


@lru_cache(maxsize=4)
def _hasher(cost: tuple[int, int, int]) -> Any:
    passes, kibibytes, lanes = cost
    return require("argon2", "The store").PasswordHasher(passes, kibibytes, lanes)


@lru_cache(maxsize=4)
def _nobody(cost: tuple[int, int, int]) -> str:
    kept: str = _hasher(cost).hash(secrets.token_hex(32))
    return kept
