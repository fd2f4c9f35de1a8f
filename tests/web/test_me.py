"""A voter's own page: all that is kept, field by field, an own board, and its erasure (X-006)."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from antiabuse import rules
from arena import rules as arena_rules
from arena.case_subject import Subject
from ledger.canonical import canonical, digest
from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import MODELS, ArenaSite, Voter, reason_of, route_of, vote_form
from tests.fixtures.moderation_cases import dispute_of, one_sided_voter
from tests.fixtures.moderators import moderator_of
from tests.fixtures.review_cases import note_on

DEVICE = "ab" * 32


def data_of(voter: Voter) -> Any:  # noqa: ANN401 - the file's JSON
    """Return what the voter downloads."""
    response = voter.get("/me/data.json")
    assert response.status_code == 200
    assert response.mimetype == "application/json"
    assert response.headers["Cache-Control"] == "no-store"
    return json.loads(response.text)


def everything(site: ArenaSite) -> Voter:
    """Return a voter who did all that a voter can do."""
    voter = site.voter()
    voter.ballot()
    voter.post("/consent", {"fingerprint": "yes"})
    route = route_of(voter.read_and_vote(fields={"fingerprint": DEVICE}))
    voter.post(f"/ballots/{route}/reasons", {"reason": "clear"})
    site.clock.advance(10)
    token = voter.ballot().token
    voter.post("/report", {"ballot": token, "slot": "A", "reason": "other"})
    voter.post("/skip", {"ballot": token})
    voter.post("/vote", vote_form("nonsense"))
    voter.ballot("expert")
    return voter


@pytest.fixture
def consenting(open_arena: OpenArena) -> ArenaSite:
    """A site that asks for a device code."""
    return open_arena(fingerprint="consent")


def test_the_file_holds_every_row_that_names_the_voter(consenting: ArenaSite) -> None:
    """What the database holds under the id stands in the file, and nothing of other voters."""
    voter, other = everything(consenting), everything(consenting)
    data = data_of(voter)

    named = "subject = :id"
    assert len(data["private_parts"]) == consenting.count("event_private", named, id=voter.id)
    assert len(data["ballots"]) == consenting.count("ballot_holder", "voter_id = :id", id=voter.id)
    assert (
        len(data["sightings"]) == consenting.count("sighting", "voter_id = :id", id=voter.id) == 1
    )
    assert data["voter"]["id"] == voter.id
    assert (data["voter"]["votes"], data["voter"]["skips"]) == (1, 1)
    assert data["voter"]["consent"] == "yes"
    kinds = {part["kind"] for part in data["private_parts"]}
    assert kinds == {
        "ballot.issued", "ballot.shown", "vote.cast", "vote.reasoned", "ballot.reported",
        "ballot.skipped", "vote.refused", "voter.consent",
    }  # fmt: skip
    assert other.id not in json.dumps(data)


def test_an_erased_votes_receipt_says_so(arena: ArenaSite) -> None:
    """The address held a vote until its voter erased it, so it is not only called mistyped."""
    voter = arena.voter()
    route = route_of(voter.read_and_vote())
    voter.post("/me/erase")
    for page in (f"/receipts/{route}", f"/ballots/{route}"):
        gone = voter.get(page)
        assert gone.status_code == 404
        assert "what was kept about its voter was erased" in gone.text
    assert "was erased" not in voter.get("/no-such-page").text


def test_fields_bear_plain_names(consenting: ArenaSite) -> None:
    """No column's name stands on the page, whatever kinds of records it lists."""
    page = everything(consenting).get("/me").text
    named = re.findall(r'<th scope="row">([^<]*)</th>', page.partition('id="kept-row"')[2])
    assert {"Voter number", "Last vote", "Reading time, in microseconds"} <= set(named)
    assert [name for name in named if name.islower() and not name.startswith("cookie ")] == []


def test_the_file_proves_itself(consenting: ArenaSite) -> None:
    """Each vote and private part comes with the salt that makes its logged digest again."""
    voter = everything(consenting)
    consenting.sequence()
    data = data_of(voter)

    (vote,) = data["votes"]
    assert digest(bytes.fromhex(vote["body_salt"]), canonical(vote["body"])) == vote["body_sha256"]
    assert vote["log_index"] is not None
    for part in data["private_parts"]:
        made = digest(bytes.fromhex(part["salt"]), canonical(part["fields"]))
        assert made == part["sha256"]


