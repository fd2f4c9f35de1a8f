"""An Atom feed of boards, one entry a mode and day, and of the rules in force (V-171)."""

from __future__ import annotations

from datetime import UTC, datetime

from flask import Blueprint, Response, make_response, render_template

from antiabuse.utc import SECOND_US
from arena import boards
from arena import rules as arena_rules
from webapp.limits import reading_limit
from webapp.wiring import services

feed = Blueprint("feed", __name__)


@feed.get("/feed.atom")
@reading_limit
def show_feed() -> Response:
    """List the newest boards and the rulebook in force."""
    with services().database.read() as conn:
        days = boards.last_of_each_day(conn)
    body = render_template(
        "feed.xml",
        boards=days,
        rules=arena_rules.current(),
        updated_us=days[0].computed_us if days else 0,
        stamp=_stamp,
    )
    response = make_response(body)
    response.mimetype = "application/atom+xml"
    return response


def _stamp(moment_us: int) -> str:
    """Write a moment as RFC 3339 does."""
    return f"{datetime.fromtimestamp(moment_us // SECOND_US, tz=UTC):%Y-%m-%dT%H:%M:%SZ}"
