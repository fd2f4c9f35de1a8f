"""Which lines of the audit log an address asks for; whatever it names must have its right form."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import urlencode

from flask import abort, request

from arena.audit import Order
from arena.audit_filter import AuditFilter

__all__ = ["KINDS", "MOVES_BOARDS", "AskedAudit", "asked_audit", "asked_month", "decision_id"]

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
    {"vote.voided", "vote.restored", "vote.discounted", "account.joined"}
)
"""Kinds of decisions that have a board before and after."""

_FORMS: Final[Mapping[str, re.Pattern[str]]] = {
    "mode": re.compile("speed|expert|any"),
    "month": re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])"),
    "voter": re.compile("[0-9a-f]{32}"),
    "question": re.compile("[A-Za-z0-9._:-]{1,80}"),
    "model": re.compile("[A-Za-z0-9._-]{1,80}"),
    "reason": re.compile("[a-z0-9_]{1,40}"),
    "flag": re.compile("[0-9a-f-]{36}"),
}
_KIND: Final = re.compile(r"[a-z_]{1,30}\.[a-z_]{1,30}")
_HOUR: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-2][0-9])(?::[0-9]{2}(?::[0-9]{2})?Z?)?"
)


@dataclass(frozen=True, slots=True)
class AskedAudit:
    """A filter with the fields as they stand in the form, and where the page begins."""

    filter: AuditFilter
    fields: Mapping[str, str]
    order: Order
    after: int | None

    def query(self, **changed: str | int) -> str:
        """Return the address's query with some fields changed; empty ones are left out."""
        order = {} if self.order == "newest" else {"order": self.order}
        fields = {**self.fields, **order, **{name: str(v) for name, v in changed.items()}}
        return urlencode({name: value for name, value in fields.items() if value})


def asked_audit() -> AskedAudit:
    """Return what the address asks for; a field of a wrong form is 404, there is no such page."""
    fields = {name: request.args.get(name, "").strip() for name in (*_FORMS, "kind")}
    for name, form in _FORMS.items():
        if fields[name] and not form.fullmatch(fields[name]):
            abort(404)
    fields |= {name: request.args.get(name, "").strip() for name in ("since", "until")}
    given = {name: fields[name] or None for name in _FORMS}
    wanted = AuditFilter(
        kinds=_kinds(fields["kind"]),
        since=_hour(fields["since"]),
        until=_hour(fields["until"]),
        **given,
    )
    order: Literal["oldest", "newest"] = (
        "oldest" if request.args.get("order") == "oldest" else "newest"
    )
    return AskedAudit(wanted, fields, order, _whole(request.args.get("after", "")))


def asked_month(default: str) -> str:
    """Return the month that the address names, or another one."""
    month = request.args.get("month", "") or default
    if not _FORMS["month"].fullmatch(month):
        abort(404)
    return month


def decision_id(text: str) -> str:
    """Return the text if it can be the id of a decision; else there is no such page."""
    if not _FORMS["flag"].fullmatch(text):
        abort(404)
    return text


def _kinds(text: str) -> tuple[str, ...]:
    if text in KINDS:
        return KINDS[text]
    kinds = tuple(text.split(",")) if text else ()
    if not all(_KIND.fullmatch(kind) for kind in kinds):
        abort(404)
    return kinds


def _hour(text: str) -> str | None:
    """Return an hour as bodies write it; browsers send `2026-11-30T13:00`."""
    if not text:
        return None
    found = _HOUR.fullmatch(text)
    if found is None:
        abort(404)
    return f"{found[1]}T{found[2]}:00Z"


def _whole(text: str) -> int | None:
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 18:  # noqa: PLR2004 - fits 64 bits
        abort(404)
    return int(text)
