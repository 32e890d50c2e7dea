"""Jobs as server-sent events."""

import json
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from served import Person, administrator, serving
from team import opened, patients
from world import PROJECT

from ammg.jobs.runner import JobRunner


class Running(NamedTuple):
    """Somebody whose jobs run in processes of their own, their project, and a job that is over."""

    owner: Person
    project: str
    job: str


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    store = opened(tmp_path_factory.mktemp("server"))
    with serving(store, JobRunner(store)) as api:
        owner = administrator(store, api)
        project = owner.made("/projects", name="Patients")["id"]
        job = owner.uploaded(project, "patients.csv", patients())["job_id"]
        owner.made(f"/projects/{project}/versions", document=PROJECT)
        yield Running(owner, project, job)
    store.close()


def _events(text: str) -> list[tuple[str, str]]:
    blocks = [dict(line.split(": ", 1) for line in block.splitlines()) for block in text.strip().split("\n\n")]
    return [(block["event"], block["data"]) for block in blocks if "event" in block]


def test_a_job_is_followed_until_it_is_over(running: Running) -> None:
    job = running.owner.made(f"/projects/{running.project}/evaluations", version=1)["id"]
    with running.owner.stream("GET", f"/jobs/{job}/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        seen = _events("".join(answer.iter_text()))
    states = [json.loads(data)["text"] for kind, data in seen if kind == "state"]
    assert states[0] == "waiting"
    assert states[-1] == "finished"
    assert seen[-1] == ("end", '"finished"')
    last = [json.loads(data) for kind, data in seen if kind == "progress"][-1]
    assert last["state"] == "finished"
    assert last["result"]["evaluation_id"]


def test_a_reader_goes_on_where_it_was_cut_off(running: Running) -> None:
    log = running.owner.got(f"/jobs/{running.job}/log")
    middle = log[len(log) // 2]["number"]
    again = running.owner.get(f"/jobs/{running.job}/events", headers={"Last-Event-ID": str(middle)}).text
    numbers = [int(line.removeprefix("id: ")) for line in again.splitlines() if line.startswith("id: ")]
    assert numbers == [event["number"] for event in log if event["number"] > middle]
    assert running.owner.got(f"/jobs/{running.job}/log", after=middle) == [e for e in log if e["number"] > middle]


def test_a_stream_ends_with_the_session(running: Running) -> None:
    job = running.owner.made(f"/projects/{running.project}/searches", version=1, trials=1000)["id"]
    with running.owner.stream("GET", f"/jobs/{job}/events") as answer:
        pieces = answer.iter_text()
        next(pieces)
        running.owner.delete("/session")
        assert "event: refused" in "".join(pieces)
    running.owner.signed_in("admin")
    running.owner.made(f"/jobs/{job}/cancel")
