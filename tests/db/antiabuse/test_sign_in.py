"""Signing in on both databases: proofs, limits on guessing, and what is told."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from antiabuse import accounts, passwords, sign_in_limits, totp
from antiabuse import sign_in as room
from antiabuse.account_errors import SignInFailed, TooManyFailures
from antiabuse.account_rules import current
from antiabuse.addresses import AddressHashes
from antiabuse.sign_in import Proof
from antiabuse.utc import SECOND_US
from ledger import store
from ledger.database import Database
from ledger.event import StoredEvent
from tests.fixtures.moderators import NOON, PASSWORD, Means, People

SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
HOME = AddressHashes(address="aa", prefix="bb", network="cc")
GOOD = Proof(
    name="rosa",
    password=PASSWORD,
    code="",
    limit_keys=("home",),
    addresses=HOME,
    known_browser=False,
    old_token=None,
)
WRONG = replace(GOOD, password="not the password")


def outcome(database: Database, means: Means, proof: Proof, now_us: int = NOON) -> str:
    """Try to sign in; return what came of it."""
    try:
        room.sign_in(database, means, proof, now_us)
    except SignInFailed:
        return "failed"
    except TooManyFailures:
        return "held up"
    return "in"


def guess(
    database: Database,
    means: Means,
    *,
    name: str,
    address: str,
    known: bool = False,
    at: int = NOON,
) -> None:
    """Begin an attempt without the time that a password takes."""
    begun = sign_in_limits.attempt_of(
        means.rng, means.keys, name=name, addresses=(address,), known_browser=known
    )
    with database.write() as conn:
        sign_in_limits.begin_attempt(conn, begun, at)


def events(database: Database, kind: str) -> list[StoredEvent]:
    """Return the events of a kind."""
    with database.read() as conn:
        return [event for event in store.replay(conn) if event.kind == kind]


def test_the_right_password_opens_a_session(
    database: Database, people: People, means: Means
) -> None:
    """The token leads to a session of the account, and the log tells it by handle."""
    account = people.add("rosa")

    done = room.sign_in(database, means, replace(GOOD, name=" Rosa "), NOON)

    session = people.session(done.token)
    assert session is not None
    assert (session.name, session.handle, session.role) == ("rosa", account.handle, "moderator")
    (event,) = events(database, "moderator.signed_in")
    assert event.body["handle"] == account.handle
    assert "rosa" not in event.body_text
    with database.read() as conn:
        private = store.read_private(conn, event.id)
    assert private is not None
    assert (private["name"], private["address"]) == ("rosa", HOME.address)


def test_failures_are_all_alike(database: Database, people: People, means: Means) -> None:
    """Unknown name, wrong password, missing code and a closed account fail in the same words."""
    for name, secret in (("rosa", None), ("otto", SECRET), ("gone", None)):
        people.add(name, secret=secret)
    with database.write() as conn:
        accounts.disable(conn, means, "gone", NOON)
    tries = [WRONG, replace(GOOD, name="nobody")]
    tries += [replace(GOOD, name=name) for name in ("otto", "gone")]

    said = []
    for proof in tries:
        with pytest.raises(SignInFailed) as error:
            room.sign_in(database, means, proof, NOON)
        said.append(str(error.value))

    assert len(set(said)) == 1
    bodies = [event.body for event in events(database, "moderator.sign_in_failed")]
    assert len(bodies) == 4
    assert all(body == bodies[0] for body in bodies)


def test_unknown_names_are_hashed_too(
    database: Database, people: People, means: Means, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A digest is computed for every attempt, so time does not tell which names exist."""
    people.add("rosa")
    seen: list[str] = []

    def counted(stored: str, password: str) -> bool:
        seen.append(stored)
        return passwords.matches(stored, password)

    monkeypatch.setattr(room, "matches", counted)
    for name in ("rosa", "nobody"):
        assert outcome(database, means, replace(WRONG, name=name)) == "failed"

    assert len(seen) == 2
    assert seen[0].split("$")[1:4] == seen[1].split("$")[1:4]


def test_a_name_that_is_no_account_is_not_kept(
    database: Database, people: People, means: Means
) -> None:
    """Someone who types the password into the wrong field must not find it in our files."""
    people.add("rosa")
    outcome(database, means, replace(GOOD, name="my secret password"))

    (event,) = events(database, "moderator.sign_in_failed")
    with database.read() as conn:
        private = store.read_private(conn, event.id)
        rows = conn.exec_driver_sql("SELECT name FROM sign_in_failure").scalars().all()
    assert private is not None
    assert private["name"] is None
    assert "secret" not in repr(rows)


def test_a_code_is_asked_for_and_used_once(
    database: Database, people: People, means: Means
) -> None:
    """With codes on, the password alone fails; a good code works once only."""
    people.add("rosa", secret=SECRET)
    with_code = replace(GOOD, code=totp.code_at(SECRET, NOON))

    outcomes = [
        outcome(database, means, proof) for proof in (GOOD, with_code, with_code, with_code)
    ]

    assert outcomes == ["failed", "in", "failed", "failed"]


def test_signing_in_ends_the_browsers_old_session(
    database: Database, people: People, means: Means
) -> None:
    """A token planted in the browser beforehand is worth nothing after sign-in."""
    people.add("rosa")
    old = people.opened("rosa")

    done = room.sign_in(database, means, replace(GOOD, old_token=old), NOON)

    assert done.token != old
    assert people.session(old) is None


