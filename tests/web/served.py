"""A real server in a thread, and people who talk to it over HTTP alone."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from team import work_off

from ammg.store.people import first_link
from ammg.store.store import Store
from ammg.web.app import create_app
from ammg.web.listener import Listener
from ammg.web.serve import Server

PASSWORD = "correct horse battery staple"
PATIENCE = 300.0
_people: list["Person"] = []
_unattended: dict[str, Store] = {}
"""The stores that are served without anybody who runs their jobs, by address."""


@contextmanager
def serving(store: Store, work: Any = None, public_url: str = "") -> Iterator[str]:
    """The address of the API of a store while it is served.

    Without `work` no job runs until somebody waits for one: then all that wait are done, in this process.
    """
    server = Server(create_app(store, work, public_url), Listener(port=0))
    thread = threading.Thread(target=server.run)
    thread.start()
    api = ""
    try:
        deadline = time.monotonic() + PATIENCE
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            assert time.monotonic() < deadline
            time.sleep(0.01)
        host, port = server.servers[0].sockets[0].getsockname()[:2]
        api = f"http://{host}:{port}/api/v1"
        if work is None:
            _unattended[api] = store
        yield api
    finally:
        _unattended.pop(api, None)
        for person in [one for one in _people if one.api == api]:  # another server may run beside this one
            _people.remove(person)
            person.close()
        server.handle_exit(15, None)
        thread.join(PATIENCE)


class Person(httpx.Client):
    """Somebody with a browser: cookies are kept, and requests say which site they come from."""

    def __init__(self, api: str, **options: Any) -> None:
        origin = api.removesuffix("/api/v1")
        self.api = api
        super().__init__(base_url=api, headers={"Origin": origin}, timeout=PATIENCE, **options)
        _people.append(self)

    def signed_in(self, name: str) -> "Person":
        answer = self.post("/session", json={"name": name, "password": PASSWORD})
        assert answer.status_code == 201, answer.text
        return self

    def made(self, path: str, **body: Any) -> dict[str, Any]:
        """What a POST made, which must work."""
        answer = self.post(path, json=body)
        assert answer.is_success, f"{path}: {answer.status_code} {answer.text}"
        found: dict[str, Any] = answer.json()
        return found

    def got(self, path: str, **query: Any) -> Any:
        """What a GET finds, which must work."""
        answer = self.get(path, params=query)
        assert answer.is_success, f"{path}: {answer.status_code} {answer.text}"
        return answer.json()

    def finished(self, job_id: str, state: str = "finished") -> dict[str, Any]:
        """The job when it is over."""
        if self.api in _unattended:
            work_off(_unattended[self.api])
        deadline = time.monotonic() + PATIENCE
        while (job := self.got(f"/jobs/{job_id}"))["state"] not in ("finished", "failed", "cancelled"):
            assert time.monotonic() < deadline, job
            time.sleep(0.05)
        assert job["state"] == state, job
        found: dict[str, Any] = job
        return found

    def uploaded(self, project_id: str, name: str, content: bytes) -> dict[str, Any]:
        """A data set that was read."""
        answer = self.post(f"/projects/{project_id}/data-sets", params={"name": name}, content=content)
        assert answer.status_code == 201, answer.text
        found: dict[str, Any] = answer.json()
        self.finished(found["job_id"])
        return found


def administrator(store: Store, api: str) -> Person:
    """The first administrator, by the link of the first start."""
    person = Person(api)
    person.made("/invitations/accept", token=first_link(store), name="admin", password=PASSWORD)
    return person.signed_in("admin")


def invited(boss: Person, name: str) -> Person:
    """Somebody who followed an invitation."""
    person = Person(str(boss.base_url).rstrip("/"))
    token = boss.made("/invitations")["token"]
    person.made("/invitations/accept", token=token, name=name, full_name=name.title(), password=PASSWORD)
    return person.signed_in(name)
