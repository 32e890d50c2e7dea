"""Several masked files of one original side by side."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.errors import InputError
from ammg.pipeline.comparison import ITSELF, PERMUTED


@pytest.fixture(scope="module")
def files(survey: ammg.Microdata) -> dict[str, ammg.Masked]:
    columns = ["wages", "pensions", "income"]
    return {
        "mild": ammg.Pipeline([ammg.AdditiveNoise(columns=columns, p=0.1)]).run(survey, 1),
        "strong": ammg.Pipeline([ammg.AdditiveNoise(columns=columns, p=1.0)]).run(survey, 1),
    }


@pytest.fixture(scope="module")
def compared(files: dict[str, ammg.Masked]) -> ammg.Comparison:
    return ammg.compare(files, measures=["rank_interval_disclosure", "il1s"])


def test_every_file_has_the_numbers_of_its_own_evaluation(
    files: dict[str, ammg.Masked], compared: ammg.Comparison
) -> None:
    for name, masked in files.items():
        alone = ammg.evaluate(masked, ["rank_interval_disclosure", "il1s", "overall_loss"], scores=True)
        for label in alone:
            assert compared[name].value(label) == alone.value(label)
            assert compared[name].scores.get(label) == alone.scores.get(label)


def test_references_stand_at_both_ends(compared: ammg.Comparison) -> None:
    losses = {name: compared[name].value("overall_loss") for name in compared.evaluations}
    assert losses[ITSELF] == pytest.approx(0, abs=1e-12)
    assert losses[ITSELF] < losses["mild"] < losses["strong"] < losses[PERMUTED]
    risks = {name: compared[name].value("rank_interval_disclosure") for name in compared.evaluations}
    assert risks[ITSELF] >= risks["mild"] > risks["strong"] > risks[PERMUTED]


def test_the_table_has_a_row_per_measure_and_a_column_per_file(compared: ammg.Comparison) -> None:
    table = compared.to_polars()
    assert table["measure"].to_list() == ["rank_interval_disclosure", "il1s", "overall_loss"]
    assert {"mild", "strong", "mild score", ITSELF} <= set(table.columns)
    assert "strong" in str(compared).splitlines()[0]
    assert "<table>" in compared._repr_html_()


def test_the_map_is_drawn(compared: ammg.Comparison, tmp_path: Path) -> None:
    text = compared.plot(tmp_path / "map.svg").read_text()
    assert "<svg" in text
    (chart,) = compared.plot().charts
    assert [value for value in chart.series["mild"] if value is not None] == [compared["mild"].value("overall_loss")]
    assert chart.series.keys() == {"mild", "strong", ITSELF, PERMUTED}
    with pytest.raises(InputError, match="was not measured here"):
        compared.plot(tmp_path / "other.svg", loss="il2")


def test_tables_need_an_original_and_a_link_for_single_records(survey: ammg.Microdata) -> None:
    table = survey.table.with_columns(income=pl.col("income") * 1.5)
    with pytest.raises(InputError, match="'a' is a table without its original"):
        ammg.compare({"a": table})
    without = ammg.compare({"a": table}, survey, ["il1s", "il2"], references=False)
    assert without["a"]["il1s"].reason == "no link between masked and original records"
    assert without["a"].value("il2") > 0
    linked = ammg.compare({"a": table}, survey, ["il1s"], links={"a": np.arange(600)}, references=False)
    assert linked["a"].value("il1s") > 0
    assert any("il1s is not defined, no link" in note for note in without.notes())


def test_files_of_different_originals_are_refused(files: dict[str, ammg.Masked]) -> None:
    other = ammg.Pipeline([]).run(ammg.Microdata(ammg.datasets.survey(600, seed=4)), 1)
    with pytest.raises(InputError, match="'other' and 'mild' are not made from the same original"):
        ammg.compare({**files, "other": other})


@pytest.mark.parametrize("nothing", [{}, 3])
def test_nothing_to_compare_is_a_sentence(nothing: object) -> None:
    with pytest.raises(InputError, match="Nothing to compare"):
        ammg.compare(nothing)


def test_a_table_without_a_common_column_is_refused(survey: ammg.Microdata) -> None:
    with pytest.raises(InputError, match="'a' has no column of the original"):
        ammg.compare({"a": pl.DataFrame({"z": [1]})}, survey)
