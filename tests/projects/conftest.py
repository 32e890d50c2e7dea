"""A small file of people, and projects about it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a project file beside 300 people; return its path."""
    rng = np.random.default_rng(1)
    people = {
        "region": rng.choice(["N", "S", "W"], 300),
        "age": rng.integers(18, 90, 300),
        "wage": rng.lognormal(10, 0.7, 300).round(2),
    }
    pl.DataFrame(people).write_csv(tmp_path / "people.csv")

    def written(text: str, name: str = "project.yaml") -> Path:
        head = "source: people.csv\nroles: {region: key, age: key, wage: confidential}\ntarget: masked.csv\n"
        (tmp_path / name).write_text(head + text, encoding="utf-8")
        return tmp_path / name

    return written
