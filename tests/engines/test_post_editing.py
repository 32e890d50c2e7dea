from __future__ import annotations

import re

import polars as pl
import pytest
from ruled import ruled_survey

import ammg
from ammg.data.parquet_table import ParquetTable
from ammg.errors import ReleaseBlocked

STEP = ammg.Pram(columns=["marital_status", "activity", "occupation"], stay=0.6)


def newly_broken(data, table):
    return sum(int((rule.check(table) & ~rule.check(data.table)).sum()) for rule in data.schema.rules)


@pytest.mark.parametrize("way", ["redraw", "smallest change", "put back"])
def test_records_that_met_the_rules_meet_them_after_the_step(way):
    data = ruled_survey(4000)
    plain = ammg.Pipeline([STEP]).run(data, secret=1)
    edited = ammg.Pipeline([STEP.model_copy(update={"post_edit": way})]).run(data, secret=1)
    assert newly_broken(data, plain.table) > 1000
    assert newly_broken(data, edited.table) == 0
    with pytest.raises(ReleaseBlocked, match="does not hold in"):
        plain.release()
    edited.release(force="only the rules matter here")
    broken, *ways = (int(text.replace(",", "")) for text in re.findall(r"[\d,]*\d", edited.steps[0].notes[-1]))
    assert sum(ways) == broken


def test_values_that_rules_put_back_are_left_cells_for_the_gate():
    table = ammg.datasets.survey(1000, seed=3).select("age", "income", "taxes")
    data = ammg.Microdata(table).with_roles(key="age", confidential=["income", "taxes"]).with_rules("taxes <= income")
    for way, blocked in (("put back", True), ("redraw", False)):
        step = ammg.AdditiveNoise(columns=["income", "taxes"], p=0.5, post_edit=way)
        masked = ammg.Pipeline([step]).run(data, secret=1)
        if blocked:
            with pytest.raises(
                ReleaseBlocked, match=r"left .* values as they were.*rules put values back in \d+ records"
            ):
                masked.release()
        else:
            masked.release()


def test_each_way_changes_less_than_putting_all_back():
    data = ruled_survey(4000)
    names = list(STEP.columns)
    kept = {}
    for way in ("redraw", "smallest change", "put back"):
        table = ammg.Pipeline([STEP.model_copy(update={"post_edit": way})]).run(data, secret=1).table
        kept[way] = sum(int((table[name] == data.table[name]).sum()) for name in names)
    assert kept["redraw"] < kept["smallest change"] < kept["put back"]


def test_a_similar_record_gives_its_values_where_the_file_is_seen_as_a_whole():
    data = ruled_survey(1500)
    step = ammg.ExactPram(columns=["marital_status", "activity"], stay=0.6, post_edit="redraw")
    masked = ammg.Pipeline([step]).run(data, secret=1)
    assert newly_broken(data, masked.table) == 0
    assert "given the values of a similar record" in masked.steps[0].notes[-1]


def test_a_stream_is_edited_like_a_file_in_memory(tmp_path):
    data = ruled_survey(3000)
    data.table.write_parquet(tmp_path / "survey.parquet", row_group_size=500)
    streamed = ammg.Microdata(ParquetTable(tmp_path / "survey.parquet"), data.schema)
    step = STEP.model_copy(update={"post_edit": "redraw"})
    whole, parts = (ammg.Pipeline([step]).run(file, secret=2) for file in (data, streamed))
    assert whole.table.equals(parts.table)
    assert whole.steps[0].notes == parts.steps[0].notes


def test_records_that_broke_a_rule_before_are_left_to_their_owner():
    table = pl.DataFrame({"age": [5, 6, 7, 8, 40, 41], "status": ["wed", "single", "single", "single", "wed", "wed"]})
    data = ammg.Microdata(table).with_kinds(nominal="status").with_roles(key=["status"])
    with pytest.warns(match="does not hold in 1"):
        data = data.with_rules("age < 15 implies status = 'single'")
    step = ammg.Pram(columns="status", stay=0.0, post_edit="put back")
    masked = ammg.Pipeline([step]).run(data, secret=1).table
    assert masked["status"].to_list() == ["single", "single", "single", "single", "single", "single"]


def test_a_step_on_households_refuses_rules_about_their_members():
    data = ruled_survey(400).with_levels(household=["tenure", "dwelling"]).with_rules("age < 15 implies tenure != 'no'")
    step = ammg.Pram(columns="tenure", post_edit="redraw")
    with pytest.raises(ammg.AmmgError, match=r"post_edit cannot correct .* in a step on households"):
        ammg.Pipeline([step]).run(data, secret=1)


def test_sums_add_up_again_by_one_number_that_the_step_wrote():
    table = pl.DataFrame({"wages": [10, 20, 30, 40] * 50, "rents": [1, 2, 3, 4] * 50}).with_columns(
        income=pl.col("wages") + pl.col("rents")
    )
    data = ammg.Microdata(table).with_roles(key=table.columns).with_rules("income = wages + rents", "rents >= 0")
    step = ammg.RankSwapping(columns=["wages", "rents", "income"], p=40, post_edit="redraw")
    masked = ammg.Pipeline([step]).run(data, secret=1)
    assert newly_broken(data, masked.table) == 0
    assert "made to add up" in masked.steps[0].notes[-1]
    assert not masked.table["wages"].equals(table["wages"])
    assert not masked.table["rents"].equals(table["rents"])


def test_a_part_gives_way_where_the_total_is_not_masked():
    table = pl.DataFrame({"wages": [10, 20, 30, 40] * 50, "rents": [1, 2, 3, 4] * 50}).with_columns(
        income=pl.col("wages") + pl.col("rents")
    )
    data = ammg.Microdata(table).with_roles(key=table.columns).with_rules("income = wages + rents")
    step = ammg.RankSwapping(columns=["wages", "rents"], p=40, post_edit="redraw")
    masked = ammg.Pipeline([step]).run(data, secret=1).table
    assert newly_broken(data, masked) == 0
    assert not masked["wages"].equals(table["wages"])
