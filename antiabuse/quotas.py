"""Daily quotas and the cooldown: each spent by one conditional UPDATE, so no race spends twice.

Works inside the caller's write transaction; the counters live in the database, so they hold across
workers and restarts (V-116 to V-119, V-128, V-152).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from itertools import groupby
from typing import Final

from sqlalchemy import Connection

from antiabuse.erased import drop_row, erased_digest, is_erased
from antiabuse.errors import UnknownVoter
from antiabuse.rules import current
from antiabuse.statements import Statement
from antiabuse.utc import DAY_US, SECOND_US, day_of, minute_of
from antiabuse.voter import Consent, VoterRow, VoterState, voter_state

_COLUMNS: Final = ", ".join(field.name for field in fields(VoterRow))

_REGISTER: Final = Statement(
    f"INSERT INTO voter ({_COLUMNS})"  # noqa: S608
    " SELECT :id, :now, :day, 0, 0, 0, NULL, NULL, NULL"
    " WHERE NOT EXISTS (SELECT 1 FROM erased_voter WHERE id_sha256 = :digest)"
    " ON CONFLICT (id) DO NOTHING"
)
_READ: Final = Statement(f"SELECT {_COLUMNS} FROM voter WHERE id = :id")  # noqa: S608
_LOCK: Final = Statement(f"SELECT {_COLUMNS} FROM voter WHERE id = :id", lock_rows=True)  # noqa: S608
_CONSENT: Final = Statement("UPDATE voter SET consent = :consent WHERE id = :id")

# A day goes back from far ahead alone: a clock set back over midnight must not give a second quota,
# nor may one that ran ahead for days keep a voter's counts until that day comes.
_OTHER_DAY: Final = "day < :day OR day > :tomorrow"
_TODAY: Final = f"""
    day = CASE WHEN {_OTHER_DAY} THEN :day ELSE day END,
    votes = CASE WHEN {_OTHER_DAY} THEN 0 ELSE votes END + :vote,
    ballots = CASE WHEN {_OTHER_DAY} THEN 0 ELSE ballots END + :ballot,
    skips = CASE WHEN {_OTHER_DAY} THEN 0 ELSE skips END + :skip"""
_SPEND_VOTE: Final = Statement(
    f"UPDATE voter SET {_TODAY}, last_vote_us = :now"  # noqa: S608
    f" WHERE id = :id AND banned_us IS NULL AND ({_OTHER_DAY} OR votes < :cap)"
    # A last vote further ahead than clocks differ was counted by a clock since set back.
    " AND (last_vote_us IS NULL OR last_vote_us <= :latest OR last_vote_us > :ahead)"
)
_SPEND_BALLOT: Final = Statement(
    f"UPDATE voter SET {_TODAY} WHERE id = :id AND ({_OTHER_DAY} OR ballots < :cap)"  # noqa: S608
)
_SPEND_SKIP: Final = Statement(
    f"UPDATE voter SET {_TODAY} WHERE id = :id AND ({_OTHER_DAY} OR skips < :cap)"  # noqa: S608
)

_TALLY: Final = Statement(
    "INSERT INTO refusal_tally (address, minute_us, scope, refusals)"
    " VALUES (:address, :minute, :scope, 1)"
    " ON CONFLICT (address, minute_us, scope)"
    " DO UPDATE SET refusals = refusal_tally.refusals + 1"
)
_TAKE: Final = Statement(
    "DELETE FROM refusal_tally WHERE minute_us < :before"
    " RETURNING minute_us, address, scope, refusals"
)


class LimitScope(StrEnum):
    """Which request limit was hit (V-113)."""

    BALLOTS = "ballots"
    READING = "reading"


@dataclass(frozen=True, slots=True)
class RefusalTally:
    """Refusals by rate of one address (keyed digest) in the minute that begins at `minute_us`."""

    address: str
    minute_us: int
    scopes: tuple[tuple[LimitScope, int], ...]

    @property
    def count(self) -> int:
        """All refusals of the address in that minute."""
        return sum(count for _, count in self.scopes)


def register(conn: Connection, voter_id: str, now_us: int) -> bool:
    """Store a voter id; a known one stays as it is, an erased one stays out. Tell if it is new."""
    registered = _REGISTER.run(
        conn, id=voter_id, now=now_us, day=day_of(now_us), digest=erased_digest(voter_id)
    )
    if registered.rowcount != 1:
        return False
    # The insert may have waited for an erasure that its own look at the erased ids came before;
    # SQLite has one writer at a time.
    if conn.dialect.name != "sqlite" and is_erased(conn, voter_id):
        drop_row(conn, voter_id)
        return False
    return True


def read(conn: Connection, voter_id: str, now_us: int) -> VoterState | None:
    """Return the voter's state as of now, or None if it is not registered."""
    row = stored(conn, voter_id)
    return None if row is None else voter_state(row, now_us, current())


