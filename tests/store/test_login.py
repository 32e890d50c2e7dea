import pytest
from team import PASSWORD, Team, signed_in

from ammg.errors import Conflict, Denied, InputError, NotFound, NotSignedIn, TooMany
from ammg.store import login, people, projects, tokens
from ammg.store.store import Store


def test_the_first_link_makes_one_administrator_and_no_more(store: Store) -> None:
    old, link = people.first_link(store), people.first_link(store)
    assert old is not None
    assert link is not None
    with pytest.raises(NotSignedIn, match="used or expired"):
        people.accept(store, old, "early", "", PASSWORD)
    assert people.accept(store, link, "admin", "", PASSWORD).is_administrator
    assert people.first_link(store) is None
    with pytest.raises(NotSignedIn):
        people.accept(store, link, "second", "", PASSWORD)


def test_an_invitation_can_be_used_once_and_ends(team: Team) -> None:
    link = people.invite(team.store, team.administrator)
    people.accept(team.store, link.token, "new", "New Person", PASSWORD)
    with pytest.raises(NotSignedIn):
        people.accept(team.store, link.token, "other", "", PASSWORD)
    late = people.invite(team.store, team.administrator)
    gone = people.invite(team.store, team.administrator)
    people.revoke_invitation(team.store, team.administrator, gone.invitation.id)
    team.wait(days=8)
    for link in (late, gone):
        with pytest.raises(NotSignedIn):
            people.accept(team.store, link.token, "late", "", PASSWORD)


def test_names_are_unique_whatever_their_case(team: Team) -> None:
    link = people.invite(team.store, team.administrator)
    with pytest.raises(Conflict, match="choose another"):
        people.accept(team.store, link.token, "OWNER", "", PASSWORD)
    assert people.accept(team.store, link.token, "owner2", "", PASSWORD).name == "owner2"


@pytest.mark.parametrize("password", ["short", "aaaaaaaaaaaaaaaaaa", "x" * 300])
def test_weak_passwords_are_refused(team: Team, password: str) -> None:
    link = people.invite(team.store, team.administrator)
    with pytest.raises(InputError, match="password"):
        people.accept(team.store, link.token, "new", "", password)


def test_a_wrong_password_and_an_unknown_name_get_the_same_answer(team: Team) -> None:
    answers = set()
    for name in ("owner", "nobody"):
        with pytest.raises(NotSignedIn) as refused:
            login.log_in(team.store, name, "wrong")
        answers.add(str(refused.value))
    assert len(answers) == 1


def test_an_account_is_closed_for_a_while_after_five_wrong_passwords(team: Team) -> None:
    for _ in range(5):
        with pytest.raises(NotSignedIn):
            login.log_in(team.store, "owner", "wrong", "10.0.0.1")
    with pytest.raises(TooMany) as refused:
        login.log_in(team.store, "OWNER", PASSWORD, "10.0.0.2")
    assert 0 < refused.value.retry_after <= 15 * 60
    login.log_in(team.store, "analyst", PASSWORD, "10.0.0.1")
    team.wait(minutes=16)
    login.log_in(team.store, "owner", PASSWORD, "10.0.0.2")


def test_an_address_that_tries_many_names_is_refused(team: Team) -> None:
    for number in range(30):
        with pytest.raises(NotSignedIn):
            login.log_in(team.store, f"name{number}", "wrong", "10.0.0.1")
    with pytest.raises(TooMany):
        login.log_in(team.store, "owner", PASSWORD, "10.0.0.1")
    login.log_in(team.store, "owner", PASSWORD, "10.0.0.2")


