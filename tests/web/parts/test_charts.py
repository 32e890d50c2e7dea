"""Charts as options for ECharts, and in words."""

import json

import pytest

from ammg.charts.chart import Chart
from ammg.web.parts.chart_options import height_of, options
from ammg.web.parts.charts import in_words

BARS = Chart(
    "bars",
    "What an intruder could find out",
    ("distance linkage", "worst case"),
    {"before masking": (0.9, None), "after masking": (0.0004, 0.12), "limit": (0.05, None)},
    drawn={"limit": "marks"},
    percent=True,
)
HEAT = Chart("heat", "Correlations", ("a", "b"), {"a": (1.0, None), "b": (0.31, 1.0)})
MAP = Chart(
    "points",
    "R-U map",
    (0.5, 10.0, 0.8),
    {"recipes": (0.2, 0.1, None), "frontier": (0.2, None, None), "chosen": (None, None, 0.15)},
    drawn={"frontier": "steps", "chosen": "star"},
    rules={"limit": 1.0},
    x_scale="log",
)
LINES = Chart("lines", "Shares", ("x", "y"), {"one": (1.0, 2.0)})


def test_bars_tell_shares_as_percentages_and_limits_cross_them() -> None:
    drawn = options(BARS)
    before, after, limit = drawn["series"]
    assert [one["value"] for one in before["data"]] == [90.0, None]
    assert [one["label"]["formatter"] for one in after["data"]] == ["<\u00a00.1\u00a0%", "12\u00a0%"]
    assert (limit["type"], limit["data"]) == ("scatter", [[5.0, 0]])
    assert drawn["yAxis"]["data"] == ["distance linkage", "worst case"]


def test_a_map_is_linear_to_one_and_logarithmic_beyond() -> None:
    drawn = options(MAP)
    assert drawn["series"][0]["data"] == [[0.5, 0.2], [2.0, 0.1]]
    assert drawn["series"][0]["markLine"]["data"][0]["xAxis"] == 1.0
    assert drawn["series"][1]["step"] == "start"
    assert drawn["xAxis"]["max"] >= 2.0


def test_a_heat_map_has_a_cell_for_each_known_number() -> None:
    cells = [cell["value"] for cell in options(HEAT)["series"][0]["data"]]
    assert cells == [[0, 0, 1.0], [0, 1, 0.31], [1, 1, 1.0]]


@pytest.mark.parametrize("chart", [BARS, HEAT, MAP, LINES], ids=lambda chart: chart.title)
def test_every_chart_is_json_follows_the_colours_of_the_page_and_reads_no_text_as_html(chart: Chart) -> None:
    drawn = options(chart)
    assert json.loads(json.dumps(drawn, allow_nan=False)) == drawn
    assert drawn["textStyle"]["color"] == "currentColor"
    assert drawn["tooltip"]["renderMode"] == "richText"
    assert "#000000" not in json.dumps(drawn)
    assert height_of(chart) > 80


def test_braces_in_names_are_no_place_holders() -> None:
    chart = Chart("lines", "t", (0.0, 1.0), {"s": (1.0, 2.0)}, rules={"at {b}": 0.5})
    assert options(chart)["series"][0]["markLine"]["data"][0]["label"]["formatter"] == "at (b)"


def test_what_a_chart_shows_is_said_in_words() -> None:
    words = in_words(BARS)
    assert words.startswith("What an intruder could find out. before masking: distance linkage: 90\u00a0%.")
    assert "limit: distance linkage: 5.0\u00a0%" in words
    many = Chart("lines", "t", tuple(range(500)), {"s": tuple(range(500))})
    assert "488 more" in in_words(many)
