"""The public audit log: counts of the open month, rows once a month's archive is out (V-143)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from flask import Blueprint, Response, abort, make_response, render_template, request

from antiabuse.utc import month_of
from arena.audit import (
    AuditPage,
    Count,
    every_row_for_moderators,
    every_row_in_public,
    public_rows,
)
from arena.audit_files import csv_lines, json_lines
from arena.audit_filter import AuditFilter
from arena.closed_months import archived_months, is_archived
from arena.decisions import public_decision, public_decisions
from arena.difference import board_difference
from arena.errors import NotArchived, UnknownVote
from arena.vote_life import vote_life_in_public
from webapp.audit.asked import (
    AGAINST,
    KINDS,
    MOVES_BOARDS,
    asked_audit,
    asked_month,
    decision_id,
    faulty_filter,
    not_public,
)
from webapp.audit.count_cache import count_cache
from webapp.audit.reason_words import reason_sentence
from webapp.board.names import model_names
from webapp.errors import problem_response
from webapp.limits import reading_limit
from webapp.visitors import request_time_us
from webapp.wiring import services

__all__ = ["audit", "streamed"]

audit = Blueprint("audit", __name__)
audit.add_app_template_global(reason_sentence)

_TYPES: Final = {"csv": "text/csv", "jsonl": "application/jsonl"}


@dataclass(frozen=True, slots=True)
class Day:
    """Counts of one day: (kind, reason, count), the most frequent first."""

    day: str
    hours: int
    rows: tuple[tuple[str, str | None, int], ...]


@audit.get("/audit")
@reading_limit
def show() -> Response:
    """Show a month: its rows if it is archived, else its counts."""
    present = month_of(request_time_us())
    month = asked_month(present)
    with services().database.read() as conn:
        archived = month is not None and is_archived(conn, month)
        months = archived_months(conn)
    if archived and month is not None:
        return _rows(month)
    counts = () if month is None else _counts(month)
    page = render_template(
        "audit/counts.html",
        month=month or present,
        typed=request.args.get("month", "") or present,
        fault=month is None,
        months=months,
        total=sum(each.count for each in counts),
        by_kind=Counter(
            {kind: _total(counts, kind) for kind in {each.kind for each in counts}}
        ).most_common(),
        days=_days(counts),
        nav="audit",
    )
    return make_response(page, 422 if month is None else 200)


@audit.get("/audit/counts.csv")
@reading_limit
def download_counts() -> Response:
    """Return a month's counts as a file."""
    month = asked_month(month_of(request_time_us()))
    if month is None:
        return problem_response(faulty_filter(["month"], "/audit"))
    lines = ["kind,hour,reason,count"]
    lines += [f"{c.kind},{c.hour},{c.reason or ''},{c.count}" for c in _counts(month)]
    response = make_response("\n".join(lines) + "\n")
    response.mimetype = "text/csv"
    response.headers["Content-Disposition"] = f'attachment; filename="audit-counts-{month}.csv"'
    return response


@audit.get("/audit/rows.<ending>")
@reading_limit
def download_rows(ending: str) -> Response:
    """Return an archived month's rows as a file."""
    month = asked_month("")
    if month is None or ending not in _TYPES:
        abort(404)
    with services().database.read() as conn:
        if not is_archived(conn, month):
            abort(404)
        asked = asked_audit(conn, month)
    if asked.faults:
        return problem_response(faulty_filter(sorted(asked.faults), f"/audit?month={month}"))
    return streamed(asked.filter, ending, private=False)


@audit.get("/audit/votes/<asked>")
@reading_limit
def show_vote(asked: str) -> Response:
    """Show the life of a vote of an archived month, as everybody may read it."""
    vote_id = decision_id(asked)
    try:
        with services().database.read() as conn:
            life = vote_life_in_public(conn, vote_id)
            models = services().ports.catalogue.current(conn).models
    except (UnknownVote, NotArchived):
        return problem_response(not_public())
    page = render_template(
        "audit/vote.html",
        life=life,
        cast=next(step for step in life.steps if step.event == vote_id),
        names=model_names(models),
        moves_boards=MOVES_BOARDS,
        against=AGAINST,
        nav="audit",
    )
    return make_response(page)


