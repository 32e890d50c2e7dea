"""Who may do what: every function of the store for everybody."""

import csv
import inspect
from collections.abc import Callable
from typing import Any

import pytest
from team import PAPER, Team, opened, signed_in

from ammg.errors import Denied, NotFound, Refusal
from ammg.store import (
    audit,
    connections,
    data_sets,
    evaluations,
    login,
    masked_files,
    members,
    operations,
    people,
    previews,
    projects,
    releases,
    reviews,
    searches,
    tokens,
    versions,
    work,
)
from ammg.store.actor import SCOPES, Actor

EVERYBODY = ("owner", "analyst", "reviewer", "stranger", "administrator")
MEMBERS, WORKERS, PANEL, OWNER, REVIEWER, ADMINISTRATOR = (
    ("owner", "analyst", "reviewer"),
    ("owner", "analyst"),
    ("owner", "reviewer"),
    ("owner",),
    ("reviewer",),
    ("administrator",),
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A project with one of everything, made once: calls that are allowed may change it."""
    team = Team.of(opened(tmp_path_factory.mktemp("rights")))
    masked = team.masked(document={**PAPER, "measures": ["frequency", "suda", "il1s"]})
    store, project = team.store, team.project.id
    ids = {"project": project, "masked": masked}
    ids["data_set"] = data_sets.list_data_sets(store, team.owner, project)[0].id
    ids["job"] = work.list_jobs(store, team.owner, project)[0].id
    ids["evaluation"] = evaluations.list_evaluations(store, team.owner, project)[0].id
    ids["report"] = _report(team, masked)
    ids["review"] = reviews.submit(store, team.owner, project, masked).id
    reviews.approve(store, team.reviewer, project, ids["review"])
    releases.start_release(store, team.owner, project, ids["review"])
    team.work_off()
    ids["release"] = releases.list_releases(store, team.owner, project)[0].id
    yield team, ids
    store.close()


def _report(team: Team, masked: str) -> str:
    work.start_report(team.store, team.owner, team.project.id, masked, "internal")
    team.work_off()
    return evaluations.list_reports(team.store, team.owner, team.project.id)[0].id


Call = Callable[[Any, Actor, dict[str, str]], Any]
IN_PROJECT: dict[str, tuple[tuple[str, ...], str, Call]] = {
    "get_project": (MEMBERS, "read", lambda s, a, i: projects.get_project(s, a, i["project"])),
    "change_project": (OWNER, "write", lambda s, a, i: projects.change_project(s, a, i["project"], description="x")),
    "remove_project": (OWNER, "write", lambda s, a, i: projects.remove_project(s, a, i["project"])),
    "list_members": (MEMBERS, "read", lambda s, a, i: members.list_members(s, a, i["project"])),
    "set_member": (OWNER, "write", lambda s, a, i: members.set_member(s, a, i["project"], "analyst", "analyst")),
    "remove_member": (OWNER, "write", lambda s, a, i: members.remove_member(s, a, i["project"], "nobody")),
    "create_version": (WORKERS, "write", lambda s, a, i: versions.create_version(s, a, i["project"], PAPER)),
    "list_versions": (MEMBERS, "read", lambda s, a, i: versions.list_versions(s, a, i["project"])),
    "get_version": (MEMBERS, "read", lambda s, a, i: versions.get_version(s, a, i["project"])),
    "go_back": (WORKERS, "write", lambda s, a, i: versions.go_back(s, a, i["project"], 1)),
    "propose_version": (WORKERS, "write", lambda s, a, i: versions.propose_version(s, a, i["project"], i["data_set"])),
    "begin_upload": (WORKERS, "write", lambda s, a, i: data_sets.begin_upload(s, a, i["project"], "b.csv").abort()),
    "list_data_sets": (MEMBERS, "read", lambda s, a, i: data_sets.list_data_sets(s, a, i["project"])),
    "get_data_set": (MEMBERS, "read", lambda s, a, i: data_sets.get_data_set(s, a, i["project"], i["data_set"])),
    "analysis": (WORKERS, "read", lambda s, a, i: data_sets.analysis(s, a, i["project"], i["data_set"])),
    "first records of an original": (
        OWNER,
        "read",
        lambda s, a, i: data_sets.first_records(s, a, i["project"], i["data_set"]),
    ),
    "value_counts": (OWNER, "read", lambda s, a, i: data_sets.value_counts(s, a, i["project"], i["data_set"])),
    "schema_for": (WORKERS, "read", lambda s, a, i: data_sets.schema_for(s, a, i["project"], PAPER)),
    "read_data_set": (OWNER, "read", lambda s, a, i: data_sets.read_data_set(s, a, i["project"], i["data_set"])),
    "remove_data_set": (OWNER, "write", lambda s, a, i: data_sets.remove_data_set(s, a, i["project"], "nothing")),
    "import_table": (
        WORKERS,
        "write",
        lambda s, a, i: data_sets.import_table(s, a, i["project"], "nothing", "t", "t.parquet"),
    ),
    "start_mask": (WORKERS, "run", lambda s, a, i: work.start_mask(s, a, i["project"], "public.csv")),
    "start_evaluate": (WORKERS, "run", lambda s, a, i: work.start_evaluate(s, a, i["project"], 99)),
    "start_search": (WORKERS, "run", lambda s, a, i: work.start_search(s, a, i["project"], 99)),
    "start_report": (WORKERS, "run", lambda s, a, i: work.start_report(s, a, i["project"], "nothing")),
    "start_preview": (WORKERS, "run", lambda s, a, i: previews.start_preview(s, a, i["project"], 99)),
    "get_preview": (WORKERS, "read", lambda s, a, i: previews.get_preview(s, a, i["job"])),
    "search_points": (MEMBERS, "read", lambda s, a, i: searches.search_points(s, a, i["job"])),
    "adopt_point": (WORKERS, "write", lambda s, a, i: searches.adopt_point(s, a, i["job"], "0" * 16)),
    "list_jobs": (MEMBERS, "read", lambda s, a, i: work.list_jobs(s, a, i["project"])),
    "get_job": (MEMBERS, "read", lambda s, a, i: work.get_job(s, a, i["job"])),
    "events": (MEMBERS, "read", lambda s, a, i: work.events(s, a, i["job"])),
    "cancel_job": (WORKERS, "run", lambda s, a, i: work.cancel_job(s, a, i["job"])),
    "list_masked_files": (MEMBERS, "read", lambda s, a, i: masked_files.list_masked_files(s, a, i["project"])),
    "get_masked_file": (
        MEMBERS,
        "read",
        lambda s, a, i: masked_files.get_masked_file(s, a, i["project"], i["masked"]),
    ),
    "the masked file": (
        MEMBERS,
        "read",
        lambda s, a, i: masked_files.read_part(s, a, i["project"], i["masked"], "masked"),
    ),
    "first_records": (
        MEMBERS,
        "read",
        lambda s, a, i: masked_files.first_records(s, a, i["project"], i["masked"]),
    ),
    "the internal report": (
        PANEL,
        "read",
        lambda s, a, i: masked_files.read_part(s, a, i["project"], i["masked"], "internal_report"),
    ),
    **{
        part: (OWNER, "read", lambda s, a, i, p=part: masked_files.read_part(s, a, i["project"], i["masked"], p))  # type: ignore[misc]
        for part in ("secret", "link", "provenance", "evaluation")
    },
    "list_evaluations": (MEMBERS, "read", lambda s, a, i: evaluations.list_evaluations(s, a, i["project"])),
    "get_evaluation": (
        MEMBERS,
        "read",
        lambda s, a, i: evaluations.get_evaluation(s, a, i["project"], i["evaluation"]),
    ),
    "of_unmasked": (MEMBERS, "read", lambda s, a, i: evaluations.of_unmasked(s, a, i["project"])),
    "compare": (MEMBERS, "read", lambda s, a, i: evaluations.compare(s, a, i["project"], [i["evaluation"]])),
    "list_searches": (MEMBERS, "read", lambda s, a, i: evaluations.list_searches(s, a, i["project"])),
    "get_search": (MEMBERS, "read", lambda s, a, i: evaluations.get_search(s, a, i["project"], "nothing")),
    "list_reports": (MEMBERS, "read", lambda s, a, i: evaluations.list_reports(s, a, i["project"])),
    "read_report": (PANEL, "read", lambda s, a, i: evaluations.read_report(s, a, i["project"], i["report"])),
    "submit": (OWNER, "review", lambda s, a, i: reviews.submit(s, a, i["project"], i["masked"])),
    "list_reviews": (MEMBERS, "read", lambda s, a, i: reviews.list_reviews(s, a, i["project"])),
    "get_review": (MEMBERS, "read", lambda s, a, i: reviews.get_review(s, a, i["project"], i["review"])),
    "comment": (MEMBERS, "review", lambda s, a, i: reviews.comment(s, a, i["project"], i["review"], "well")),
    "approve": (REVIEWER, "review", lambda s, a, i: reviews.approve(s, a, i["project"], i["review"])),
    "return": (REVIEWER, "review", lambda s, a, i: reviews.return_for_changes(s, a, i["project"], i["review"], "no")),
    "take_back": (OWNER, "review", lambda s, a, i: reviews.take_back(s, a, i["project"], i["review"])),
    "start_release": (OWNER, "release", lambda s, a, i: releases.start_release(s, a, i["project"], i["review"])),
    "list_releases": (MEMBERS, "read", lambda s, a, i: releases.list_releases(s, a, i["project"])),
    "get_release": (MEMBERS, "read", lambda s, a, i: releases.get_release(s, a, i["project"], i["release"])),
    "read_release": (MEMBERS, "read", lambda s, a, i: releases.read_release(s, a, i["project"], i["release"])),
    "withdraw": (OWNER, "release", lambda s, a, i: releases.withdraw(s, a, i["project"], "nothing", "why")),
    "audit of a project": (OWNER, "read", lambda s, a, i: audit.list_entries(s, a, i["project"])),
}
OF_ADMINISTRATORS: dict[str, Call] = {
    "invite": lambda s, a, i: people.invite(s, a),
    "reset_link": lambda s, a, i: people.reset_link(s, a, "nobody"),
    "list_invitations": lambda s, a, i: people.list_invitations(s, a),
    "revoke_invitation": lambda s, a, i: people.revoke_invitation(s, a, "nothing"),
    "list_users": lambda s, a, i: people.list_users(s, a),
    "set_user_active": lambda s, a, i: people.set_user_active(s, a, "nobody", True),
    "set_administrator": lambda s, a, i: people.set_administrator(s, a, "nobody", True),
    "define_connection": lambda s, a, i: connections.define_connection(s, a, "", "sqlite:///x.db"),
    "remove_connection": lambda s, a, i: connections.remove_connection(s, a, "nothing"),
    "try_connection": lambda s, a, i: connections.try_connection(s, a, "nothing"),
    "audit": lambda s, a, i: audit.list_entries(s, a),
    "verify_chain": lambda s, a, i: audit.verify_chain(s, a),
    "list_all_jobs": lambda s, a, i: operations.list_all_jobs(s, a),
    "cancel_any_job": lambda s, a, i: operations.cancel_any_job(s, a, "nothing"),
    "storage": lambda s, a, i: operations.storage(s, a),
    "export": lambda s, a, i: audit.export(s, a),
}


@pytest.mark.parametrize("name", list(IN_PROJECT))
def test_members_do_what_their_role_allows_and_others_find_no_project(made: Any, name: str) -> None:
    team, ids = made
    allowed, scope, call = IN_PROJECT[name]
    expected = {who: "ok" if who in allowed else "Denied" if who in MEMBERS else "NotFound" for who in EVERYBODY}
    assert {who: _answer(call, team, getattr(team, who), ids, who in allowed) for who in EVERYBODY} == expected
    token = tokens.create_token(team.store, team.owner, "all but one", set(SCOPES) - {scope}, 1).token
    with pytest.raises(Denied, match=f"scope '{scope}'"):
        call(team.store, login.authenticate(team.store, token), ids)


@pytest.mark.parametrize("name", list(OF_ADMINISTRATORS))
def test_only_administrators_run_the_system(made: Any, name: str) -> None:
    team, ids = made
    call = OF_ADMINISTRATORS[name]
    expected = {who: "ok" if who == "administrator" else "Denied" for who in EVERYBODY}
    assert {who: _answer(call, team, getattr(team, who), ids, who == "administrator") for who in EVERYBODY} == expected
    token = tokens.create_token(team.store, signed_in(team.store, "admin"), "reads", ["read"], 1).token
    with pytest.raises(Denied, match="scope 'admin'"):
        call(team.store, login.authenticate(team.store, token), ids)


OF_ONESELF = {
    "me",
    "change_password",
    "log_out",
    "list_sessions",
    "revoke_session",
    "revoke_sessions",
    "create_token",
    "list_tokens",
    "revoke_token",
    "create_project",
    "list_projects",
    "overview",
    "create_sample",
    "list_connections",
}
"""What everybody may do, for themselves."""


def test_every_function_that_takes_an_actor_is_checked_here() -> None:
    modules = (audit, connections, data_sets, evaluations, login, masked_files, members)
    modules += (operations, people, previews, projects, releases, reviews, searches, tokens, versions, work)
    found = {
        name
        for module in modules
        for name, function in vars(module).items()
        if inspect.isfunction(function)
        and function.__module__ == module.__name__
        and not name.startswith("_")
        and list(inspect.signature(function).parameters)[:2] == ["store", "actor"]
    }
    calls = [call for _, _, call in IN_PROJECT.values()] + list(OF_ADMINISTRATORS.values())
    named = {name for call in calls for name in call.__code__.co_names} | OF_ONESELF
    assert found - named - {"new_row"} == set()


def test_a_foreign_project_and_none_get_the_same_answer(made: Any) -> None:
    team, ids = made
    for call in (
        lambda project: projects.get_project(team.store, team.stranger, project),
        lambda project: work.list_jobs(team.store, team.stranger, project),
    ):
        answers = []
        for project in (ids["project"], "0" * 20):
            with pytest.raises(NotFound) as refused:
                call(project)
            answers.append(str(refused.value))
        assert answers[0] == answers[1]
    assert projects.list_projects(team.store, team.stranger) == ()


def test_what_belongs_to_another_project_is_not_found(made: Any) -> None:
    team, ids = made
    own = projects.create_project(team.store, team.stranger, "My own").id
    for call in (
        lambda: data_sets.read_data_set(team.store, team.stranger, own, ids["data_set"]),
        lambda: masked_files.read_part(team.store, team.stranger, own, ids["masked"], "secret"),
        lambda: releases.read_release(team.store, team.stranger, own, ids["release"]),
        lambda: evaluations.get_evaluation(team.store, team.stranger, own, ids["evaluation"]),
        lambda: reviews.get_review(team.store, team.stranger, own, ids["review"]),
        lambda: evaluations.read_report(team.store, team.stranger, own, ids["report"]),
    ):
        with pytest.raises(NotFound):
            call()


def test_private_parts_are_listed_for_the_owner_alone(made: Any) -> None:
    team, ids = made
    parts = {
        who: {
            part.name
            for part in masked_files.get_masked_file(
                team.store, getattr(team, who), ids["project"], ids["masked"]
            ).parts
        }
        for who in MEMBERS
    }
    assert parts["analyst"] == {"masked", "codebook", "summary", "report", "sample"}
    assert parts["reviewer"] == parts["analyst"] | {"internal_report", "project"}
    assert parts["owner"] == parts["reviewer"] | {"secret", "link", "provenance", "evaluation"}


def test_pictures_follow_the_role_and_single_people_are_for_the_owner(made: Any) -> None:
    team, ids = made
    values = {
        who: evaluations.get_evaluation(team.store, getattr(team, who), ids["project"], ids["evaluation"]).values or {}
        for who in MEMBERS
    }
    assert values["owner"]["people"]
    assert values["analyst"]["people"] == values["reviewer"]["people"] == []
    assert values["owner"]["pictures"] == values["reviewer"]["pictures"]
    drawn = {
        who: [one for one in values[who]["pictures"]["distributions"] if one["chart"]] for who in ("owner", "analyst")
    }
    assert drawn["owner"]  # ten patients: classes of fewer than ten people are for the panel
    assert not drawn["analyst"]


def test_the_first_records_are_those_of_the_masked_file(made: Any) -> None:
    team, ids = made
    found = masked_files.first_records(team.store, team.analyst, ids["project"], ids["masked"])
    download = masked_files.read_part(team.store, team.analyst, ids["project"], ids["masked"], "masked")
    head, *rows = csv.reader(b"".join(download.chunks).decode().splitlines())
    assert (list(found.columns), len(found.rows), found.records) == (head, 8, 8)
    assert [str(row[1]) for row in found.rows] == [row[1] for row in rows]


def _answer(call: Call, team: Team, actor: Actor, ids: dict[str, str], allowed: bool) -> str:
    """'ok' for everything that is no question of rights: what was asked may be impossible for other reasons."""
    try:
        call(team.store, actor, ids)
    except Denied:
        return "Denied"
    except NotFound as error:
        return "ok" if allowed and "no such project" not in str(error) else "NotFound"
    except (Refusal, ValueError):
        return "ok"
    return "ok"
