"""Whatever a project file says, it is understood or refused in one sentence per problem."""

from __future__ import annotations

import copy
import random
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from fuzzing import NASTY, damaged, survivors

import ammg
from ammg import registry

PROJECT: dict[str, Any] = {
    "source": {"path": "patients.csv", "separator": ","},
    "roles": {"Name": "identifier", "SSN": "identifier", "Age": "key", "State": "key", "Income": "confidential"},
    "kinds": {"State": "nominal"},
    "levels": {"State": "person"},
    "links": {"Billing": "Income"},
    "hierarchies": {"State": {"Midwest": ["MI", "OH"], "other": ["*"]}},
    "rules": ["Income >= 0", {"if": "Age < 15", "then": "Income = 0"}],
    "scenario": {"known": ["Age", "State"], "error": {"Age": 1}, "external": {"path": "patients.csv", "match": "SSN"}},
    "methods": [
        {"global_recoding": {"columns": ["Age"], "cuts": [40, 50]}},
        {"rank_swapping": {"columns": ["Income"], "p": 5, "where": "Age > 30"}},
        {"sampling": {"fraction": 0.8}},
        "identifier_removal",
    ],
    "measures": ["frequency", {"k_anonymity": {"k": 3}}, "il1s"],
    "limits": [{"k_anonymity": {"k": 3}, "at_most": 0.5}, {"il1s": 0.9}],
    "search": {"trials": 3, "loss": "il1s", "methods": ["additive_noise"]},
    "secret_file": "secret",
    "target": "masked.csv",
    "order": "records",
}


@cache
def patients() -> bytes:
    return ammg.datasets.patients().write_csv().encode()


def a_hostile_project(rng: random.Random) -> None:
    document = copy.deepcopy(PROJECT)
    for _ in range(rng.choice([1, 1, 2, 3])):
        spoil(document, rng)
    text = yaml.safe_dump(document, sort_keys=False, allow_unicode=True)
    content = text.encode() if rng.random() < 0.8 else damaged(text.encode(), rng)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "patients.csv").write_bytes(patients())
        (Path(folder) / "secret").write_text("ab" * 32)
        path = Path(folder) / "project.yaml"
        path.write_bytes(content)
        project, data = ammg.Project.open(path)
        assert len(data) == 10
        again = Path(folder) / "again.yaml"
        again.write_text(project.to_yaml(full=True), encoding="utf-8")
        assert ammg.Project.load(again).to_yaml(full=True) == project.to_yaml(full=True)


def spoil(document: dict[str, Any], rng: random.Random) -> None:
    """Put something in a random place: a nasty value, another unit, a copy of another part, or nothing."""
    holder, key = rng.choice(places(document))
    choice = rng.random()
    if choice < 0.55:
        holder[key] = rng.choice(NASTY)
    elif choice < 0.7:
        other, name = rng.choice(places(document))
        holder[key] = copy.deepcopy(other[name])
    elif choice < 0.85:
        family = rng.choice(["methods", "measures"])
        name = rng.choice(sorted(registry.units(family)))
        parameter = rng.choice([*registry.find(family, name).model_fields, "nonsense"])
        holder[key] = rng.choice(
            [name, {name: {parameter: rng.choice(NASTY)}}, [{name: {parameter: rng.choice(NASTY)}}]]
        )
    elif isinstance(holder, dict):
        name = rng.choice([*map(str, PROJECT), "", "x", "1", "null"])
        holder[rng.choice([name, 1, None, True])] = holder.pop(key)
    else:
        holder.insert(0, rng.choice(NASTY))


def places(node: Any) -> list[tuple[Any, Any]]:
    """Everything that stands in a document, as what holds it and where."""
    pairs = list(node.items()) if isinstance(node, dict) else list(enumerate(node)) if isinstance(node, list) else []
    return [place for key, value in pairs for place in [(node, key), *places(value)]]


@pytest.mark.parametrize("block", range(7))
def test_hostile_projects_are_understood_or_refused(block: int) -> None:
    assert survivors(a_hostile_project, range(block * 100, block * 100 + 100)) == []


@pytest.mark.proof
@pytest.mark.parametrize("block", range(10))
def test_many_hostile_projects_are_understood_or_refused(block: int) -> None:
    assert survivors(a_hostile_project, range(10_000 + block * 100, 10_000 + block * 100 + 100)) == []
