"""People and their means of signing in, as values."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True)
class User:
    """A person."""

    id: str
    name: str
    full_name: str
    is_administrator: bool
    is_active: bool
    created_at: datetime


@dataclass(frozen=True)
class SessionInfo:
    """A session of a person."""

    id: str
    created_at: datetime
    seen_at: datetime
    expires_at: datetime
    is_current: bool


@dataclass(frozen=True)
class NewSession:
    """A new session with its token, which is shown once."""

    token: str = field(repr=False)
    session: SessionInfo
    user: User


@dataclass(frozen=True)
class Invitation:
    """A link that can be used once."""

    id: str
    kind: str
    note: str
    is_administrator: bool
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None


@dataclass(frozen=True)
class NewInvitation:
    """A new link with its token, which is shown once."""

    token: str = field(repr=False)
    invitation: Invitation


@dataclass(frozen=True)
class TokenInfo:
    """A token for programs."""

    id: str
    label: str
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None
    is_revoked: bool


@dataclass(frozen=True)
class NewToken:
    """A new token, which is shown once."""

    token: str = field(repr=False)
    info: TokenInfo
