"""Charts are drawn from values, the same every time, and need nothing from outside."""

from xml.etree import ElementTree as ET

import pytest

import ammg
from ammg.charts.chart import Chart
from ammg.charts.drawing import Drawing
from ammg.errors import InputError
from ammg.io.pictures import write_picture

BARS = Chart(
    "bars",
    "Risk",
    ("a long name of a measure that has to be broken into lines", "b"),
    {"before": (1.0, None), "after": (0.04, 0.5), "limit": (0.05, None)},
    drawn={"limit": "marks"},
    percent=True,
)
MAP = Chart("points", "Map", (0.5, 2.0), {"tried": (1.0, 2.0)}, "risk", "loss", rules={"limit": 1.0}, x_scale="log")
HEAT = Chart("heat", "Correlations", ("x", "y"), {"x": (1.0, 0.5), "y": (0.5, None)})
LINES = Chart("lines", "Path", ("a", "b"), {"first": (1.0, 2.0), "second": (2.0, None)})


def texts(svg: str) -> str:
    return " ".join("".join(node.itertext()) for node in ET.fromstring(svg).iter() if node.tag.endswith("text"))


@pytest.mark.parametrize("chart", [BARS, MAP, HEAT, LINES], ids=lambda chart: chart.kind)
def test_a_drawing_is_the_same_every_time_and_loads_nothing(chart: Chart) -> None:
    svg = Drawing(chart).svg
    assert svg == Drawing(chart).svg
    assert chart.title in texts(svg)
    for outside in ("<script", "@import", "url(http", "<metadata", "dc:date", "Matplotlib"):
        assert outside not in svg


def test_numbers_and_the_absence_of_one_stand_beside_their_bars() -> None:
    told = texts(Drawing(BARS).svg)
    for text in ("4.0\u00a0%", "100\u00a0%", "not defined", "limit", "before", "after"):
        assert text in told


def test_several_charts_are_one_picture() -> None:
    told = texts(Drawing([BARS, MAP, HEAT, LINES], columns=3).svg)
    assert all(chart.title in told for chart in (BARS, MAP, HEAT, LINES))
    assert Drawing([])._repr_html_().startswith("<div><svg")


def test_signs_of_names_are_shown_as_they_are() -> None:
    svg = Drawing(Chart("bars", "$x^2$ <b>", ("a\x00b", "日本"), {"n": (1.0, 2.0)})).svg
    ET.fromstring(svg)
    assert "$x^2$ <b>" in texts(svg)
    assert "\x00" not in svg


def test_a_chart_goes_to_plain_values_and_back() -> None:
    for chart in (BARS, MAP, HEAT, LINES):
        assert Chart.from_dict(chart.to_dict()) == chart


def test_a_series_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="has 1 values for 2 places"):
        Chart("bars", "", ("a", "b"), {"n": (1.0,)})


def test_an_ending_that_is_no_picture_is_refused(tmp_path) -> None:
    with pytest.raises(InputError, match="does not end like a picture"):
        write_picture(Drawing(BARS), tmp_path / "chart.docx")
    assert list(tmp_path.iterdir()) == []


def test_a_notebook_shows_data_evaluation_search_and_analysis_with_their_charts(patients: ammg.Microdata) -> None:
    masked = ammg.Pipeline([ammg.UnivariateMicroaggregation(columns=["Age"], k=2)]).run(patients, secret=1)
    evaluation = ammg.evaluate(masked, ["frequency", "il1s"])
    analysis = ammg.analyze(patients)
    found = ammg.search(patients, {"distance_linkage": 0.9}, trials=3, methods=["rank_swapping"], steps=1, secret=1)
    for shown in (masked, evaluation, analysis, found):
        assert "<svg" in shown._repr_html_(), type(shown)
        assert "<svg" in shown.plot()._repr_html_(), type(shown)
