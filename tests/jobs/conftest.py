"""Stores in SQLite; the whole way over HTTP shows what each database might do its own way."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from team import Team, opened

from ammg.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = opened(tmp_path)
    yield store
    store.close()


@pytest.fixture
def team(store: Store) -> Team:
    return Team.of(store)
