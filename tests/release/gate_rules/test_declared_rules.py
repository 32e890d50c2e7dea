"""Declared rules: a record that met them before masking meets them afterwards."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from stopped import noise, reasons

import ammg
from ammg.errors import DataWarning


def people(n: int = 400) -> pl.DataFrame:
    rng = np.random.default_rng(2)
    age = rng.integers(0, 90, n)
    status = np.where(age < 15, "single", rng.choice(["single", "married", "widowed"], n))
    return pl.DataFrame({"age": age, "status": status, "wage": rng.lognormal(8, 1, n), "number": np.arange(n)})


def data(table: pl.DataFrame) -> ammg.Microdata:
    roles = {"key": ["age", "status"], "confidential": "wage", "identifier": "number"}
    return ammg.Microdata(table).with_roles(**roles)


RULE = "age < 15 implies status = 'single'"


def test_impossible_records_that_masking_made_are_stopped_and_others_pass() -> None:
    declared = data(people()).with_rules(RULE, "wage >= 0")
    swapped = ammg.Pipeline([ammg.RankSwapping(columns=["age"], p=40)])
    told = reasons(swapped.run(declared, secret=1))
    assert f"'{RULE}' does not hold in" in told
    assert "'wage >= 0'" not in told
    assert len(noise("wage").run(data(people()).with_rules(RULE), secret=1).release()) == 400
    assert len(swapped.run(data(people()), secret=1).release()) == 400  # what nobody declared is not known


def test_what_was_wrong_before_masking_is_not_the_fault_of_masking() -> None:
    table = people().with_columns(status=pl.when(pl.col("number") < 5).then(pl.lit("widowed")).otherwise("status"))
    table = table.with_columns(age=pl.when(pl.col("number") < 5).then(3).otherwise("age"))
    with pytest.warns(DataWarning, match="does not hold in 5 of 400 records"):
        declared = data(table).with_rules(RULE)
    assert len(noise("wage").run(declared, secret=1).release()) == 400


def test_a_recoded_category_breaks_no_rule() -> None:
    declared = data(people()).with_rules(RULE, {"allow": {"status": ["single", "married", "widowed"]}})
    merged = ammg.GlobalRecoding(columns=["status"], map={"single": "alone", "widowed": "alone"})
    assert len(ammg.Pipeline([merged]).run(declared, secret=1).release()) == 400


def test_a_rule_is_checked_in_every_record_of_a_stream(tmp_path: Path) -> None:
    people(300_000).write_parquet(tmp_path / "in.parquet")
    streamed = ammg.read(tmp_path / "in.parquet", stream=True)
    streamed = streamed.with_roles(key=["age", "status"], confidential="wage", identifier="number")
    late = ammg.AdditiveNoise(columns=["age"], where="number >= 299900", p=1)
    steps = [ammg.AdditiveNoise(columns=["wage"]), late]
    assert f"'{RULE}' does not hold in" in reasons(ammg.Pipeline(steps).run(streamed.with_rules(RULE), secret=1))
