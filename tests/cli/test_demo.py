from pathlib import Path

import polars as pl

from ammg import Project


def test_the_demo_goes_the_whole_way(run, tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    ended = run("demo", folder, "--records", 500, "--trials", 2)
    assert ended.code in (0, 1, 2), ended.err  # two trials may find nothing that is safe or passes the gate
    assert Project.load(folder / "project.yaml").limits
    assert (folder / "ru-map.svg").exists()
    assert (folder / "risk.svg").exists()
    assert (folder / "masked.parquet").exists() == (ended.code == 0)
    assert (folder / "masked.parquet.report.html").exists() == (ended.code == 0)
    again = run("demo", folder, "--records", 500, "--trials", 2)
    assert again.code in (0, 1, 2) and "--replace" not in again.err, again.err  # nobody has to clean up first
    if ended.code == 0:
        assert "person_id" not in pl.read_parquet(folder / "masked.parquet").columns


def test_a_file_in_the_place_of_the_folder_is_refused(run, tmp_path: Path) -> None:
    (tmp_path / "demo").write_text("")
    ended = run("demo", tmp_path / "demo")
    assert ended.code == 2
    assert "is a file: name a folder" in ended.err
