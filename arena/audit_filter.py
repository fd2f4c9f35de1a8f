"""Which events of the audit log are wanted, and how that is said to the database."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, Subquery, and_, or_, select

from antiabuse.utc import SECOND_US
from arena.ballot_events import arena_stream
from arena.errors import UnknownCode
from arena.tables import ballot, ballot_holder, ballot_slot, vote
from ledger.canonical import canonical
from ledger.search import TIMED, body_text, uuid7_from

__all__ = ["AuditFilter", "conditions", "streams"]

_MODES: Final = ("speed", "expert", "any")
_HOUR_US: Final = 3600 * SECOND_US


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """Which events; every field that is given must hold.

    Attributes:
        kinds: any of these, such as `vote.cast`; all where empty.
        mode: `speed`, `expert`, or `any` for what belongs to neither.
        month: `2026-11`.
        voter: a pseudonym.
        question: an id.
        model: a slug; also events about ballots that showed it.
        reason: a code, also a vote's or a detector's name.
        since: the first hour, as bodies show it, `2026-11-30T13:00Z`.
        until: the last hour, likewise.
        flag: an id; events about that flag.
        vote: an id; events about that vote and its ballot.
    """

    kinds: tuple[str, ...] = ()
    mode: str | None = None
    month: str | None = None
    voter: str | None = None
    question: str | None = None
    model: str | None = None
    reason: str | None = None
    since: str | None = None
    until: str | None = None
    flag: str | None = None
    vote: str | None = None


def conditions(
    conn: Connection, events: Subquery, wanted: AuditFilter, *, private: bool
) -> list[ColumnElement[bool]]:
    """Return what events must fulfil beside standing in one of the `streams`.

    Bodies are canonical JSON, in which `"name":"value"` stands for this field and nothing else.

    Args:
        conn: says which database it is for.
        events: of `ledger.search`.
        wanted: the filter.
        private: whether voters may also be found by private parts.

    Raises:
        UnknownCode: an hour that is none.
    """
    found: list[ColumnElement[bool]] = []
    if wanted.kinds:
        found.append(events.c.kind.in_(wanted.kinds))
    if wanted.voter is not None:
        found.append(_of_voter(conn, events, wanted.voter, private=private))
    if wanted.question is not None:
        on = select(ballot.c.id).where(ballot.c.question_id == wanted.question)
        found.append(or_(_says(events, "question", wanted.question), _on(conn, events, on)))
    if wanted.model is not None:
        found.append(_of_model(conn, events, wanted.model))
    if wanted.reason is not None:
        found.append(_for_reason(events, wanted.reason))
    if wanted.since is not None or wanted.until is not None:
        found.append(_between(conn, events, wanted.since, wanted.until))
    if wanted.flag is not None:
        found.append(or_(events.c.id == wanted.flag, _mentions(events, wanted.flag)))
    if wanted.vote is not None:
        found.append(_of_vote(conn, events, wanted.vote))
    return found


def streams(events: Subquery, wanted: AuditFilter) -> list[ColumnElement[bool]]:
    """Return the conditions that each keep one stream or more; together all that are wanted.

    A stream by its name is read in order from an index, which several in one query are not.
    """
    modes = _MODES if wanted.mode is None else (wanted.mode,)
    if wanted.month is not None:
        return [events.c.stream == arena_stream(mode, wanted.month) for mode in modes]
    if wanted.mode is None:
        return [events.c.stream.startswith("arena/", autoescape=True)]
    return [events.c.stream.startswith(f"arena/{wanted.mode}/", autoescape=True)]


def _of_voter(
    conn: Connection, events: Subquery, name: str, *, private: bool
) -> ColumnElement[bool]:
    own = select(ballot.c.id).where(ballot.c.voter == name)
    found = [_mentions(events, _quoted(name)), _on(conn, events, own)]
    if private:
        holder = select(ballot_holder.c.voter_id).where(ballot_holder.c.ballot_id.in_(own))
        voter_id = conn.execute(holder.limit(1)).scalar()
        month = conn.execute(select(ballot.c.month).where(ballot.c.voter == name).limit(1)).scalar()
        if voter_id is not None and month is not None:
            # The name belongs to one month, the voter's id to all of them.
            months = [arena_stream(mode, month) for mode in _MODES]
            found.append(and_(events.c.about == voter_id, events.c.stream.in_(months)))
    return or_(*found)


def _of_vote(conn: Connection, events: Subquery, vote_id: str) -> ColumnElement[bool]:
    cast_on = select(vote.c.ballot_id).where(vote.c.id == vote_id)
    own = or_(events.c.id == vote_id, _mentions(events, _quoted(vote_id)))
    return or_(own, _on(conn, events, cast_on))


def _of_model(conn: Connection, events: Subquery, slug: str) -> ColumnElement[bool]:
    shown = select(ballot_slot.c.ballot_id).where(ballot_slot.c.model == slug)
    return or_(_says(events, "model", slug), _says(events, "slug", slug), _on(conn, events, shown))


def _for_reason(events: Subquery, reason: str) -> ColumnElement[bool]:
    lowered = select(vote.c.id).where(vote.c.reasons.contains(_quoted(reason), autoescape=True))
    return or_(
        *(_says(events, name, reason) for name in ("reason", "detector", "cause")),
        events.c.id.in_(lowered),
        and_(events.c.kind == "vote.reasoned", _mentions(events, _quoted(reason))),
    )


def _between(
    conn: Connection, events: Subquery, since: str | None, until: str | None
) -> ColumnElement[bool]:
    """Keep events by the hour in the body, or else by the time in the id."""
    hour = body_text(conn, events.c.body, "hour")
    rounded: list[ColumnElement[bool]] = [hour.is_not(None)]
    exact: list[ColumnElement[bool]] = [hour.is_(None), events.c.id.like(TIMED)]
    if since is not None:
        rounded.append(hour >= since)
        exact.append(events.c.id >= uuid7_from(_first_us(since)))
    if until is not None:
        rounded.append(hour <= until)
        exact.append(events.c.id < uuid7_from(_first_us(until) + _HOUR_US))
    return or_(and_(*rounded), and_(*exact))


def _first_us(hour: str) -> int:
    try:
        return round(datetime.fromisoformat(hour).timestamp()) * SECOND_US
    except ValueError as error:
        raise UnknownCode(f"{hour!r} is no hour such as 2026-11-30T13:00Z") from error


def _on(conn: Connection, events: Subquery, ballots: Select[Any]) -> ColumnElement[bool]:
    """Keep events about any of these ballots."""
    return or_(events.c.id.in_(ballots), body_text(conn, events.c.body, "ballot").in_(ballots))


def _says(events: Subquery, name: str, value: str) -> ColumnElement[bool]:
    return _mentions(events, f'"{name}":{_quoted(value)}')


def _quoted(value: str) -> str:
    """Write a text as canonical JSON does."""
    return canonical(value).decode()


def _mentions(events: Subquery, words: str) -> ColumnElement[bool]:
    return events.c.body.contains(words, autoescape=True)
