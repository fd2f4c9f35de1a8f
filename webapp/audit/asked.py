"""Which lines of the audit log an address asks for; what cannot be a filter is named as a fault."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal
from urllib.parse import urlencode

from flask import abort, request
from sqlalchemy import Connection

from arena.audit import Order
from arena.audit_filter import AuditFilter
from arena.audit_names import Named, names_beginning
from webapp.refusals import Act, Problem

__all__ = [
    "AGAINST",
    "KINDS",
    "MOVES_BOARDS",
    "AskedAudit",
    "Fault",
    "asked_audit",
    "asked_month",
    "decision_id",
    "faulty_filter",
    "not_public",
]

KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "ballots": ("ballot.issued", "ballot.shown", "ballot.skipped", "ballot.withdrawn"),
    "votes": ("vote.cast", "vote.reasoned"),
    "refusals": ("vote.refused", "refusals.folded"),
    "reports": ("ballot.reported", "answer.held", "answer.cleared", "answer.decided"),
    "flags": ("flag.raised", "flag.decided", "sweep.finished"),
    "decisions": (
        "vote.discounted",
        "vote.voided",
        "vote.restored",
        "account.joined",
        "account.parted",
        "flag.decided",
        "answer.decided",
        "dispute.decided",
        "voter.banned",
        "voter.unbanned",
    ),
    "disputes": ("dispute.opened", "dispute.advanced", "dispute.decided"),
    "boards": ("board.published",),
    "moderators": (
        "moderator.signed_in",
        "moderator.sign_in_failed",
        "moderator.changed",
        "note.written",
    ),
}
"""Groups of kinds that the page offers; an address may also name single kinds."""

MOVES_BOARDS: Final = frozenset(
    {"vote.voided", "vote.restored", "vote.discounted", "account.joined", "account.parted"}
)
"""Kinds of decisions that have a board before and after."""

AGAINST: Final = frozenset(
    {"vote.voided", "vote.discounted", "flag.raised", "vote.refused", "ballot.reported"}
)
"""Kinds that speak against a vote or its ballot in the tale of its life."""

Fault = Literal["form", "unknown", "several"]
"""It has another form than such a filter has; nothing is called so; more than one is."""

_UUID_PART: Final = "[0-9a-f][0-9a-f-]{7,35}"
_FORMS: Final[Mapping[str, re.Pattern[str]]] = {
    "mode": re.compile("speed|expert|any"),
    "month": re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])"),
    "voter": re.compile("[0-9a-f]{8,32}"),
    "question": re.compile("[A-Za-z0-9._:-]{8,80}"),
    "model": re.compile(r"[^\x00-\x1f]{1,80}"),
    "reason": re.compile("[a-z0-9_]{1,40}"),
    "flag": re.compile(_UUID_PART),
    "vote": re.compile(_UUID_PART),
}
_NAMED: Final[tuple[Named, ...]] = ("voter", "question", "flag", "vote", "model")
_WHOLE: Final[Mapping[str, int]] = {"voter": 32, "flag": 36, "vote": 36}
"""Lengths of names that are whole: these need not be looked up, events may know them alone."""

_KIND: Final = re.compile(r"[a-z_]{1,30}\.[a-z_]{1,30}")
_HOUR: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ]([0-9]{2})(?::[0-9]{2}(?::[0-9]{2})?Z?)?)?"
)
_ID: Final = re.compile("[0-9a-f-]{36}")
_PLACE: Final = re.compile("[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class AskedAudit:
    """A filter with the fields as they stand in the form, and where the page begins.

    Attributes:
        filter: without the fields that have a fault.
        fields: as typed; names that were looked up in full.
        faults: by field; with any, nothing is to be listed.
        order: of the page.
        after: where the page begins.
    """

    filter: AuditFilter
    fields: Mapping[str, str]
    faults: Mapping[str, Fault]
    order: Order
    after: int | None

    @property
    def status(self) -> int:
        """The answer's status: 422 with a fault."""
        return 422 if self.faults else 200

    @property
    def is_filtered(self) -> bool:
        """Whether anything but a month is asked for, or the other order."""
        named = any(text for name, text in self.fields.items() if name != "month")
        return named or self.order != "newest"

    def query(self, **changed: str | int) -> str:
        """Return the address's query with some fields changed; empty ones are left out."""
        order = {} if self.order == "newest" else {"order": self.order}
        fields = {**self.fields, **order, **{name: str(v) for name, v in changed.items()}}
        return urlencode({name: value for name, value in fields.items() if value})


