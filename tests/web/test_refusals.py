"""Every refusal over HTTP: status, reason, one audit event, nothing stored (V-110 to V-131)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import ArenaSite, Voter, at, reason_of, vote_form

DAY_S = 86_400


def stored(arena: ArenaSite) -> tuple[int, ...]:
    """Return how many votes, reasons, reports, ballots and ballots still open there are."""
    tables = ("vote", "vote_reason", "report", "ballot")
    return (*map(arena.count, tables), arena.count("ballot", "state = 'open'"))


def altered(text: str, position: int) -> str:
    """Return the text with one character changed."""
    other = "A" if text[position] != "A" else "B"
    index = position % len(text)
    return text[:index] + other + text[index + 1 :]


TOKENS: dict[str, Callable[[str], object]] = {
    "empty": lambda _: "",
    "not a token": lambda _: "nonsense",
    "ballot altered": lambda token: altered(token, 0),
    "signature altered": lambda token: altered(token, -1),
    "cut short": lambda token: token[:-5],
    "doubled": lambda token: [token, token],
    "over-long": lambda token: token + "A" * 2_000,
    "not ASCII": lambda token: token + "é",
    "with a NUL": lambda token: token + "\x00",
    "with a blank": lambda token: f" {token}",
}


@pytest.mark.parametrize("path", ["/vote", "/skip", "/report"])
@pytest.mark.parametrize("change", TOKENS.values(), ids=TOKENS.keys())
def test_a_damaged_token_is_refused(
    arena: ArenaSite, path: str, change: Callable[[str], object]
) -> None:
    """A token that this server did not make, to the last character, is 400 `bad_token`."""
    voter = arena.voter()
    form = vote_form(voter.ballot().token) | {"slot": "A", "reason": "other"}
    before = stored(arena)

    response = voter.post(path, {**form, "ballot": change(form["ballot"])})

    assert (response.status_code, reason_of(response)) == (400, "bad_token")
    assert arena.refusals() == [("bad_token", path[1:])]
    assert stored(arena) == before


def test_a_missing_token_is_refused(arena: ArenaSite) -> None:
    """A form without a token is 400 `bad_token`."""
    voter = arena.voter()
    voter.ballot()

    response = voter.post("/vote", {"verdict": "same"})

    assert (response.status_code, reason_of(response)) == (400, "bad_token")
    assert arena.refusals() == [("bad_token", "vote")]


def test_bytes_that_are_no_text_are_refused(arena: ArenaSite) -> None:
    """A token of bytes that are no UTF-8 is read as a bad token, and breaks nothing."""
    voter = arena.voter()
    voter.ballot()

    response = voter.client.post(
        "/vote",
        data=b"ballot=%ff%fe&verdict=\xff",
        content_type="application/x-www-form-urlencoded",
    )

    assert (response.status_code, reason_of(response)) == (400, "bad_token")


def test_the_token_of_a_ballot_that_is_not_there_is_refused(arena: ArenaSite) -> None:
    """A token that is signed well but names no ballot is `bad_token` too."""
    voter = arena.voter()
    voter.ballot()
    token = arena.services.tokens.sign("no-such-ballot", voter.id, arena.clock())

    response = voter.vote(token)

    assert (response.status_code, reason_of(response)) == (400, "bad_token")
    assert arena.refusals() == [("bad_token", "vote")]


@pytest.mark.parametrize("path", ["/vote", "/skip", "/report"])
def test_another_voters_token_is_refused(arena: ArenaSite, path: str) -> None:
    """A token works for the voter it was made for and nobody else."""
    owner, other = arena.voter(), arena.voter()
    form = vote_form(owner.ballot().token) | {"slot": "A", "reason": "other"}
    other.ballot()
    before = stored(arena)

    response = other.post(path, form)

    assert (response.status_code, reason_of(response)) == (403, "not_yours")
    assert arena.refusals() == [("not_yours", path[1:])]
    assert stored(arena) == before


def test_a_token_made_for_me_over_anothers_ballot_is_refused(arena: ArenaSite) -> None:
    """Who holds a ballot is looked up; the token's own word is not enough."""
    owner, other = arena.voter(), arena.voter()
    ballot = arena.held(owner.ballot().token).id
    other.ballot()
    token = arena.services.tokens.sign(ballot, other.id, arena.clock())

    for path in ("/vote", "/skip", "/report"):
        response = other.post(path, vote_form(token) | {"slot": "A", "reason": "other"})
        assert (response.status_code, reason_of(response)) == (403, "not_yours"), path

    assert arena.refusals() == [("not_yours", each) for each in ("vote", "skip", "report")]


