"""The paper's example through the store: from the upload to the release."""

import subprocess
import sys
from pathlib import Path

import pytest
from team import Team, patients
from workers import every_value

from ammg.errors import Conflict
from ammg.store import data_sets, evaluations, masked_files, releases, reviews, work
from ammg.store.values import Download, Job


def over(team: Team, job_id: str) -> Job:
    """The job, done in this process."""
    team.work_off()
    return work.get_job(team.store, team.owner, job_id)


def test_ten_patients_become_eight_masked_records_that_a_second_person_lets_go(team: Team, tmp_path: Path) -> None:
    store, project = team.store, team.project.id
    data_set = team.paper()
    assert over(team, str(data_set.job_id)).state == "finished"
    found = data_sets.get_data_set(store, team.owner, project, data_set.id)
    assert (found.state, found.records) == ("ready", 10)
    job = over(team, work.start_mask(store, team.analyst, project, "public.csv").id)
    assert (job.state, job.reason) == ("finished", "")
    happened = [(event.kind, event.text) for event in work.events(store, team.reviewer, job.id)]
    assert [text for kind, text in happened if kind == "state"] == ["waiting", "running", "finished"]
    assert ("log", "8 masked records from 10, 2 measures, 0 limits broken") in happened
    with pytest.raises(Conflict, match="choose another name"):
        work.start_mask(store, team.owner, project, "PUBLIC.csv")
    masked = masked_files.get_masked_file(store, team.owner, project, job.result["masked_file_id"])
    assert masked.records == 8
    measured = evaluations.get_evaluation(store, team.reviewer, project, job.result["evaluation_id"]).values
    assert measured is not None
    assert set(measured["measures"]) == {"frequency", "il1s"}
    review = reviews.submit(store, team.owner, project, masked.id, "ten patients")
    review = reviews.approve(store, team.reviewer, project, review.id)
    job = over(team, releases.start_release(store, team.owner, project, review.id).id)
    release = releases.get_release(store, team.reviewer, project, job.result["release_id"])
    released = content(releases.read_release(store, team.reviewer, project, release.id))
    assert len(released.splitlines()) == 9

    (tmp_path / "patients.csv").write_bytes(patients())
    for part in ("project", "secret"):
        (tmp_path / part).write_bytes(content(masked_files.read_part(store, team.owner, project, masked.id, part)))
    command = ["mask", "project", "--secret", "secret", "--target", "again.csv"]
    program = "from ammg.cli import main; main()"
    subprocess.run([sys.executable, "-c", program, *command], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "again.csv").read_bytes() == released

    assert not list((store.settings.data / "work").iterdir())
    canaries = [value for line in patients().decode().splitlines()[1:] for value in line.split(",")[:2]]
    kept = every_value(store).encode() + b"".join(
        path.read_bytes() for path in store.settings.data.rglob("*") if path.is_file()
    )
    secret = (tmp_path / "secret").read_bytes().strip()
    assert [canary for canary in (*map(str.encode, canaries), secret) if canary in kept] == []


def content(download: Download) -> bytes:
    return b"".join(download.chunks)
