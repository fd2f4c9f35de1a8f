"""W-16 on the web path: the request window per address, and what a vote cycle costs of it."""

from __future__ import annotations

import pytest

from antiabuse.rules import current
from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import ArenaSite, at, page_of, reason_of, vote_form
from webapp.jobs import fold_refusals

LIMIT = str(current().ballot_requests)


@pytest.fixture
def limited(open_arena: OpenArena) -> ArenaSite:
    """A site with the request limit of the rules."""
    return open_arena(rate_limit=LIMIT)


def test_twenty_requests_pass_and_the_next_is_refused(limited: ArenaSite) -> None:
    """20 in 59.9 s pass, the 21st is 429; once the oldest is 60 s old one more passes."""
    voter = limited.voter()
    answers = []
    for nth in range(20):
        limited.clock.advance(59.9 / 19 if nth else 0)
        answers.append(voter.get("/").status_code)

    refused = voter.get("/")
    limited.clock.advance(0.101)
    after = [voter.get("/").status_code for _ in range(2)]

    assert answers == [200] * 20
    assert (refused.status_code, reason_of(refused)) == (429, "rate_limited")
    assert refused.headers["Retry-After"] == "1"
    assert after == [200, 429]


def test_the_window_counts_ballots_votes_skips_and_reveals_together(limited: ArenaSite) -> None:
    """V-113: `GET /`, `POST /vote`, `POST /skip` and `GET /ballots/…` share the twenty."""
    voter = limited.voter()
    for _ in range(5):
        token = voter.ballot().token
        voter.post("/skip", {"ballot": token})
        voter.post("/vote", vote_form(token))
        voter.get("/ballots/none")

    for response in (
        voter.get("/"),
        voter.post("/vote", {}),
        voter.post("/skip", {}),
        voter.get("/ballots/none"),
    ):
        assert (response.status_code, reason_of(response)) == (429, "rate_limited")


def test_the_other_pages_have_a_window_of_their_own(limited: ArenaSite) -> None:
    """Other pages pass 120 times a minute, also after the twenty, and what follows a vote too."""
    voter = limited.voter()
    token = [voter.ballot().token for _ in range(19)][-1]
    voter.vote(token)
    assert voter.get("/").status_code == 429
    route = limited.held(token).route

    reading = [voter.get("/me").status_code for _ in range(60)]
    reading += [
        voter.post(f"/ballots/{route}/reasons", {"reason": "clear"}, htmx=True).status_code
        for _ in range(30)
    ]
    report = {"ballot": token, "slot": "A", "reason": "other"}
    reading += [voter.post("/report", report, htmx=True).status_code for _ in range(15)]
    reading += [
        voter.post("/consent", {"fingerprint": "no"}, htmx=True).status_code for _ in range(15)
    ]

    assert reading == [200] * 120
    refused = voter.get("/leaderboard")
    assert (refused.status_code, reason_of(refused)) == (429, "rate_limited")


def test_static_files_log_and_health_are_not_counted(limited: ArenaSite) -> None:
    """V-113: a page's own files and the public log cost nothing."""
    limited.voter().ballot()
    limited.sequence()
    voter = limited.voter()
    paths = ("/static/css/base.css", "/log/checkpoint", "/log/tile/entries/000.p/1", "/healthz")
    for path in paths:
        answers = {voter.get(path).status_code for _ in range(130)}
        assert 429 not in answers, path


def test_six_cycles_a_minute_fit_without_script(limited: ArenaSite) -> None:
    """Page, vote, reveal: 18 requests in a minute of six votes at the pace of the cooldown."""
    voter = limited.voter()
    requests = 0
    for _ in range(6):
        token = voter.ballot().token
        limited.clock.advance(10)
        reveal = voter.vote(token)
        assert reveal.status_code == 303
        assert voter.get(reveal.headers["Location"]).status_code == 200
        requests += 3

    assert requests == 18
    assert limited.count("vote") == 6
    assert limited.refusals() == []