def test_an_outdated_digest_is_renewed(
    database: Database, people: People, means: Means, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the next sign-in the password gets the parameters in force, and still fits."""
    people.add("rosa")
    more = replace(current(), argon2_passes=4)
    monkeypatch.setattr(passwords, "current", lambda: more)

    assert outcome(database, means, GOOD) == "in"

    with database.read() as conn:
        known = accounts.find(conn, "rosa")
    assert known is not None
    assert ",t=4," in known.password_hash
    assert outcome(database, means, GOOD) == "in"


def test_five_failures_hold_up_the_name_at_that_address_only(
    database: Database, people: People, means: Means
) -> None:
    """The right password must wait too there, but not at the moderator's own address."""
    people.add("rosa")
    for _ in range(5):
        guess(database, means, name="rosa", address="stranger")

    assert outcome(database, means, replace(GOOD, limit_keys=("stranger",))) == "held up"
    assert outcome(database, means, GOOD) == "in"


def test_failures_under_an_earlier_days_digest_hold_up_too(
    database: Database, people: People, means: Means
) -> None:
    """An address bears another digest each day; a success forgives those of both days."""
    people.add("rosa")
    for _ in range(4):
        guess(database, means, name="rosa", address="yesterday")
    both = replace(GOOD, limit_keys=("today", "yesterday"))

    assert outcome(database, means, both) == "in"
    for address in ("yesterday", "yesterday", "yesterday", "today", "today"):
        guess(database, means, name="rosa", address=address)
    assert outcome(database, means, both) == "held up"
    assert outcome(database, means, replace(both, limit_keys=("tomorrow", "today"))) == "in"


def test_waiting_helps_and_the_wait_is_told(
    database: Database, people: People, means: Means
) -> None:
    """The wait ends when the oldest of the five is a quarter of an hour old."""
    people.add("rosa")
    for second in range(5):
        guess(database, means, name="rosa", address="home", at=NOON + second * SECOND_US)

    with pytest.raises(TooManyFailures) as error:
        room.sign_in(database, means, GOOD, NOON + 10 * SECOND_US)
    assert error.value.retry_after_s == 890
    assert outcome(database, means, GOOD, NOON + 900 * SECOND_US - 1) == "held up"
    assert outcome(database, means, GOOD, NOON + 900 * SECOND_US) == "in"


def test_held_up_attempts_do_not_prolong_the_wait(
    database: Database, people: People, means: Means
) -> None:
    """An attempt that was not looked at is not counted."""
    people.add("rosa")
    for _ in range(5):
        guess(database, means, name="rosa", address="home")
    for minute in range(1, 14):
        assert outcome(database, means, GOOD, NOON + minute * 60 * SECOND_US) == "held up"

    assert outcome(database, means, GOOD, NOON + 900 * SECOND_US) == "in"


def test_success_forgives_earlier_failures(
    database: Database, people: People, means: Means
) -> None:
    """Who mistyped four times and then signs in may mistype again."""
    people.add("rosa")
    for _ in range(2):
        for _ in range(4):
            guess(database, means, name="rosa", address="home")
        assert outcome(database, means, GOOD) == "in"


def test_an_address_that_tries_many_names_is_held_up(
    database: Database, people: People, means: Means
) -> None:
    """Twenty failures under any names, and the twenty-first waits."""
    people.add("rosa")
    for number in range(20):
        guess(database, means, name=f"name{number}", address="home")

    assert outcome(database, means, GOOD) == "held up"


def test_many_addresses_together_are_slowed_but_lock_nobody_out(
    database: Database, people: People, means: Means
) -> None:
    """After a hundred failures from anywhere only a browser known to the account gets in."""
    people.add("rosa")
    for number in range(100):
        guess(database, means, name="rosa", address=f"bot{number}")

    assert outcome(database, means, GOOD) == "held up"
    assert outcome(database, means, replace(GOOD, known_browser=True)) == "in"
    assert outcome(database, means, GOOD, NOON + 86_400 * SECOND_US) == "in"


def test_simultaneous_guesses_are_counted_exactly(database: Database, means: Means) -> None:
    """Of twelve attempts at once from one address five are looked at."""

    def attempt(_: int) -> bool:
        try:
            guess(database, means, name="rosa", address="home")
        except TooManyFailures:
            return False
        return True

    with ThreadPoolExecutor(12) as pool:
        looked_at = sum(pool.map(attempt, range(12)))

    assert looked_at == 5


def test_checking_the_password_again_is_limited_as_well(
    database: Database, people: People, means: Means
) -> None:
    """A stolen session is no way to guess the password faster."""
    people.add("rosa")
    room.check_password(database, means, GOOD, NOON)
    with pytest.raises(SignInFailed):
        room.check_password(database, means, WRONG, NOON)
    for _ in range(4):
        guess(database, means, name="rosa", address="home")

    with pytest.raises(TooManyFailures):
        room.check_password(database, means, GOOD, NOON)


def test_no_password_is_right_for_a_closed_account(
    database: Database, people: People, means: Means
) -> None:
    """What stands in for its digest is no password either: attempts are counted and logged."""
    people.add("rosa")
    with database.write() as conn:
        accounts.disable(conn, means, "rosa", NOON)
    decoy = replace(GOOD, password="no account has this password")
    assert passwords.matches(passwords.decoy_digest(), decoy.password)

    for _ in range(5):
        with pytest.raises(SignInFailed):
            room.check_password(database, means, decoy, NOON)

    with pytest.raises(TooManyFailures):
        room.check_password(database, means, decoy, NOON)
    assert len(events(database, "moderator.sign_in_failed")) == 5
