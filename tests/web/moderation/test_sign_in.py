"""The way into the moderators' rooms: sign-in, cookies, roles, forms, and where it may lead."""

from __future__ import annotations

import re
from dataclasses import replace
from ipaddress import ip_address
from urllib.parse import parse_qs, urlsplit

import pytest

from antiabuse import totp
from antiabuse.account_rules import current
from antiabuse.accounts import disable
from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import ArenaSite, at, reason_of
from tests.fixtures.moderators import PASSWORD, Moderator, People, moderator_of
from webapp.moderation import digest_turns

NEW = "seven loud rivers run"


@pytest.fixture
def people(arena: ArenaSite) -> People:
    """Accounts of the site."""
    return People(arena.database, arena.services.ports)


def test_signing_in_leads_to_the_page_that_was_asked_for(arena: ArenaSite, people: People) -> None:
    """A closed page leads to the form, and the form back to it."""
    people.add("rosa", now_us=arena.clock())
    browser = Moderator(arena, "203.0.113.9")

    closed = browser.get("/moderation/account")
    assert closed.status_code == 303
    form = browser.get(closed.headers["Location"])
    entered = browser.sign_in(next=re.findall(r'name="next" value="([^"]+)"', form.text)[0])

    assert entered.headers["Location"] == "/moderation/account"
    assert "Signed in as rosa" in browser.get("/moderation/account").text


@pytest.mark.parametrize(
    "asked",
    [
        "https://evil.example/moderation",
        "//evil.example",
        "/\\evil.example",
        "/moderation/../../evil",
        "/moderation/cases/..%2f..%2f",
        "/moderation/cases/flag:7f1b6c0e-8d1f-4c55-9d3a-2f60a1f7a111\n",
        "/moderation/cases/flag:1",
        "/moderation/sign-out",
        "/",
        "javascript:alert(1)",
        "/moderation@evil.example",
    ],
)
def test_signing_in_leads_nowhere_else(arena: ArenaSite, people: People, asked: str) -> None:
    """Whatever is handed in as the next page, only our own rooms are gone to."""
    people.add("rosa", now_us=arena.clock())

    entered = Moderator(arena, "203.0.113.9").sign_in(next=asked)

    assert (entered.status_code, entered.headers["Location"]) == (303, "/moderation")


@pytest.mark.parametrize(
    "asked",
    [
        "/moderation/audit",
        "/moderation/cases/flag:7f1b6c0e-8d1f-4c55-9d3a-2f60a1f7a111",
        "/moderation/cases/voter:2026-11:0123456789abcdef0123456789abcdef",
        "/moderation/votes/7f1b6c0e-8d1f-4c55-9d3a-2f60a1f7a111",
    ],
)
def test_signing_in_leads_back_to_our_own_rooms(
    arena: ArenaSite, people: People, asked: str
) -> None:
    """Who followed a link to a case arrives there."""
    people.add("rosa", now_us=arena.clock())

    entered = Moderator(arena, "203.0.113.9").sign_in(next=asked)

    assert entered.headers["Location"] == asked


def test_every_room_is_found_again_after_signing_in(arena: ArenaSite, people: People) -> None:
    """Each page of the rooms leads through sign-in to itself, a newly built one too."""
    people.add("rosa", now_us=arena.clock())
    rooms = [
        rule.rule
        for rule in arena.app.url_map.iter_rules()
        if rule.rule.startswith("/moderation")
        and "GET" in (rule.methods or ())
        and not rule.arguments
        and rule.rule != "/moderation/sign-in"
    ]
    assert {"/moderation", "/moderation/influence", "/moderation/operations"} <= set(rooms)
    browser = Moderator(arena, "203.0.113.9")

    for room in rooms:
        to_sign_in = browser.get(room).headers["Location"]
        assert parse_qs(urlsplit(to_sign_in).query)["next"] == [room]


def test_the_session_cookie_is_shut_in(arena: ArenaSite, people: People) -> None:
    """No script reads it, no other site sends it, no file keeps it."""
    people.add("rosa", now_us=arena.clock())

    cookies = Moderator(arena, "203.0.113.9").sign_in().headers.getlist("Set-Cookie")

    (session,) = [each for each in cookies if each.startswith("moderator=")]
    assert {"HttpOnly", "Path=/", "SameSite=Strict"} <= set(session.split("; "))
    assert "Expires" not in session
    assert "Max-Age" not in session


