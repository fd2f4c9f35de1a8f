"""Accounts and sessions on both databases."""

from __future__ import annotations

import pytest
from sqlalchemy import select, text

from antiabuse import accounts, sessions
from antiabuse.account_errors import UnknownAccount, UnusableName
from antiabuse.tables import moderator_session
from antiabuse.utc import SECOND_US
from ledger import store
from ledger.database import Database
from ledger.event import StoredEvent
from tests.fixtures.moderators import NOON, Means, People, digest_of

MINUTE = 60 * SECOND_US
HOUR = 60 * MINUTE


def events(database: Database) -> list[StoredEvent]:
    """Return all events."""
    with database.read() as conn:
        return list(store.replay(conn))


def test_adding_an_account_is_an_event_without_the_name(database: Database, people: People) -> None:
    """The public body holds handle and role; the name is private, secrets are nowhere."""
    account = people.add("rosa", "moderator", "A" * 32)

    (event,) = events(database)
    with database.read() as conn:
        private = store.read_private(conn, event.id)
    assert (event.kind, event.body["handle"]) == ("moderator.changed", account.handle)
    assert (event.body["change"], event.body["role"]) == ("added", "moderator")
    assert "rosa" not in event.body_text
    assert private == {"name": "rosa", "time_us": NOON}


@pytest.mark.parametrize("name", ["", "Rosa", "-rosa", "rosa-", "r" * 33, "rosa klein", "rösa"])
def test_unusable_names_are_refused(people: People, name: str) -> None:
    """Names are short and plain, so that nobody mistakes one for another."""
    with pytest.raises(UnusableName):
        people.add(name)


def test_a_name_is_given_once(database: Database, people: People, means: Means) -> None:
    """Not even a disabled account's name is used again: the log speaks of it."""
    people.add("rosa")
    with database.write() as conn:
        accounts.disable(conn, means, "rosa", NOON)

    with pytest.raises(UnusableName):
        people.add("rosa")


def test_handles_differ(people: People) -> None:
    """Each account has a handle of its own."""
    assert len({people.add(f"m{number}").handle for number in range(20)}) == 20


def test_disabling_ends_sessions_and_cannot_be_done_twice(
    database: Database, people: People, means: Means
) -> None:
    """A disabled account is signed out everywhere, and the second time there is none."""
    people.add("rosa")
    token = people.opened("rosa")

    with database.write() as conn:
        accounts.disable(conn, means, "rosa", NOON)

    assert people.session(token) is None
    with database.write() as conn, pytest.raises(UnknownAccount):
        accounts.disable(conn, means, "rosa", NOON)


@pytest.mark.parametrize("change", ["password", "code"])
def test_new_proofs_of_identity_end_sessions(
    database: Database, people: People, means: Means, change: str
) -> None:
    """Whoever stole a session loses it when password or code are changed; others keep theirs."""
    people.add("rosa")
    people.add("otto")
    stolen, other = people.opened("rosa"), people.opened("otto")

    with database.write() as conn:
        if change == "password":
            digest = digest_of("seven loud rivers run")
            accounts.set_password(
                conn, means, name="rosa", password_hash=digest, by="M-0000", now_us=NOON
            )
        else:
            accounts.set_code(conn, means, name="rosa", secret="A" * 32, by="M-0000", now_us=NOON)

    assert people.session(stolen) is None
    assert people.session(other) is not None


def test_unknown_accounts_cannot_be_changed(database: Database, means: Means) -> None:
    """A change of nothing is an error, not silence."""
    with database.write() as conn, pytest.raises(UnknownAccount):
        accounts.set_code(conn, means, name="nobody", secret=None, by="operator", now_us=NOON)


def test_each_step_of_codes_is_used_once(database: Database, people: People) -> None:
    """A step cannot be used again, nor one before it."""
    people.add("rosa", secret="A" * 32)

    with database.write() as conn:
        used = [accounts.use_code_step(conn, "rosa", step) for step in (100, 100, 99, 101)]

    assert used == [True, False, False, True]


def test_the_database_holds_no_token(database: Database, people: People) -> None:
    """What opens a session stands in the cookie only."""
    people.add("rosa")
    token = people.opened("rosa")

    with database.read() as conn:
        rows = conn.execute(select(moderator_session)).all()
    assert len(rows) == 1
    assert token not in repr(rows)


@pytest.mark.parametrize("presented", ["", "x", "x" * 65, "ü" * 43])
def test_other_tokens_open_nothing(people: People, presented: str) -> None:
    """A made-up token finds no session."""
    people.add("rosa")
    people.opened("rosa")

    assert people.session(presented) is None


def test_a_session_ends_after_an_hour_without_use(database: Database, people: People) -> None:
    """It is open just before the hour, and each use starts the hour anew."""
    people.add("rosa")
    token = people.opened("rosa")
    session = people.session(token, NOON + HOUR - 1)
    assert session is not None
    assert people.session(token, NOON + HOUR) is None

    with database.write() as conn:
        sessions.touch(conn, session, NOON + HOUR - 1)

    assert people.session(token, NOON + HOUR) is not None


def test_a_session_ends_after_twelve_hours_of_use(database: Database, people: People) -> None:
    """However busy, nobody stays signed in longer than a working day."""
    people.add("rosa")
    token = people.opened("rosa")
    for minutes in range(30, 12 * 60, 30):
        session = people.session(token, NOON + minutes * MINUTE)
        assert session is not None
        with database.write() as conn:
            sessions.touch(conn, session, NOON + minutes * MINUTE)

    assert people.session(token, NOON + 12 * HOUR - 1) is not None
    assert people.session(token, NOON + 12 * HOUR) is None


def test_use_is_written_down_once_a_minute(people: People) -> None:
    """A session says when its next use is worth a write."""
    people.add("rosa")
    session = people.session(people.opened("rosa"))

    assert session is not None
    assert not session.is_due(NOON + MINUTE - 1)
    assert session.is_due(NOON + MINUTE)


def test_signing_in_sweeps_ended_sessions(database: Database, people: People) -> None:
    """Ended sessions do not pile up."""
    people.add("rosa")
    people.opened("rosa")
    people.opened("rosa", NOON + HOUR)

    with database.read() as conn:
        assert conn.execute(text("SELECT count(*) FROM moderator_session")).scalar_one() == 1


def test_signing_out_everywhere_is_an_event(
    database: Database, people: People, means: Means
) -> None:
    """All sessions of the account end, and the log says so."""
    account = people.add("rosa")
    tokens = [people.opened("rosa") for _ in range(3)]

    with database.write() as conn:
        assert accounts.sign_out_everywhere(conn, means, "rosa", NOON) == 3

    assert [people.session(token) for token in tokens] == [None] * 3
    last = events(database)[-1].body
    assert (last["change"], last["by"]) == ("signed_out_everywhere", account.handle)
