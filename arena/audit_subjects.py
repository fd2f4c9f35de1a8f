"""Which events of the audit log are about one vote, flag or voter, found by indexes.

A month has hundreds of thousands of events; bodies are searched in those kinds alone that can name
what is looked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Subquery,
    false,
    func,
    select,
    union,
    union_all,
)

from arena.ballot_events import (
    ANY_MODE,
    BallotReported,
    BallotShown,
    BallotSkipped,
    BallotWithdrawn,
    VoteReasoned,
    arena_stream,
)
from arena.boards import MODES
from arena.errors import UnknownCase
from arena.review_events import (
    DisputeAdvanced,
    DisputeDecided,
    DisputeOpened,
    FlagDecided,
    FlagRaised,
    NoteWritten,
    SweepFinished,
    VoterBanned,
    VoterUnbanned,
)
from arena.review_tables import (
    case_note,
    cluster_member,
    decision,
    dispute,
    dispute_step,
    flag_vote,
    joining,
    standing_change,
)
from arena.standing_events import (
    AccountJoined,
    AccountParted,
    VoteDiscounted,
    VoteRestored,
    VoteVoided,
)
from arena.tables import ballot, vote
from arena.voter_names import BANS, voter_of
from ledger.canonical import canonical
from ledger.search import body_text, recorded, recorded_for_moderators

__all__ = [
    "about_flag",
    "about_vote",
    "about_voter",
    "ballot_of",
    "done_about",
    "mentions",
    "months_of_name",
    "quoted",
]

_ON_BALLOT: Final = (BallotShown, BallotWithdrawn, BallotSkipped, BallotReported, VoteReasoned)
_STRIKES: Final = (VoteDiscounted, VoteVoided, VoteRestored)
_DISPUTES: Final = (DisputeOpened, DisputeAdvanced, DisputeDecided)
_CAST: Final = (vote.c.id, vote.c.month, vote.c.voter)
_NAMING_FLAGS: Final = (FlagDecided, NoteWritten, *_STRIKES)
_NAMING_VOTES: Final = (FlagRaised, NoteWritten, *_STRIKES, *_DISPUTES)
_NAMING_VOTERS: Final = (
    FlagRaised, SweepFinished, VoterBanned, VoterUnbanned, AccountJoined, AccountParted,
    NoteWritten, *_STRIKES,
)  # fmt: skip


def about_vote(conn: Connection, events: Subquery, name: str) -> ColumnElement[bool]:
    """Keep the events about a vote and its ballot, by the id of either."""
    of_vote = select(vote.c.ballot_id).where(vote.c.id == name)
    query = (
        select(ballot.c.id.label("ballot"), ballot.c.month.label("issued"), *_CAST)
        .outerjoin(vote, vote.c.ballot_id == ballot.c.id)
        .where(ballot.c.id == (conn.execute(of_vote).scalar() or name))
    )
    found = conn.execute(query).one_or_none()
    if found is None:
        return false()
    months = sorted({found.issued, found.month or found.issued})
    within = [_about_ballots(conn, months, select(ballot.c.id).where(ballot.c.id == found.ballot))]
    known = {found.ballot}
    if found.id is not None:
        within.append(_naming(_NAMING_VOTES, quoted(found.id)))
        known |= {found.id, *done_about(conn, found.id, found.month, found.voter)}
    named = recorded()
    within.append(select(named.c.id).where(named.c.id.in_(sorted(known))))
    return events.c.id.in_(union_all(*within))


def done_about(conn: Connection, vote_id: str, month: str, voter: str) -> Iterable[str]:
    """Yield the ids of events that flagged, struck, joined, noted or disputed a vote.

    Args:
        conn: to read with.
        vote_id: the vote.
        month: of the vote.
        voter: its voter's name in that month, which a joining names.
    """
    flags = list(
        conn.execute(select(flag_vote.c.flag_id).where(flag_vote.c.vote_id == vote_id)).scalars()
    )
    disputes = list(
        conn.execute(select(dispute.c.id).where(dispute.c.vote_id == vote_id)).scalars()
    )
    subjects = [
        f"vote:{vote_id}",
        *(f"flag:{each}" for each in flags),
        *(f"dispute:{each}" for each in disputes),
    ]
    yield from flags
    known = union(
        select(standing_change.c.event_id).where(standing_change.c.vote_id == vote_id),
        select(joining.c.event_id).where(joining.c.month == month, joining.c.voter == voter),
        select(dispute_step.c.event_id).where(dispute_step.c.dispute_id.in_(disputes)),
        select(decision.c.id).where(decision.c.subject.in_(subjects)),
        select(case_note.c.event_id).where(case_note.c.subject.in_(subjects)),
    )
    yield from conn.execute(known).scalars()


def about_flag(events: Subquery, flag_id: str) -> ColumnElement[bool]:
    """Keep a flag's own event, and those that name it."""
    return events.c.id.in_(_naming(_NAMING_FLAGS, flag_id)) | (events.c.id == flag_id)


