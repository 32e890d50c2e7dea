"""What surfaces show of a masked file beside its measures."""

from datetime import date
from pathlib import Path

import polars as pl
import pytest

import ammg
from ammg.charts.chart import Chart
from ammg.report.evidence import Evidence, Reader
from ammg.report.shown import first_records, pictures, risky_people


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    data = ammg.Microdata(ammg.datasets.survey(300, seed=1)).with_roles(
        {"person_id": "identifier", "age": "key", "region": "key", "income": "confidential"}
    )
    masked = ammg.Pipeline([ammg.RankSwapping(columns=["income"])]).run(data, secret="a long secret for tests")
    return ammg.evaluate(masked, ["frequency", "suda", "il1s"], limits={"frequency": 0.0}).evidence()


def test_pictures_are_plain_values_of_charts(evidence: Evidence) -> None:
    shown = pictures(evidence, Reader("internal"))
    drawn = {one["name"]: one["chart"] for one in shown["distributions"] if one["chart"]}
    assert Chart.from_dict(drawn["income"]).kind == "bars"
    assert Chart.from_dict(shown["risk"]).series["limit"] == (0.0, None) or "limit" in shown["risk"]["series"]
    assert [Chart.from_dict(chart).kind for chart in shown["correlations"]] == ["heat", "heat"]
    assert shown["verdict"][-1].startswith("The limit that the owner set is not met")


def test_pictures_for_everybody_have_no_class_of_few_people(evidence: Evidence) -> None:
    for one in pictures(evidence, Reader("public", 10))["distributions"]:
        for shares in (one["chart"] or {"series": {}})["series"].values():
            assert min(shares) * 300 >= 9


def test_what_is_about_single_people_is_apart(evidence: Evidence) -> None:
    found = risky_people(evidence)
    assert found
    assert all(one["sentences"] for one in found)
    assert found[0]["sentences"][0] not in str(pictures(evidence, Reader("internal")))


def test_the_first_records_of_a_table_and_of_a_stream_are_plain_values(tmp_path: Path) -> None:
    table = pl.DataFrame({"n": [1, None, 3], "d": [date(2020, 1, 2)] * 3, "s": ["<b>", "y", "z"]})
    table.write_parquet(tmp_path / "t.parquet")
    expected = {"columns": ["n", "d", "s"], "rows": [[1, "2020-01-02", "<b>"], [None, "2020-01-02", "y"]]}
    assert first_records(ammg.Microdata(table), 2) == expected
    assert first_records(ammg.read(tmp_path / "t.parquet"), 2) == expected
