"""Searches, running or finished: their points, and adopting one of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from ammg.errors import NotFound
from ammg.io.yaml_text import parse_yaml
from ammg.optimizer.so_far import Point, SoFar, so_far
from ammg.projects.editing.steps import in_words, with_recipe
from ammg.store.actor import Actor
from ammg.store.models.work import JobRow, SearchRow
from ammg.store.rights import WORKERS, entered_job
from ammg.store.store import Store
from ammg.store.values import Version
from ammg.store.versions import create_version, get_version
from ammg.store.work import parameters_of

_TRIES = 5
"""Attempts to read a journal that a worker may be replacing."""


@dataclass(frozen=True)
class SearchPoint:
    """A recipe that a search evaluated."""

    key: str
    """Identifies the point when it is adopted."""
    words: str
    """The recipe in one line."""
    recipe: tuple[Any, ...]
    loss: float
    pressure: float
    """The worst risk as a multiple of its limit."""
    risks: dict[str, float]
    is_safe: bool
    on_frontier: bool
    """Whether no other point is better in both risk and loss."""
    rank: str = ""
    """For a finished search: chosen or runner-up."""


@dataclass(frozen=True)
class SearchPoints:
    """The points of a search, final or so far."""

    job_id: str
    version: int
    """The version from which it started."""
    state: str
    tried: int
    loss: str
    """The criterion that was minimised; empty while it runs."""
    reason: str
    """The reason for the choice; empty while it runs."""
    points: tuple[SearchPoint, ...]
    found_version: int | None = None
    notes: tuple[str, ...] = ()


def search_points(store: Store, actor: Actor, job_id: str) -> SearchPoints:
    """The points of a search: from its journal while it runs or after it was stopped, else from its result."""
    with store.reading() as session:
        row, _ = entered_job(session, actor, job_id)
        if row.kind != "search":
            raise NotFound("There is no such search.")
        version = int(parameters_of(store, row)["version"])
        over = session.scalar(select(SearchRow).where(SearchRow.job_id == job_id))
        if over is not None:
            values = json.loads(store.vault.unseal(over.outcome, f"search:{over.id}"))
            return _final(row, version, over.found_version, values)
    return _running(row, version, _journal(store, job_id))


def adopt_point(store: Store, actor: Actor, job_id: str, key: str, based_on: int | None = None) -> Version:
    """Make a point of a search a new version: the version it started from, with the methods of the recipe."""
    with store.reading() as session:
        entered_job(session, actor, job_id, WORKERS, "write")
    found = search_points(store, actor, job_id)
    point = next((point for point in found.points if point.key == key), None)
    if point is None:
        raise NotFound("The search no longer has this point: reload the page.")
    with store.reading() as session:
        row, _ = entered_job(session, actor, job_id)
        over = session.scalar(select(SearchRow).where(SearchRow.job_id == job_id))
        if over is not None:
            rules = json.loads(store.vault.unseal(over.outcome, f"search:{over.id}"))["hierarchies"]
        else:
            rules = _journal(store, job_id).hierarchies
        project_id = row.project_id
    begun = get_version(store, actor, project_id, found.version)
    document = with_recipe(parse_yaml(begun.text), list(point.recipe), rules)
    remark = f"adopted from a search that began with version {found.version}"
    return create_version(store, actor, project_id, document, remark, based_on)


def _journal(store: Store, job_id: str) -> SoFar:
    for _ in range(_TRIES):
        with store.reading() as session:
            journal_id = session.get_one(JobRow, job_id).journal_id
        if journal_id is None:
            break
        try:
            return so_far(store.files.read(journal_id).decode())
        except NotFound:  # a longer one has just replaced it
            continue
    return SoFar()


def _running(row: JobRow, version: int, found: SoFar) -> SearchPoints:
    frontier = found.frontier
    points = [_point(point, point in frontier) for point in found.points]
    return SearchPoints(row.id, version, row.state, found.tried, "", "", tuple(points))


def _point(point: Point, on_frontier: bool) -> SearchPoint:
    return SearchPoint(
        _key(point.recipe),
        in_words(list(point.recipe)),
        point.recipe,
        point.loss,
        point.pressure,
        dict(point.risks),
        point.is_safe,
        on_frontier,
    )


def _final(row: JobRow, version: int, found_version: int, values: dict[str, Any]) -> SearchPoints:
    """The choice, the runners-up and the frontier, each recipe once."""
    ranked = [("chosen", values["chosen"]), *(("runner-up", one) for one in values["runners_up"])]
    known = {_key(one["recipe"]) for _, one in ranked}
    others = [one for one in values["frontier"] if _key(one["recipe"]) not in known]
    on_frontier = {_key(one["recipe"]) for one in values["frontier"]}
    points = [
        SearchPoint(
            _key(one["recipe"]),
            in_words(one["recipe"]),
            tuple(one["recipe"]),
            one["loss"],
            one["pressure"],
            one["risks"],
            one["safe"],
            _key(one["recipe"]) in on_frontier,
            rank,
        )
        for rank, one in [*ranked, *(("", one) for one in others)]
    ]
    return SearchPoints(
        row.id,
        version,
        row.state,
        values["trials"],
        values["loss"],
        values["reason"],
        tuple(points),
        found_version,
        tuple(values.get("notes", ())),
    )


def _key(recipe: Sequence[Any]) -> str:
    return hashlib.blake2b(json.dumps(list(recipe), sort_keys=True).encode(), digest_size=8).hexdigest()