@audit.get("/decisions")
@reading_limit
def show_decisions() -> Response:
    """Show what moderators decided: kind, reason, number of votes, by handle (X-011)."""
    after = decision_id(request.args.get("after", "")) if request.args.get("after") else None
    with services().database.read() as conn:
        found = public_decisions(conn, after)
    page = render_template(
        "audit/decisions.html",
        decisions=found.decisions,
        next_url=found.next and f"/decisions?after={found.next}",
        moves_boards=MOVES_BOARDS,
        nav="audit",
    )
    return make_response(page)


@audit.get("/decisions/<asked>")
@reading_limit
def show_decision(asked: str) -> Response:
    """Show the board before and after one decision."""
    wanted = decision_id(asked)
    with services().database.read() as conn:
        differences = board_difference(conn, wanted)
        decided = public_decision(conn, wanted)
        models = services().ports.catalogue.current(conn).models
    page = render_template(
        "audit/decision.html",
        decided=decided,
        differences=differences,
        names=model_names(models),
        nav="audit",
    )
    return make_response(page)


def streamed(wanted: AuditFilter, ending: str, *, private: bool) -> Response:
    """Return a file of all lines that a filter keeps, sent while it is read.

    Args:
        wanted: the filter.
        ending: `csv` or `jsonl`.
        private: for moderators, with the private parts.
    """
    database, write = services().database, csv_lines if ending == "csv" else json_lines
    read = every_row_for_moderators if private else every_row_in_public

    lines = write(read(database.read, wanted), private=private)
    response = Response(lines, mimetype=_TYPES[ending])
    name = f"audit-{wanted.month or 'all'}.{ending}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["Cache-Control"] = "no-store"
    return response


def _rows(month: str) -> Response:
    with services().database.read() as conn:
        asked = asked_audit(conn, month)
        found = AuditPage((), None)
        if not asked.faults:
            found = public_rows(conn, asked.filter, asked.after, order=asked.order)
        models = services().ports.catalogue.current(conn).models
        months = archived_months(conn)
    page = render_template(
        "audit/rows.html",
        month=month,
        rows=found.rows,
        asked=asked,
        kinds=[group for group in KINDS if group != "moderators"],
        life=_life_of(found, asked.filter.vote),
        months=months,
        models=sorted(models),
        names=model_names(models),
        next_query=found.next and asked.query(after=found.next, month=month),
        nav="audit",
    )
    return make_response(page, asked.status)


def _life_of(found: AuditPage, asked: str | None) -> str | None:
    """Return the vote that was asked for by its own name or its ballot's, if it is listed."""
    for row in found.rows:
        if row.kind == "vote.cast" and asked in (row.event, row.ballot):
            return row.event
    return None


def _counts(month: str) -> tuple[Count, ...]:
    return count_cache().of(services().database, month, request_time_us())


def _total(counts: tuple[Count, ...], kind: str) -> int:
    return sum(each.count for each in counts if each.kind == kind)


def _days(counts: tuple[Count, ...]) -> list[Day]:
    """Return the counts by day, the newest first."""
    days: dict[str, Counter[tuple[str, str | None]]] = {}
    hours: dict[str, set[str]] = {}
    for each in counts:
        day = each.hour[:10]
        days.setdefault(day, Counter())[each.kind, each.reason] += each.count
        hours.setdefault(day, set()).add(each.hour)
    return [
        Day(
            day,
            len(hours[day]),
            tuple((kind, reason, count) for (kind, reason), count in days[day].most_common()),
        )
        for day in sorted(days, reverse=True)
    ]
