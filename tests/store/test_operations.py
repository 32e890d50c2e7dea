"""What administrators see of a running system."""

import pytest
from team import Team, patients

from ammg.errors import Conflict
from ammg.store import operations, work


def test_administrators_see_and_end_every_job_but_not_what_it_says(team: Team) -> None:
    team.upload("patients.csv", patients())
    broken = team.upload("broken.parquet", b"no Parquet file")
    team.work_off()
    waiting = team.upload("more.csv", patients())
    found = operations.list_all_jobs(team.store, team.administrator)
    assert [one.job.state for one in found] == ["waiting", "failed", "finished"]
    assert {one.project for one in found} == {"Patients"}
    assert work.get_job(team.store, team.owner, str(broken.job_id)).reason not in repr(found)
    ended = operations.cancel_any_job(team.store, team.administrator, str(waiting.job_id))
    assert ended.state == "cancelled"
    with pytest.raises(Conflict, match="is over"):
        operations.cancel_any_job(team.store, team.administrator, str(waiting.job_id))


def test_storage_is_told_by_what_it_is_for(anywhere: Team) -> None:
    before = operations.storage(anywhere.store, anywhere.administrator)
    anywhere.upload("storage.csv", b"a,b\n" + b"1,2\n" * 1000)
    after = operations.storage(anywhere.store, anywhere.administrator)
    assert after.originals - before.originals == 4004
    assert (after.masked_files, after.reports, after.other) == (before.masked_files, before.reports, before.other)
    assert after.database is not None
    assert after.database > 0
    assert after.free > 0
