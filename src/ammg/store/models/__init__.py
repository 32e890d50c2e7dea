"""The tables, one schema for SQLite, PostgreSQL and MariaDB."""

from ammg.store.models import people, projects, review, work
from ammg.store.models.base import Base

metadata = Base.metadata

__all__ = ["metadata", "people", "projects", "review", "work"]
