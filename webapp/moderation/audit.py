"""The audit log for moderators: all that happened, filtered by the address, and as a file."""

from __future__ import annotations

from flask import Blueprint, abort, make_response, render_template
from werkzeug.wrappers import Response as AnyResponse

from arena.audit import AuditPage, rows_for_moderators
from webapp.audit.asked import KINDS, asked_audit, faulty_filter
from webapp.audit.views import streamed
from webapp.errors import problem_response
from webapp.moderation.guard import MODERATORS, moderators_only, session_now
from webapp.wiring import services

__all__ = ["audit_pages"]

audit_pages = Blueprint("moderation_audit", __name__, url_prefix="/moderation")


@audit_pages.get("/audit")
@moderators_only(*MODERATORS)
def show() -> AnyResponse:
    """Show a page of the log."""
    with services().database.read() as conn:
        asked = asked_audit(conn)
        found = AuditPage((), None)
        if not asked.faults:
            found = rows_for_moderators(conn, asked.filter, asked.after, order=asked.order)
        models = services().ports.catalogue.current(conn).models
    page = render_template(
        "moderation/audit.html",
        session=session_now(),
        rows=found.rows,
        asked=asked,
        kinds=KINDS,
        models=sorted(models),
        next_query=found.next is not None and asked.query(after=found.next),
        nav="moderation",
        room="audit",
    )
    return make_response(page, asked.status)


@audit_pages.get("/audit.<ending>")
@moderators_only(*MODERATORS)
def download(ending: str) -> AnyResponse:
    """Return all lines that the filter keeps as a file."""
    if ending not in ("csv", "jsonl"):
        abort(404)
    with services().database.read() as conn:
        asked = asked_audit(conn)
    if asked.faults:
        return problem_response(faulty_filter(sorted(asked.faults), "/moderation/audit"))
    return streamed(asked.filter, ending, private=True)
