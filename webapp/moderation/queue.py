"""The queue: what waits for a moderator, by kind, oldest first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlencode

from flask import Blueprint, abort, make_response, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from arena.case_subject import CaseKind
from arena.review_queue import Item, queue_for_moderators
from webapp.board.names import model_names
from webapp.moderation.guard import MODERATORS, moderators_only, session_now
from webapp.wiring import services

__all__ = ["queue_pages"]

queue_pages = Blueprint("moderation_queue", __name__)

_KINDS: Final[dict[str, CaseKind | None]] = {
    "": None,
    "flag": "flag",
    "answer": "answer",
    "dispute": "dispute",
}


@queue_pages.get("/moderation")
@moderators_only(*MODERATORS)
def show() -> AnyResponse:
    """Show a page of the queue."""
    asked = request.args.get("kind", "")
    if asked not in _KINDS:
        abort(404)
    kind = _KINDS[asked]
    after = (request.args.get("hour", ""), request.args.get("after", ""))
    items, following = _page(kind, after)
    with services().database.read() as conn:
        names = model_names(services().ports.catalogue.current(conn).models)
    page = render_template(
        "moderation/queue.html",
        session=session_now(),
        items=items,
        names=names,
        kind=asked,
        next_url=following and f"/moderation?{urlencode(following)}",
        nav="moderation",
        room="disputes" if kind == "dispute" else "queue",
    )
    return make_response(page)


def _page(
    kind: CaseKind | None, after: tuple[str, str]
) -> tuple[Sequence[Item], dict[str, str] | None]:
    """Return items, and what the address of the next page holds if there is one."""
    with services().database.read() as conn:
        found = queue_for_moderators(conn, after if any(after) else None, kind=kind)
    if found.next is None:
        return found.items, None
    hour, subject = found.next
    return found.items, {"hour": hour, "after": subject} | ({"kind": kind} if kind else {})
