"""The queue: what waits for a moderator, by kind, oldest first."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from flask import Blueprint, abort, make_response, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from arena.review_queue import Item, queue_for_moderators
from webapp.moderation.guard import MODERATORS, moderators_only, session_now
from webapp.wiring import services

__all__ = ["neighbours_in_queue", "queue_pages"]

queue_pages = Blueprint("moderation_queue", __name__)

_KINDS: Final = ("", "flag", "answer", "dispute")
_ALL: Final = 5_000


@queue_pages.get("/moderation")
@moderators_only(*MODERATORS)
def show() -> AnyResponse:
    """Show a page of the queue."""
    kind = request.args.get("kind", "")
    if kind not in _KINDS:
        abort(404)
    after = (request.args.get("hour", ""), request.args.get("after", ""))
    items, following = _page(kind, after)
    page = render_template(
        "moderation/queue.html",
        session=session_now(),
        items=items,
        kind=kind,
        next_url=following and f"/moderation?{urlencode(following)}",
        nav="moderation",
        room="disputes" if kind == "dispute" else "queue",
    )
    return make_response(page)


def neighbours_in_queue(subject: str) -> tuple[str | None, str | None]:
    """Return the cases before and after one; of a decided one, None and the oldest that waits."""
    with services().database.read() as conn:
        waiting = [str(i.subject) for i in queue_for_moderators(conn, limit=_ALL).items]
    if subject not in waiting:
        return None, waiting[0] if waiting else None
    at = waiting.index(subject)
    before = waiting[at - 1] if at else None
    return before, waiting[at + 1] if at + 1 < len(waiting) else None


def _page(kind: str, after: tuple[str, str]) -> tuple[list[Item], dict[str, str] | None]:
    """Return items, and what the address of the next page holds if there is one."""
    with services().database.read() as conn:
        found = queue_for_moderators(conn, after if any(after) else None, _ALL if kind else None)
    items = [item for item in found.items if kind in ("", item.subject.kind)]
    if found.next is None:
        return items, None
    hour, subject = found.next
    return items, {"hour": hour, "after": subject} | ({"kind": kind} if kind else {})
