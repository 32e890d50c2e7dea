"""Whatever valid parameters and data a method gets, it masks or refuses in one sentence."""

from __future__ import annotations

import random
from datetime import date, timedelta
from typing import Any, Literal, get_args, get_origin

import numpy as np
import polars as pl
import pytest
from fuzzing import survivors

import ammg
from ammg import registry
from ammg.errors import AmmgError
from ammg.methods.method import Method

SLOW = {"microaggregation": {"iterations": 50}}
"""Parameters without which a case takes longer than all others together."""


def a_valid_step(rng: random.Random) -> None:
    data = microdata(rng)
    methods = [valid(rng, data) for _ in range(rng.choice([1, 1, 1, 2]))]
    masked = ammg.Pipeline(methods).run(data, secret=rng.randbytes(32))
    assert masked.table.height == len(masked.link) == masked.t
    assert masked.table.columns == masked.schema.names
    released = masked.release(force="nobody sees it").to_polars()
    assert len(released) == masked.t
    if "name" in released.columns:  # pseudonyms
        assert not set(released["name"].cast(pl.String)) & set(data.table["name"])
    if rng.random() < 0.2:
        ammg.evaluate(masked, ["frequency", "il1s", "cell_loss"])


def valid(rng: random.Random, data: ammg.Microdata) -> Method:
    """A method on columns that it takes, with some of its parameters anywhere in their range."""
    name = rng.choice(sorted(registry.units("methods")))
    for _ in range(30):
        try:
            method = spoiled(name, rng, data)
            method.chosen(data.schema)
        except AmmgError:
            continue
        return method
    return ammg.Sampling(fraction=0.5)


def spoiled(name: str, rng: random.Random, data: ammg.Microdata) -> Method:
    unit = registry.find("methods", name)
    parameters = dict(rng.choice(list(unit.examples())).model_dump(exclude_unset=True)) | SLOW.get(name, {})
    for field, info in unit.model_fields.items():
        if field not in SLOW.get(name, {}) and rng.random() < 0.25:
            value = anywhere(info, rng)
            if value is not None:
                parameters[field] = value
    if unit.takes_columns:
        parameters.pop("columns", None)
        if rng.random() < 0.7:
            parameters["columns"] = rng.sample(list(data.columns), rng.choice([1, 1, 2, 3]))
    if rng.random() < 0.1:
        where = ["income > 0", "region = 'a'", "savings IS NULL", "income > 1e400", "name LIKE '%1'"]
        parameters["where"] = rng.choice(where)
    method: Method = unit(**parameters)
    return method


def anywhere(info: Any, rng: random.Random) -> Any:
    """A value that a parameter may have; None where its type is none that this knows."""
    limits = {
        key: getattr(limit, key) for limit in info.metadata for key in ("gt", "ge", "lt", "le") if hasattr(limit, key)
    }
    kind = next((part for part in (info.annotation, *get_args(info.annotation)) if part in (bool, int, float)), None)
    for part in (info.annotation, *get_args(info.annotation)):
        if get_origin(part) is Literal:
            return rng.choice(get_args(part))
    if kind is bool:
        return rng.random() < 0.5
    if kind is None:
        return None
    least, most = limits.get("ge", limits.get("gt", -1e3)), limits.get("le", limits.get("lt", 1e3))
    value = rng.choice([least, most, rng.uniform(least, most), least + 1e-9, least + 1, least + 2, least + 3])
    return int(value) if kind is int else value


def microdata(rng: random.Random) -> ammg.Microdata:
    """A small table with an identifier, nasty numbers, categories and dates, and roles for some of them."""
    n = rng.choice([1, 2, 3, 5, 10, 25, 60])
    numbers = np.random.default_rng(rng.randrange(2**32))
    scale = rng.choice([1e-320, 1e-150, 1e-3, 1, 1e3, 1e15, 1e152, 1e304])
    columns = {
        "name": [f"p{i}" for i in range(n)],
        "income": numbers.normal(size=n) * scale,
        "savings": numbers.lognormal(size=n),
        "visits": numbers.integers(0, rng.choice([1, 2, 50, 2**53, 2**62]), n),
        "region": numbers.choice(["a", "b", "c", "", "é\u202e", "NA"], n),
        "flag": numbers.random(n) < 0.5,
        "born": [date(1, 1, 1) + timedelta(days=int(d)) for d in numbers.integers(0, 3_600_000, n)],
        "education": pl.Series(numbers.choice(["lo", "mid", "hi"], n), dtype=pl.Enum(["lo", "mid", "hi"])),
        "age": numbers.integers(0, 100, n),
        "zone": numbers.choice(["n", "s"], n),
        "home": np.sort(numbers.integers(0, max(n // 3, 1), n)),
        "weight": numbers.random(n) * rng.choice([1e-300, 1, 1, 1, 1e90]),
    }
    table = pl.DataFrame(columns)
    for name in ("income", "savings", "visits", "region", "flag", "born", "education"):
        share = rng.choice([0, 0, 0, 0.2, 1])
        table = table.with_columns(pl.when(pl.Series(numbers.random(n) >= share)).then(pl.col(name)).alias(name))
    roles = {"name": "identifier", "region": "key", "born": "key", "education": "key", "income": "confidential"}
    roles |= {"home": rng.choice(["household", "other", "stratum"]), "weight": rng.choice(["weight", "other"])}
    data = ammg.Microdata(table).with_kinds(ordinal="education")
    for name, role in roles.items():
        data = data.with_roles(**{role: [name]})
    return data


@pytest.mark.parametrize("block", range(10))
def test_valid_parameters_mask_or_are_refused(block: int) -> None:
    assert survivors(a_valid_step, range(block * 40, block * 40 + 40)) == []


@pytest.mark.proof
@pytest.mark.parametrize("block", range(10))
def test_many_valid_parameters_mask_or_are_refused(block: int) -> None:
    assert survivors(a_valid_step, range(10_000 + block * 100, 10_000 + block * 100 + 100)) == []
