"""Fifty people at one server: `python benchmarks/bench_web.py [seconds]`.

Each asks once every five seconds for what the pages of a project show: while two masking jobs run, while a search runs
in its own process, and while nothing else does. The figures are milliseconds from sending a request to having its
answer, over HTTP, to `ammg serve` in a process of its own, on SQLite. The baseline is a page that needs no database:
the one that a one-time link opens.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from ammg.datasets import survey

PEOPLE, EVERY = 50, 5.0
PASSWORD = "correct horse battery staple"
PROJECT = """
source: survey.parquet
roles: {person_id: identifier, region: key, sex: key, age: key, income: confidential}
methods: [{rank_swapping: {columns: [income], p: 10}}]
measures: [distance_linkage, il1s]
"""


def main(seconds: float) -> None:
    with served() as (url, owner, _):
        measure(url, owner, seconds)


@contextmanager
def served(*options: str) -> Iterator[tuple[str, httpx.Client, int]]:
    """The address of a new server, its first administrator, and its process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder:
        program = [sys.executable, "-c", "from ammg.cli import main; main()", "serve", "--port", str(port)]
        server = subprocess.Popen(
            [*program, "--data", f"{folder}/data", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            assert server.stdout is not None
            token = next(found[1] for line in server.stdout if (found := re.search(r"#(ammg_l_\S+)", line)))
            with httpx.Client(base_url=f"{url}/api/v1", headers={"Origin": url}, timeout=600) as owner:
                _retried(lambda: owner.get("/health"))
                made(owner, "/invitations/accept", token=token, name="owner", password=PASSWORD)
                made(owner, "/session", name="owner", password=PASSWORD)
                yield url, owner, server.pid
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(60)


def measure(url: str, owner: httpx.Client, seconds: float) -> None:
    project = made(owner, "/projects", name="Survey")["id"]
    at = f"/projects/{project}"
    with tempfile.NamedTemporaryFile(suffix=".parquet") as file:
        survey(200_000, seed=1).write_parquet(file.name)
        uploaded(owner, at, "survey.parquet", Path(file.name))
    for text in (PROJECT, f"{PROJECT}limits: {{distance_linkage: 0.01}}\n"):
        made(owner, f"{at}/versions", document=text)
    bearer = made(owner, "/tokens", label="benchmark", scopes=["read"], days=1)["token"]
    pages = ["/projects", at, f"{at}/versions", f"{at}/version", f"{at}/jobs", f"{at}/masked-files"]
    pages += [f"{at}/data-sets", f"{at}/evaluations", f"{at}/reviews", f"{at}/members", "/session"]
    jobs = [made(owner, f"{at}/masked-files", name=f"{n}.parquet", version=1)["id"] for n in range(2)]
    print(f"{PEOPLE} people, one request per {EVERY:g} s each, {seconds:g} s; {os.cpu_count()} cores")
    show("two jobs running", asyncio.run(_crowd(url, bearer, pages, seconds)))
    states = [owner.get(f"/jobs/{job}").json()["state"] for job in jobs]
    print(f"  jobs at the end: {', '.join(states)}")
    for job in jobs:
        owner.post(f"/jobs/{job}/cancel")
        over(owner, job)
    search = made(owner, f"{at}/searches", version=2, trials=5000)["id"]
    while owner.get(f"/jobs/{search}").json()["state"] == "waiting":
        time.sleep(0.2)
    show("a search running", asyncio.run(_crowd(url, bearer, pages, seconds)))
    print(f"  the search at the end: {owner.get(f'/jobs/{search}').json()['state']}")
    owner.post(f"/jobs/{search}/cancel")
    over(owner, search)
    show("alone", asyncio.run(_crowd(url, bearer, pages, seconds)))
    show("baseline, a page without database", asyncio.run(_crowd(url, bearer, [f"{url}/welcome"], seconds / 2)))


async def _crowd(url: str, bearer: str, pages: list[str], seconds: float) -> list[float]:
    took: list[float] = []
    headers = {"Authorization": f"Bearer {bearer}"}

    async def person(number: int, client: httpx.AsyncClient) -> None:
        pick = random.Random(number)
        await asyncio.sleep(pick.uniform(0, EVERY))
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            begun = time.perf_counter()
            answer = await client.get(pick.choice(pages))
            answer.raise_for_status()
            took.append(1000 * (time.perf_counter() - begun))
            await asyncio.sleep(max(0.0, EVERY - (time.perf_counter() - begun)))

    async with httpx.AsyncClient(base_url=f"{url}/api/v1", headers=headers, timeout=60) as client:
        await asyncio.gather(*(person(number, client) for number in range(PEOPLE)))
    return took


def show(what: str, took: list[float]) -> None:
    middle, most, worst = np.percentile(took, [50, 95, 100])
    print(
        f"{what}: {len(took)} requests, median {middle:.0f} ms, p95 {most:.0f} ms, slowest {worst:.0f} ms", flush=True
    )


def made(client: httpx.Client, path: str, **body: Any) -> dict[str, Any]:
    answer = client.post(path, json=body)
    answer.raise_for_status()
    found: dict[str, Any] = answer.json()
    return found


def uploaded(client: httpx.Client, at: str, name: str, path: Path) -> str:
    """The id of a data set that was read."""
    with path.open("rb") as file:
        found = client.post(f"{at}/data-sets", params={"name": name}, content=file).json()
    over(client, found["job_id"])
    return str(found["id"])


def over(client: httpx.Client, job: str) -> None:
    """Wait for the end of a job, however it ends."""
    while client.get(f"/jobs/{job}").json()["state"] in ("waiting", "running"):
        time.sleep(0.2)


def _retried(call: Callable[[], object]) -> None:
    for _ in range(600):
        try:
            call()
            return
        except httpx.TransportError:
            time.sleep(0.1)
    raise TimeoutError("the server did not start")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 30.0)