def test_the_reveal_is_for_its_voter_alone(arena: ArenaSite) -> None:
    """Address, receipt and proof of a vote answer 403 to others and to strangers (V-017, V-159)."""
    owner, other, stranger = arena.voter(), arena.voter(), arena.voter()
    route = arena.held(owner.ballot().token).route
    owner.vote(owner.ballot().token)
    other.ballot()

    for visitor in (other, stranger):
        for path in (f"/ballots/{route}", f"/receipts/{route}", f"/receipts/{route}.tlog-proof"):
            response = visitor.get(path)
            assert (response.status_code, reason_of(response)) == (403, "not_yours"), path
            assert "data-model" not in response.text
    reasons = other.post(f"/ballots/{route}/reasons", {"reason": "clear"})
    assert (reasons.status_code, reason_of(reasons)) == (403, "not_yours")
    refused = arena.events("vote.refused")
    assert len(refused) == 7
    assert all(arena.private(each)["address"] for each in refused)


def test_already_voted(arena: ArenaSite) -> None:
    """A second vote and a skip after the vote are 409, and the first vote stands."""
    voter = arena.voter()
    token = voter.ballot().token
    voter.vote(token, best="B", worst="C")
    arena.clock.advance(60)
    before = stored(arena)

    again = voter.vote(token)
    skipped = voter.post("/skip", {"ballot": token})

    assert (again.status_code, reason_of(again)) == (409, "already_voted")
    assert (skipped.status_code, reason_of(skipped)) == (409, "already_voted")
    assert arena.refusals() == [("already_voted", "vote"), ("already_voted", "skip")]
    assert stored(arena) == before


def test_a_ballot_lives_for_a_day(arena: ArenaSite) -> None:
    """Just before 24 hours the vote is accepted, at 24 hours it is 410 (V-026)."""
    early, late = arena.voter(), arena.voter()
    tokens = early.ballot().token, late.ballot().token
    arena.clock.advance(DAY_S - 0.001)
    assert early.vote(tokens[0]).status_code == 303
    arena.clock.advance(0.001)

    response = late.vote(tokens[1])

    assert (response.status_code, reason_of(response)) == (410, "closed")
    assert arena.refusals() == [("closed", "vote")]


def test_an_expired_ballot_is_not_shown_again(arena: ArenaSite) -> None:
    """At 24 hours the page shows a new ballot, just before it the old one."""
    voter = arena.voter()
    first = voter.ballot()
    arena.clock.advance(DAY_S - 0.001)
    assert voter.ballot().slots == first.slots
    arena.clock.advance(0.001)
    assert set(voter.ballot().slots).isdisjoint(first.slots)


def test_a_skipped_ballot_is_closed(arena: ArenaSite) -> None:
    """A skip uses up the token: vote and second skip are 410."""
    voter = arena.voter()
    token = voter.ballot().token
    voter.post("/skip", {"ballot": token})

    for response in (voter.vote(token), voter.post("/skip", {"ballot": token})):
        assert (response.status_code, reason_of(response)) == (410, "closed")
    assert arena.refusals() == [("closed", "vote"), ("closed", "skip")]


def test_cooldown_over_http(arena: ArenaSite) -> None:
    """At 9.999 s the vote is 429 with the wait, the ballot stays open, at 10.000 s it counts."""
    voter = arena.voter()
    voter.vote(voter.ballot().token)
    token = voter.ballot().token
    arena.clock.advance(9.999)

    early = voter.vote(token)
    arena.clock.advance(0.001)
    in_time = voter.vote(token)

    assert (early.status_code, reason_of(early)) == (429, "cooldown")
    assert early.headers["Retry-After"] == "1"
    assert "Please wait 1 s before the next vote." in early.text
    assert in_time.status_code == 303
    assert arena.refusals() == [("cooldown", "vote")]