def test_the_page_shows_each_kind_with_its_fields(consenting: ArenaSite) -> None:
    """Rows and records are listed field by field, with values as stored."""
    voter = everything(consenting)
    text = voter.get("/me").text
    data = data_of(voter)

    rows = text.partition('id="kept-row"')[2].partition("</table>")[0]
    assert rows.count('<th scope="row">') == len(data["voter"]) + 1  # and the cookie
    assert voter.id in text
    assert data["sightings"][0]["network"] in text
    assert data["sightings"][0]["device"] in text
    newest = {part["kind"]: part["fields"] for part in data["private_parts"]}
    for value in (value for fields in newest.values() for value in fields.values()):
        assert value is None or isinstance(value, int) or str(value) in text
    assert "/me/data.json" in text
    assert not re.search(r"private [a-z]+\.[a-z]+", text)  # every kind has a name in words


def test_open_ballots_tell_no_model(consenting: ArenaSite) -> None:
    """Neither page nor file joins an answer of a ballot without a vote to its model (V-158)."""
    voter = consenting.voter()
    voter.ballot()
    voter.ballot("expert")
    texts = voter.get("/me").text + json.dumps(data_of(voter))
    for model in MODELS:
        assert model[0] not in texts
        assert model[1] not in texts


def test_without_a_cookie_there_is_no_file(arena: ArenaSite) -> None:
    """A stranger gets no file, and the page for erasing says that there is nothing."""
    stranger = arena.voter()
    refused = stranger.get("/me/data.json")
    assert (refused.status_code, reason_of(refused)) == (403, "bad_identity")
    assert "nothing to erase" in stranger.get("/me/erase").text
    assert stranger.post("/me/erase").status_code == 403
    assert "no voter number" in stranger.get("/me").text


def test_a_named_id_is_ignored(consenting: ArenaSite) -> None:
    """An id in query or body is not looked at: only the signed cookie counts (V-112)."""
    victim, thief = everything(consenting), consenting.voter()
    thief.ballot()
    named = {"user_id": victim.id, "voter": victim.id, "id": victim.id}

    got = thief.get("/me/data.json", query_string=named).text
    thief.post("/me/erase", named)

    assert victim.id not in got
    assert len(data_of(victim)["votes"]) == 1


def test_why_a_vote_does_not_count_is_told(consenting: ArenaSite) -> None:
    """A vote of weight 0 stands there with its reason in words."""
    voter = consenting.voter()
    voter.read_and_vote(seconds=1, fields={"dwell_ms": "1000"})
    text = voter.get("/me").text
    assert "came before the answers could be read" in text
    assert data_of(voter)["votes"][0]["counts"] is False


