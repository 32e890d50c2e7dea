import pytest
from team import Team

from ammg.errors import Conflict, InputError, NotFound
from ammg.store import health, members, projects, work


def test_a_project_is_renamed_unless_the_owner_has_another_of_that_name(team: Team) -> None:
    projects.create_project(team.store, team.owner, "Other")
    with pytest.raises(Conflict, match="choose another name"):
        projects.change_project(team.store, team.owner, team.project.id, name="OTHER")
    changed = projects.change_project(team.store, team.owner, team.project.id, name="PATIENTS", description="ten")
    assert (changed.name, changed.description, changed.owner, changed.role) == ("PATIENTS", "ten", "owner", "owner")
    for name in ("", " ", "a\nb", "x" * 200):
        with pytest.raises(InputError):
            projects.create_project(team.store, team.owner, name)


def test_a_removed_project_leaves_no_row_and_no_file(team: Team) -> None:
    team.masked()
    work.start_evaluate(team.store, team.owner, team.project.id)
    with pytest.raises(Conflict, match="unfinished jobs"):
        projects.remove_project(team.store, team.owner, team.project.id)
    team.work_off()
    projects.remove_project(team.store, team.owner, team.project.id)
    assert list(team.store.files.ids()) == []
    with team.store.engine.connect() as connection:
        for table in ("versions", "jobs", "job_events", "data_sets", "masked_files", "parts", "files", "evaluations"):
            assert connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one() == 0
    assert projects.list_projects(team.store, team.analyst) == ()


def test_the_owner_stays_and_others_come_and_go(team: Team) -> None:
    project = team.project.id
    assert [(m.name, m.role) for m in members.list_members(team.store, team.analyst, project)] == [
        ("analyst", "analyst"),
        ("owner", "owner"),
        ("reviewer", "reviewer"),
    ]
    for role in ("reviewer", "analyst"):
        with pytest.raises(Conflict, match="owner"):
            members.set_member(team.store, team.owner, project, "owner", role)
    with pytest.raises(InputError, match="not a role"):
        members.set_member(team.store, team.owner, project, "stranger", "owner")
    with pytest.raises(NotFound, match="no user"):
        members.set_member(team.store, team.owner, project, "who", "analyst")
    members.remove_member(team.store, team.owner, project, team.analyst.user_id)
    with pytest.raises(NotFound):
        projects.get_project(team.store, team.analyst, project)


def test_health_names_nobody_and_tells_when_the_database_is_away(team: Team) -> None:
    team.paper()
    found = health.health(team.store)
    assert (found.status, found.database, found.jobs) == ("ok", "ok", {"waiting": 1, "running": 0})
    with team.store.engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE job_events")
        connection.exec_driver_sql("ALTER TABLE jobs RENAME TO gone")
    assert health.health(team.store).status == "degraded"
