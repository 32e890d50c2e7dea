"""A disk without space: every answer says so, nothing is half written, and work goes on when there is space again."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from team import Team, opened, patients

from ammg.errors import Refusal
from ammg.store import audit, data_sets, projects, versions, work

SIZE = 12 * 2**20


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of twelve mebibytes."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(place)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("only root makes a small disk")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_refuses_in_words_and_loses_nothing(small_disk: Path) -> None:
    team = Team.of(opened(small_disk))
    store, owner, project = team.store, team.owner, team.project.id
    kept = team.paper()
    team.work_off()
    entries = audit.chain_state(store).entries
    filler = small_disk / "filler"
    _fill(filler)
    with pytest.raises(Refusal, match=r"no space left|disk is full"):
        team.upload("large.csv", patients() * 1000)
    refused: list[str] = []
    for number in range(40):  # pages that the database has in its log take the first of them
        try:
            projects.create_project(store, owner, f"Project {number}", "x" * 2000)
        except Refusal as error:
            refused.append(str(error))
    assert refused
    assert all("disk is full" in sentence for sentence in refused), refused
    filler.unlink()
    made = len(projects.list_projects(store, owner)) - 1
    assert made + len(refused) == 40
    state = audit.chain_state(store)
    assert state.intact
    assert state.entries == entries + made
    download = data_sets.read_data_set(store, owner, project, kept.id)
    assert b"".join(download.chunks) == patients()
    assert not list((store.settings.data / "files" / "incoming").iterdir())
    team.upload("later.csv", patients())
    store.close()


def test_a_job_on_a_full_disk_fails_with_the_reason(small_disk: Path) -> None:
    team = Team.of(opened(small_disk))
    store, owner, project = team.store, team.owner, team.project.id
    team.upload("patients.csv", patients() * 3000)  # in plain it needs as much again
    team.upload("small.csv", patients())
    team.work_off()
    versions.create_version(store, owner, project, {"source": "patients.csv", "roles": {"Age": "key"}})
    job = work.start_mask(store, owner, project, "public.csv")
    filler = small_disk / "filler"
    _fill(filler, leave=2**20)
    team.work_off()
    filler.unlink()
    found = work.get_job(store, owner, job.id)
    assert found.state == "failed"
    assert "no space left" in found.reason
    assert not list((store.settings.data / "work").glob("*"))
    assert audit.chain_state(store).intact
    store.close()


def _fill(path: Path, leave: int = 0) -> None:
    """Take all space but some."""
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(2**16))
        except OSError:
            pass
        file.truncate(max(file.tell() - leave, 0))
