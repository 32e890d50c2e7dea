"""`ammg backup` and `ammg restore` keep what a server has."""

from pathlib import Path

import pytest
from team import PASSWORD, Team, opened, settings, signed_in

from ammg.store import projects
from ammg.store.store import open_store


def test_a_backup_is_written_and_restored_by_two_commands(run, tmp_path: Path) -> None:
    team = Team.of(opened(tmp_path))
    team.paper()
    file, there = tmp_path / "backup.tar", tmp_path / "there"
    done = run("backup", file, "--data", tmp_path / "data")
    assert (done.code, "1 files" in done.out) == (0, True)
    assert PASSWORD.encode() not in file.read_bytes()
    assert b"Patients" not in file.read_bytes()
    done = run("restore", file, "--data", there, "--key-file", tmp_path / "data.key")
    assert (done.code, done.err) == (0, "")
    restored = open_store(settings(tmp_path, key_file=tmp_path / "data.key", data=there))
    assert [one.name for one in projects.list_projects(restored, signed_in(restored, "owner"))] == ["Patients"]
    restored.close()
    team.store.close()


def test_another_key_and_another_file_are_refused_in_a_sentence(
    run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    team = Team.of(opened(tmp_path))
    team.store.close()
    file = tmp_path / "backup.tar"
    assert run("backup", file, "--data", tmp_path / "data").code == 0
    assert run("backup", file, "--data", tmp_path / "nowhere").code == 2
    monkeypatch.setenv("AMMG_KEY", "01" * 32)
    done = run("restore", file, "--data", tmp_path / "there")
    assert (done.code, "another key" in done.err) == (2, True)
    file.write_bytes(b"nothing of the sort")
    done = run("restore", file, "--data", tmp_path / "there")
    assert (done.code, "not a backup of AMMG" in done.err) == (2, True)
