"""Stores in SQLite for what every engine does alike, and in each database for what it might do its own way."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from team import Team, fresh_database, opened

from ammg.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = opened(tmp_path)
    yield store
    store.close()


@pytest.fixture
def team(store: Store) -> Team:
    return Team.of(store)


@pytest.fixture(scope="module", params=["sqlite", "postgresql", "mariadb"])
def anywhere(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    """A team in every kind of database."""
    with fresh_database(request.param) as url:
        store = opened(tmp_path_factory.mktemp("store"), url)
        yield Team.of(store)
        store.close()
