"""A target is looked at before anything is computed for it."""

from pathlib import Path

import pytest

from ammg.errors import InputError
from ammg.release.target import check_target


@pytest.mark.parametrize("target", ["a.csv", "a.parquet", "a.sav", "a.xlsx"])
def test_a_file_in_a_folder_that_is_there_is_fine(tmp_path: Path, target: str) -> None:
    check_target(str(tmp_path / target))


def test_a_database_is_looked_at_when_it_is_opened() -> None:
    check_target("postgresql://host/db?table=t")


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("a.docx", "No format for"),
        ("nowhere/a.csv", "Folder '.*nowhere' does not exist"),
        ("a.sas7bdat", "can only be read; write .xpt instead"),
        ("a.xls", "can only be read; write .xlsx instead"),
        ("a.por", "can only be read; write .sav instead"),
        ("folder.csv", "is a folder: name a file"),
    ],
)
def test_a_target_that_cannot_be_written_is_refused(tmp_path: Path, target: str, message: str) -> None:
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match=message):
        check_target(str(tmp_path / target))


def test_what_is_read_is_never_written_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.csv").symlink_to(tmp_path / "a.csv")
    for target in ("a.csv", "./a.csv", str(tmp_path / "a.csv"), "link.csv"):
        with pytest.raises(
            InputError, match="is the source of the project and would be overwritten: choose another target"
        ):
            check_target(target, ["b.csv", "a.csv"])
    check_target("c.csv", ["a.csv"])


def test_the_codebook_of_what_is_read_is_never_written_over(tmp_path: Path) -> None:
    source = str(tmp_path / "a.csv")
    check_target(str(tmp_path / "a.tsv"), [source])
    (tmp_path / "a.codebook.yaml").write_text("variables: []")
    with pytest.raises(
        InputError, match=r"a\.codebook\.yaml' describes the source of the project and would be overwritten"
    ):
        check_target(str(tmp_path / "a.tsv"), [source])
    check_target(str(tmp_path / "a.parquet"), [source])
