"""What a case is about, as one text: `flag:<id>`, `answer:<id>`, `voter:<month>:<pseudonym>`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, Self, get_args

from sqlalchemy import Connection, Row, select

from antiabuse.utc import month_of
from arena.ballot_events import ANY_MODE
from arena.errors import UnknownCase
from arena.review_tables import decision, dispute, flag
from arena.tables import answer, ballot, vote

__all__ = ["CaseKind", "Subject", "located", "stands_on_ballots"]

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
        _check_named(conn, subject, subject.month)
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


def _check_named(conn: Connection, subject: Subject, month: str) -> None:
    """Refuse a name that stands on no ballot or vote of the month and in no decision.

    An erased voter's ballots bear theirs; a ban that was decided in a later month bears a name that
    may stand on none.
    """
    decided = select(decision.c.id).where(decision.c.subject == str(subject)).limit(1)
    if stands_on_ballots(conn, month, subject.name) or conn.execute(decided).first():
        return
    raise UnknownCase(f"no voter of {month} is called {subject.name}")


def stands_on_ballots(conn: Connection, month: str, pseudonym: str) -> bool:
    """Say whether a ballot or vote of the month bears a name.

    A vote after midnight on a ballot of the month before bears a name of its own.
    """
    tables = (ballot.c, vote.c)
    queries = (select(t.id).where(t.month == month, t.voter == pseudonym).limit(1) for t in tables)
    return any(conn.execute(each).first() for each in queries)