def test_the_wait_is_said_before_the_vote(arena: ArenaSite) -> None:
    """The next ballot's page says how long the cooldown still lasts."""
    voter = arena.voter()
    voter.vote(voter.ballot().token)
    arena.clock.advance(2.5)
    assert 'data-wait="8"' in voter.ballot().html
    arena.clock.advance(7.5)
    assert 'data-wait="0"' in voter.ballot().html


def test_fifty_votes_a_day(arena: ArenaSite) -> None:
    """The 51st vote is 429 until 00:00:00 UTC, also in the other mode (V-118, V-119)."""
    voter = arena.voter()
    kept = voter.ballot("expert").token
    for _ in range(50):
        voter.read_and_vote(seconds=10)
    arena.clock.advance(10)

    refused = voter.vote(kept)
    left_s = at("2026-12-01T00:00:00+00:00") // 1_000_000 - arena.clock() // 1_000_000
    arena.clock.advance(left_s - 0.001)
    still = voter.vote(kept)
    arena.clock.advance(0.001)
    next_day = voter.vote(kept)

    assert (refused.status_code, reason_of(refused)) == (429, "daily_cap")
    assert refused.headers["Retry-After"] == str(left_s)
    assert (still.status_code, still.headers["Retry-After"]) == (429, "1")
    assert next_day.status_code == 303
    assert arena.refusals() == [("daily_cap", "vote")] * 2
    assert arena.count("vote") == 51


def test_sixty_skips_a_day(arena: ArenaSite) -> None:
    """The 60th skip leads to the page that says so, and the 61st is 429 `skip_cap` (V-170)."""
    voter = arena.voter()
    kept = voter.ballot("expert").token
    for _ in range(59):
        voter.post("/skip", {"ballot": voter.ballot().token})
    last = voter.post("/skip", {"ballot": voter.ballot().token}, htmx=True)

    refused = voter.post("/skip", {"ballot": kept})

    assert last.status_code == 200
    assert 'data-cap="skips"' in last.text
    assert (refused.status_code, reason_of(refused)) == (429, "skip_cap")
    assert refused.headers["Retry-After"] == str(12 * 3600)
    assert arena.refusals() == [("skip_cap", "skip")]
    assert voter.vote(kept).status_code == 303


def test_a_banned_voter(arena: ArenaSite) -> None:
    """A banned voter's votes and skips are 403; earlier votes stay (V-170)."""
    voter = arena.voter()
    voter.vote(voter.ballot().token)
    token = voter.ballot().token
    arena.clock.advance(60)
    arena.execute("UPDATE voter SET banned_us = 1 WHERE id = :id", id=voter.id)

    for response in (voter.vote(token), voter.post("/skip", {"ballot": token})):
        assert (response.status_code, reason_of(response)) == (403, "banned")
    assert arena.refusals() == [("banned", "vote"), ("banned", "skip")]
    assert arena.count("vote") == 1


@pytest.mark.parametrize("path", ["/vote", "/skip", "/report", "/consent", "/ballots/x/reasons"])
@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://elsewhere.invalid"},
        {"Origin": "http://localhost:81"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "same-origin", "Origin": "https://elsewhere.invalid"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
    ],
)
def test_a_write_from_another_site_is_refused(
    arena: ArenaSite, path: str, headers: dict[str, str]
) -> None:
    """Any sign of another site makes a write 403 `bad_origin`, with one event."""
    voter = arena.voter()
    form = vote_form(voter.ballot().token) | {"fingerprint": "yes"}

    response = voter.post(path, form, headers=headers)

    assert (response.status_code, reason_of(response)) == (403, "bad_origin")
    assert arena.refusals() == [("bad_origin", path.split("/")[1])]
    assert arena.count("vote") == 0


@pytest.mark.parametrize(
    "path,action",
    [
        ("/buy-our-pills", "unknown"),
        ("/vote/buy-our-pills", "unknown"),
        ("/leaderboard", "unknown"),
        ("/disputes/buy-our-pills/evidence", "disputes"),
        ("/", "unknown"),
    ],
)
def test_a_foreign_write_puts_no_words_of_its_own_into_the_log(
    arena: ArenaSite, path: str, action: str
) -> None:
    """What is logged of the address is a part of our own routes, or `unknown`."""
    response = arena.voter().post(path, {}, headers={"Sec-Fetch-Site": "cross-site"})

    assert (response.status_code, reason_of(response)) == (403, "bad_origin")
    assert arena.refusals() == [("bad_origin", action)]


