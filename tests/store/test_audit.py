"""The audit log shows when somebody changed it."""

import pytest
import sqlalchemy as sa
from team import PASSWORD, Team

from ammg.store import audit, login, projects
from ammg.store.models.review import AuditHeadRow, AuditRow

TAMPERED = {
    "changed": (sa.update(AuditRow).where(AuditRow.number == 3).values(actor_name="somebody"), 3),
    "removed": (sa.delete(AuditRow).where(AuditRow.number == 3), 3),
    "the last removed": (sa.delete(AuditRow).where(AuditRow.number > 5), 6),
    "another order": (sa.update(AuditRow).where(AuditRow.number == 3).values(number=1003), 3),
    "another seal": (sa.update(AuditRow).where(AuditRow.number == 3).values(seal="0" * 64), 3),
}


@pytest.mark.parametrize("how", list(TAMPERED))
def test_an_entry_that_was_tampered_with_is_found(team: Team, how: str) -> None:
    assert audit.verify_chain(team.store, team.administrator).intact
    statement, number = TAMPERED[how]
    with team.store.engine.begin() as connection:
        connection.execute(statement)
    state = audit.verify_chain(team.store, team.administrator)
    assert (state.intact, state.first_broken) == (False, number)


def test_a_chain_that_somebody_without_the_key_made_again_is_found(team: Team) -> None:
    from ammg.store.ground.chain import BEGINNING, entry_hash

    with team.store.writing() as session:
        previous = BEGINNING
        for row in session.scalars(sa.select(AuditRow).order_by(AuditRow.number)):
            row.actor_name = "somebody"
            row.previous = previous
            entry = {column.key: getattr(row, column.key) for column in AuditRow.__table__.columns}
            row.hash = previous = entry_hash(previous, entry)
        session.get_one(AuditHeadRow, 1).hash = previous
    state = audit.verify_chain(team.store, team.administrator)
    assert (state.intact, state.first_broken) == (False, 1)
    assert "without the key" in state.reason


def test_the_log_says_who_did_what_and_an_owner_reads_that_of_their_project(team: Team) -> None:
    projects.change_project(team.store, team.owner, team.project.id, name="Renamed")
    projects.create_project(team.store, team.stranger, "Elsewhere")
    own = audit.list_entries(team.store, team.owner, team.project.id)
    assert [(e.actor, e.action) for e in own][-1] == ("owner", "project changed")
    assert {e.project_id for e in own} == {team.project.id}
    everything = audit.list_entries(team.store, team.administrator)
    assert [e.number for e in everything] == list(range(1, len(everything) + 1))
    assert audit.list_entries(team.store, team.administrator, after=3, limit=2) == everything[3:5]


def test_neither_passwords_nor_tokens_are_in_the_log(team: Team) -> None:
    token = login.log_in(team.store, "owner", PASSWORD).token
    log = "".join(audit.export(team.store, team.administrator))
    assert token not in log
    assert PASSWORD not in log
