"""Where forms and refusals lead without script: to the same ballot, in the same mode (X-008)."""

from __future__ import annotations

import re

import pytest
from werkzeug.test import TestResponse

from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import ArenaSite, Page, Voter, vote_form

ARRIVED = "Your report has arrived."
BROKEN = {"slot": "B", "reason": "broken"}


def action_of(page: Page, form: str) -> str:
    """Return the address that a form of a ballot's page is sent to."""
    found = re.search(rf'<form[^>]* id="{form}"[^>]* action="([^"]+)"', page.html)
    assert found is not None
    return found[1]


def report(voter: Voter, page: Page) -> TestResponse:
    """Send the report form of a ballot's page."""
    return voter.post(action_of(page, "report-form"), {"ballot": page.token, **BROKEN})


@pytest.mark.parametrize("mode", ["speed", "expert"])
def test_a_report_leads_back_to_its_ballot_and_is_confirmed(arena: ArenaSite, mode: str) -> None:
    """The same four answers in the same mode, with a word that the report arrived; once."""
    voter = arena.voter()
    page = voter.ballot(mode)

    sent = report(voter, page)
    back = voter.get(sent.headers["Location"])

    assert sent.status_code == 303
    assert back.text.count(ARRIVED) == 1
    assert re.findall(r'data-slot="([^"]+)"', back.text) == list(page.slots)
    assert ARRIVED not in voter.ballot(mode).html
    assert "Set-Cookie" not in sent.headers
    assert arena.count("report") == 1


def test_a_report_after_the_vote_leads_to_the_reveal(arena: ArenaSite) -> None:
    """From a page that stood open in another tab; the reveal bears the confirmation."""
    voter = arena.voter()
    page = voter.ballot("expert")
    arena.clock.advance(30)
    revealed = voter.vote(page.token).headers["Location"]

    sent = report(voter, page)
    back = voter.get(sent.headers["Location"])

    assert sent.headers["Location"].startswith(f"{revealed}?")
    assert back.text.count(ARRIVED) == 1
    assert 'id="reveal"' in back.text
    assert ARRIVED not in voter.get(revealed).text


def test_a_report_is_confirmed_also_where_no_ballot_is_left(arena: ArenaSite) -> None:
    """With the day's votes used up, the page that says so bears the confirmation."""
    voter = arena.voter()
    page = voter.ballot()
    arena.execute("UPDATE voter SET votes = 50")

    back = voter.get(report(voter, page).headers["Location"])

    assert 'data-cap="votes"' in back.text
    assert back.text.count(ARRIVED) == 1


def test_nothing_but_a_known_word_is_shown_of_the_address(arena: ArenaSite) -> None:
    """The address of a page puts no words of its own on it."""
    voter = arena.voter()
    voter.ballot()
    page = voter.get("/?done=buy-our-pills")
    assert page.status_code == 200
    assert "buy-our-pills" not in page.text
    assert ARRIVED not in page.text


@pytest.mark.parametrize("mode", ["speed", "expert"])
def test_refusals_lead_on_in_the_mode_of_the_ballot(arena: ArenaSite, mode: str) -> None:
    """Voted already, closed, a damaged token, no such reason: each link keeps the mode."""
    voter = arena.voter()
    page, kept = voter.ballot(mode), arena.voter()
    vote, skip = action_of(page, "ballot-form"), action_of(page, "skip-form")
    arena.clock.advance(30)
    voter.post(vote, vote_form(page.token))
    arena.clock.advance(30)
    closed = kept.ballot(mode).token
    kept.post(skip, {"ballot": closed})

    for refused in (
        voter.post(vote, vote_form(page.token)),
        kept.post(vote, vote_form(closed)),
        kept.post(skip, {"ballot": "x"}),
        kept.post(action_of(page, "report-form"), {"ballot": closed, "slot": "A", "reason": "?"}),
        arena.voter().post(action_of(page, "ballot-other"), {"ballot": page.token}),
        voter.post(vote, vote_form(page.token), headers={"Sec-Fetch-Site": "cross-site"}),
    ):
        assert refused.status_code >= 400
        main = refused.text.partition("<main")[2].partition("</main>")[0]
        links = re.findall(r'class="button[^>]* href="([^"]+)"', main)
        assert links
        assert {link.partition("?")[2] for link in links} == {f"mode={mode}"}, main
        assert f"{'Expert' if mode == 'expert' else 'Speed'}</summary>" in refused.text


def test_a_refusal_by_rate_keeps_the_mode(open_arena: OpenArena) -> None:
    """The page of too many requests leads to the board of the mode asked for."""
    voter = open_arena(rate_limit="1").voter()
    voter.ballot("expert")
    refused = voter.get("/?mode=expert")
    assert refused.status_code == 429
    assert 'href="/leaderboard?mode=expert"' in refused.text
