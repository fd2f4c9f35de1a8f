"""How many statements the hot paths run: each is a round trip that a waiting voter pays for."""

from __future__ import annotations

import pytest

from tests.fixtures.arena_site import ArenaSite, vote_form

# As measured. A whole page reads two for its frame, the last checkpoint and the catalogue's
# version; a part of a page has no frame. Who the voter is joined with is asked once in each.
# Issuing: voter, what was revealed, catalogue, board, states of the models; then voter, quota,
# event (3), ballot, slots, holder, state, and the ballot as shown. A known voter is not stored
# again, but an open ballot of theirs is looked for first.
FIRST_BALLOT = 18
NEXT_BALLOT = 18
# Showing again: voter, ballot, the voter locked, and the event that says so (3).
SHOWN_AGAIN = 9
# Voting: voter, ballot, what was revealed, board, quota, networks of its answers, event (3),
# ballot, vote, reveals, sighting, the day's counts.
VOTE_PLAIN = 15
REFUSED_VOTE = 8
# The reveal on top: vote, slots with answers, board, others, log index, voter.
VOTE_HTMX = 21


@pytest.mark.parametrize("votes_before", [0, 3])
def test_ballot_and_vote_run_as_many_statements_as_they_need(
    arena: ArenaSite, votes_before: int
) -> None:
    """Issuing, showing again and voting stay within their bounds, whatever happened before."""
    voter = arena.voter()
    arena.voter().ballot()  # warms the catalogue's cache
    with arena.statements() as first:
        voter.ballot()
    for _ in range(votes_before):
        voter.read_and_vote()
        arena.clock.advance(10)
    voter.post("/skip", {"ballot": voter.ballot().token})
    with arena.statements() as issued:
        page = voter.ballot()
    with arena.statements() as again:
        voter.ballot()
    arena.clock.advance(30)
    with arena.statements() as plain:
        voter.post("/vote", vote_form(page.token))
    with arena.statements() as refused:
        voter.post("/vote", vote_form(page.token))
    page = voter.ballot()
    arena.clock.advance(30)
    with arena.statements() as htmx:
        voter.vote(page.token, htmx=True)
    assert len(first) <= FIRST_BALLOT, first.all
    assert len(issued) <= NEXT_BALLOT, issued.all
    assert len(again) <= SHOWN_AGAIN, again.all
    assert len(plain) <= VOTE_PLAIN, plain.all
    assert len(refused) <= REFUSED_VOTE, refused.all
    assert len(htmx) <= VOTE_HTMX, htmx.all
