"""Who may do what, as a table: one line per endpoint, from which the answers to all callers follow."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from served import PASSWORD
from team import patients
from world import PROJECT, World

EVERYBODY, SIGNED_IN, PERSON, ADMINISTRATOR = "everybody", "signed in", "person", "administrator"
MEMBERS, WORKERS, PANEL, OWNER, REVIEWER = (
    ("owner", "analyst", "reviewer"),
    ("owner", "analyst"),
    ("owner", "reviewer"),
    ("owner",),
    ("reviewer",),
)
Ids = dict[str, str]
_count = iter(range(10**6))


@dataclass(frozen=True)
class Right:
    """Who may, with which scope of a token, and a request that works."""

    who: str | tuple[str, ...]
    scope: str = "read"
    body: dict[str, Any] | Callable[[World], dict[str, Any]] = field(default_factory=dict)
    query: dict[str, Any] | Callable[[World], dict[str, Any]] = field(default_factory=dict)
    prepare: Callable[[World], Ids] = lambda world: {}
    """Other ids for a request that is expected to work, where it would change what other tests need."""


def fresh(word: str) -> str:
    return f"{word}{next(_count)}"


def _project(world: World) -> Ids:
    return {"project_id": world.project(fresh("p"))}


def _member(world: World) -> Ids:
    return {**_project(world), "user_id": world.ids["user_id"]}


def _data_set(world: World) -> Ids:
    ids = _project(world)
    return {**ids, "data_set_id": world.owner.uploaded(ids["project_id"], "patients.csv", patients())["id"]}


def _waiting_job(world: World) -> Ids:
    job = world.owner.made(f"/projects/{world.ids['project_id']}/evaluations")
    return {"job_id": job["id"]}


def _search_job(world: World) -> Ids:
    project, search = world.ids["project_id"], world.ids["search_id"]
    return {"job_id": world.owner.got(f"/projects/{project}/searches/{search}")["job_id"]}


def _point(world: World) -> dict[str, Any]:
    return {"key": world.owner.got(f"/jobs/{_search_job(world)['job_id']}/points")["points"][0]["key"]}


def _preview_job(world: World) -> Ids:
    """A preview that everybody may look at until somebody makes another."""
    if "preview" not in world.ids:
        job = world.owner.made(f"/projects/{world.ids['project_id']}/previews", version=1)
        world.ids["preview"] = str(world.owner.finished(job["id"])["id"])
    return {"job_id": world.ids["preview"]}


def _second(world: World) -> str:
    """Another masked file, before nobody."""
    if "second" not in world.ids:
        world.ids["second"] = world.masked(world.ids["project_id"], "second.csv")
    return world.ids["second"]


def _submitted(world: World) -> Ids:
    _taken_back(world)
    return {"review_id": world.submitted(world.ids["project_id"], _second(world))}


def _taken_back(world: World) -> Ids:
    _second(world)
    at = f"/projects/{world.ids['project_id']}/reviews"
    for review in world.owner.got(at):
        if review["state"] == "submitted":
            world.owner.made(f"{at}/{review['id']}/take-back")
    return {}


def _to_submit(world: World) -> dict[str, Any]:
    return {"masked_file_id": _second(world), "reason": "A test."}


def _approved(world: World) -> dict[str, Any]:
    """An approved review of the second file."""
    at, second = f"/projects/{world.ids['project_id']}/reviews", _second(world)
    found = [one["id"] for one in world.owner.got(at) if one["masked_file_id"] == second and one["state"] == "approved"]
    if not found:
        found = [_submitted(world)["review_id"]]
        world.reviewer.made(f"{at}/{found[0]}/approve", reason="A test.")
    return {"review_id": found[0]}


def _released(world: World) -> Ids:
    """A release of the second file."""
    project = world.ids["project_id"]
    review = _approved(world)["review_id"]
    world.owner.post(f"/projects/{project}/releases", json={"review_id": review})  # unless it is being released
    for job in world.owner.got(f"/projects/{project}/jobs"):
        if job["kind"] == "release":
            world.owner.finished(job["id"])
    return {
        "release_id": next(
            r["id"] for r in world.owner.got(f"/projects/{project}/releases") if r["review_id"] == review
        )
    }


def _user(world: World) -> Ids:
    return {"user_id": world.other.got("/session")["id"]}


def _invitation(world: World) -> Ids:
    return {"invitation_id": world.boss.made("/invitations")["invitation"]["id"]}


def _connection(world: World) -> Ids:
    made = world.boss.made("/connections", name=fresh("c"), url=f"sqlite:///{world.store.settings.data}/c.sqlite")
    return {"connection_id": made["id"]}


def _invitation_body(world: World) -> dict[str, Any]:
    return {"token": world.boss.made("/invitations")["token"], "name": fresh("n"), "password": PASSWORD}


def _import_body(world: World) -> dict[str, Any]:
    return {**_connection(world), "table": "t", "name": f"{fresh('t')}.parquet"}


P = "/projects/{project_id}"
RIGHTS = {
    "GET /health": Right(EVERYBODY),
    "POST /session": Right(EVERYBODY, body={"name": "other", "password": PASSWORD}),
    "POST /invitations/accept": Right(EVERYBODY, body=_invitation_body),
    "GET /session": Right(SIGNED_IN, ""),
    "DELETE /session": Right(PERSON),
    "GET /sessions": Right(PERSON),
    "DELETE /sessions": Right(PERSON),
    "DELETE /sessions/{session_id}": Right(PERSON),
    "PUT /session/password": Right(PERSON, body={"old": PASSWORD, "new": PASSWORD}),
    "GET /tokens": Right(PERSON),
    "POST /tokens": Right(PERSON, body={"label": "l", "scopes": ["read"], "days": 1}),
    "DELETE /tokens/{token_id}": Right(PERSON),
    "GET /units/{family}": Right(SIGNED_IN, ""),
    "GET /units/{family}/{name}": Right(SIGNED_IN, ""),
    "GET /vocabulary": Right(SIGNED_IN, ""),
    "POST /hierarchies/preview": Right(SIGNED_IN, "", body={"hierarchy": "by widths 5", "values": [[31, 2], [38, 1]]}),
    "GET /invitations": Right(ADMINISTRATOR, "admin"),
    "POST /invitations": Right(ADMINISTRATOR, "admin"),
    "DELETE /invitations/{invitation_id}": Right(ADMINISTRATOR, "admin", prepare=_invitation),
    "GET /users": Right(ADMINISTRATOR, "admin"),
    "PUT /users/{user_id}/active": Right(ADMINISTRATOR, "admin", {"value": True}, prepare=_user),
    "PUT /users/{user_id}/administrator": Right(ADMINISTRATOR, "admin", {"value": False}, prepare=_user),
    "POST /users/{user_id}/reset-link": Right(ADMINISTRATOR, "admin", prepare=_user),
    "POST /connections": Right(
        ADMINISTRATOR, "admin", lambda world: {"name": fresh("c"), "url": "sqlite:////nowhere/c.sqlite"}
    ),
    "DELETE /connections/{connection_id}": Right(ADMINISTRATOR, "admin", prepare=_connection),
    "POST /connections/{connection_id}/test": Right(ADMINISTRATOR, "admin", prepare=_connection),
    "GET /connections": Right(SIGNED_IN, "read"),
    "GET /audit": Right(ADMINISTRATOR, "admin"),
    "GET /audit/state": Right(ADMINISTRATOR, "admin"),
    "GET /audit/export": Right(ADMINISTRATOR, "admin"),
    "GET /operations/jobs": Right(ADMINISTRATOR, "admin"),
    "POST /operations/jobs/{job_id}/cancel": Right(ADMINISTRATOR, "admin", prepare=_waiting_job),
    "GET /operations/storage": Right(ADMINISTRATOR, "admin"),
    "GET /projects": Right(SIGNED_IN, "read"),
    "POST /projects": Right(SIGNED_IN, "write", lambda world: {"name": fresh("p")}),
    "POST /samples": Right(SIGNED_IN, "write", lambda world: {"which": "patients"}),
    f"GET {P}": Right(MEMBERS),
    f"PATCH {P}": Right(OWNER, "write", {"description": "Ten patients."}),
    f"DELETE {P}": Right(OWNER, "write", prepare=_project),
    f"GET {P}/members": Right(MEMBERS),
    f"PUT {P}/members": Right(OWNER, "write", {"name": "analyst", "role": "analyst"}),
    f"DELETE {P}/members/{{user_id}}": Right(OWNER, "write", prepare=_member),
    f"GET {P}/versions": Right(MEMBERS),
    f"POST {P}/versions": Right(WORKERS, "write", {"document": PROJECT}),
    f"POST {P}/versions/file": Right(WORKERS, "write"),
    f"POST {P}/versions/proposal": Right(WORKERS, "write", lambda world: {"data_set_id": world.ids["data_set_id"]}),
    f"GET {P}/version": Right(MEMBERS),
    f"PUT {P}/version": Right(WORKERS, "write", query={"number": 1}),
    f"GET {P}/versions/{{number}}": Right(MEMBERS),
    f"GET {P}/versions/{{number}}/file": Right(MEMBERS),
    f"GET {P}/data-sets": Right(MEMBERS),
    f"POST {P}/data-sets": Right(WORKERS, "write", query=lambda world: {"name": f"{fresh('d')}.csv"}),
    f"POST {P}/imports": Right(WORKERS, "write", _import_body),
    f"GET {P}/data-sets/{{data_set_id}}": Right(MEMBERS),
    f"DELETE {P}/data-sets/{{data_set_id}}": Right(OWNER, "write", prepare=_data_set),
    f"GET {P}/data-sets/{{data_set_id}}/analysis": Right(WORKERS),
    f"GET {P}/data-sets/{{data_set_id}}/file": Right(OWNER),
    f"GET {P}/jobs": Right(MEMBERS),
    "GET /jobs/{job_id}": Right(MEMBERS),
    "GET /jobs/{job_id}/log": Right(MEMBERS),
    "GET /jobs/{job_id}/events": Right(MEMBERS),
    "POST /jobs/{job_id}/cancel": Right(WORKERS, "run", prepare=_waiting_job),
    f"GET {P}/masked-files": Right(MEMBERS),
    f"POST {P}/masked-files": Right(WORKERS, "run", lambda world: {"name": f"{fresh('m')}.csv", "version": 1}),
    f"GET {P}/masked-files/{{masked_file_id}}": Right(MEMBERS),
    f"GET {P}/masked-files/{{masked_file_id}}/records": Right(MEMBERS),
    f"GET {P}/masked-files/{{masked_file_id}}/parts/{{part}}": Right(MEMBERS),
    f"GET {P}/evaluations": Right(MEMBERS),
    f"POST {P}/evaluations": Right(WORKERS, "run"),
    f"GET {P}/evaluations/{{evaluation_id}}": Right(MEMBERS),
    f"GET {P}/comparison": Right(MEMBERS, query=lambda world: {"evaluation": world.ids["evaluation_id"]}),
    f"GET {P}/searches": Right(MEMBERS),
    f"POST {P}/searches": Right(WORKERS, "run", {"trials": 1, "version": 1}),
    f"GET {P}/searches/{{search_id}}": Right(MEMBERS),
    f"POST {P}/previews": Right(WORKERS, "run", {"version": 1}),
    "GET /jobs/{job_id}/preview": Right(WORKERS, prepare=_preview_job),
    "GET /jobs/{job_id}/points": Right(MEMBERS, prepare=_search_job),
    "POST /jobs/{job_id}/adopt": Right(WORKERS, "write", _point, prepare=_search_job),
    f"GET {P}/versions/{{number}}/python": Right(MEMBERS),
    f"GET {P}/reports": Right(MEMBERS),
    f"POST {P}/reports": Right(WORKERS, "run", lambda world: {"masked_file_id": world.ids["masked_file_id"]}),
    f"GET {P}/reports/{{report_id}}": Right(MEMBERS),
    f"GET {P}/reviews": Right(MEMBERS),
    f"POST {P}/reviews": Right(OWNER, "review", _to_submit, prepare=_taken_back),
    f"GET {P}/reviews/{{review_id}}": Right(MEMBERS),
    f"POST {P}/reviews/{{review_id}}/comments": Right(MEMBERS, "review", {"text": "Good."}),
    f"POST {P}/reviews/{{review_id}}/return": Right(REVIEWER, "review", {"reason": "A test."}, prepare=_submitted),
    f"POST {P}/reviews/{{review_id}}/take-back": Right(OWNER, "review", prepare=_submitted),
    f"POST {P}/reviews/{{review_id}}/approve": Right(REVIEWER, "review", {"reason": "A test."}, prepare=_submitted),
    f"GET {P}/releases": Right(MEMBERS),
    f"POST {P}/releases": Right(OWNER, "release", _approved),
    f"GET {P}/releases/{{release_id}}": Right(MEMBERS),
    f"GET {P}/releases/{{release_id}}/files/{{part}}": Right(MEMBERS),
    f"POST {P}/releases/{{release_id}}/withdraw": Right(OWNER, "release", {"reason": "A test."}, prepare=_released),
    f"GET {P}/audit": Right(OWNER),
}
