"""Wherever a release is to go, it is written whole with its secret, or nothing is and one sentence says why."""

from __future__ import annotations

import os
import random
import tempfile
from functools import cache
from pathlib import Path

import pytest
from fuzzing import survivors

import ammg
from ammg.errors import AmmgError
from ammg.pipeline.evaluation import Evaluation, evaluate
from ammg.pipeline.masked import Masked
from ammg.projects.release import check_release, release_project

PARTS = [
    *(
        "a",
        "b.c",
        "A b",
        "é",
        "\u202ex",
        "\x1b[31m",
        "%s",
        "${HOME}",
        "~",
        "~root",
        "..",
        ".",
        "",
        " ",
        "-x",
        "=1",
        "*",
    ),
    *("'", '"', ";", "\n", "\0", "?", "#", ":", "con", "x" * 240, "x" * 300, "patients", "folder", "link", "loop"),
]
ENDINGS = [".csv", ".parquet", ".sav", ".dta", ".xlsx", ".xpt", ".tsv", ".arrow", ".docx", "", ".csv.gz", ".private"]
URLS = [
    *("sqlite:///{}.db?table={}", "sqlite:///{}?table={}&password=hunter2", "sqlite:///{}.db", "sqlite://", "://"),
    *(
        "nonsense://{}/{}",
        "postgresql://u:hunter2@127.0.0.1:1/{}?table={}",
        "mysql://u:hunter2@{}:x/{}",
        "file:///{}.csv",
    ),
    *("postgresql://u:hunter2@[::1/{}?table={}", "sqlite:///{}.db?table={}&table=b", "sqlite:///{}.db?query=SELECT 1"),
]


@cache
def masked() -> tuple[Masked, Evaluation]:
    roles = {"identifier": ["Name", "SSN"], "key": ["Age", "State"], "confidential": ["Income"]}
    data = ammg.Microdata(ammg.datasets.patients()).with_roles(**roles)
    done = ammg.Pipeline([ammg.GlobalRecoding(columns=["Age"], cuts=[40, 50]), ammg.Sampling(fraction=0.8)]).run(data)
    return done, evaluate(done, ["frequency"])


def a_hostile_target(rng: random.Random) -> None:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            write(rng, Path(folder))
        finally:
            os.chdir(before)


def write(rng: random.Random, folder: Path) -> None:
    Path("patients.csv").write_bytes(b"mine")
    Path("folder.csv").mkdir()
    Path("folder").mkdir()
    Path("link.csv").symlink_to("patients.csv")
    Path("loop.csv").symlink_to("loop.csv")
    if rng.random() < 0.25:
        target = rng.choice(URLS).replace("{}", rng.choice(PARTS), 1).replace("{}", rng.choice(PARTS), 1)
    else:
        target = "/".join(rng.choice(PARTS) for _ in range(rng.choice([1, 1, 2]))) + rng.choice(ENDINGS)
        target = f"./{target}" if target.startswith("/") else target
    there = content(folder)
    project = ammg.Project(source={"path": "patients.csv"}, methods=())
    try:
        check_release(project, target)
        written = release_project(project, *masked(), target, replace=rng.random() < 0.3)
    except AmmgError as error:
        check_untouched(error, there, folder)
        raise
    assert "hunter2" not in str(written.places)
    assert Path("patients.csv").read_bytes() == b"mine"
    private = Path(written.places["private (secret, link, provenance, risk and loss)"])
    assert sorted(path.name for path in private.iterdir()) == [
        "evaluation.json",
        "link.parquet",
        "provenance.json",
        "report.html",
        "secret",
    ]
    assert not list(folder.rglob(".*.staged"))
    for held in content(folder).values():
        assert b"hunter2" not in held


def check_untouched(error: AmmgError, before: dict[str, bytes], folder: Path) -> None:
    """Nothing changed, but for empty files: SQLite makes the one that it is to write to."""
    assert "hunter2" not in str(error)
    after = content(folder)
    assert {name: held for name, held in after.items() if held or name in before} == before


def content(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_hostile_targets_are_written_or_refused() -> None:
    assert survivors(a_hostile_target, range(100)) == []


@pytest.mark.proof
@pytest.mark.parametrize("block", range(5))
def test_many_hostile_targets_are_written_or_refused(block: int) -> None:
    assert survivors(a_hostile_target, range(10_000 + block * 100, 10_000 + block * 100 + 100)) == []
