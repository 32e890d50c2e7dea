"""A search ends the same whatever the number of processes, and after a kill."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ammg


def searched(processes: int, journal: Path) -> dict[str, object]:
    rng = np.random.default_rng(1)
    table = pl.DataFrame({"age": rng.integers(18, 90, 120), "wage": rng.lognormal(10, 0.7, 120)})
    data = ammg.Microdata(table).with_roles(key=["age", "wage"])
    asked = {"methods": ["rank_swapping", "mdav", "additive_noise"], "steps": 2, "loss": "cell_loss", "trials": 20}
    return ammg.search(
        data, {"distance_linkage": 0.2}, secret=7, processes=processes, storage=journal, **asked
    ).to_dict()


@pytest.mark.proof
def test_two_processes_end_as_one_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = searched(1, tmp_path / "alone")
    monkeypatch.setattr("ammg.optimizer.bench._WORTHWHILE", 0.0)  # even a small search is shared
    assert searched(2, tmp_path / "two") == alone
    assert (tmp_path / "two").read_bytes() == (tmp_path / "alone").read_bytes()


@pytest.mark.proof
def test_a_killed_search_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    journal, whole = tmp_path / "killed", tmp_path / "whole"
    unhurt = searched(1, whole)
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); "
    code += f"from pathlib import Path; from test_processes import searched; searched(1, Path({str(journal)!r}))"
    process = subprocess.Popen([sys.executable, "-c", code])
    while not journal.exists() or journal.read_bytes().count(b"\n") < 5:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert journal.read_bytes().count(b"\n") < whole.read_bytes().count(b"\n")
    assert searched(1, journal) == unhurt
    assert journal.read_bytes() == whole.read_bytes()