def test_under_https_cookies_are_bound_to_the_host(open_arena: OpenArena) -> None:
    """The prefix and Secure keep them from other hosts and plain connections."""
    site = open_arena(public_url="https://arena.example")
    People(site.database, site.services.ports).add("rosa", now_us=site.clock())

    cookies = Moderator(site, "203.0.113.9").sign_in().headers.getlist("Set-Cookie")

    assert {each.partition("=")[0] for each in cookies} == {
        "__Host-moderator",
        "__Host-moderator-browser",
    }
    assert all("Secure" in each.split("; ") for each in cookies)
    assert not any("Domain" in each for each in cookies)


def test_a_wrong_password_tells_nothing_and_keeps_no_password(
    arena: ArenaSite, people: People
) -> None:
    """Known and unknown names get the same page, without the password in it."""
    people.add("rosa", now_us=arena.clock())
    browser = Moderator(arena, "203.0.113.9")

    pages = [browser.sign_in(name, "not the password") for name in ("rosa", "nora")]

    assert [page.status_code for page in pages] == [403, 403]
    assert pages[0].text.replace("rosa", "nora") == pages[1].text
    assert "not the password" not in pages[0].text


def test_sign_ins_and_failures_are_events_with_private_addresses(
    arena: ArenaSite, people: People
) -> None:
    """The log has both; who and from where is private."""
    account = people.add("rosa", now_us=arena.clock())
    browser = Moderator(arena, "203.0.113.9")
    browser.sign_in(password="not the password")
    browser.sign_in()

    failed, entered = arena.events("moderator.sign_in_failed", "moderator.signed_in")

    assert "handle" not in failed.body
    assert entered.body["handle"] == account.handle
    assert arena.private(failed)["name"] == "rosa"
    assert arena.private(entered)["address"]
    assert "203.0.113.9" not in str(arena.private(entered))


def test_guessing_is_held_up_with_a_wait(arena: ArenaSite, people: People) -> None:
    """After five failures the right password must wait too, and the page says how long."""
    people.add("rosa", now_us=arena.clock())
    browser = Moderator(arena, "203.0.113.9")
    for _ in range(5):
        browser.sign_in(password="not the password")

    held_up = browser.sign_in()
    assert (held_up.status_code, held_up.headers["Retry-After"]) == (429, "900")
    assert "Try again in 15 min" in held_up.text
    assert Moderator(arena, "203.0.113.10").sign_in().status_code == 303
    arena.clock.advance(900)
    assert browser.sign_in().status_code == 303


def test_midnight_forgives_no_guesser_and_no_lasting_digest_is_kept(
    arena: ArenaSite, people: People
) -> None:
    """Failures bear the day's digest of the address, and yesterday's count a quarter of an hour."""
    people.add("rosa", now_us=arena.clock())
    arena.clock.now_us = at("2026-11-30T23:59:00+00:00")
    browser = Moderator(arena, "203.0.113.9")
    for _ in range(current().failures_per_name_and_address):
        assert browser.sign_in(password="not the password").status_code == 403
    with arena.database.read() as conn:
        kept = set(conn.exec_driver_sql("SELECT address FROM sign_in_failure").scalars())

    arena.clock.now_us = at("2026-12-01T00:01:00+00:00")
    after_midnight = browser.sign_in(), Moderator(arena, "203.0.113.10").sign_in()
    arena.clock.advance(current().failure_window_s)

    addresses = arena.services.addresses
    assert kept == {addresses.of_day(ip_address("203.0.113.9"), "2026-11-30")}
    assert [answer.status_code for answer in after_midnight] == [429, 303]
    assert browser.sign_in().status_code == 303


