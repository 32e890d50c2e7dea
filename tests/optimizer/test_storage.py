"""A search that was killed goes on where it stopped."""

import json
from pathlib import Path

import polars as pl
import pytest

import ammg
from ammg.errors import InputError


def searched(storage: Path | None, trials: int = 6) -> dict[str, object]:
    table = pl.DataFrame({"age": range(20, 60), "wage": [(7 * age) % 41 + 100.5 for age in range(40)]})
    data = ammg.Microdata(table).with_roles(key=["age", "wage"])
    result = ammg.search(data, {"distance_linkage": 0.5}, trials=trials, steps=2, secret=1, storage=storage)
    return result.to_dict()


def test_a_journal_cut_anywhere_ends_as_it_would_have_ended(tmp_path: Path) -> None:
    whole = searched(tmp_path / "whole")
    written = (tmp_path / "whole").read_bytes()
    lines = written.splitlines(keepends=True)
    for number, cut in enumerate((len(lines) // 2, len(lines) - 1)):
        kept = tmp_path / f"cut{number}"
        half = lines[cut][: len(lines[cut]) // 2]
        kept.write_bytes(b"".join(lines[:cut]) + half)
        assert searched(kept) == whole
        assert all(json.loads(line) for line in kept.read_text().splitlines())


def test_what_is_no_journal_is_refused_and_stays_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("age,wage\n1,2")
    with pytest.raises(InputError, match="does not hold a search"):
        searched(tmp_path / "other")
    assert (tmp_path / "other").read_text() == "age,wage\n1,2"
    with pytest.raises(InputError, match="is a folder: name a file to keep the search in"):
        searched(tmp_path)
