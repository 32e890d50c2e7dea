"""People, and their means of signing in."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from ammg.store.models.base import Base, Id, Moment, new_id, text


class UserRow(Base):
    """A person."""

    __tablename__ = "users"
    id: Mapped[str] = mapped_column(Id, primary_key=True, default=new_id)
    name: Mapped[str] = mapped_column(text(80))
    name_key: Mapped[str] = mapped_column(text(160), unique=True)
    full_name: Mapped[str] = mapped_column(text(200), default="")
    password: Mapped[str] = mapped_column(text(300))
    is_administrator: Mapped[bool] = mapped_column(default=False)
    is_active: Mapped[bool] = mapped_column(default=True)
    created_at: Mapped[datetime] = mapped_column(Moment)


class InvitationRow(Base):
    """A link that can be used once: for the first administrator, for a new person, for a new password."""

    __tablename__ = "invitations"
    id: Mapped[str] = mapped_column(Id, primary_key=True, default=new_id)
    kind: Mapped[str] = mapped_column(text(10))
    digest: Mapped[str] = mapped_column(text(64), unique=True)
    is_administrator: Mapped[bool] = mapped_column(default=False)
    user_id: Mapped[str | None] = mapped_column(Id, ForeignKey("users.id"))
    note: Mapped[str] = mapped_column(text(200), default="")
    created_at: Mapped[datetime] = mapped_column(Moment)
    created_by: Mapped[str | None] = mapped_column(Id, ForeignKey("users.id"))
    expires_at: Mapped[datetime] = mapped_column(Moment)
    used_at: Mapped[datetime | None] = mapped_column(Moment)


class SessionRow(Base):
    """A signed-in person; only the digest of the token is stored."""

    __tablename__ = "sessions"
    id: Mapped[str] = mapped_column(Id, primary_key=True, default=new_id)
    user_id: Mapped[str] = mapped_column(Id, ForeignKey("users.id"), index=True)
    digest: Mapped[str] = mapped_column(text(64), unique=True)
    created_at: Mapped[datetime] = mapped_column(Moment)
    seen_at: Mapped[datetime] = mapped_column(Moment)
    expires_at: Mapped[datetime] = mapped_column(Moment)
    revoked_at: Mapped[datetime | None] = mapped_column(Moment)


class TokenRow(Base):
    """A token for programs, with scopes and an expiry date."""

    __tablename__ = "tokens"
    id: Mapped[str] = mapped_column(Id, primary_key=True, default=new_id)
    user_id: Mapped[str] = mapped_column(Id, ForeignKey("users.id"), index=True)
    label: Mapped[str] = mapped_column(text(200))
    digest: Mapped[str] = mapped_column(text(64), unique=True)
    scopes: Mapped[str] = mapped_column(text(200))
    created_at: Mapped[datetime] = mapped_column(Moment)
    expires_at: Mapped[datetime] = mapped_column(Moment)
    used_at: Mapped[datetime | None] = mapped_column(Moment)
    revoked_at: Mapped[datetime | None] = mapped_column(Moment)


class LoginFailureRow(Base):
    """A wrong password: whose account and from where, both as keyed digests."""

    __tablename__ = "login_failures"
    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    account: Mapped[str] = mapped_column(text(64))
    address: Mapped[str] = mapped_column(text(64))
    at: Mapped[datetime] = mapped_column(Moment)

    __table_args__ = (
        Index("ix_login_failures_account_at", "account", "at"),
        Index("ix_login_failures_address_at", "address", "at"),
    )