def about_voter(
    conn: Connection, events: Subquery, name: str, *, private: bool
) -> ColumnElement[bool]:
    """Keep the events about a voter, by the name of a month, and about their ballots.

    Args:
        conn: to look the name up with.
        events: of `ledger.search`.
        name: the pseudonym.
        private: whether they may also be found by private parts.
    """
    own = select(ballot.c.id).where(ballot.c.voter == name)
    months = months_of_name(conn, name)
    # Votes of those joined to the voter bear the voter's name as that of all of them.
    joined = select(cluster_member.c.voter).where(cluster_member.c.cluster == name)
    cast = vote.c.month.in_(months) & (
        (vote.c.voter == name) | (vote.c.voter.in_(joined) & (vote.c.cluster == name))
    )
    # A ballot of the evening before bears the name of its own month, the vote on it this one.
    voted = select(vote.c.ballot_id).where(vote.c.month.in_(months), vote.c.voter == name)
    found: list[Select[Any]] = [
        own,
        select(vote.c.id).where(cast),
        _naming(_NAMING_VOTERS, quoted(name)),
        _about_ballots(conn, months, own),
        _about_ballots(conn, months, voted),
    ]
    if private:
        found.extend(_of_holder(conn, name, months))
    return events.c.id.in_(union(*found))


def months_of_name(conn: Connection, name: str) -> list[str]:
    """Return the months in which a ballot, or else a vote or a ban, bears a voter's name."""
    found = select(ballot.c.month).where(ballot.c.voter == name).distinct()
    months = conn.execute(found).scalars().all()
    if months:  # names of different months differ
        return list(months)
    cast = select(vote.c.month).where(vote.c.voter == name)
    banned = select(decision.c.month).where(
        decision.c.kind.in_(BANS),
        decision.c.subject.endswith(f":{name}", autoescape=True),
    )
    return sorted(conn.execute(union(cast, banned)).scalars())


def _of_holder(conn: Connection, name: str, months: Sequence[str]) -> list[Select[Any]]:
    """Find what private parts tell; the name belongs to one month, the voter's id to all."""
    within, found = recorded_for_moderators(), []
    for month in months:
        try:
            voter_id = voter_of(conn, month, name)
        except UnknownCase:  # erased: private parts tell nothing any more
            continue
        found.append(
            select(within.c.id).where(
                within.c.about == voter_id, within.c.stream.in_(_streams([month]))
            )
        )
    return found


def _about_ballots(conn: Connection, months: Sequence[str], ballots: Select[Any]) -> Select[Any]:
    within = recorded()
    return select(within.c.id).where(
        within.c.kind.in_([event.KIND for event in _ON_BALLOT]),
        within.c.stream.in_(_streams(months)),
        body_text(conn, within.c.body, "ballot").in_(ballots),
    )


def _naming(kinds: Sequence[type[Any]], words: str) -> Select[Any]:
    within = recorded()
    return select(within.c.id).where(
        within.c.kind.in_([event.KIND for event in kinds]), mentions(within, words)
    )


def _streams(months: Sequence[str]) -> list[str]:
    return [arena_stream(mode, month) for mode in (*MODES, ANY_MODE) for month in months]


def ballot_of(conn: Connection, events: Subquery) -> ColumnElement[str]:
    """Return the id of the ballot that an event may be about: the one it names, or its own."""
    return func.coalesce(body_text(conn, events.c.body, "ballot"), events.c.id)


def quoted(value: str) -> str:
    """Write a text as canonical JSON does."""
    return canonical(value).decode()


def mentions(events: Subquery, words: str) -> ColumnElement[bool]:
    """Keep events whose body has these words."""
    return events.c.body.contains(words, autoescape=True)
