"""Every endpoint × everybody who might ask: the answers follow from one table, and all of them are checked."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from rights import ADMINISTRATOR, EVERYBODY, OWNER, PERSON, RIGHTS, SIGNED_IN, Right
from served import Person
from world import World

from ammg.store.actor import SCOPES

CALLERS = ("token", "nobody", "expired", "boss", "other", "analyst", "reviewer", "owner")


def expected(right: Right, caller: str, works: int) -> int:
    """What the table says about a caller; `token` has every scope but the one that is needed."""
    if right.who == EVERYBODY:
        return works
    if caller in ("nobody", "expired"):
        return 401
    if caller == "token":
        return works if right.who == SIGNED_IN and right.scope not in SCOPES else 403
    if right.who == ADMINISTRATOR:
        return works if caller == "boss" else 403
    if right.who in (PERSON, SIGNED_IN):
        return works
    if caller in ("boss", "other"):
        return 404
    return works if caller in right.who else 403


@pytest.fixture
def callers(world: World) -> dict[str, httpx.Client]:
    """Everybody, signed in."""
    world.sign_in()
    return {**world.people, "nobody": Person(world.api), "expired": _expired(world)}


def _expired(world: World) -> Person:
    long_ago = datetime.now(UTC) - timedelta(days=8)
    clock, world.store.clock = world.store.clock, lambda: long_ago
    try:
        return Person(world.api).signed_in("owner")
    finally:
        world.store.clock = clock


def _token(world: World, right: Right) -> httpx.Client:
    """A token of somebody who may, with every scope but the one that is needed."""
    person = {ADMINISTRATOR: "boss", PERSON: "owner", SIGNED_IN: "owner", EVERYBODY: "owner"}.get(str(right.who))
    person = person or ("owner" if "owner" in right.who else right.who[0])
    scopes = [scope for scope in SCOPES if scope != right.scope or right.who == PERSON]
    token = world.people[person].made("/tokens", label="test", scopes=scopes, days=1)["token"]
    client = Person(world.api)
    client.headers["Authorization"] = f"Bearer {token}"
    return client


def _request(client: httpx.Client, world: World, endpoint: str, right: Right, ids: dict[str, str]) -> httpx.Response:
    method, path = endpoint.split()
    body = right.body(world) if callable(right.body) else right.body
    query = right.query(world) if callable(right.query) else right.query
    sent: dict[str, Any] = {"json": body} if method in ("POST", "PUT", "PATCH") else {}
    if path.endswith("/data-sets"):
        sent = {"content": b"a,b\n1,2\n"}
    elif path.endswith("/versions/file"):
        sent = {"content": b"source: patients.csv\n", "headers": {"Content-Type": "application/yaml"}}
    answer = client.request(method, path.format(**{**world.ids, **ids}), params=query, **sent)
    if answer.status_code == 202 and not path.endswith("/releases"):
        world.owner.post(f"/jobs/{answer.json()['id']}/cancel")  # that it was started is all that counts here
    return answer


def _own(client: httpx.Client, endpoint: str) -> dict[str, str]:
    """Ids of the caller's own session and token, which are nobody else's."""
    if "{session_id}" in endpoint and client.get("/sessions").is_success:
        return {"session_id": client.get("/sessions").json()[0]["id"]}
    if "{token_id}" in endpoint and client.get("/tokens").is_success:
        made = client.post("/tokens", json={"label": "mine", "scopes": ["read"], "days": 1})
        return {"token_id": made.json()["info"]["id"]}
    unknown = "unknown"
    return dict.fromkeys(("session_id", "token_id", "invitation_id", "connection_id"), unknown)


def test_the_table_has_every_endpoint(world: World) -> None:
    paths = world.boss.got("/openapi.json")["paths"]
    served = {f"{method.upper()} {path.removeprefix('/api/v1')}" for path, ways in paths.items() for method in ways}
    assert served == set(RIGHTS)


@pytest.mark.parametrize("endpoint", RIGHTS)
def test_an_endpoint_answers_everybody_as_the_table_says(
    endpoint: str, world: World, callers: dict[str, httpx.Client]
) -> None:
    right = RIGHTS[endpoint]
    method, path = endpoint.split()
    described = world.boss.got("/openapi.json")["paths"][f"/api/v1{path}"][method.lower()]["responses"]
    works = next(int(status) for status in described if status.startswith("2"))
    answers, wanted = {}, {}
    for caller in CALLERS:
        client = _token(world, right) if caller == "token" else callers[caller]
        wanted[caller] = expected(right, caller, works)
        ids = _own(client, endpoint)
        if wanted[caller] == works:
            ids |= right.prepare(world)
        answers[caller] = _request(client, world, endpoint, right, ids).status_code
    assert answers == wanted


@pytest.mark.parametrize(
    ("part", "readers"),
    [
        ("masked", {"owner", "analyst", "reviewer"}),
        *((part, {"owner", "reviewer"}) for part in ("internal_report", "project")),
        *((part, set(OWNER)) for part in ("secret", "link", "provenance", "evaluation")),
    ],
)
def test_a_part_is_read_by_those_it_is_for(part: str, readers: set[str], world: World) -> None:
    path = "/projects/{project_id}/masked-files/{masked_file_id}/parts/".format(**world.ids) + part
    answers = {name: world.people[name].get(path).status_code for name in ("owner", "analyst", "reviewer")}
    assert answers == {name: 200 if name in readers else 403 for name in answers}
    assert world.other.get(path).status_code == 404
