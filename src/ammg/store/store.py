"""A store: a database and a folder of encrypted files that belong together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.orm import Session

from ammg.errors import Conflict, InputError, Unavailable
from ammg.store.ground.chain import append_noted, begin_chain
from ammg.store.ground.database import WRITES, create_if_absent, migrate, open_engine, said
from ammg.store.ground.files import Files
from ammg.store.ground.vault import Vault, open_vault
from ammg.store.models.people import LoginFailureRow, SessionRow
from ammg.store.models.review import FactRow
from ammg.store.settings import Settings

_KEPT = timedelta(days=30)
"""How long an expired session is remembered."""


class Store:
    """The object on which the functions of this package work; safe to use from many threads."""

    def __init__(self, settings: Settings, engine: sa.Engine, vault: Vault) -> None:
        self.settings = settings
        self.engine = engine
        self.vault = vault
        self.files = Files(settings.data / "files", vault)
        self.clock: Callable[[], datetime] = lambda: datetime.now(UTC)
        self._writes = engine.execution_options(**{WRITES: True})

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A read-only transaction."""
        with _answered(), Session(self.engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A transaction that is committed as a whole, with its entries in the audit log, or not at all."""
        with _answered(), Session(self._writes, expire_on_commit=False) as session, session.begin():
            yield session
            session.flush()
            append_noted(session, self.vault, self.clock())

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def open_store(settings: Settings) -> Store:
    """Open a store; missing parts are created, and an older schema is updated.

    Raises:
        InputError: the key is not the one with which this store was made.
    """
    settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    settings.data.chmod(0o700)
    vault = open_vault(settings)
    create_if_absent(settings.url)
    engine = open_engine(settings.url)
    migrate(engine)
    store = Store(settings, engine, vault)
    _check_key(store)
    _tidy(store)
    return store


def _tidy(store: Store) -> None:
    """Remove leftovers of killed writers, and expired rows.

    Not while people sign in: deleting by age locks every row of the table in MariaDB.
    """
    store.files.clean()
    now = store.clock()
    with store.writing() as session:
        session.execute(sa.delete(LoginFailureRow).where(LoginFailureRow.at < now - 4 * store.settings.failure_window))
        session.execute(sa.delete(SessionRow).where(SessionRow.expires_at < now - _KEPT))


def attach_store(settings: Settings, vault: Vault) -> Store:
    """The store in a child process whose parent has already opened it."""
    return Store(settings, open_engine(settings.url), vault)


def _check_key(store: Store) -> None:
    mark = store.vault.tag("store", "key")
    with store.writing() as session:
        known = session.get(FactRow, "key")
        if known is None:
            session.add(FactRow(name="key", value=mark))
            begin_chain(session, store.vault)
        elif known.value != mark:
            store.engine.dispose()
            raise InputError("The key is not the one that this store was made with: give the right key file.")


@contextmanager
def _answered() -> Iterator[None]:
    """Replace errors of the database by our own messages, because its messages show values."""
    try:
        yield
    except sa.exc.IntegrityError:
        raise Conflict("Somebody else has just made the same change: reload the page, and try again.") from None
    except (sa.exc.OperationalError, sa.exc.InterfaceError, sa.exc.TimeoutError) as error:
        raise Unavailable(f"The database cannot be used at the moment: {said(error)}.") from None
