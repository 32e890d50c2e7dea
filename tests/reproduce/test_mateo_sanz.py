"""The values behind the figures beside those of an independent prototype, and what the paper says of them."""

from __future__ import annotations

import csv
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from ammg.errors import InputError
from ammg.reproduce import find, papers
from ammg.reproduce._mateo_sanz_claims import CLAIMS
from ammg.reproduce.comparison import Comparison

RANDOM = {"IL1": 0.15, "IL1s": 0.06, "DLD": 5.0, "RID": 2.5, "SDID": 3.0}  # one draw each; IL1 and IL1s relative


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("figures")


@pytest.fixture(scope="module")
def tables(shared: Path, folder: Path) -> list[Comparison]:
    return find("mateo-sanz")(shared / "data", 2, quick=True, figures=folder)


@pytest.fixture(scope="module")
def prototype(shared: Path) -> list[dict[str, str]]:
    with (shared / "spec" / "targets" / "mateo_prototype_values.csv").open() as lines:
        return list(csv.DictReader(lines))


@pytest.mark.parametrize("part", ["all", "out"])
def test_versions_without_chance_have_the_values_of_the_prototype(tables, prototype, part):
    ours = {"CENSUS": tables[0].ours, "EIA": tables[1].ours}
    fixed = [row for row in prototype if row["method"][0] in "JM"]
    assert len(fixed) == 9
    for row in fixed:
        for measure in RANDOM:
            value = ours[row["dataset"]][row["method"]][measure if part == "all" else f"{measure} out"]
            # The grey levels of JPEG may be rounded either way.
            assert value == pytest.approx(float(row[f"{measure}_{part}"]), rel=0.005, abs=0.15), (row, measure)


def test_random_versions_have_the_values_of_the_prototype_on_the_whole_file(tables, prototype):
    ours = {"CENSUS": tables[0].ours, "EIA": tables[1].ours}
    for row in [row for row in prototype if row["method"][0] in "RN" and not row["method"].startswith("RS")]:
        for measure, tolerance in RANDOM.items():
            value, expected = ours[row["dataset"]][row["method"]][measure], float(row[f"{measure}_all"])
            allowed = tolerance * expected if measure.startswith("IL") else tolerance
            assert value == pytest.approx(expected, abs=allowed), (row["method"], measure)


def test_resampling_hides_nothing(tables):
    for table in tables[:2]:
        assert table.ours["RS3"]["DLD"] > 85
        assert table.ours["RS3"]["RID"] > 97


def test_resampling_has_the_values_of_the_prototype_within_the_spread_of_its_draws(tables, prototype):
    """Three deviations between one draw of theirs and the mean of two of ours: over 60 secrets DLD varies by 1.8."""
    printed = next(row for row in prototype if (row["dataset"], row["method"]) == ("EIA", "RS3"))
    deviations = {"IL1": 0.35, "IL1s": 0.0013, "DLD": 1.8, "RID": 0.14, "SDID": 0.85}
    for measure, deviation in deviations.items():
        allowed = 3 * deviation * 1.5**0.5 + 0.05  # and what printing has rounded away
        assert tables[1].ours["RS3"][measure] == pytest.approx(float(printed[f"{measure}_all"]), abs=allowed), measure


def test_what_others_found_of_the_papers_sentences_holds(tables):
    claims = tables[2]
    assert len(claims.ours) == len(CLAIMS) == 22
    assert len(claims.doubtful) == 4
    failed = {row for row, values in claims.ours.items() if not values["holds"]}
    # The prototype's draw tied at 100 for resampling, which it let pass; in ours single outliers are missed, so that
    # the sentence does not hold as it stands.
    ties = "CENSUS DLD: JPEG, noise, resampling: outliers higher"
    assert failed <= {row for row, _ in claims.doubtful} | {ties}
    assert tables[0].ours["RS3"]["DLD out"] > 96


def test_each_figure_is_a_picture_of_its_own(tables, folder):
    pictures = sorted(folder.glob("*.svg"))
    assert [path.name[:9] for path in pictures] == [f"figure_{number:02d}" for number in range(1, 11)]
    for path in pictures:
        assert ET.parse(path).getroot().tag.endswith("svg")
        assert "http" not in path.read_text().split("<g", 1)[1].replace("http://www.w3.org", "")


def test_files_that_are_not_there_are_named(tmp_path):
    assert "mateo-sanz" in papers()
    with pytest.raises(InputError, match=r"CENSUS.csv' not found"):
        find("mateo-sanz")(tmp_path, 1)
