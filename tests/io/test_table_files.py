from pathlib import Path

import polars as pl
import pytest

import ammg
from ammg.errors import InputError
from ammg.tables import PrimarySuppression


def test_a_text_file_has_the_margins_last(patients: ammg.Microdata, tmp_path: Path) -> None:
    ammg.write_table(ammg.tabulate(patients, "State", "Diagnosis"), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text(encoding="utf-8").splitlines() == [
        '"State","AIDS","Asthma","Diabetes","Tuberculosis","Total"',
        '"IN",0,0,1,0,1',
        '"MI",4,3,1,1,9',
        '"Total",4,3,2,1,10',
    ]


def test_a_suppressed_figure_is_empty_in_text_and_a_dash_in_excel(patients: ammg.Microdata, tmp_path: Path) -> None:
    shown = PrimarySuppression().protect(ammg.tabulate(patients, "State", "Diagnosis"))
    ammg.write_table(shown, tmp_path / "t.tsv")
    assert '"IN"\t0\t0\t\t0\t' in (tmp_path / "t.tsv").read_text(encoding="utf-8").splitlines()
    ammg.write_table(shown, tmp_path / "t.xlsx")
    cells = pl.read_excel(tmp_path / "t.xlsx", has_header=False, infer_schema_length=0)
    assert cells.row(0) == ("State", "AIDS", "Asthma", "Diabetes", "Tuberculosis", "Total")
    assert cells.row(1) == ("IN", "0", "0", "–", "0", "–")
    assert cells.row(3)[-1] == "10"


def test_a_worksheet_has_a_row_of_labels_for_every_attribute_of_its_columns(tmp_path: Path) -> None:
    data = pl.DataFrame({"a": ["x", "y"], "b": ["=1+1", "v"], "c": [1, 2], "n": [0.5, 1.5]})
    ammg.write_table(ammg.tabulate(data, "a", ["b", "c"], value="n"), tmp_path / "t.xlsx")
    cells = pl.read_excel(tmp_path / "t.xlsx", has_header=False, infer_schema_length=0)
    assert cells.row(0) == (None, *["=1+1"] * 3, *["v"] * 3, *["Total"] * 3)
    assert cells.row(1) == ("a", *["1", "2", "Total"] * 3)
    assert cells.row(4)[-1] == "2"
    assert cells.height == 5


def test_a_table_of_rows_alone_is_a_list(patients: ammg.Microdata, tmp_path: Path) -> None:
    ammg.write_table(ammg.tabulate(patients, "State", value="Income"), tmp_path / "t.xlsx")
    cells = pl.read_excel(tmp_path / "t.xlsx", has_header=False, infer_schema_length=0)
    assert cells.rows() == [("State", "Income"), ("IN", "49000"), ("MI", "478400"), ("Total", "527400")]


def test_other_endings_and_folders_that_are_not_there_are_refused(patients: ammg.Microdata, tmp_path: Path) -> None:
    table = ammg.tabulate(patients, "State")
    with pytest.raises(InputError, match=r"is not a table file: choose a name that ends in \.csv, \.tsv or \.xlsx"):
        ammg.write_table(table, tmp_path / "t.sav")
    with pytest.raises(InputError, match="does not exist"):
        ammg.write_table(table, tmp_path / "none" / "t.csv")
