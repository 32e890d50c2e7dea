"""kill -9 of `ammg serve` at twenty moments: what it has answered is there, and nothing is half written."""

import random
import threading
import time
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from program import Program
from served import Person
from team import patients
from world import PROJECT


class Customer(threading.Thread):
    """Somebody who works on and on, and remembers what the server has confirmed."""

    def __init__(self, person: Person, project: str, number: int) -> None:
        super().__init__(daemon=True)
        self.person, self.project, self.number = person, project, number
        self.files: list[str] = []
        self.jobs: list[str] = []
        self.over = threading.Event()

    def run(self) -> None:
        at = f"/projects/{self.project}"
        with suppress(httpx.TransportError):  # the server died
            for step in range(10**6):
                if self.over.is_set():
                    return
                name = f"file{self.number}-{step}.csv"
                answer = self.person.post(f"{at}/data-sets", params={"name": name}, content=patients() * 50)
                if answer.status_code == 201:
                    self.files.append(answer.json()["id"])
                answer = self.person.post(f"{at}/evaluations", json={"version": 1})
                if answer.status_code == 202:
                    self.jobs.append(answer.json()["id"])
                for job in self.jobs[:-2]:  # a few at a time
                    self.person.post(f"/jobs/{job}/cancel")


@pytest.mark.proof
def test_a_server_that_is_killed_at_twenty_moments_keeps_what_it_confirmed(tmp_path: Path) -> None:
    moments, files, jobs = random.Random(22), [], []
    with Program(tmp_path) as program:
        boss = program.administrator()
        project = boss.made("/projects", name="Killed")["id"]
        first = boss.uploaded(project, "patients.csv", patients())["id"]
        boss.made(f"/projects/{project}/versions", document=PROJECT)
    for number in range(20):
        with Program(tmp_path) as program:
            customer = Customer(program.person().signed_in("admin"), project, number)
            customer.start()
            customer.over.wait(moments.uniform(0.1, 3.0))
            program.process.kill()
            customer.over.set()
            customer.join(60)
            files += customer.files
            jobs += customer.jobs
    assert files
    assert jobs
    with Program(tmp_path) as program:
        boss = program.person().signed_in("admin")
        at = f"/projects/{project}"
        assert boss.get(f"{at}/data-sets/{first}/file").content == patients()
        for one in files:
            assert boss.get(f"{at}/data-sets/{one}/file").content == patients() * 50
        for job in boss.got(f"{at}/jobs"):
            if job["state"] in ("waiting", "running"):
                boss.post(f"/jobs/{job['id']}/cancel")
        known = {job: boss.got(f"/jobs/{job}") for job in jobs}
        for job, found in known.items():
            state = found["state"]
            if state in ("waiting", "running"):
                state = _over(boss, job)
            if state == "failed":  # a job that was hit by every kill while it ran
                assert boss.got(f"/jobs/{job}")["reason"] == "Given up after 3 attempts: its worker died."
            else:
                assert state in ("finished", "cancelled")
        assert boss.got("/audit/state")["intact"]
        assert program.stop() == 0
    assert not list((tmp_path / "data" / "work").glob("*"))
    assert not list((tmp_path / "data" / "files" / "incoming").iterdir())


def _over(person: Person, job: str) -> str:
    deadline = time.monotonic() + 120
    while (found := person.got(f"/jobs/{job}"))["state"] in ("waiting", "running"):
        assert time.monotonic() < deadline, found
        time.sleep(0.1)
    return str(found["state"])