def asked_audit(conn: Connection, month: str | None = None) -> AskedAudit:
    """Return what the address asks for.

    Args:
        conn: to look names up with.
        month: the one month that is asked about; the address names it where None.
    """
    fields = {name: _typed(name) for name in (*_FORMS, "kind", "since", "until", "after")}
    fields["month"] = month or fields["month"]
    faults: dict[str, Fault] = {}
    for name, form in _FORMS.items():
        if fields[name] and not form.fullmatch(fields[name]):
            faults[name] = "form"
    _look_up(conn, fields, faults)
    kinds, since, until = _kinds(fields["kind"]), _hour(fields["since"]), _hour(fields["until"], 23)
    after = _place(fields["after"])
    read = {"kind": kinds, "since": since, "until": until, "after": after}
    faults |= {name: "form" for name, found in read.items() if fields[name] and found is None}
    given = {name: None if name in faults else fields[name] or None for name in _FORMS}
    order: Order = "oldest" if request.args.get("order") == "oldest" else "newest"
    return AskedAudit(
        AuditFilter(kinds=kinds or (), since=since, until=until, **given),
        {name: text for name, text in fields.items() if name != "after"},
        faults,
        order,
        after,
    )


def _typed(name: str) -> str:
    """Return a field as typed, in the spelling that its names have."""
    text = request.args.get(name, "").strip()
    if name == "reason":
        return re.sub("[ -]", "_", text.lower())
    return text.lower() if name in ("voter", "flag", "vote") else text


def _look_up(conn: Connection, fields: dict[str, str], faults: dict[str, Fault]) -> None:
    """Fill in the full names of those of which the beginning was typed."""
    month = None if "month" in faults else fields["month"] or None
    for name in _NAMED:
        typed = fields[name]
        if not typed or name in faults or len(typed) == _WHOLE.get(name):
            continue
        found = names_beginning(conn, name, typed, month)
        if len(found) == 1:
            fields[name] = found[0]
        else:
            faults[name] = "several" if found else "unknown"


def asked_month(default: str) -> str | None:
    """Return the month that the address names, or another one; None for what is no month."""
    month = request.args.get("month", "").strip() or default
    return month if _FORMS["month"].fullmatch(month) else None


def decision_id(text: str) -> str:
    """Return the text if it can be the id of a decision; else there is no such page."""
    if not _ID.fullmatch(text):
        abort(404)
    return text


def faulty_filter(names: list[str], page: str) -> Problem:
    """Return what is answered where there is no form to stand beside: for files."""
    return Problem(
        status=422,
        reason="faulty_filter",
        title="No file for this filter",
        text=f"These fields cannot be used: {', '.join(names)}. The page tells what they take.",
        act=Act("Audit log", page),
    )


def not_public() -> Problem:
    """Return what is answered where no archive holds a vote, whether or not there is one."""
    return Problem(
        status=404,
        reason="not_public",
        title="No vote of this name is public",
        text="A vote is public from its month's archive on, and before to its voter alone.",
        act=Act("Audit log", "/audit"),
    )


def _kinds(text: str) -> tuple[str, ...] | None:
    if text in KINDS:
        return KINDS[text]
    kinds = tuple(text.split(",")) if text else ()
    return kinds if all(_KIND.fullmatch(kind) for kind in kinds) else None


def _hour(text: str, of_day: int = 0) -> str | None:
    """Return an hour as bodies write it; browsers send `2026-11-30T13:00`, people also a day."""
    found = _HOUR.fullmatch(text)
    if found is None:
        return None
    hour = f"{found[1]}T{found[2] or f'{of_day:02}'}:00Z"
    try:
        datetime.fromisoformat(hour)
    except ValueError:
        return None
    return hour


def _place(text: str) -> int | None:
    return int(text) if _PLACE.fullmatch(text) else None
