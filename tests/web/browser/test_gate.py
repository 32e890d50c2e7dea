"""What stands before pages and sockets."""

import json

import httpx
import pytest
from browsing import Site
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect


def test_nobody_sees_a_page_without_a_session(site: Site) -> None:
    for path in ("/", "/projects/x/data", "/administration", "/nothing"):
        answer = httpx.get(f"{site.url}{path}")
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/login")
    for path in ("/_nicegui/client/x/upload/1", "/_nicegui_ws/socket.io/?transport=polling&EIO=4", "/api/v1/nothing"):
        assert httpx.get(f"{site.url}{path}").status_code == 404


def test_sockets_need_a_session_and_the_origin_of_the_site(site: Site) -> None:
    cookie = f"ammg_session={site.person().cookies['ammg_session']}"
    address = f"{site.url.replace('http', 'ws', 1)}/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
    for origin, headers in (
        (site.url, {}),
        (site.url, {"Cookie": "ammg_session=ammg_s_made-up"}),
        ("http://evil.example", {"Cookie": cookie}),
        (None, {"Cookie": cookie}),
    ):
        with pytest.raises(InvalidStatus) as refused, connect(address, origin=origin, additional_headers=headers):
            pass
        assert refused.value.response.status_code == 403
    with connect(address, origin=site.url, additional_headers={"Cookie": cookie}) as socket:
        assert str(socket.recv(timeout=60)).startswith("0{")


def test_nobody_sends_events_to_the_page_of_somebody_else(site: Site) -> None:
    other = f"ammg_session={site.person().cookies['ammg_session']}"
    with site.opened(site.person()) as tab:
        tab.goto("/")
        client_id = tab.page.evaluate("window.clientId")
    address = f"{site.url.replace('http', 'ws', 1)}/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
    with connect(address, origin=site.url, additional_headers={"Cookie": other}) as socket:
        socket.recv(timeout=60)
        socket.send(f'42["event",{json.dumps({"client_id": client_id, "id": 1, "args": []})}]')
        with pytest.raises(ConnectionClosed, match="1008"):
            list(socket)


def test_the_page_goes_to_the_login_when_its_session_has_ended_elsewhere(site: Site) -> None:
    person = site.person()
    with site.opened(person) as tab:
        tab.goto("/")
        assert person.delete("/session").status_code == 204
        tab.page.get_by_role("button", name="Account").click()
        tab.page.wait_for_url(lambda url: "/login" in url)


def test_pages_load_nothing_from_elsewhere_and_break_no_rule_of_their_policy(site: Site) -> None:
    with site.opened(site.person()) as tab:
        tab.goto("/")
        assert tab.foreign == []
        assert tab.errors == []
        policy = httpx.get(f"{site.url}/", cookies=_cookies(tab)).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self' 'nonce-" in policy
        assert "'unsafe-inline'" not in policy.partition("style-src")[0]
        blocked = """() => new Promise(done => {
            document.addEventListener("securitypolicyviolation", event => done(event.violatedDirective));
            const script = document.createElement("script");
            script.textContent = "window.injected = true";
            document.body.append(script);
        })"""
        assert tab.page.evaluate(blocked) == "script-src-elem"
        assert tab.page.evaluate("window.injected") is None


def _cookies(tab: object) -> dict[str, str]:
    return {one["name"]: one["value"] for one in tab.page.context.cookies()}  # type: ignore[attr-defined]
