"""What a case is about, as one text: `flag:<id>`, `answer:<id>`, `voter:<month>:<pseudonym>`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, Self, get_args

from sqlalchemy import Connection, Row, select

from antiabuse.utc import month_of
from arena.ballot_events import ANY_MODE
from arena.errors import UnknownCase
from arena.review_tables import dispute, flag
from arena.tables import answer, ballot, ballot_holder, vote

__all__ = ["CaseKind", "Subject", "located", "voter_of"]

CaseKind = Literal["flag", "answer", "dispute", "vote", "voter"]
_KINDS: Final[tuple[CaseKind, ...]] = get_args(CaseKind)


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a case; `month` is given for voters alone, whose names belong to a month."""

    kind: CaseKind
    name: str
    month: str | None = None

    @classmethod
    def read(cls, text: str) -> Self:
        """Return the subject that a text names.

        Raises:
            UnknownCase: the text has another form.
        """
        kind, *rest = text.split(":")
        for known in _KINDS:
            if kind == known and all(rest) and len(rest) == 1 + (known == "voter"):
                return cls(known, rest[-1], rest[0] if known == "voter" else None)
        raise UnknownCase(f"{text!r} names no case")

    def __str__(self) -> str:
        parts = (self.kind, self.name) if self.month is None else (self.kind, self.month, self.name)
        return ":".join(parts)


def located(conn: Connection, subject: Subject, now_us: int) -> tuple[str, str]:
    """Return the mode (or "any") and month that a case belongs to; an answer's is the present one.

    Raises:
        UnknownCase: there is nothing of that name.
    """
    if subject.kind == "voter" and subject.month is not None:
        _check_named(conn, subject.month, subject.name)
        return ANY_MODE, subject.month
    if subject.kind == "answer":
        mode = conn.execute(select(answer.c.mode).where(answer.c.id == subject.name)).scalar()
        if mode is not None:
            return str(mode), month_of(now_us)
    found = _mode_and_month(conn, subject)
    if found is None:
        raise UnknownCase(f"there is no {subject}")
    return found.mode, found.month


def _mode_and_month(conn: Connection, subject: Subject) -> Row[str, str] | None:
    query = select(vote.c.mode, vote.c.month)
    match subject.kind:
        case "flag":
            query = select(flag.c.mode, flag.c.month).where(flag.c.id == subject.name)
        case "dispute":
            query = query.join(dispute, dispute.c.vote_id == vote.c.id)
            query = query.where(dispute.c.id == subject.name)
        case "vote":
            query = query.where(vote.c.id == subject.name)
        case "answer" | "voter":
            return None
    return conn.execute(query).one_or_none()


def _check_named(conn: Connection, month: str, pseudonym: str) -> None:
    """Refuse a name that no ballot of the month bears; an erased voter's ballots bear theirs."""
    named = select(ballot.c.id).where(ballot.c.month == month, ballot.c.voter == pseudonym)
    if conn.execute(named.limit(1)).scalar() is None:
        raise UnknownCase(f"no voter of {month} is called {pseudonym}")


def voter_of(conn: Connection, month: str, pseudonym: str) -> str:
    """Return the id of the voter behind a name of a month, for use on the server alone.

    Raises:
        UnknownCase: no ballot of the month was issued to that name, or its voter is erased.
    """
    query = (
        select(ballot_holder.c.voter_id)
        .join(ballot, ballot.c.id == ballot_holder.c.ballot_id)
        .where(ballot.c.month == month, ballot.c.voter == pseudonym)
        .limit(1)
    )
    found = conn.execute(query).scalar()
    if found is None:
        raise UnknownCase(f"no voter of {month} is called {pseudonym}")
    return str(found)
