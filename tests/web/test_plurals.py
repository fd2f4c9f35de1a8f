"""One of a thing is told as one, on every page that counts."""

from __future__ import annotations

import re

from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import at
from tests.fixtures.arena_votes import refit
from tests.fixtures.moderators import moderator_of

NOUNS = (
    "accounts|answers|ballots|cases|entries|events|exposures|flags|links|models|ones|pairs|parts|"
    "points|questions|sightings|skips|things|voters|votes"
)
MANY_OF_ONE = re.compile(rf"(?<![\d.,–-])\b1 (?:[a-z]+ )?(?:{NOUNS})\b")
PAGES = (
    "/me",
    "/leaderboard",
    "/leaderboard?view=exposure",
    "/leaderboard?view=history",
    "/leaderboard?view=head-to-head",
    "/models",
    "/feed.atom",
    "/audit",
    "/verify",
    "/decisions",
    "/disputes",
    "/moderation",
    "/moderation/operations",
    "/moderation/influence",
    "/moderation/audit",
    "/?mode=speed",
)


def test_one_is_never_told_in_the_plural(open_arena: OpenArena) -> None:
    """With one vote, one voter, one device and one of each allowance left."""
    arena = open_arena(fingerprint="consent")
    voter = arena.voter()
    voter.post("/consent", {"fingerprint": "yes"})
    voter.ballot()
    voter.post("/consent", {"fingerprint": "yes"})
    revealed = voter.read_and_vote(fingerprint="a" * 64)
    arena.sequence()
    refit(arena)
    rosa = moderator_of(arena)
    arena.execute("UPDATE voter SET votes = 49, ballots = 149, skips = 59")
    arena.clock.now_us = at("2026-11-30T13:30:00+00:00")
    rosa = moderator_of(arena, "otto")

    pages = {path: rosa.get(path) for path in PAGES if path.startswith("/moderation")}
    pages |= {path: voter.get(path) for path in PAGES if not path.startswith("/moderation")}
    pages["reveal"] = revealed

    for path, page in pages.items():
        assert page.status_code == 200, path
        told = " ".join(re.sub(r"<[^>]+>", " ", page.text).split())
        assert MANY_OF_ONE.findall(told) == [], path
    assert "1</strong> link from your voter number" in pages["/me"].text
    assert "1</strong> sighting:" in pages["/me"].text
    assert "1</strong> vote," in pages["/me"].text
    assert "1 vote left today" in pages["/?mode=speed"].text
    assert "From 1 counted vote of 1 voter." in pages["/feed.atom"].text
    assert "holds 1 vote." in pages["/moderation/operations"].text
    assert "Of 1 vote of this month 1 came with one." in pages["/moderation/operations"].text
