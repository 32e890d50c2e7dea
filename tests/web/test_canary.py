"""Names and nine-digit numbers are planted in the originals, and looked for in every answer, log, error and file."""

import json
import logging
import random
import re
from collections.abc import Iterator

import pytest
from rights import RIGHTS
from served import Person
from world import World

from ammg.web.logs import JsonLines

random.seed(22)
NAMES = [f"Zq{''.join(random.choices('aeioukmnrst', k=9))}" for _ in range(60)]
NUMBERS = [str(random.randrange(200_000_000, 999_999_999)) for _ in range(60)]
TOWNS = [f"Xw{''.join(random.choices('aeioukmnrst', k=9))}" for _ in range(60)]
BALANCES = [str(random.randrange(200_000_000, 999_999_999)) for _ in range(60)]
CANARY = re.compile("|".join([*NAMES, *NUMBERS, *TOWNS, *BALANCES]))
ROWS = [
    f"{name},{number},{town},{18 + n % 40},{'AB'[n % 2]},{balance}"
    for n, (name, number, town, balance) in enumerate(zip(NAMES, NUMBERS, TOWNS, BALANCES, strict=True))
]
DATA = "\n".join(["name,ssn,town,age,region,balance", *ROWS, ""]).encode()
PROJECT = {
    "source": "people.csv",
    "roles": {"name": "identifier", "ssn": "identifier", "town": "identifier", "age": "key", "region": "key"},
    "methods": [{"univariate_microaggregation": {"columns": ["age", "balance"], "k": 5}}],
    "measures": ["frequency", "il1s"],
}
BROKEN = {**PROJECT, "hierarchies": {"town": {"Nowhere": ["*"]}}}
"""Its job fails with a sentence that names a town."""
PUBLIC = ("masked", "codebook", "summary", "report")
PARTS = (*PUBLIC, "internal_report", "project", "secret", "link", "provenance", "evaluation")


class Lines(logging.Handler):
    """What the server logs, as it would be written."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.setFormatter(JsonLines())

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.fixture(scope="module")
def planted(world: World) -> Iterator[tuple[dict[str, str], list[str]]]:
    """A project with the originals, what was made from them and what went wrong, and all that was logged meanwhile."""
    lines = Lines()
    for name in ("ammg", "uvicorn"):
        logging.getLogger(name).addHandler(lines)
        logging.getLogger(name).setLevel("INFO")
    world.sign_in()
    owner = world.owner
    ids = {**world.ids, "project_id": world.project("Canaries"), "number": "1"}
    at = f"/projects/{ids['project_id']}"
    ids["data_set_id"] = owner.uploaded(ids["project_id"], "people.csv", DATA)["id"]
    owner.made(f"{at}/versions", document=PROJECT)
    ids["masked_file_id"] = world.masked(ids["project_id"], "canaries.csv")
    file = owner.got(f"{at}/masked-files/{ids['masked_file_id']}")
    ids["evaluation_id"] = file["evaluation_id"]
    ids["review_id"] = world.submitted(ids["project_id"], ids["masked_file_id"])
    world.reviewer.made(f"{at}/reviews/{ids['review_id']}/approve", reason="A test.")
    owner.made(f"{at}/versions", document=BROKEN)
    failed = owner.finished(owner.made(f"{at}/masked-files", name="broken.csv")["id"], "failed")
    assert CANARY.search(failed["reason"]), failed["reason"]  # the owner is told which value it is
    ids["job_id"] = failed["id"]
    wrong = owner.post(
        f"{at}/data-sets", params={"name": "wrong.csv"}, content=DATA + f"{NAMES[0]},{NUMBERS[0]},".encode() + b"9\n"
    )
    owner.finished(wrong.json()["job_id"], "failed")
    release = owner.made(f"{at}/releases", review_id=ids["review_id"])["id"]
    ids["release_id"] = owner.finished(release)["result"]["release_id"]
    yield ids, lines.lines
    for name in ("ammg", "uvicorn"):
        logging.getLogger(name).removeHandler(lines)
        logging.getLogger(name).setLevel("NOTSET")


def _read(person: Person, ids: dict[str, str]) -> dict[str, str]:
    """Every answer that can be read, by its address; the address itself must be harmless too."""
    answers = {}
    paths = [key.split()[1] for key in RIGHTS if key.startswith("GET ")]
    wanted = [path.format(**{**ids, "part": part}) for path in paths for part in (PARTS if "{part}" in path else ["x"])]
    wanted += [f"/jobs/{job['id']}{end}" for job in _jobs(person, ids) for end in ("", "/log", "/events")]
    for path in wanted:
        answer = person.get(path, params={"evaluation": ids["evaluation_id"]} if path.endswith("comparison") else {})
        answers[path] = f"{answer.headers}{answer.text}"
    return answers


def _jobs(person: Person, ids: dict[str, str]) -> list[dict[str, str]]:
    found = person.get(f"/projects/{ids['project_id']}/jobs")
    return found.json() if found.is_success else []


@pytest.mark.parametrize("name", ["nobody", "other", "boss", "analyst", "reviewer"])
def test_no_answer_to_anybody_but_the_owner_has_an_original_value(name: str, world: World, planted) -> None:
    ids, _ = planted
    world.sign_in()
    person = world.people.get(name) or Person(world.api)
    leaks = {path: CANARY.search(text)[0] for path, text in _read(person, ids).items() if CANARY.search(text)}  # type: ignore[index]
    assert not leaks


def test_the_owner_reads_the_originals_and_no_public_part_has_them(world: World, planted) -> None:
    ids, _ = planted
    world.sign_in()
    found = {path for path, text in _read(world.owner, ids).items() if CANARY.search(text)}
    assert any(path.endswith(f"{ids['data_set_id']}/file") for path in found)
    public = tuple(f"parts/{part}" for part in PUBLIC)
    assert not [path for path in found if path.endswith(public) or "/releases/" in path]


def test_the_secret_is_shown_to_the_owner_alone_and_in_one_place(world: World, planted) -> None:
    ids, lines = planted
    world.sign_in()
    part = f"/projects/{ids['project_id']}/masked-files/{ids['masked_file_id']}/parts/secret"
    secret = world.owner.get(part).text.strip()
    assert len(secret) >= 32
    assert [path for path, text in _read(world.owner, ids).items() if secret in text] == [part]
    assert secret not in "".join(lines)


def test_refusals_do_not_repeat_what_was_sent(world: World, planted) -> None:
    ids, _ = planted
    world.sign_in()
    at = f"/projects/{ids['project_id']}"
    for path, body in {
        "/session": {"name": "owner", "password": NUMBERS[0]},
        f"{at}/masked-files": {"name": 1, "version": NAMES[0], "force": [NUMBERS[0]]},
        "/tokens": {"label": "l", "scopes": NAMES[0], "days": NUMBERS[0]},
    }.items():
        assert not CANARY.search(world.analyst.post(path, json=body).text), path
    world.sign_in()


def test_no_log_and_no_file_of_the_store_has_them(world: World, planted) -> None:
    _, lines = planted
    assert any(json.loads(line)["event"] == "request" for line in lines if line.startswith("{"))
    assert not CANARY.search("\n".join(lines))
    for path in world.store.settings.data.rglob("*"):
        if path.is_file():
            assert not CANARY.search(path.read_bytes().decode("latin-1")), path