def test_a_flood_from_another_site_is_folded(open_arena: OpenArena) -> None:
    """Past the address's window foreign writes are only counted, so the log stays small."""
    arena = open_arena(rate_limit="5")
    voter = arena.voter()

    answers = [voter.post("/vote", {}, headers={"Sec-Fetch-Site": "cross-site"}) for _ in range(12)]

    assert {(a.status_code, reason_of(a)) for a in answers} == {(403, "bad_origin")}
    assert arena.refusals() == [("bad_origin", "vote")] * 5
    assert arena.count("refusal_tally") == 1


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "http://localhost"},
        {"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost"},
        {"Sec-Fetch-Site": "same-origin", "Origin": "null"},
    ],
)
def test_a_write_from_our_own_page_or_no_browser_is_accepted(
    arena: ArenaSite, headers: dict[str, str]
) -> None:
    """Our own origin, and neither header as from a program, pass (V-130)."""
    voter = arena.voter()
    form = vote_form(voter.ballot().token)
    assert voter.post("/vote", form, headers=headers).status_code == 303


def test_behind_a_proxy_that_ends_https_the_public_address_is_ours(open_arena: OpenArena) -> None:
    """The browser's origin is https while the request that arrives says http."""
    arena = open_arena(public_url="https://arena.example")
    voter = arena.voter()
    arrived = {"base_url": "http://arena.example"}
    page = voter.get("/", **arrived)
    cookie = page.headers["Set-Cookie"].partition(";")[0]
    token = page.text.split('name="ballot" value="')[1].partition('"')[0]
    headers = {"Origin": "https://arena.example", "Cookie": cookie}

    response = voter.post("/vote", vote_form(token), headers=headers, **arrived)

    assert response.status_code == 303


def test_the_cookie_in_production(open_arena: OpenArena) -> None:
    """Over HTTPS the cookie is bound to this host and to HTTPS, and scripts cannot read it."""
    arena = open_arena(public_url="https://arena.example")
    response = arena.voter().get("/", base_url="https://arena.example")

    name, _, rest = response.headers["Set-Cookie"].partition("=")

    assert name == "__Host-voter"
    assert {"Secure", "HttpOnly", "SameSite=Lax", "Path=/"} <= set(rest.split("; "))
    assert "Domain" not in rest
    assert response.headers["Strict-Transport-Security"].startswith("max-age=")


@pytest.mark.parametrize("path", ["/vote", "/skip", "/report", "/consent", "/ballots/x/reasons"])
@pytest.mark.parametrize("cookie", [None, "nonsense", "altered", "plain id", "\xff\xfe"])
def test_a_write_without_a_cookie_of_ours_is_refused(
    arena: ArenaSite, path: str, cookie: str | None
) -> None:
    """No cookie, a forged and an altered one are 403 `bad_identity` with one event (V-110)."""
    voter = arena.voter()
    form = vote_form(voter.ballot().token) | {"fingerprint": "yes"}
    spoil(voter, cookie)

    response = voter.post(path, form)

    assert (response.status_code, reason_of(response)) == (403, "bad_identity")
    assert arena.refusals() == [("bad_identity", path.split("/")[1])]
    assert arena.count("vote") == 0


@pytest.mark.parametrize("cookie", ["nonsense", "altered", "plain id", "", "\xff\xfe"])
def test_a_page_with_an_unusable_cookie_gives_a_new_id(arena: ArenaSite, cookie: str) -> None:
    """On GET a bad cookie is replaced, with one audit event, and the visitor goes on (V-172)."""
    voter = arena.voter()
    voter.ballot()
    old = voter.id
    spoil(voter, cookie)

    page = voter.ballot()

    assert voter.id != old
    assert arena.refusals() == [("bad_identity", "ballot")]
    assert voter.vote(page.token).status_code == 303


def test_a_first_visit_is_no_refusal(arena: ArenaSite) -> None:
    """Without a cookie a page issues one and logs nothing about it."""
    arena.voter().ballot()
    assert arena.refusals() == []


def spoil(voter: Voter, kind: str | None) -> None:
    """Replace the voter's cookie by a bad one, or take it away."""
    good = voter.cookie
    voter.client.delete_cookie("voter")
    if kind is None:
        return
    values = {"altered": altered(good, 3), "plain id": good.partition(".")[0]}
    voter.client.set_cookie("voter", values.get(kind, kind))


