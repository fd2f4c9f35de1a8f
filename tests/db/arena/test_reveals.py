"""What a reveal tells of other votes on its question."""

from __future__ import annotations

from arena.reveals import Others, load_reveal
from ledger.event import StoredEvent
from tests.fixtures.arena_site import ArenaSite
from tests.fixtures.moderation_cases import strike


def counted(mine: StoredEvent, others: list[StoredEvent]) -> Others:
    """Return the shares that these votes come to, counted one by one."""
    shares: dict[str, dict[str, float]] = {"best": {}, "worst": {}}
    for letter, model in zip("ABCD", mine.body["models"], strict=True):
        showing = [each.body for each in others if model in each.body["models"]]
        for pick, found in shares.items():
            if showing:
                picked = [body[pick] for body in showing]
                found[letter] = picked.count(model) / len(showing)
    return Others(len(others), shares["best"], shares["worst"])


def test_other_votes_are_shares_of_the_times_a_model_was_shown(either_arena: ArenaSite) -> None:
    """Own, struck and uncounted votes and those without a best pick are left out."""
    arena = either_arena
    for number in range(14):
        arena.voter().read_and_vote(
            best="ABCD"[number % 4], worst="BCDABCDA"[number % 4 + number % 3]
        )
    arena.voter().read_and_vote(best="A", worst="")
    arena.voter().read_and_vote(verdict="bad")
    arena.voter().read_and_vote(seconds=1)
    mine, struck, *rest = arena.events("vote.cast")
    strike(arena, struck.id)
    others = [each for each in rest if each.body["best"] and float(each.body["weight"]) > 0]

    arena.execute("UPDATE vote SET question_id = (SELECT MIN(question_id) FROM vote)")
    with arena.database.read() as conn:
        reveal = load_reveal(conn, mine.body["ballot"])

    assert reveal is not None
    assert len(others) == 13
    assert reveal.others == counted(mine, others)


def test_answers_of_an_older_renderer_are_shown_as_the_present_one_shows_them(
    either_arena: ArenaSite,
) -> None:
    """Outdated HTML is made anew for the reveal, and what was taken out is told again."""
    arena = either_arena
    arena.voter().read_and_vote()
    ballot = arena.events("vote.cast")[0].body["ballot"]
    with arena.database.read() as conn:
        before = load_reveal(conn, ballot)
    arena.execute("UPDATE answer_html SET renderer_version = 'markdown.0', html = 'old'")
    with arena.database.read() as conn:
        assert load_reveal(conn, ballot) == before