def test_a_full_queue_of_digests_counts_no_attempt(
    arena: ArenaSite, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who gets no turn is told to come again; a browser that has signed in before gets one."""
    people.add("rosa", now_us=arena.clock())
    known, stranger = Moderator(arena, "203.0.113.9"), Moderator(arena, "203.0.113.10")
    known.sign_in()
    known.send("/moderation/sign-out")
    monkeypatch.setattr(digest_turns, "current", lambda: replace(current(), digest_wait_ms=1))

    with digest_turns.STRANGERS_TURNS.turn():
        refused = [stranger.sign_in() for _ in range(6)]
        assert known.sign_in().status_code == 303

    assert {(each.status_code, each.headers["Retry-After"]) for each in refused} == {(503, "5")}
    assert "Nothing was checked or counted; try again in 5 s." in refused[0].text
    assert arena.count("sign_in_failure") == 0
    assert stranger.sign_in().status_code == 303


def test_who_is_held_up_waits_for_no_digest(arena: ArenaSite, people: People) -> None:
    """Limits are read first: while a digest is computed, the refusal comes all the same."""
    people.add("rosa", now_us=arena.clock())
    browser = Moderator(arena, "203.0.113.9")
    for _ in range(5):
        browser.sign_in(password="not the password")

    with digest_turns.STRANGERS_TURNS.turn(), arena.statements() as seen:
        held_up = browser.sign_in()

    assert (held_up.status_code, held_up.headers["Retry-After"]) == (429, "900")
    assert not [each for each in seen.all if not each.startswith("SELECT")]


def test_an_account_is_not_changed_without_a_turn(
    arena: ArenaSite, rosa: Moderator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Changing the password waits for a digest no longer than signing in does."""
    monkeypatch.setattr(digest_turns, "current", lambda: replace(current(), digest_wait_ms=1))

    with digest_turns.MODERATORS_TURNS.turn():
        busy = rosa.send("/moderation/account/password", password=PASSWORD, new=NEW, again=NEW)

    assert (busy.status_code, busy.headers["Retry-After"]) == (503, "5")
    assert "Nothing was changed; try again in 5 s." in busy.text
    assert Moderator(arena, "203.0.113.7").sign_in().status_code == 303


def test_codes_are_asked_for(arena: ArenaSite, people: People) -> None:
    """With codes on, the form needs one, and the same one opens nothing twice."""
    secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    people.add("rosa", secret=secret, now_us=arena.clock())
    code = totp.code_at(secret, arena.clock())

    statuses = [
        Moderator(arena, "203.0.113.9").sign_in(code=each).status_code for each in ("", code, code)
    ]

    assert statuses == [403, 303, 403]


def test_the_role_master_does_not_lead_into_these_rooms(arena: ArenaSite) -> None:
    """A master may sign in and see the account; the rooms say why they stay shut."""
    browser = moderator_of(arena, "max", "master")

    refused = browser.get("/moderation/audit")

    assert browser.get("/moderation/account").status_code == 200
    assert (refused.status_code, reason_of(refused)) == (403, "wrong_role")


@pytest.mark.parametrize("csrf", ["", "made-up", "é"])
def test_forms_of_others_change_nothing(arena: ArenaSite, rosa: Moderator, csrf: str) -> None:
    """A form without the session's own token is refused, and the session stays."""
    refused = rosa.post("/moderation/sign-out", {"csrf": csrf})

    assert (refused.status_code, reason_of(refused)) == (403, "foreign_form")
    assert rosa.get("/moderation/account").status_code == 200


def test_a_token_of_another_session_is_refused(arena: ArenaSite, rosa: Moderator) -> None:
    """Form tokens belong to one session."""
    other = moderator_of(arena, "otto")

    refused = rosa.post("/moderation/sign-out", {"csrf": other.csrf()})

    assert reason_of(refused) == "foreign_form"


def test_forms_from_other_sites_are_refused(arena: ArenaSite, rosa: Moderator) -> None:
    """The origin check holds here too, sign-in included."""
    for path in ("/moderation/sign-in", "/moderation/sign-out"):
        refused = rosa.post(path, {"csrf": rosa.csrf()}, headers={"Origin": "https://evil.example"})
        assert (refused.status_code, reason_of(refused)) == (403, "bad_origin")


def test_signing_out_ends_the_session_itself(arena: ArenaSite, rosa: Moderator) -> None:
    """A copy of the cookie opens nothing after sign-out."""
    copy = rosa.client.get_cookie("moderator")
    assert copy is not None

    assert rosa.send("/moderation/sign-out").headers["Location"] == "/moderation/sign-in"

    rosa.client.set_cookie("moderator", copy.value)
    assert rosa.get("/moderation/account").status_code == 303


def test_signing_out_everywhere_reaches_other_browsers(arena: ArenaSite, rosa: Moderator) -> None:
    """The second browser of the account is out as well."""
    other = Moderator(arena, "203.0.113.7")
    assert other.sign_in().status_code == 303

    rosa.send("/moderation/account/sign-out-everywhere")

    assert rosa.get("/moderation/account").status_code == 303
    assert other.get("/moderation/account").status_code == 303


def test_an_idle_session_ends_and_its_form_says_so(arena: ArenaSite, rosa: Moderator) -> None:
    """After an hour without use a form changes nothing and says to sign in."""
    csrf = rosa.csrf()
    arena.clock.advance(3_600)

    refused = rosa.post("/moderation/account/sign-out-everywhere", {"csrf": csrf})

    assert (refused.status_code, reason_of(refused)) == (403, "signed_out")


def test_pages_keep_a_session_open(arena: ArenaSite, rosa: Moderator) -> None:
    """Each page that is looked at starts the hour anew, up to twelve hours."""
    for _ in range(23):
        arena.clock.advance(1_800)
        assert rosa.get("/moderation/account").status_code == 200
    arena.clock.advance(1_800)
    assert rosa.get("/moderation/account").status_code == 303


def test_disabling_shuts_the_rooms_at_once(arena: ArenaSite, rosa: Moderator) -> None:
    """The next page of a disabled account is the sign-in form, which does not help."""
    with arena.database.write() as conn:
        disable(conn, arena.services.ports, "rosa", arena.clock())

    assert rosa.get("/moderation/account").status_code == 303
    assert rosa.sign_in().status_code == 403


def test_changing_the_password_needs_the_present_one(arena: ArenaSite, rosa: Moderator) -> None:
    """A stolen session cannot lock its owner out."""
    wrong = rosa.send(
        "/moderation/account/password", password="not the password", new=NEW, again=NEW
    )
    differ = rosa.send("/moderation/account/password", password=PASSWORD, new=NEW, again="x")
    short = rosa.send("/moderation/account/password", password=PASSWORD, new="x", again="x")

    assert [each.status_code for each in (wrong, differ, short)] == [403, 422, 422]
    assert Moderator(arena, "203.0.113.7").sign_in().status_code == 303


def test_a_new_password_signs_other_browsers_out(arena: ArenaSite, rosa: Moderator) -> None:
    """This browser goes on with a new session; others must use the new password."""
    before = rosa.client.get_cookie("moderator")
    other = Moderator(arena, "203.0.113.7")
    other.sign_in()

    done = rosa.send("/moderation/account/password", password=PASSWORD, new=NEW, again=NEW)

    assert "The password is changed" in rosa.get(done.headers["Location"]).text
    assert rosa.client.get_cookie("moderator") != before
    assert other.get("/moderation/account").status_code == 303
    assert other.sign_in().status_code == 403
    assert other.sign_in(password=NEW).status_code == 303


def test_codes_are_turned_on_with_the_key_of_the_page(arena: ArenaSite, rosa: Moderator) -> None:
    """The key must have reached the authenticator; afterwards the password alone fails."""
    page = rosa.get("/moderation/account").text
    secret = re.findall(r'name="secret" value="([A-Z2-7]{32})"', page)[0]
    code = totp.code_at(secret, arena.clock())

    wrong = rosa.send("/moderation/account/code", secret=secret, code="000000", password=PASSWORD)
    right = rosa.send("/moderation/account/code", secret=secret, code=code, password=PASSWORD)

    assert (wrong.status_code, right.status_code) == (422, 303)
    after = rosa.get("/moderation/account").text
    assert secret not in after
    assert "Codes are on" in after
    assert Moderator(arena, "203.0.113.7").sign_in().status_code == 403
    arena.clock.advance(30)
    fresh = totp.code_at(secret, arena.clock())
    assert Moderator(arena, "203.0.113.7").sign_in(code=fresh).status_code == 303


def test_codes_are_turned_off_with_the_password(arena: ArenaSite, people: People) -> None:
    """Turning them off is an event, as turning them on is."""
    people.add("rosa", secret="GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", now_us=arena.clock())
    browser = Moderator(arena, "203.0.113.9")
    browser.client.set_cookie("moderator", people.opened("rosa", arena.clock()))

    browser.send("/moderation/account/code", password=PASSWORD)

    assert "Codes are off" in browser.get("/moderation/account").text
    assert arena.events("moderator.changed")[-1].body["change"] == "code_turned_off"


def test_pages_of_these_rooms_are_not_kept(arena: ArenaSite, rosa: Moderator) -> None:
    """No cache, and no frame on another page, may hold them."""
    page = rosa.get("/moderation/account")

    assert page.headers["Cache-Control"] == "no-store"
    assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]


def test_times_of_use_are_written_once_a_minute(arena: ArenaSite, rosa: Moderator) -> None:
    """The first page after a minute writes the use down; within the minute pages cost no write."""
    arena.clock.advance(61)
    writes = []
    for _ in range(2):
        with arena.statements() as seen:
            rosa.get("/moderation/account")
        found = [each for each in seen.all if each.startswith("UPDATE moderator_session")]
        writes.append(len(found))

    assert writes == [1, 0]
