"""Somebody on a page: the store, who it is, and the project that the page is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Concatenate, ParamSpec, TypeVar

from starlette.concurrency import run_in_threadpool

from ammg.errors import NotFound
from ammg.store.actor import Actor
from ammg.store.store import Store
from ammg.store.values import Project, Version

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Visit:
    """What a page function gets."""

    store: Store
    actor: Actor
    arguments: Mapping[str, str] = field(default_factory=dict)
    """The {names} of the address."""
    query: Mapping[str, str] = field(default_factory=dict)
    about: Project | None = None
    version: Version | None = None
    """The current version of the project; None before there is one."""
    origin: str = ""
    """Scheme, host and port under which people reach this server."""

    @property
    def project(self) -> Project:
        """The project that the page is about."""
        if self.about is None:
            raise NotFound("There is no such project.")
        return self.about

    @property
    def project_id(self) -> str:
        """Its id."""
        return self.project.id

    @property
    def role(self) -> str:
        """The role of the person in the project."""
        return self.project.role

    @property
    def is_owner(self) -> bool:
        """Whether the person may see single records."""
        return self.role == "owner"

    @property
    def may_work(self) -> bool:
        """Whether the person may change versions and start jobs."""
        return self.role in ("owner", "analyst")

    async def ask(self, function: Callable[Concatenate[Store, Actor, P], R], *args: P.args, **options: P.kwargs) -> R:
        """Call a function of the store as this person, in a thread, so that no other event waits for it."""
        return await run_in_threadpool(function, self.store, self.actor, *args, **options)
