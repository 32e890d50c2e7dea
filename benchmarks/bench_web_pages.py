"""Pages of a project with 500 attributes in a browser: `python benchmarks/bench_web_pages.py [records]`.

The figures are milliseconds from opening an address until the content is drawn and events reach the server; and from a
key in a form to the message that it causes, while nothing else runs and while a job does. Before each stands how long
the server itself computed, which does not depend on what else the machine does. The baseline is the list of projects.
Scripts and fonts are in the cache of the browser, as they are after the first page.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import polars as pl

from bench_web import made, over, served, show, uploaded

WIDE, ROUNDS = 500, 5
PROJECT: dict[str, Any] = {
    "source": "wide.parquet",
    "methods": [{"rounding": {"columns": ["amount499"], "base": 100}}],
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


def main(records: int) -> None:
    with served() as (url, owner, process):
        at = prepared(owner, records)
        measure(url, owner, process, at)


def prepared(owner: httpx.Client, records: int) -> str:
    """The path of a project that went as far as a masked file."""
    at = f"/projects/{made(owner, '/projects', name='Wide')['id']}"
    begun = time.perf_counter()
    with tempfile.NamedTemporaryFile(suffix=".parquet") as file:
        _wide(records).write_parquet(file.name)
        data_set = uploaded(owner, at, "wide.parquet", Path(file.name))
    print(f"{WIDE} attributes, {records:,} records: read in {time.perf_counter() - begun:.0f} s", flush=True)
    proposed = made(owner, f"{at}/versions/proposal", data_set_id=data_set)["document"]
    roles = {f"code{n}": "key" for n in range(6)}
    made(owner, f"{at}/versions", document={**proposed, **PROJECT, "roles": proposed["roles"] | roles})
    for path, body in (
        ("masked-files", {"name": "wide.parquet", "force": "A benchmark."}),
        ("evaluations", {"unmasked": True}),
    ):
        begun = time.perf_counter()
        job = made(owner, f"{at}/{path}", **body)["id"]
        over(owner, job)
        print(
            f"  {path}: {owner.get(f'/jobs/{job}').json()['state']} after {time.perf_counter() - begun:.0f} s",
            flush=True,
        )
    return at


def measure(url: str, owner: httpx.Client, process: int, at: str) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        program, options = shutil.which("chromium"), ["--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=program, args=options)
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        context.add_cookies([{"name": "ammg_session", "value": owner.cookies["ammg_session"], "url": url}])
        page = context.new_page()
        page.set_default_timeout(120_000)

        def opened(path: str, shown: str) -> None:
            before = _worked(process)
            took = [_open(page, f"{url}{path}", shown) for _ in range(ROUNDS)]
            print(f"  server: {(_worked(process) - before) / ROUNDS:.0f} ms of work; ", end="")
            show(path, took)

        _open(page, url, "Wide")  # scripts and fonts are in the cache of the browser from now on
        opened("/", "Wide")
        for path, shown in CONTENT.items():
            opened(f"{at}/{path}", shown)
        show("a key, nothing running", _typed(page, f"{url}{at}/methods"))
        job = made(owner, f"{at}/masked-files", name="again.parquet", force="A benchmark.")["id"]
        while owner.get(f"/jobs/{job}").json()["state"] == "waiting":
            time.sleep(0.2)
        show("a key, a job running", _typed(page, f"{url}{at}/methods"))
        opened(f"{at}/result", CONTENT["result"])
        print(f"  the job at the end: {owner.get(f'/jobs/{job}').json()['state']}")
        owner.post(f"/jobs/{job}/cancel")
        over(owner, job)
        browser.close()


def _worked(process: int) -> float:
    """Milliseconds that the server has computed, its jobs not counted: they are processes of their own."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _wide(records: int) -> pl.DataFrame:
    """Half codes of few values, half amounts with a tail."""
    rng = np.random.default_rng(1)
    codes = {f"code{n}": rng.integers(0, 3 + n % 40, records, dtype=np.int16) for n in range(WIDE // 2)}
    amounts = {f"amount{n}": rng.lognormal(8, 1, records).astype(np.int32) for n in range(WIDE // 2, WIDE)}
    return pl.DataFrame(codes | amounts)


def _open(page: Any, address: str, shown: str) -> float:
    """Milliseconds until a page shows its last part and hears events."""
    begun = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.get_by_text(shown).or_(page.get_by_label(shown)).first.wait_for()
    page.wait_for_function("window.did_handshake === true")
    return 1000 * (time.perf_counter() - begun)


def _typed(page: Any, address: str) -> list[float]:
    """Milliseconds from a key in a form to the message that it causes, and to its end."""
    _open(page, address, CONTENT["methods"])
    page.get_by_role("button", name="Edit step 1").click()
    form = page.get_by_role("dialog")
    base = form.get_by_label("Base", exact=True)
    took = []
    for wrong in (True, False) * ROUNDS:
        begun = time.perf_counter()
        base.fill("0" if wrong else "100")
        form.get_by_text("Correct the marked field.").wait_for(state="visible" if wrong else "hidden")
        took.append(1000 * (time.perf_counter() - begun))
    return took


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
