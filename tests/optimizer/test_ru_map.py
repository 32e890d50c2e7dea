from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.optimizer.result import SearchResult


@pytest.fixture(scope="module")
def result() -> SearchResult:
    data = ammg.Microdata(pl.DataFrame({"x": np.random.default_rng(1).normal(size=60)})).with_roles(key="x")
    return ammg.search(data, {"distance_linkage": 0.2}, trials=4, methods=["rank_swapping"], steps=1, secret=1)


def test_the_map_is_a_picture_with_risk_and_loss_as_axes(result: SearchResult, tmp_path: Path) -> None:
    path = result.plot(tmp_path / "map.svg")
    assert ET.parse(path).getroot().tag.endswith("svg")
    assert path.read_text(encoding="utf-8").count("<path") > 10


def test_the_map_of_a_search_is_always_the_same_file(result: SearchResult, tmp_path: Path) -> None:
    first, second = result.plot(tmp_path / "a.svg"), result.plot(tmp_path / "b.svg")
    assert first.read_bytes() == second.read_bytes()


def test_other_formats_go_by_the_ending(result: SearchResult, tmp_path: Path) -> None:
    assert result.plot(tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")


def test_the_map_shows_the_unmasked_file_a_well_known_mask_and_numbers(result: SearchResult) -> None:
    chart = result.map
    unmasked = next(place for place, loss in zip(chart.x, chart.series["unmasked file"], strict=True) if loss == 0.0)
    assert unmasked == pytest.approx(5.0)  # everybody is linked, the limit is 0.2
    assert "rank_swapping" in chart.labels
    assert str(result.choice.number) in chart.labels
    assert f"number {result.choice.number} was chosen" in chart.title
