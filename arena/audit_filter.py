"""Which events of the audit log are wanted, and how that is said to the database."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import ColumnElement, Connection, Subquery, and_, exists, or_, select

from antiabuse.utc import HOUR_US, SECOND_US
from arena.audit_subjects import (
    about_flag,
    about_vote,
    about_voter,
    ballot_of,
    mentions,
    quoted,
)
from arena.ballot_events import ANY_MODE, arena_stream
from arena.boards import MODES
from arena.errors import UnknownCode
from arena.tables import ballot, ballot_slot, vote
from ledger.search import TIMED, body_text, uuid7_from

__all__ = ["AuditFilter", "conditions", "streams"]

_MODES: Final = (*MODES, ANY_MODE)
_FREQUENT: Final = frozenset(
    {
        "ballot.issued",
        "ballot.shown",
        "ballot.skipped",
        "vote.cast",
        "vote.reasoned",
        "vote.refused",
    }
)


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
        vote: an id, its own or its ballot's; events about that vote and its ballot.
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

    @property
    def is_of_one(self) -> bool:
        """Whether events of one voter, flag or vote are wanted, which their ids find."""
        return any(name is not None for name in (self.voter, self.flag, self.vote))

    @property
    def is_rare(self) -> bool:
        """Whether only kinds are wanted of which a month has few."""
        return bool(self.kinds) and not _FREQUENT.intersection(self.kinds)


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
        found.append(about_voter(conn, events, wanted.voter, private=private))
    if wanted.question is not None:
        on = exists().where(
            ballot.c.id == ballot_of(conn, events), ballot.c.question_id == wanted.question
        )
        found.append(or_(_says(events, "question", wanted.question), on))
    if wanted.model is not None:
        found.append(_of_model(conn, events, wanted.model))
    if wanted.reason is not None:
        found.append(_for_reason(events, wanted.reason))
    if wanted.since is not None or wanted.until is not None:
        found.append(_between(conn, events, wanted.since, wanted.until))
    if wanted.flag is not None:
        found.append(about_flag(events, wanted.flag))
    if wanted.vote is not None:
        found.append(about_vote(conn, events, wanted.vote))
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


def _of_model(conn: Connection, events: Subquery, slug: str) -> ColumnElement[bool]:
    shown = exists().where(
        ballot_slot.c.ballot_id == ballot_of(conn, events), ballot_slot.c.model == slug
    )
    return or_(_says(events, "model", slug), _says(events, "slug", slug), shown)


def _for_reason(events: Subquery, reason: str) -> ColumnElement[bool]:
    lowered = select(vote.c.id).where(vote.c.reasons.contains(quoted(reason), autoescape=True))
    return or_(
        *(_says(events, name, reason) for name in ("reason", "detector", "cause")),
        events.c.id.in_(lowered),
        and_(events.c.kind == "vote.reasoned", mentions(events, quoted(reason))),
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
        exact.append(events.c.id < uuid7_from(_first_us(until) + HOUR_US))
    return or_(and_(*rounded), and_(*exact))


def _first_us(hour: str) -> int:
    try:
        return round(datetime.fromisoformat(hour).timestamp()) * SECOND_US
    except ValueError as error:
        raise UnknownCode(f"{hour!r} is no hour such as 2026-11-30T13:00Z") from error


def _says(events: Subquery, name: str, value: str) -> ColumnElement[bool]:
    return mentions(events, f'"{name}":{quoted(value)}')
