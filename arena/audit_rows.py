"""Lines of the audit log: an event with what it is about, looked up where its body only hints."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row, select

from antiabuse.utc import hour_of
from arena.tables import ballot, ballot_slot
from ledger import search

__all__ = ["AuditRow", "audit_rows", "reason_of"]

_STREAM_PARTS: Final = 3  # arena/<mode>/<month>


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow:
    """An event as the audit log lists it.

    Attributes:
        place: where a page begins that follows this row.
        index: in the public log; None while the event waits for it.
        event: its id.
        kind: what happened.
        mode: of its stream, "any" for both, empty for the catalogue.
        month: of its stream; empty for the catalogue.
        hour: when, rounded down.
        reason: the code it bears, if any; of a vote, why it weighs less.
        moderator: public handle of who did it, if a moderator did.
        voter: pseudonym of `voter_month`, which of a late refusal is the ballot's own.
        voter_month: empty without a voter.
        ballot: which it is about; likewise question, models, votes and flag.
        body: as logged.
        at_us: the exact time, for moderators while it is kept.
        private: the private part, for moderators while it is kept.
    """

    place: int
    index: int | None
    event: str
    kind: str
    mode: str
    month: str
    hour: str
    reason: str | None
    moderator: str | None
    voter: str | None
    voter_month: str
    ballot: str | None
    question: str | None
    models: tuple[str, ...]
    votes: tuple[str, ...]
    flag: str | None
    body: Mapping[str, Any]
    at_us: int | None = None
    private: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class _Ballot:
    voter: str
    month: str
    question: str
    models: tuple[str, ...]


_NO_BALLOT: Final = _Ballot("", "", "", ())


def audit_rows(
    conn: Connection, rows: Sequence[Row[*tuple[Any, ...]]], *, private: bool
) -> tuple[AuditRow, ...]:
    """Return events as lines, in their order.

    Args:
        conn: to look up ballots with.
        rows: of `search.recorded`, or of `search.recorded_for_moderators` where private.
        private: whether the lines are for moderators.
    """
    bodies: list[dict[str, Any]] = [json.loads(row.body) for row in rows]
    named = {_ballot_of(row, body) for row, body in zip(rows, bodies, strict=True)}
    ballots = _ballots(conn, sorted(each for each in named if each is not None))
    return tuple(
        _line(row, body, ballots, private=private) for row, body in zip(rows, bodies, strict=True)
    )


def reason_of(body: Mapping[str, Any]) -> str | None:
    """Return the reason a body bears: its own, the first of several, a detector or a cause."""
    reasons = body.get("reasons") or (None,)
    found = body.get("reason") or reasons[0] or body.get("detector") or body.get("cause")
    return None if found is None else str(found)


def _line(
    row: Row[*tuple[Any, ...]],
    body: Mapping[str, Any],
    ballots: Mapping[str, _Ballot],
    *,
    private: bool,
) -> AuditRow:
    on = _ballot_of(row, body)
    known = ballots.get(on, _NO_BALLOT) if on else _NO_BALLOT
    _, mode, month = (*row.stream.split("/"), "")[:_STREAM_PARTS]
    moment = search.moment_us(row.id)
    part = json.loads(row.part) if private and row.part is not None else None
    return AuditRow(
        place=row.seq if private else row.idx,
        index=row.idx,
        event=row.id,
        kind=row.kind,
        mode=mode if month else "",
        month=month,
        hour=body.get("hour") or ("" if moment is None else hour_of(moment)),
        reason=reason_of(body),
        moderator=body.get("moderator"),
        voter=body.get("voter") or known.voter or None,
        voter_month=month if body.get("voter") else known.month,
        ballot=on,
        question=body.get("question") or known.question or None,
        models=_models_of(body) or known.models,
        votes=_votes_of(row, body),
        flag=_flag_of(row, body),
        body=body,
        at_us=_exact(part, moment) if private else None,
        private=part,
    )


def _ballot_of(row: Row[*tuple[Any, ...]], body: Mapping[str, Any]) -> str | None:
    found = row.id if row.kind == "ballot.issued" else body.get("ballot")
    return None if found is None else str(found)


def _models_of(body: Mapping[str, Any]) -> tuple[str, ...]:
    models = body.get("models")
    if isinstance(models, list):  # an import's event says how many instead
        return tuple(models)
    one = body.get("model")
    return () if one is None else (str(one),)


def _votes_of(row: Row[*tuple[Any, ...]], body: Mapping[str, Any]) -> tuple[str, ...]:
    if row.kind == "vote.cast":
        return (row.id,)
    votes = body.get("votes")
    if isinstance(votes, list):  # decisions say how many instead
        return tuple(votes)
    one = body.get("vote")
    return () if one is None else (str(one),)


def _flag_of(row: Row[*tuple[Any, ...]], body: Mapping[str, Any]) -> str | None:
    """Return the flag that was raised or decided, in whose case something was done or noted."""
    if row.kind == "flag.raised":
        return str(row.id)
    if body.get("flag"):
        return str(body["flag"])
    kind, _, name = str(body.get("case") or body.get("subject") or "").partition(":")
    return name if kind == "flag" else None


def _exact(part: Mapping[str, Any] | None, moment: int | None) -> int | None:
    for name in ("at_us", "time_us", "minute_us"):
        if part is not None and name in part:
            return int(part[name])
    return moment


def _ballots(conn: Connection, ids: Iterable[str]) -> dict[str, _Ballot]:
    wanted = list(ids)
    models: dict[str, list[str]] = {each: [] for each in wanted}
    slots = select(ballot_slot.c.ballot_id, ballot_slot.c.model).where(
        ballot_slot.c.ballot_id.in_(wanted)
    )
    for slot in conn.execute(slots.order_by(ballot_slot.c.ballot_id, ballot_slot.c.position)):
        models[slot.ballot_id].append(slot.model)
    heads = select(ballot.c.id, ballot.c.voter, ballot.c.month, ballot.c.question_id).where(
        ballot.c.id.in_(wanted)
    )
    return {
        row.id: _Ballot(row.voter, row.month, row.question_id, tuple(models[row.id]))
        for row in conn.execute(heads)
    }