def test_six_cycles_a_minute_cost_twelve_with_htmx(limited: ArenaSite) -> None:
    """Vote and next page: two requests a cycle, which leaves eight of the twenty."""
    voter = limited.voter()
    for cycle in range(6):
        limited.clock.advance(10 if cycle else 0)
        page = page_of(voter.get("/", htmx=True))
        assert voter.vote(page.token, htmx=True).status_code == 200

    left = [voter.get("/").status_code for _ in range(9)]

    assert left == [200] * 8 + [429]


def test_the_window_is_that_of_the_address(limited: ArenaSite) -> None:
    """Two browsers on one address share a window, a forged X-Forwarded-For opens none (V-115)."""
    one, two = limited.voter("198.51.100.7"), limited.voter("198.51.100.7")
    for _ in range(10):
        assert one.get("/").status_code == 200
        assert two.get("/").status_code == 200

    forged = one.get("/", headers={"X-Forwarded-For": "192.0.2.1"})

    assert forged.status_code == 429
    assert limited.voter("198.51.100.8").get("/").status_code == 200


def test_behind_a_trusted_proxy_the_client_counts(open_arena: OpenArena) -> None:
    """With one trusted proxy the last address it names counts, whatever the client claims."""
    arena = open_arena(rate_limit="2", trusted_proxies="1")
    proxy = arena.voter("10.0.0.1")

    def ask(forwarded: str) -> int:
        return proxy.get("/", headers={"X-Forwarded-For": forwarded}).status_code

    assert [ask("192.0.2.1"), ask("198.18.0.1, 192.0.2.1"), ask("198.18.0.2, 192.0.2.1")] == [
        200,
        200,
        429,
    ]
    assert ask("192.0.2.2") == 200


def test_rate_refusals_fold_into_one_event_per_address_and_minute(limited: ArenaSite) -> None:
    """A flood is one event a minute and address with its count, not one event each (V-114)."""
    flood, other = limited.voter(), limited.voter()
    for _ in range(20):
        flood.get("/")
        other.get("/")
    for _ in range(7):
        flood.get("/")
    other.get("/")
    assert fold_refusals(limited.services) == 0  # the minute is not over
    limited.clock.advance(59)
    for _ in range(2):
        flood.get("/")
    limited.clock.advance(61)

    assert fold_refusals(limited.services) == 2
    assert fold_refusals(limited.services) == 0
    folded = limited.events("refusals.folded")
    assert sorted(each.body["count"] for each in folded) == [1, 9]
    assert {each.body["reason"] for each in folded} == {"rate_limited"}
    assert limited.refusals() == []
    addresses = {limited.private(each)["address"] for each in folded}
    assert len(addresses) == 2
    assert flood.address not in str(addresses)


def test_a_refusal_by_rate_is_a_page_or_a_fragment(limited: ArenaSite) -> None:
    """The 429 of the limiter has Retry-After and our own words in both forms (V-114)."""
    voter = limited.voter()
    token = [voter.ballot().token for _ in range(20)][-1]

    page, fragment = voter.get("/"), voter.vote(token, htmx=True)

    for response in (page, fragment):
        assert (response.status_code, reason_of(response)) == (429, "rate_limited")
        assert response.headers["Retry-After"] == "60"
        assert "Too many requests. Try again in 60 s." in response.text
    assert "<html" in page.text
    assert fragment.headers["HX-Retarget"] == "#ballot-message"


@pytest.mark.parametrize(
    "moment, month, board",
    [
        ("2026-11-30T23:59:59+00:00", "2026-11", "2026-11"),
        ("2026-12-01T00:00:00+00:00", "2026-12", "2026-12"),
    ],
)
def test_a_vote_counts_for_the_month_it_is_cast_in(
    arena: ArenaSite, moment: str, month: str, board: str
) -> None:
    """The last moment of a month is still that month's, the first of the next is not."""
    voter = arena.voter()
    token = voter.ballot().token
    arena.clock.now_us = at(moment) + (999_000 if month == "2026-11" else 0)

    assert voter.vote(token).status_code == 303

    (cast,) = arena.events("vote.cast")
    assert cast.body["month"] == month
    assert cast.stream == f"arena/speed/{board}"
