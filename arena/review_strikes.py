"""Which struck votes count again when a decision on a flag or an answer is taken back.

At most one strike is in force on a vote; what was decided after it found the vote struck and left
it so. A vote stays struck as long as the case it was struck for, or one decided since, holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, select

from arena.case_subject import Subject
from arena.review_events import FlagDecided
from arena.review_rulings import leaks_known_since
from arena.review_tables import decision, flag, flag_vote, vote_strike
from arena.stored_events import stored_event
from arena.tables import ballot_slot, vote
from ledger.search import recorded

__all__ = ["released"]

_PAGE: Final = 500


@dataclass(frozen=True, slots=True)
class _Strike:
    """The strike in force on a vote: its place in true order, and the case it was made for."""

    seq: int
    case: str


def released(conn: Connection, vote_ids: Iterable[str], taken_back: Subject) -> list[str]:
    """Return those of some votes that nothing keeps struck any more once a case is taken back.

    Args:
        conn: to read with; to decide by it, the votes have to be locked.
        vote_ids: struck or not.
        taken_back: the flag or answer whose decision ends.

    Returns:
        Struck votes, sorted: for this case, or for one that was taken back while this kept them.
        What a moderator struck one by one, or as all of a voter's, stays.
    """
    found: list[str] = []
    wanted = sorted(set(vote_ids))
    for start in range(0, len(wanted), _PAGE):
        strikes = _strikes(conn, wanted[start : start + _PAGE])
        of_cases = {
            vote_id: strike
            for vote_id, strike in strikes.items()
            if strike.case.startswith(("flag:", "answer:"))
        }
        kept = set(_kept(conn, of_cases, taken_back))
        found.extend(vote_id for vote_id in of_cases if vote_id not in kept)
    return found


def _strikes(conn: Connection, vote_ids: Sequence[str]) -> dict[str, _Strike]:
    query = select(vote_strike.c.vote_id, vote_strike.c.event_id)
    of_votes = query.where(vote_strike.c.vote_id.in_(vote_ids)).order_by(vote_strike.c.vote_id)
    rows = conn.execute(of_votes).all()
    made: dict[str, _Strike] = {}
    for event_id in {row.event_id for row in rows}:
        event = stored_event(conn, event_id)
        by_detector = "flag" in event.body
        case = f"flag:{event.body['flag']}" if by_detector else str(event.body["case"])
        made[event_id] = _Strike(event.seq, case)
    return {row.vote_id: made[row.event_id] for row in rows}


def _kept(conn: Connection, strikes: Mapping[str, _Strike], taken_back: Subject) -> Iterator[str]:
    """Yield the votes that a case other than the one taken back keeps struck."""
    for vote_id, case, since in (
        *_by_flags(conn, list(strikes)),
        *_by_answers(conn, list(strikes)),
    ):
        strike = strikes[vote_id]
        if case != str(taken_back) and (case == strike.case or since > strike.seq):
            yield vote_id


def _by_flags(conn: Connection, vote_ids: Sequence[str]) -> list[tuple[str, str, int]]:
    """Return vote, flag and since when, of upheld flags and of open ones, which end nothing.

    An open flag keeps what its detector struck, and nothing that was struck for another case.
    """
    query = (
        select(flag_vote.c.vote_id, flag.c.id, flag.c.state)
        .join(flag, flag.c.id == flag_vote.c.flag_id)
        .where(flag_vote.c.vote_id.in_(vote_ids), flag.c.state != "dismissed")
    )
    rows = conn.execute(query).all()
    since = _last_upheld(conn, {row.id for row in rows if row.state == "upheld"})
    return [(row.vote_id, f"flag:{row.id}", since.get(row.id, 0)) for row in rows]


def _last_upheld(conn: Connection, flag_ids: set[str]) -> dict[str, int]:
    events = recorded()
    query = (
        select(decision.c.subject, events.c.seq)
        .join(events, events.c.id == decision.c.id)
        .where(
            decision.c.kind == FlagDecided.KIND,
            decision.c.verdict == "upheld",
            decision.c.subject.in_([f"flag:{each}" for each in flag_ids]),
        )
        .order_by(events.c.seq)
    )
    return {row.subject.removeprefix("flag:"): row.seq for row in conn.execute(query)}


def _by_answers(conn: Connection, vote_ids: Sequence[str]) -> list[tuple[str, str, int]]:
    """Return vote, answer and since when, of answers that are known to tell their author."""
    known = leaks_known_since(conn)
    query = (
        select(vote.c.id, ballot_slot.c.answer_id)
        .join(ballot_slot, ballot_slot.c.ballot_id == vote.c.ballot_id)
        .where(vote.c.id.in_(vote_ids), ballot_slot.c.answer_id.in_(sorted(known)))
    )
    return [
        (row.id, f"answer:{row.answer_id}", known[row.answer_id]) for row in conn.execute(query)
    ]
