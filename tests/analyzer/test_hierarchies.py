"""Hierarchies that the analysis proposes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.attribute import Role
from ammg.projects.init import init_project
from ammg.projects.project import Project


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    rng = np.random.default_rng(1)
    n = 2_000
    return pl.DataFrame(
        {
            "age": rng.integers(0, 95, n),
            "birth_date": pl.Series(rng.integers(-9_000, 12_000, n).astype(np.int32)).cast(pl.Date),
            "sex": rng.choice(["f", "m"], n),
            "region": rng.choice([f"region {letter}" for letter in "abcdefghij"], n),
            "postcode": rng.choice([f"{code}" for code in range(10_100, 10_160)], n),
            "income": np.exp(rng.normal(10, 1, n)).round(),
        }
    )


def test_every_key_gets_a_rule_that_fits_its_values(people: pl.DataFrame) -> None:
    analysis = ammg.analyze(people)
    rules = {p.name: p.hierarchy for p in analysis.attributes if p.role is Role.KEY}
    assert rules["age"] == "by widths 5, 10, 20, 40"
    assert rules["birth_date"] == "by calendar"
    assert rules["region"] == "by frequency 5, 2"
    assert rules["postcode"] == "by prefix 4, 3, 2, 1"
    assert rules["sex"] == "by frequency"
    assert not any(p.hierarchy for p in analysis.attributes if p.role is not Role.KEY)


def test_what_is_proposed_is_applied_and_recoded_along(people: pl.DataFrame) -> None:
    data = ammg.analyze(people).apply(ammg.Microdata(people))
    assert data.preview("age", 2)["90-99"] == people.filter(pl.col("age") >= 90).height
    keys = ["age", "sex", "region", "postcode"]
    masked = ammg.Pipeline([ammg.OptimalRecoding(columns=tuple(keys), k=5)]).run(data, secret=1)
    assert masked.table.drop_nulls(keys).group_by(keys).len()["len"].min() >= 5


def test_a_new_project_says_how_keys_may_be_recoded(people: pl.DataFrame, tmp_path: Path) -> None:
    people.write_csv(tmp_path / "people.csv")
    outcome = init_project(str(tmp_path / "people.csv"))
    assert "  age: by widths 5, 10, 20, 40" in outcome.path.read_text()
    project, data = Project.open(outcome.path)
    assert data.schema["postcode"].hierarchy is not None
    assert project.hierarchies["postcode"] == "by prefix 4, 3, 2, 1"
    assert project.seen_from(tmp_path / "elsewhere").hierarchies == project.hierarchies


def test_a_tree_may_be_a_yaml_file_and_is_checked_against_the_values(tmp_path: Path) -> None:
    pl.DataFrame({"state": ["Ohio", "Iowa", "Maine"]}).write_csv(tmp_path / "states.csv")
    (tmp_path / "tree.yaml").write_text("West: [Ohio, Iowa]\nEast: [Maine]\n")
    (tmp_path / "project.yaml").write_text("source: states.csv\nhierarchies: {state: tree.yaml}\n")
    _, data = Project.open(tmp_path / "project.yaml")
    assert data.preview("state", 1) == {"West": 2, "East": 1}
    (tmp_path / "tree.yaml").write_text("West: [Ohio, Iowa]\n")
    with pytest.raises(ammg.AmmgError, match="The hierarchy lacks the value 'Maine'"):
        Project.open(tmp_path / "project.yaml")
