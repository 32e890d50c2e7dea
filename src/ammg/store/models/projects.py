"""Projects, their members, versions and data sets."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from ammg.store.models.base import Base, Id, Moment, Sealed, new_id, text


class ProjectRow(Base):
    """A project; its name is unique per owner."""

    __tablename__ = "projects"
    id: Mapped[str] = mapped_column(Id, primary_key=True, default=new_id)
    owner_id: Mapped[str] = mapped_column(Id, ForeignKey("users.id"))
    name: Mapped[str] = mapped_column(text(120))
    name_key: Mapped[str] = mapped_column(text(240))
    description: Mapped[str] = mapped_column(text(2000), default="")
    current: Mapped[int] = mapped_column(default=0)
    """Number of the current version; 0 if there is none."""
    created_at: Mapped[datetime] = mapped_column(Moment)

    __table_args__ = (UniqueConstraint("owner_id", "name_key"),)


class MemberRow(Base):
    """What a person may do in a project."""

    __tablename__ = "members"
    project_id: Mapped[str] = mapped_column(Id, ForeignKey("projects.id"), primary_key=True)
    user_id: Mapped[str] = mapped_column(Id, ForeignKey("users.id"), primary_key=True, index=True)
    role: Mapped[str] = mapped_column(text(10))
    since: Mapped[datetime] = mapped_column(Moment)


class VersionRow(Base):
    """A project file; it is never edited."""

    __tablename__ = "versions"
    id: Mapped[str] = mapped_column(Id, primary_key=True, default=new_id)
    project_id: Mapped[str] = mapped_column(Id, ForeignKey("projects.id"))
    number: Mapped[int]
    based_on: Mapped[int | None]
    note: Mapped[str] = mapped_column(text(500), default="")
    document: Mapped[bytes] = mapped_column(Sealed)
    secret: Mapped[bytes | None] = mapped_column(Sealed)
    """Secret of the file that a search evaluated, so that masking makes exactly that file."""
    created_at: Mapped[datetime] = mapped_column(Moment)
    created_by: Mapped[str] = mapped_column(Id, ForeignKey("users.id"))

    __table_args__ = (UniqueConstraint("project_id", "number"),)


class FileRow(Base):
    """An encrypted file of the data folder. A file without a row was never finished."""

    __tablename__ = "files"
    id: Mapped[str] = mapped_column(Id, primary_key=True)
    size: Mapped[int] = mapped_column(BigInteger)
    sha256: Mapped[str | None] = mapped_column(text(64))
    """Only for files that may be published; the digest of an original could confirm a guess."""
    created_at: Mapped[datetime] = mapped_column(Moment)


class DataSetRow(Base):
    """An original, encrypted in the data folder."""

    __tablename__ = "data_sets"
    id: Mapped[str] = mapped_column(Id, primary_key=True, default=new_id)
    project_id: Mapped[str] = mapped_column(Id, ForeignKey("projects.id"))
    name: Mapped[str] = mapped_column(text(120))
    name_key: Mapped[str | None] = mapped_column(text(240))
    """None after removal, so that the name is free again."""
    state: Mapped[str] = mapped_column(text(10))
    file_id: Mapped[str | None] = mapped_column(Id, ForeignKey("files.id"))
    size: Mapped[int] = mapped_column(BigInteger, default=0)
    records: Mapped[int | None] = mapped_column(BigInteger)
    reason: Mapped[bytes | None] = mapped_column(Sealed)
    analysis: Mapped[bytes | None] = mapped_column(Sealed)
    created_at: Mapped[datetime] = mapped_column(Moment)
    created_by: Mapped[str] = mapped_column(Id, ForeignKey("users.id"))
    removed_at: Mapped[datetime | None] = mapped_column(Moment)

    __table_args__ = (UniqueConstraint("project_id", "name_key"),)


class ConnectionRow(Base):
    """A database allowed by an administrator; the URL is encrypted."""

    __tablename__ = "connections"
    id: Mapped[str] = mapped_column(Id, primary_key=True, default=new_id)
    name: Mapped[str] = mapped_column(text(120))
    name_key: Mapped[str] = mapped_column(text(240), unique=True)
    url: Mapped[bytes] = mapped_column(Sealed)
    reads: Mapped[bool] = mapped_column(default=True)
    writes: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(Moment)
