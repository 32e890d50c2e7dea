"""Signing in, cookies, requests of other sites, and what every answer says to browsers."""

import re
from collections.abc import Iterator

import pytest
from served import PASSWORD, Person, administrator, serving
from team import opened

from ammg.store import health
from ammg.store.store import Store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = opened(tmp_path_factory.mktemp("server"), failures_of_account=3)
    yield store
    store.close()


@pytest.fixture(scope="module")
def api(store: Store) -> Iterator[str]:
    with serving(store) as api:
        administrator(store, api)
        yield api


@pytest.fixture
def boss(api: str) -> Person:
    return Person(api).signed_in("admin")


def test_the_cookie_is_for_this_site_alone_and_not_for_scripts(api: str) -> None:
    cookie = Person(api).post("/session", json={"name": "admin", "password": PASSWORD}).headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
    assert "Secure" not in cookie


def test_the_cookie_is_secure_where_people_use_tls(store: Store) -> None:
    with serving(store, public_url="https://ammg.example.org/") as api:
        person = Person(api)
        person.headers["Origin"] = "https://ammg.example.org"
        cookie = person.post("/session", json={"name": "admin", "password": PASSWORD}).headers["set-cookie"]
        assert "Secure" in cookie.split("; ")


def test_the_answer_to_a_login_shows_no_token(api: str) -> None:
    answer = Person(api).post("/session", json={"name": "admin", "password": PASSWORD})
    assert "ammg_s_" not in answer.text


def test_a_page_of_another_site_changes_nothing(boss: Person) -> None:
    for origin in ("https://evil.example", "null", "http://127.0.0.1:1"):
        assert boss.post("/projects", json={"name": "x"}, headers={"Origin": origin}).status_code == 403
        assert (
            boss.post("/session", json={"name": "admin", "password": PASSWORD}, headers={"Origin": origin}).status_code
            == 403
        )
    assert boss.got("/projects") == []


def test_a_cookie_without_an_origin_needs_a_header_that_other_sites_cannot_send(boss: Person) -> None:
    del boss.headers["Origin"]
    assert boss.post("/projects", json={"name": "by program"}).status_code == 403
    assert boss.get("/projects").status_code == 200
    assert boss.post("/projects", json={"name": "by program"}, headers={"X-AMMG": "1"}).status_code == 201


def test_a_token_needs_no_origin(boss: Person, api: str) -> None:
    token = boss.made("/tokens", label="cron", scopes=["read", "write"], days=1)["token"]
    program = Person(api)
    del program.headers["Origin"]
    program.headers["Authorization"] = f"Bearer {token}"
    assert program.post("/projects", json={"name": "by token"}).status_code == 201
    assert program.post("/tokens", json={"label": "more", "scopes": ["admin"], "days": 1}).status_code == 403


def test_signing_out_ends_the_session(boss: Person, api: str) -> None:
    cookie = dict(boss.cookies)
    assert boss.delete("/session").status_code == 204
    assert Person(api, cookies=cookie).get("/session").status_code == 401


def test_wrong_passwords_are_slowed_down_and_the_answer_says_until_when(api: str) -> None:
    person = Person(api)
    answers = [person.post("/session", json={"name": "nobody", "password": "wrong"}) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [401, 401, 401, 429]
    assert int(answers[-1].headers["retry-after"]) > 0
    assert answers[0].json()["detail"] == "Name or password is wrong."


def test_browsers_are_told_to_be_strict(api: str) -> None:
    answer = Person(api).get("/health")
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert "server" not in answer.headers
    assert len(answer.headers["x-request-id"]) == 16


def test_a_body_that_is_too_large_is_refused_before_it_is_read(boss: Person) -> None:
    big = b" " * (17 * 2**20)
    assert boss.post("/projects", content=big).status_code == 413
    assert boss.post("/projects", content=iter([big])).status_code == 413


def test_what_is_wrong_is_told_place_by_place_and_without_the_values(boss: Person) -> None:
    answer = boss.post("/session", json={"name": 7, "password": ["my secret"], "more": 1})
    assert answer.status_code == 422
    assert {problem["place"] for problem in answer.json()["problems"]} == {"name", "password", "more"}
    assert "my secret" not in answer.text
    assert boss.post("/projects", json={"name": "a\0b"}).json()["problems"][0]["place"] == "name"


def test_a_fault_of_the_server_is_one_sentence_without_detail(boss: Person, store: Store, monkeypatch, caplog) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("the value 123456789 of Jane Canary")

    monkeypatch.setattr("ammg.store.projects.list_projects", broken)
    answer = boss.get("/projects")
    assert answer.status_code == 500
    assert answer.json()["detail"].startswith("Unexpected error")
    logged = next(record for record in caplog.records if record.message == "unforeseen")
    assert logged.facts["error"] == "RuntimeError"
    assert logged.facts["request"] == answer.headers["x-request-id"]
    assert "Canary" not in str(logged.__dict__)


def test_health_is_bad_when_something_cannot_be_used_and_not_when_it_is_scarce(api: str, monkeypatch) -> None:
    assert Person(api).get("/health").status_code == 200
    real = health.shutil.disk_usage
    monkeypatch.setattr(health.shutil, "disk_usage", lambda folder: real(folder)._replace(free=2**20))
    scarce = Person(api).get("/health")
    assert (scarce.status_code, scarce.json()["files"]) == (200, "nearly full")
    monkeypatch.setattr(health.os, "access", lambda *_: False)
    assert Person(api).get("/health").status_code == 503


def test_the_documentation_needs_no_internet(api: str) -> None:
    person = Person(api)
    page = person.get("/docs").text
    assert "http" not in page
    for name in ("swagger-ui-bundle.js", "swagger-ui.css", "start.js"):
        assert f"/docs/{name}" in page
        assert person.get(f"/docs/{name}").status_code == 200
    assert person.got("/openapi.json")["openapi"].startswith("3.")


def test_a_one_time_link_opens_a_page_that_makes_the_account(api: str) -> None:
    person = Person(api.removesuffix("/api/v1"))
    script = re.search(r'src="(/assets/[^"]+/welcome\.js)"', person.get("/welcome").text)
    assert script is not None
    assert "/api/v1/invitations/accept" in person.get(script[1]).text
