import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from beside import found, masked

import ammg


def test_rare_categories_lose_more() -> None:
    table = {"town": ["Lyon", "Lyon", "Lyon", "Nice", "Bonn"]}
    recoding = ammg.GlobalRecoding(columns="town", map={"Lyon": "France", "Nice": "France"})
    result = masked(ammg.NonUniformEntropy(), table, recoding)
    bits = -3 * np.log2(3 / 4) - np.log2(1 / 4)
    assert result.facts["bits"] == pytest.approx(bits)
    assert result.value == pytest.approx(bits / (-3 * np.log2(3 / 5) - 2 * np.log2(1 / 5)))


def test_a_value_that_is_gone_loses_everything() -> None:
    assert found(ammg.NonUniformEntropy(), {"a": list("xyz")}, {"a": [None] * 3}).value == 1


def test_arx_finds_as_many_bits_on_adult(shared: Path) -> None:
    entries = json.loads((shared / "golden" / "arx_adult.json").read_text())["entries"]
    entry = next(e for e in entries if e["mode"] == "anon" and e["metric"] == "entropy_mono")
    table = pl.read_csv(shared / "data" / "adult.csv", separator=";", infer_schema_length=0)
    folder = shared / "data" / "adult_hierarchies"
    trees = {name: str(folder / f"adult_hierarchy_{name}.csv") for name in table.columns}
    data = ammg.Microdata(table).with_roles(key=list(entry["levels"])).with_hierarchies(trees)
    steps = [ammg.GlobalRecoding(columns=name, level=level) for name, level in entry["levels"].items() if level]
    release = ammg.Pipeline(steps).run(data, 1)
    result = ammg.evaluate(release, [ammg.NonUniformEntropy(columns=tuple(entry["levels"])), "average_class_size"])
    assert result["non_uniform_entropy"].facts["bits"] == pytest.approx(float(entry["score"]), rel=1e-9)
    assert result["average_class_size"].facts["size"] == pytest.approx(entry["avg_class_size"])


def test_one_category_has_nothing_to_lose() -> None:
    reason = "no attribute to compare has more than one category"
    assert found(ammg.NonUniformEntropy(), {"a": ["x", "x"]}, {"a": ["x", "x"]}).reason == reason