def test_a_user_id_in_body_or_query_is_ignored(arena: ArenaSite) -> None:
    """Who votes is said by the cookie alone (V-112)."""
    voter, other = arena.voter(), arena.voter()
    other.ballot()
    claims = {"user_id": other.id, "voter": other.id, "voter_id": other.id}
    token = voter.ballot().token

    voter.post(f"/vote?user_id={other.id}&voter={other.id}", vote_form(token) | claims)

    (cast,) = arena.events("vote.cast")
    assert arena.private(cast)["voter"] == voter.id


def test_the_checks_come_in_their_order(open_arena: OpenArena) -> None:
    """With everything wrong at once, each mended fault uncovers the next reason of V-131."""
    arena = open_arena(rate_limit="40")
    voter, owner = arena.voter(), arena.voter()
    foreign = owner.ballot().token
    first = voter.ballot().token
    voter.vote(first)
    good_cookie = voter.cookie
    for _ in range(38):
        voter.get("/")
    arena.execute("UPDATE voter SET banned_us = 1, votes = 50 WHERE id = :id", id=voter.id)
    spoil(voter, "nonsense")
    form = vote_form("nonsense", best="A", worst="A")
    seen = []

    def attempt(**headers: str) -> None:
        response = voter.post("/vote", form, headers=headers)
        seen.append((response.status_code, reason_of(response)))

    attempt(Origin="https://elsewhere.invalid")
    attempt()
    arena.clock.advance(60.001)
    voter.client.delete_cookie("voter")
    attempt()
    voter.client.set_cookie("voter", good_cookie)
    attempt()
    form["ballot"] = foreign
    attempt()
    form["ballot"] = first
    attempt()
    arena.execute("UPDATE voter SET banned_us = NULL WHERE id = :id", id=voter.id)
    attempt()
    arena.execute("UPDATE voter SET votes = 1 WHERE id = :id", id=voter.id)
    form["ballot"] = second = voter.ballot().token
    skipped = voter.ballot("expert").token
    voter.post("/skip", {"ballot": skipped})
    form["ballot"] = skipped
    now = arena.clock()
    full = "UPDATE voter SET votes = 50, last_vote_us = :now WHERE id = :id"
    arena.execute(full, id=voter.id, now=now)
    attempt()
    form["ballot"] = second
    attempt()
    arena.clock.advance(10)
    attempt()
    arena.execute("UPDATE voter SET votes = 1 WHERE id = :id", id=voter.id)
    attempt()
    form["worst"] = "B"
    attempt()

    assert seen == [
        (403, "bad_origin"),
        (429, "rate_limited"),
        (403, "bad_identity"),
        (400, "bad_token"),
        (403, "not_yours"),
        (403, "banned"),
        (409, "already_voted"),
        (410, "closed"),
        (429, "cooldown"),
        (429, "daily_cap"),
        (422, "contradictory_choice"),
        (303, None),
    ]
    reasons = [reason for reason, action in arena.refusals() if action == "vote"]
    assert reasons == [reason for _, reason in seen if reason not in (None, "rate_limited")]


@pytest.mark.parametrize("accept", ["application/json", "application/problem+json"])
def test_a_program_gets_problem_details(arena: ArenaSite, accept: str) -> None:
    """Whoever asks for JSON gets RFC 9457 problem details with the reason code."""
    voter = arena.voter()
    voter.ballot()

    response = voter.post("/vote", {"ballot": "x"}, headers={"Accept": accept})

    assert response.status_code == 400
    assert response.mimetype == "application/problem+json"
    assert response.json is not None
    assert response.json["reason"] == "bad_token"
    assert response.json["status"] == 400


def test_a_refusal_tells_nobody_who_in_its_body(arena: ArenaSite) -> None:
    """A refusal's body has reason, action and hour; voter, ballot and address are private."""
    voter = arena.voter()
    token = voter.ballot().token
    voter.vote(token)
    arena.clock.advance(60)
    voter.vote(token)

    (refused,) = arena.events("vote.refused")

    assert set(refused.body) == {"reason", "action", "hour"}
    assert refused.stream == "arena/speed/2026-11"
    private = arena.private(refused)
    assert private["voter"] == voter.id
    assert private["ballot"] == arena.held(token).id
    assert private["address"]
