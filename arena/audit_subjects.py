"""Which events of the audit log are about one vote, flag or voter, found by indexes.

A month has hundreds of thousands of events; bodies are searched in those kinds alone that can name
what is looked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, Subquery, false, select, union

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
from arena.review_tables import cluster_member
from arena.standing_events import (
    AccountJoined,
    AccountParted,
    VoteDiscounted,
    VoteRestored,
    VoteVoided,
)
from arena.tables import ballot, ballot_holder, vote
from ledger.canonical import canonical
from ledger.search import body_text, recorded, recorded_for_moderators

__all__ = ["about_flag", "about_vote", "about_voter", "mentions", "on_ballots", "quoted"]

_ON_BALLOT: Final = (BallotShown, BallotWithdrawn, BallotSkipped, BallotReported, VoteReasoned)
_STRIKES: Final = (VoteDiscounted, VoteVoided, VoteRestored)
_DISPUTES: Final = (DisputeOpened, DisputeAdvanced, DisputeDecided)
_NAMING_FLAGS: Final = (FlagDecided, NoteWritten, *_STRIKES)
_NAMING_VOTES: Final = (FlagRaised, NoteWritten, *_STRIKES, *_DISPUTES)
_NAMING_VOTERS: Final = (
    FlagRaised, SweepFinished, VoterBanned, VoterUnbanned, AccountJoined, AccountParted,
    NoteWritten, *_STRIKES,
)  # fmt: skip


def about_vote(conn: Connection, events: Subquery, vote_id: str) -> ColumnElement[bool]:
    """Keep the events about a vote and its ballot."""
    found = conn.execute(
        select(vote.c.ballot_id, vote.c.month).where(vote.c.id == vote_id)
    ).one_or_none()
    if found is None:
        return false()
    ids = union(
        _naming(_NAMING_VOTES, quoted(vote_id)),
        _about_ballots(
            conn, [found.month], select(ballot.c.id).where(ballot.c.id == found.ballot_id)
        ),
    )
    return events.c.id.in_(ids) | events.c.id.in_((vote_id, found.ballot_id))


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
    months = conn.execute(select(ballot.c.month).where(ballot.c.voter == name).distinct())
    of_months = list(months.scalars())
    # Votes of those joined to the voter bear the voter's name as that of all of them.
    joined = select(cluster_member.c.voter).where(cluster_member.c.cluster == name)
    cast = vote.c.month.in_(of_months) & (
        (vote.c.voter == name) | (vote.c.voter.in_(joined) & (vote.c.cluster == name))
    )
    found: list[Select[Any]] = [
        own,
        select(vote.c.id).where(cast),
        _naming(_NAMING_VOTERS, quoted(name)),
        _about_ballots(conn, of_months, own),
    ]
    if private:
        found.extend(_of_holder(conn, own, of_months))
    return events.c.id.in_(union(*found))


def _of_holder(conn: Connection, own: Select[Any], months: Sequence[str]) -> list[Select[Any]]:
    """Find what private parts tell; the name belongs to one month, the voter's id to all."""
    holder = select(ballot_holder.c.voter_id).where(ballot_holder.c.ballot_id.in_(own)).limit(1)
    voter_id = conn.execute(holder).scalar()
    if voter_id is None:
        return []
    within = recorded_for_moderators()
    return [
        select(within.c.id).where(within.c.about == voter_id, within.c.stream.in_(_streams(months)))
    ]


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


def on_ballots(conn: Connection, events: Subquery, ballots: Select[Any]) -> ColumnElement[bool]:
    """Keep events about any of these ballots, their issue among them."""
    return events.c.id.in_(ballots) | body_text(conn, events.c.body, "ballot").in_(ballots)


def quoted(value: str) -> str:
    """Write a text as canonical JSON does."""
    return canonical(value).decode()


def mentions(events: Subquery, words: str) -> ColumnElement[bool]:
    """Keep events whose body has these words."""
    return events.c.body.contains(words, autoescape=True)