def stored(conn: Connection, voter_id: str) -> VoterRow | None:
    """Return the voter's row as stored, or None if it is not registered."""
    row = _READ.run(conn, id=voter_id).fetchone()
    return None if row is None else VoterRow(*tuple(row))


def lock(conn: Connection, voter_id: str, now_us: int) -> VoterState:
    """Return the voter's state as of now and keep others from changing it until the commit.

    Raises:
        UnknownVoter: the voter is not registered.
    """
    row = _LOCK.run(conn, id=voter_id).fetchone()
    if row is None:
        raise UnknownVoter("the voter is not registered")
    return voter_state(VoterRow(*tuple(row)), now_us, current())


def read_cluster(
    conn: Connection, voter_id: str, others: Sequence[str], now_us: int
) -> VoterState | None:
    """Return a voter's state as `read` does, with what others joined to them used as well.

    One person has one day's allowance, under however many ids (V-152), and a ban of one id holds
    for all of them.
    """
    own = read(conn, voter_id, now_us)
    if own is None or not others:
        return own
    states = [read(conn, other, now_us) for other in others]
    return _together(own, [state for state in states if state is not None])


def lock_cluster(conn: Connection, voter_id: str, others: Sequence[str], now_us: int) -> VoterState:
    """Return a voter's state as `lock` does, with what others joined to them used as well.

    All their rows are locked, in one order, so that no two of them spend the same allowance.

    Raises:
        UnknownVoter: the voter is not registered.
    """
    if not others:
        return lock(conn, voter_id, now_us)
    rows = [_LOCK.run(conn, id=each).fetchone() for each in sorted({voter_id, *others})]
    states = {
        row.id: voter_state(VoterRow(*tuple(row)), now_us, current())
        for row in rows
        if row is not None
    }
    own = states.pop(voter_id, None)
    if own is None:
        raise UnknownVoter("the voter is not registered")
    return _together(own, list(states.values()))


def _together(own: VoterState, others: Sequence[VoterState]) -> VoterState:
    rules = current()
    states = (own, *others)
    votes, ballots, skips = (
        sum(getattr(state, name) for state in states) for name in ("votes", "ballots", "skips")
    )
    return replace(
        own,
        banned=any(state.banned for state in states),
        votes=votes,
        ballots=ballots,
        skips=skips,
        votes_left=max(0, rules.daily_votes - votes),
        ballots_left=max(0, rules.daily_ballots - ballots),
        skips_left=max(0, rules.daily_skips - skips),
    )


def spend_vote(conn: Connection, voter_id: str, now_us: int) -> bool:
    """Count one vote; False, and nothing changed, in the cooldown, at the cap, or when banned."""
    rules = current()
    spent = _SPEND_VOTE.run(
        conn,
        id=voter_id,
        **_days(now_us),
        now=now_us,
        latest=now_us - rules.cooldown_s * SECOND_US,
        ahead=now_us + rules.cooldown_s * SECOND_US,
        cap=rules.daily_votes,
        vote=1,
        ballot=0,
        skip=0,
    )
    return spent.rowcount == 1


def _days(now_us: int) -> dict[str, str]:
    return {"day": day_of(now_us), "tomorrow": day_of(now_us + DAY_US)}


def spend_ballot(conn: Connection, voter_id: str, now_us: int) -> bool:
    """Count one issued ballot; False at the day's cap."""
    cap = current().daily_ballots
    spent = _SPEND_BALLOT.run(conn, id=voter_id, **_days(now_us), cap=cap, vote=0, ballot=1, skip=0)
    return spent.rowcount == 1


def spend_skip(conn: Connection, voter_id: str, now_us: int) -> bool:
    """Count one skip; False at the day's cap."""
    cap = current().daily_skips
    spent = _SPEND_SKIP.run(conn, id=voter_id, **_days(now_us), cap=cap, vote=0, ballot=0, skip=1)
    return spent.rowcount == 1


def set_consent(conn: Connection, voter_id: str, consent: Consent) -> None:
    """Store the voter's answer about the fingerprint.

    Raises:
        UnknownVoter: the voter is not registered.
    """
    if _CONSENT.run(conn, id=voter_id, consent=consent).rowcount == 0:
        raise UnknownVoter("the voter is not registered")


def tally_rate_refusal(conn: Connection, address: str, now_us: int, scope: LimitScope) -> None:
    """Count one refusal by rate of an address (keyed digest) in its minute."""
    _TALLY.run(conn, address=address, minute=minute_of(now_us), scope=scope.value)


def take_tallies(conn: Connection, now_us: int) -> list[RefusalTally]:
    """Remove and return the tallies of all minutes finished by now, one per address and minute."""
    rows: list[tuple[int, str, str, int]] = sorted(
        tuple(row) for row in _TAKE.run(conn, before=minute_of(now_us))
    )
    return [
        RefusalTally(
            address, minute_us, tuple((LimitScope(scope), count) for _, _, scope, count in group)
        )
        for (minute_us, address), group in groupby(rows, key=lambda row: (row[0], row[1]))
    ]
