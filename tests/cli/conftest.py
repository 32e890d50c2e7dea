"""The program, run in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import ammg
from ammg.cli import main

PROJECT = """
source: patients.csv
roles: {Name: identifier, SSN: identifier, Age: key, State: key, Diagnosis: confidential, Income: confidential}
methods:
  - global_recoding: {columns: [Age], cuts: [40, 50]}
  - rare_category_recoding: {columns: [State], keep: 1}
  - sampling: {fraction: 0.8}
measures: [frequency, il1s]
target: masked.csv
"""


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str


Program = Callable[..., Ended]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Program:
    """Run `ammg` with arguments; return exit code, output and errors."""
    monkeypatch.setenv("COLUMNS", "200")

    def program(*arguments: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["ammg", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main()
        shown = capsys.readouterr()
        return Ended(int(end.value.code or 0), shown.out, shown.err)

    return program


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the patients and a project that masks them."""
    ammg.datasets.patients().write_csv(tmp_path / "patients.csv")
    path = tmp_path / "project.yaml"
    path.write_text(PROJECT, encoding="utf-8")
    return path