def test_a_session_ends_by_age_by_idleness_by_hand_and_with_the_account(team: Team) -> None:
    token = login.log_in(team.store, "stranger", PASSWORD).token
    team.wait(hours=7)
    actor = login.authenticate(team.store, token)
    team.wait(hours=7)  # used in between
    login.authenticate(team.store, token)
    team.wait(hours=9)
    with pytest.raises(NotSignedIn, match="idle"):
        login.authenticate(team.store, token)
    token = login.log_in(team.store, "stranger", PASSWORD).token
    other = login.log_in(team.store, "stranger", PASSWORD).token
    actor = login.authenticate(team.store, token)
    login.revoke_sessions(team.store, actor)
    with pytest.raises(NotSignedIn):
        login.authenticate(team.store, other)
    login.log_out(team.store, actor)
    with pytest.raises(NotSignedIn):
        login.authenticate(team.store, token)
    token = login.log_in(team.store, "stranger", PASSWORD).token
    for _ in range(8):
        team.wait(hours=7)
        login.authenticate(team.store, token)
    team.wait(days=5)
    with pytest.raises(NotSignedIn, match="expired"):
        login.authenticate(team.store, token)
    administrator = signed_in(team.store, "admin")
    token = login.log_in(team.store, "stranger", PASSWORD).token
    people.set_user_active(team.store, administrator, team.stranger.user_id, False)
    with pytest.raises(NotSignedIn):
        login.authenticate(team.store, token)
    with pytest.raises(NotSignedIn):
        login.log_in(team.store, "stranger", PASSWORD)


def test_nobody_ends_the_sessions_of_others(team: Team) -> None:
    (session,) = login.list_sessions(team.store, team.owner)
    with pytest.raises(NotFound):
        login.revoke_session(team.store, team.stranger, session.id)


def test_a_new_password_ends_what_the_old_one_opened(team: Team) -> None:
    with pytest.raises(InputError, match="old password"):
        people.change_password(team.store, team.owner, "wrong", "a completely new one")
    other = login.log_in(team.store, "owner", PASSWORD).token
    api = tokens.create_token(team.store, team.owner, "script", ["read"], 30).token
    people.change_password(team.store, team.owner, PASSWORD, "a completely new one")
    for token in (other, api):
        with pytest.raises(NotSignedIn):
            login.authenticate(team.store, token)
    link = people.reset_link(team.store, team.administrator, team.owner.user_id)
    people.accept(team.store, link.token, "", "", PASSWORD)
    signed_in(team.store, "owner")


def test_a_token_does_what_its_scopes_say_until_it_ends(team: Team) -> None:
    made = tokens.create_token(team.store, team.owner, "script", ["read"], 30)
    actor = login.authenticate(team.store, made.token)
    assert [project.name for project in projects.list_projects(team.store, actor)] == ["Patients"]
    with pytest.raises(Denied, match="scope 'write'"):
        projects.create_project(team.store, actor, "New")
    with pytest.raises(Denied, match="sign in"):
        tokens.create_token(team.store, actor, "more", ["write"], 30)
    team.wait(days=31)
    with pytest.raises(NotSignedIn):
        login.authenticate(team.store, made.token)


def test_a_token_never_does_more_than_its_person(team: Team) -> None:
    made = tokens.create_token(team.store, team.owner, "script", ["admin", "read"], 30)
    with pytest.raises(Denied, match="administrators"):
        people.list_users(team.store, login.authenticate(team.store, made.token))
    tokens.revoke_token(team.store, team.owner, made.info.id)
    with pytest.raises(NotSignedIn):
        login.authenticate(team.store, made.token)


@pytest.mark.parametrize(("scopes", "days"), [([], 30), (["everything"], 30), (["read"], 0), (["read"], 10_000)])
def test_tokens_without_scope_or_end_are_refused(team: Team, scopes: list[str], days: int) -> None:
    with pytest.raises(InputError):
        tokens.create_token(team.store, team.owner, "script", scopes, days)


def test_tokens_are_kept_as_digests(team: Team) -> None:
    made = login.log_in(team.store, "owner", PASSWORD)
    database = (team.store.settings.data / "ammg.sqlite").read_bytes()
    wal = team.store.settings.data / "ammg.sqlite-wal"
    kept = database + (wal.read_bytes() if wal.exists() else b"")
    assert b"owner" in kept
    assert made.token.encode() not in kept
    assert PASSWORD.encode() not in kept
    assert made.token not in repr(made)
