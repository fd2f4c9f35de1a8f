"""Nobody can write a score: what the forms of these rooms take, and what their decisions change."""

from __future__ import annotations

import re

from sqlalchemy import text

from tests.fixtures.arena_site import ArenaSite
from tests.fixtures.arena_votes import refit, votes_by_order
from tests.fixtures.moderation_cases import dispute_of, flag_of, one_sided_voter, report_of
from tests.fixtures.moderators import Moderator, moderator_of

FIELDS = {
    "csrf", "verdict", "reason", "text", "month", "voter", "seen",  # decisions
    "name", "password", "new", "again", "code", "secret", "next",  # accounts
    "kind", "mode", "question", "model", "since", "until", "flag", "vote", "order",  # filters
    "votes",  # hidden: how many votes the page said a decision strikes, refused if it is not so
}  # fmt: skip


def rooms(arena: ArenaSite) -> list[str]:
    """Return the address of a page of every kind."""
    seen = one_sided_voter(arena, 3, "198.51.100.7")
    one_sided_voter(arena, 1, "198.51.100.7")
    answer = report_of(arena)
    cases = [
        f"flag:{flag_of(arena, seen)}",
        f"answer:{answer}",
        f"dispute:{dispute_of(arena, seen)}",
        f"voter:2026-11:{seen.name}",
    ]
    plain = ["", "/account", "/audit", "/decisions", "/influence", "/operations"]
    plain.append(f"/votes/{seen.votes[0]}")
    return [*(f"/moderation{path}" for path in plain), *(f"/moderation/cases/{c}" for c in cases)]


def boards(arena: ArenaSite) -> list[tuple[object, ...]]:
    """Return all published boards as stored."""
    with arena.database.read() as conn:
        rows = conn.execute(text("SELECT id, body FROM board ORDER BY id"))
        return [tuple(row) for row in rows]


def test_no_form_has_a_field_for_a_number(arena: ArenaSite) -> None:
    """Every field of every form is one of reasons, words, names and filters."""
    rosa = moderator_of(arena)
    for path in rooms(arena):
        page = rosa.get(path)
        assert page.status_code == 200, path
        inside = page.text.partition("<main")[2]
        assert set(re.findall(r'<(?:input|select|textarea)[^>]* name="([^"]+)"', inside)) <= FIELDS
        assert 'type="number"' not in inside
        assert not re.search(r'<input(?! type="hidden")[^>]* name="votes"', inside)


def test_decisions_leave_published_boards_as_they_were(arena: ArenaSite) -> None:
    """A decision adds events; boards that are out stay, and the next one follows from votes."""
    votes_by_order(arena, 8)
    refit(arena)
    rosa: Moderator = moderator_of(arena)
    seen = one_sided_voter(arena, 2)
    flag = flag_of(arena, seen)
    before = boards(arena)

    rosa.send(
        f"/moderation/cases/flag:{flag}/decide",
        seen="open",
        verdict="upheld",
        reason="one_sided",
        score="2000",
        points="99",
    )

    assert boards(arena) == before
    assert not {"score", "points"} & set(arena.events("flag.decided")[0].body)


def test_the_rooms_have_a_reading_limit(arena: ArenaSite) -> None:
    """As all pages that read: the 121st of a minute waits."""
    rosa = moderator_of(arena)

    statuses = [rosa.get("/moderation").status_code for _ in range(121)]

    assert statuses[:120] == [200] * 120
    assert statuses[120] == 429
