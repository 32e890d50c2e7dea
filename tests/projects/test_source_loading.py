"""Measures are loaded while a large file is read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys, threading
import ammg.projects.source as source
from ammg.projects.project import Project

source.LARGE = {large}
before = "ammg.measures.linkage.target_unit" in sys.modules
try:
    Project.open("p.yaml")
except Exception as error:
    print(type(error).__name__)
loaded = "ammg.measures.linkage.target_unit" in sys.modules
print(before, loaded, any(thread.name == "loading" for thread in threading.enumerate()))
"""


@pytest.mark.parametrize(("large", "loaded"), [(0, True), (2**40, False)])
def test_measures_are_loaded_while_a_large_file_is_read(tmp_path: Path, large: int, loaded: bool) -> None:
    told = _run(tmp_path, "a,b\n1,2\n3,4\n", large)
    assert told == [f"False {loaded} False"]


def test_a_large_file_that_cannot_be_read_is_reported_as_ever(tmp_path: Path) -> None:
    told = _run(tmp_path, "a,b\n1,2\n3,4,5\n", 0)
    assert told[0] == "ProjectError"


def _run(folder: Path, text: str, large: int) -> list[str]:
    (folder / "d.csv").write_text(text, encoding="utf-8")
    (folder / "p.yaml").write_text("source: d.csv\nroles: {a: key}\n", encoding="utf-8")
    program = PROGRAM.format(large=large)
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True)
    assert not done.stderr
    return done.stdout.splitlines()
