"""Pages of a wide project in a browser: `python benchmarks/bench_web_pages.py [records] [attributes]`.

A million records of 500 attributes, unless told otherwise, are uploaded to `ammg serve`, masked and measured. Then
every page is opened in Chromium: seconds from opening its address until its content is drawn and events reach the
server, the first time and the times after it. `server` is how long the server itself computed for it, which does not
depend on what else the machine does. The reference is the list of projects, which knows nothing of the records. Typing
is from a key in a form to its message, while nothing else runs, while a file is read and while one is masked. The
memory of a job is compared with the table as polars holds it.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import polars as pl

from bench_web import made, over, served

ROUNDS = 5
ROOM = ("--megabytes", "16000", "--upload", "8192")
CHUNK = 100_000
REFERENCE = "/"
PROJECT: dict[str, Any] = {
    "source": "wide.parquet",
    "measures": ["frequency", "il1s"],
    "limits": {"frequency": 1.0},
}
CONTENT = {
    "data": "First records",
    "attributes": "Role of code0",
    "attributes?tab=hierarchies": "How a key may be recoded",
    "attributes?tab=rules": "Rules that must stay true",
    "attributes?tab=scenario": "The intruder",
    "attributes?tab=risk": "Risk of the unmasked file",
    "methods": "Rounding",
    "wizard": "Who gets the file",
    "result": "In short",
    "result?tab=pictures": "Draw the correlations",
    "result?tab=records": "Masked records of",
    "result?tab=compare": "Risk against loss",
    "release": "Submit for review",
}
"""What each page shows last: a text or a label."""
ADMINISTRATION = {"administration": "Invite", "administration?tab=jobs": "Wide", "administration?tab=system": "Free on"}


def main(records: int, attributes: int) -> None:
    with tempfile.NamedTemporaryFile(suffix=".parquet") as file, served(*ROOM) as (url, owner, process):
        size = _write_wide(Path(file.name), records, attributes)
        print(f"{records:,} records of {attributes} attributes: {size:.2f} GB in memory; {os.cpu_count()} cores")
        bench = Bench(url, owner, process, size, Path(file.name))
        bench.prepare([f"amount{n}" for n in range(attributes - 3, attributes)])
        bench.measure()


class Bench:
    """A server with one wide project."""

    def __init__(self, url: str, owner: httpx.Client, process: int, size: float, file: Path) -> None:
        self.url, self.owner, self.process, self.size, self.file = url, owner, process, size, file
        self.at = f"/projects/{made(owner, '/projects', name='Wide')['id']}"

    def prepare(self, masked: list[str]) -> None:
        """As far as a masked file, with what each job took."""
        print(f"{'job':<44}{'seconds':>9}{'GB':>9}{'× table':>9}")
        data_set, reading = self._uploaded("wide.parquet")
        self._job("read the file", reading)
        proposed = made(self.owner, f"{self.at}/versions/proposal", data_set_id=data_set)["document"]
        roles = proposed["roles"] | {f"code{n}": "key" for n in range(6)}
        methods = [{"rounding": {"columns": masked, "base": 100}}]
        made(self.owner, f"{self.at}/versions", document={**proposed, **PROJECT, "roles": roles, "methods": methods})
        self._job("mask three attributes, measure, write", self._masking("masked.parquet"))
        self._job("measure the records as they are", made(self.owner, f"{self.at}/evaluations", unmasked=True)["id"])

    def measure(self) -> None:
        """Every page, and typing."""
        with _browser(self.url, self.owner.cookies["ammg_session"]) as page:
            _open(page, f"{self.url}/account", "Where you are signed in")  # the scripts are in the cache from now on
            print(f"\n{'page':<44}{'first s':>9}{'again s':>9}{'server s':>9}{'ratio':>9}")
            reference = self._page(page, REFERENCE, "Wide", None)
            for path, shown in {f"{self.at}/{name}": shown for name, shown in CONTENT.items()}.items():
                self._page(page, path, shown, reference)
            for name, shown in ADMINISTRATION.items():
                self._page(page, f"/{name}", shown, reference)
            print(f"\n{'from a key to its message':<44}{'median ms':>10}{'slowest ms':>12}")
            self._typed(page, "nothing running")
            _, reading = self._uploaded("again.parquet")
            self._typed(page, "a file being read", reading)
            masking = self._masking("again.parquet")
            self._typed(page, "a file being masked", masking, leave=True)
            print(f"\n{'page, a file being masked':<44}{'first s':>9}{'again s':>9}{'server s':>9}{'ratio':>9}")
            for name in ("data", "attributes", "methods", "result"):
                self._page(page, f"{self.at}/{name}", CONTENT[name], reference)
            self._end(masking)

    def _page(self, page: Any, path: str, shown: str, reference: float | None) -> float:
        """Seconds of opening a page again."""
        before = self._worked()
        first, *others = (_open(page, f"{self.url}{path}", shown) for _ in range(ROUNDS))
        again, worked = float(np.median(others)), (self._worked() - before) / ROUNDS
        name = path.replace(self.at, "…")
        print(f"{name:<44}{first:>9.2f}{again:>9.2f}{worked:>9.2f}{again / (reference or again):>9.1f}", flush=True)
        return again

    def _typed(self, page: Any, when: str, job: str = "", *, leave: bool = False) -> None:
        while job and self._state(job) == "waiting":
            time.sleep(0.2)
        for where, type_into in (("methods", _into_methods), ("attributes", _into_attributes)):
            _open(page, f"{self.url}{self.at}/{where}", CONTENT[where])
            took = type_into(page)
            ran = f" ({self._state(job)} at the end)" if job and self._state(job) != "running" else ""
            print(f"{f'{where}, {when}{ran}':<44}{np.median(took):>10.0f}{max(took):>12.0f}", flush=True)
        if job and not leave:
            self._end(job)

    def _job(self, words: str, job: str) -> None:
        """Wait for the end of a job, and say what it took."""
        begun, most = time.perf_counter(), 0.0
        while self._state(job) in ("waiting", "running"):
            most = max(most, *(_peak(child) for child in _children(self.process)), 0.0)
            time.sleep(0.5)
        state = "" if self._state(job) == "finished" else f" ({self._state(job)})"
        took = time.perf_counter() - begun
        print(f"{words + state:<44}{took:>9.0f}{most:>9.2f}{most / self.size:>9.1f}", flush=True)
        while _children(self.process):  # a process takes a moment to give its memory back
            time.sleep(0.1)

    def _uploaded(self, name: str) -> tuple[str, str]:
        with self.file.open("rb") as content:
            found = self.owner.post(f"{self.at}/data-sets", params={"name": name}, content=content).json()
        return found["id"], found["job_id"]

    def _masking(self, name: str) -> str:
        return str(made(self.owner, f"{self.at}/masked-files", name=name, force="A benchmark.")["id"])

    def _state(self, job: str) -> str:
        return str(self.owner.get(f"/jobs/{job}").json()["state"])

    def _end(self, job: str) -> None:
        self.owner.post(f"/jobs/{job}/cancel")
        over(self.owner, job)

    def _worked(self) -> float:
        """Seconds that the server has computed, its jobs not counted: they are processes of their own."""
        fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def _browser(url: str, session: str) -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        program, options = shutil.which("chromium"), ["--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=program, args=options)
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        context.add_cookies([{"name": "ammg_session", "value": session, "url": url}])
        page = context.new_page()
        page.set_default_timeout(120_000)
        yield page
        browser.close()


def _open(page: Any, address: str, shown: str) -> float:
    """Seconds until a page shows its last part and hears events."""
    begun = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.get_by_text(shown).or_(page.get_by_label(shown)).first.wait_for()
    page.wait_for_function("window.did_handshake === true")
    return time.perf_counter() - begun


def _into_methods(page: Any) -> list[float]:
    """Milliseconds from a wrong number to the message that it is wrong, and from a right one to its end."""
    page.get_by_role("button", name="Edit step 1").click()
    form = page.get_by_role("dialog")
    base, message = form.get_by_label("Base", exact=True), form.get_by_text("Correct the marked field.")
    return _timed(lambda wrong: base.fill("0" if wrong else "100"), message)


def _into_attributes(page: Any) -> list[float]:
    """Milliseconds from a label of an attribute to the number of changes, and from the old label to its end."""
    label = page.get_by_label("Label of code0", exact=True)

    def write(is_new: bool) -> None:
        label.fill("A label" if is_new else "")
        label.blur()

    return _timed(write, page.get_by_text("1 change not saved"))


def _timed(write: Callable[[bool], None], message: Any) -> list[float]:
    took = []
    for is_shown in (True, False) * 2 * ROUNDS:
        begun = time.perf_counter()
        write(is_shown)
        message.wait_for(state="visible" if is_shown else "hidden")
        took.append(1000 * (time.perf_counter() - begun))
    return took


def _write_wide(path: Path, records: int, attributes: int) -> float:
    """Codes of few values, some of them words, then amounts with a tail, half of them whole; GB of the table."""
    from pyarrow.parquet import ParquetWriter

    rng = np.random.default_rng(1)
    words = pl.Series([f"group {n}" for n in range(43)])
    size, writer = 0.0, None
    for start in range(0, records, CHUNK):
        rows = min(CHUNK, records - start)
        codes = {f"code{n}": rng.integers(0, 3 + n % 40, rows, dtype=np.int16) for n in range(attributes // 2)}
        columns: dict[str, Any] = {name: words.gather(v) if int(name[4:]) % 5 == 4 else v for name, v in codes.items()}
        for n in range(attributes // 2, attributes):
            amounts = rng.lognormal(8, 1, rows)
            columns[f"amount{n}"] = amounts.round(2) if n % 2 else amounts.astype(np.int32)
        frame = pl.DataFrame(columns)
        size += frame.estimated_size("b") / 1e9
        table = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
        writer = writer or ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()
    return size


def _children(process: int) -> list[int]:
    return [int(one) for task in Path(f"/proc/{process}/task").iterdir() for one in _read(task / "children").split()]


def _peak(process: int) -> float:
    """The most memory that a process had, in GB."""
    found = [line for line in _read(Path(f"/proc/{process}/status")).splitlines() if line.startswith("VmHWM")]
    return int(found[0].split()[1]) * 1024 / 1e9 if found else 0.0


def _read(place: Path) -> str:
    try:
        return place.read_text()
    except OSError:  # it has ended
        return ""


if __name__ == "__main__":
    given = [int(argument) for argument in sys.argv[1:]]
    main(*(given + [1_000_000, 500][len(given) :]))