def test_the_newest_votes_are_listed_and_the_file_holds_all(
    arena: ArenaSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who voted more often than a table helps is told so, and finds the rest in the file."""
    two = replace(arena_rules.current(), own_votes_listed=2)
    monkeypatch.setattr(arena_rules, "current", lambda: two)
    voter = arena.voter()
    for count in range(1, 4):
        voter.read_and_vote()
        arena.clock.advance(10)
        text = voter.get("/me").text
        assert text.count('href="/receipts/') == min(count, 2)
        assert ("The newest 2 are listed" in text) is (count >= 2)

    assert len(data_of(voter)["votes"]) == 3


# --- An own board ---


def test_an_own_board_needs_ten_votes(arena: ArenaSite) -> None:
    """Below ten picks the page says how many are missing; from ten on it ranks by them alone."""
    voter = arena.voter()
    for _ in range(9):
        pick(arena, voter)
    assert "From 10 votes" in voter.get("/me").text
    pick(arena, voter)
    text = voter.get("/me").text

    assert "From 10 votes" not in text
    assert "Your own board, Speed" in text
    assert "Your own board, Expert" not in text
    assert "yours and rough" in text
    board = text[text.index("own-board") :]
    order = re.findall(r'href="/models/([a-z0-9-]+)"', board)
    assert order[0] == MODELS[0][0]
    assert order[-1] == MODELS[-1][0]


def pick(arena: ArenaSite, voter: Voter) -> None:
    """Vote for the first of the models shown, by the catalogue's order, against the last."""
    page = voter.ballot()
    names = [model[0] for model in MODELS]
    shown = [names.index(slot.model) for slot in arena.held(page.token).slots]
    arena.clock.advance(30)
    best, worst = (("ABCD"[shown.index(end)]) for end in (min(shown), max(shown)))
    assert voter.vote(page.token, best=best, worst=worst).status_code == 303


def test_others_votes_do_not_touch_an_own_board(arena: ArenaSite) -> None:
    """The board of one voter is the same before and after another one votes."""
    voter, other = arena.voter(), arena.voter()
    for _ in range(10):
        pick(arena, voter)
    before = voter.get("/me").text
    for _ in range(3):
        other.read_and_vote()
        arena.clock.advance(10)
    after = voter.get("/me").text

    def board(text: str) -> str:
        return text[text.index("own-board") : text.index('id="kept"')]

    assert board(before) == board(after)
    assert "own-board" not in other.get("/me").text


# --- Erasing ---


def test_erasing_takes_a_confirmation(consenting: ArenaSite) -> None:
    """The page for it changes nothing; its form posts, from our own site alone."""
    voter = everything(consenting)
    before = consenting.count("event_private", "subject = :id", id=voter.id)
    page = voter.get("/me/erase").text

    assert 'method="post" action="/me/erase"' in page
    assert "60 days" in page
    foreign = voter.post("/me/erase", headers={"Sec-Fetch-Site": "cross-site"})
    assert foreign.status_code == 403
    assert consenting.count("event_private", "subject = :id", id=voter.id) == before
    assert voter.get("/me/erased").status_code == 200
    assert data_of(voter)["voter"]["id"] == voter.id


def test_everything_that_joins_goes_and_the_votes_stay(either_arena: ArenaSite) -> None:
    """No row names the id any more, votes and log stay whole, and the cookie is dropped."""
    site = either_arena
    voter, other = site.voter(), site.voter()
    for each in (voter, other):
        each.read_and_vote()
        site.clock.advance(10)
        each.post("/skip", {"ballot": each.ballot().token})
    site.sequence()
    gone = voter.id
    pseudonyms = {event.body["voter"] for event in site.events("vote.cast")}

    done = voter.post("/me/erase")

    assert (done.status_code, done.headers["Location"]) == (303, "/me/erased")
    assert voter.client.get_cookie("voter") is None
    assert voter.get("/me/erased").status_code == 200
    for table, column in (
        ("voter", "id"), ("ballot_holder", "voter_id"), ("sighting", "voter_id"),
        ("event_private", "subject"),
    ):  # fmt: skip
        assert site.count(table, f"{column} = :id", id=gone) == 0, table
        assert site.count(table, f"{column} = :id", id=other.id) > 0, table
    assert site.count("event_private", "part LIKE :id", id=f"%{gone}%") == 0
    assert site.count("event_erasure", "reason = 'request'") == 4
    assert site.count("vote", "weight_micro > 0") == 2
    assert {event.body["voter"] for event in site.events("vote.cast")} == pseudonyms
    assert site.count("sighting", "dwell_us IS NULL AND at_us % 3600000000 = 0") == 1
    assert site.count("sighting", "network IS NOT NULL") == 2
    assert site.verified().erased == 4


def test_a_vote_not_yet_in_the_log_can_be_erased(arena: ArenaSite) -> None:
    """What still waits for its place loses its private part too, and is sequenced all the same."""
    voter = arena.voter()
    voter.read_and_vote()
    voter.post("/me/erase")
    arena.sequence()
    assert arena.verified().pending == 0
    assert arena.count("vote") == 1


def test_a_kept_cookie_opens_nothing(either_arena: ArenaSite) -> None:
    """A copy of the old cookie gets a new id on the ballot, and no write is taken from it."""
    site = either_arena
    seen = one_sided_voter(site, 1)
    voter, (route,) = seen.voter, seen.routes
    token = voter.ballot("expert").token
    dispute = dispute_of(site, seen)
    old_cookie, old_id = voter.cookie, voter.id
    voter.post("/me/erase")
    parts = site.count("event_private")
    copy = site.voter()
    copy.client.set_cookie("voter", old_cookie)
    site.clock.advance(30)

    for path, form in (
        ("/vote", vote_form(token)),
        ("/skip", {"ballot": token}),
        ("/consent", {"fingerprint": "yes"}),
        ("/report", {"ballot": token, "slot": "A", "reason": "identity"}),
        (f"/disputes/{dispute}/evidence", {"text": "I read it twice."}),
    ):
        refused = copy.post(path, form)
        assert (refused.status_code, reason_of(refused)) == (403, "bad_identity"), path
    assert site.count("event_private") == parts
    for path, form, status in (
        ("/vote", {"ballot": "no token"}, 400),
        (f"/ballots/{route}/reasons", {"reason": "correct"}, 404),
        ("/disputes", {"vote": route, "text": "I read it."}, 404),
    ):
        assert copy.post(path, form).status_code == status, path
    assert site.count("event_private", "subject = :id", id=old_id) == 0
    assert site.count("event_private", "part LIKE :id", id=f"%{old_id}%") == 0
    assert copy.get(f"/receipts/{route}").status_code == 404
    assert data_of(copy)["voter"] is None
    copy.ballot()

    assert copy.id != old_id
    assert site.count("voter", "id = :id", id=old_id) == 0


def test_erasing_does_not_lift_the_limit_of_the_address(open_arena: OpenArena) -> None:
    """After erasing, the same address is counted on as before."""
    arena = open_arena(rate_limit="3")
    voter = arena.voter()
    voter.ballot()
    voter.ballot()
    voter.post("/me/erase")
    assert voter.get("/").status_code == 200
    assert voter.get("/").status_code == 429


def test_erasing_twice_does_no_harm(arena: ArenaSite) -> None:
    """The same cookie sent again erases nothing more and answers alike."""
    voter = arena.voter()
    voter.read_and_vote()
    cookie = voter.cookie
    voter.post("/me/erase")
    erased = arena.count("event_erasure")
    voter.client.set_cookie("voter", cookie)
    assert voter.post("/me/erase").status_code == 303
    assert arena.count("event_erasure") == erased
    assert arena.count("erased_voter") == 1


def test_a_note_is_told_and_its_text_goes(arena: ArenaSite) -> None:
    """The voter reads that a moderator wrote something; after erasing the case says it is gone."""
    seen = one_sided_voter(arena, 1)
    subject = Subject("voter", seen.name, "2026-11")
    note_on(arena, subject, "The same hour every day.")
    moderator = moderator_of(arena)

    page, file = seen.voter.get("/me").text, seen.voter.get("/me/data.json").text
    assert "a moderator wrote a note on you or a vote of yours" in page
    assert "note.written" in file
    for text in (page, file):
        assert "same hour" not in text
        assert "Ada" not in text
    assert "what moderators wrote in notes on you" in seen.voter.get("/me/erase").text
    case = f"/moderation/cases/{subject}"
    assert "same hour" in moderator.get(case).text
    seen.voter.post("/me/erase")

    after = moderator.get(case).text
    assert "same hour" not in after
    assert "Its text was erased: its voter asked for it" in after


# --- What the pages say ---


def test_the_pages_print_the_periods_in_force(arena: ArenaSite) -> None:
    """Privacy page and own page name the rulebook's days, and no other number."""
    numbers = rules.current()
    voter = arena.voter()
    for path in ("/privacy", "/me"):
        text = voter.get(path).text
        assert f"erased {numbers.private_days} days after the month" in text, path
        assert f"destroyed after {numbers.day_key_days} days" in text, path
        assert f"networks {numbers.month_key_days} days after its end" in text, path
        assert f"its key {numbers.month_key_days} days after it" in text, path
        assert f"{numbers.cookie_days} days, or until you erase it" in text, path


def test_the_cookie_lives_as_long_as_the_rules_say(arena: ArenaSite) -> None:
    """Browser and retention go by the same number."""
    header = arena.voter().get("/").headers["Set-Cookie"]
    assert f"Max-Age={rules.current().cookie_days * 86_400}" in header
