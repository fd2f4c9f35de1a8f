"""The audit log for moderators: all that happened, filtered by the address, and as a file."""

from __future__ import annotations

from flask import Blueprint, abort, make_response, render_template
from werkzeug.wrappers import Response as AnyResponse

from arena.audit import rows_for_moderators
from webapp.audit.asked import KINDS, asked_audit
from webapp.audit.views import streamed
from webapp.moderation.guard import MODERATORS, moderators_only, session_now
from webapp.wiring import services

__all__ = ["audit_pages"]

audit_pages = Blueprint("moderation_audit", __name__, url_prefix="/moderation")


@audit_pages.get("/audit")
@moderators_only(*MODERATORS)
def show() -> AnyResponse:
    """Show a page of the log."""
    asked = asked_audit()
    with services().database.read() as conn:
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
    return make_response(page)


@audit_pages.get("/audit.<ending>")
@moderators_only(*MODERATORS)
def download(ending: str) -> AnyResponse:
    """Return all lines that the filter keeps as a file."""
    if ending not in ("csv", "jsonl"):
        abort(404)
    return streamed(asked_audit().filter, ending, private=True)
