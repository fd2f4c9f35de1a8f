"""What the ballot page says and when it shows which ballot (V-004, V-063, V-170 to V-174)."""

from __future__ import annotations

import re
import sqlite3
from itertools import pairwise
from pathlib import Path

import pytest
from sqlalchemy import Connection, QueuePool, event

from arena import catalogue_changes
from arena.ballot_store import HeldBallot
from arena.catalogue import render_missing
from arena.catalogue_changes import Recorder
from arena.demo_pack import load_demo
from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import (
    MODELS,
    QUESTIONS,
    ArenaSite,
    Voter,
    page_of,
    reason_of,
    route_of,
    write_pack,
)

DIGEST = "0123456789abcdef" * 4


def hold(arena: ArenaSite, answer: str) -> None:
    """Hold an answer back for a moderator."""
    recorder = Recorder(arena.services.ports.log, arena.clock(), arena.services.rng)
    with arena.database.write() as conn:
        catalogue_changes.hold_answer(conn, recorder, answer, "for a moderator")


def test_each_mode_has_its_own_open_ballot(arena: ArenaSite) -> None:
    """Speed is the default; the modes' ballots stand beside each other and both come again."""
    voter = arena.voter()
    speed, expert = page_of(voter.get("/")), voter.ballot("expert")

    assert [arena.held(page.token).mode for page in (speed, expert)] == ["speed", "expert"]
    assert voter.ballot("speed").slots == speed.slots
    assert voter.ballot("expert").slots == expert.slots


@pytest.mark.parametrize(
    "query", ["mode=", "mode=Speed", "mode=none", "mode=speed&mode=expert", "mode=%FF"]
)
def test_an_unknown_mode_is_no_page(arena: ArenaSite, query: str) -> None:
    """Any other mode is 404 and issues nothing."""
    response = arena.voter().get(f"/?{query}")
    assert (response.status_code, reason_of(response)) == (404, "not_found")
    assert arena.count("ballot") == 0


def test_dwell_counts_from_the_first_sending(arena: ArenaSite) -> None:
    """A ballot shown again keeps its first sending time: reloading costs no reading (V-172)."""
    voter = arena.voter()
    voter.ballot()
    arena.clock.advance(12)
    again = voter.ballot()
    arena.clock.advance(1)

    reveal = voter.vote(again.token, htmx=True)

    (cast,) = arena.events("vote.cast")
    assert cast.body["weight"] == "1"
    assert "read for 13.0 s" in reveal.text


@pytest.mark.parametrize(
    "column, used, kind",
    [("votes", 50, "votes"), ("ballots", 150, "ballots"), ("skips", 60, "skips")],
)
def test_at_a_cap_the_page_says_until_when(
    arena: ArenaSite, column: str, used: int, kind: str
) -> None:
    """A used-up day answers 200 with the wait and no form; the next day shows ballots again."""
    voter = arena.voter()
    voter.post("/skip", {"ballot": voter.ballot().token})
    arena.execute(f"UPDATE voter SET {column} = :used", used=used)  # noqa: S608

    for htmx in (False, True):
        response = voter.get("/", htmx=htmx)
        assert response.status_code == 200
        assert f'data-cap="{kind}"' in response.text
        assert 'name="ballot"' not in response.text
        assert "2026-12-01 00:00 UTC" in response.text
    arena.clock.advance(12 * 3600)
    assert voter.ballot().slots


def test_the_150th_ballot_is_the_last(arena: ArenaSite) -> None:
    """149 used: one more ballot is issued and can be voted on; then the page says the cap."""
    voter = arena.voter()
    voter.post("/skip", {"ballot": voter.ballot().token})
    arena.execute("UPDATE voter SET ballots = 149 WHERE id = :id", id=voter.id)

    last = voter.ballot()

    assert 'data-cap="ballots"' in voter.get("/").text
    assert voter.vote(last.token).status_code == 303


def test_fresh_questions_come_first_then_the_ballot_warns(arena: ArenaSite) -> None:
    """All questions come once; after that the page says that the vote will not count (V-172)."""
    voter = arena.voter()
    count = QUESTIONS["expert"]
    for _ in range(count):
        page = voter.ballot("expert")
        assert "This vote will not count." not in page.html
        arena.clock.advance(30)
        voter.vote(page.token)
        arena.clock.advance(10)
    asked = [each.body["question"] for each in arena.events("ballot.issued")]
    assert len(set(asked)) == count

    page = voter.ballot("expert")
    arena.clock.advance(30)
    reveal = voter.vote(page.token, htmx=True)

    issued = arena.events("ballot.issued")[-1]
    cast = arena.events("vote.cast")[-1]
    assert issued.body["will_not_count"] == "seen_answer"
    assert "This vote will not count." in page.html
    assert cast.body["weight"] == "0"
    assert "repeated_question" in cast.body["reasons"]
    assert "does not count" in reveal.text


def test_a_repeated_question_is_said_before_the_vote(
    open_empty_arena: OpenArena, tmp_path: Path
) -> None:
    """Unseen answers to a question voted on this month: said before, and weight 0 (V-123)."""
    arena = open_empty_arena()
    arena.import_pack(write_pack(tmp_path / "old", "speed", questions=1, models=MODELS[:4]))
    voter = arena.voter()
    first = voter.ballot()
    voter.vote(first.token)
    later = [(f"later-{n}", f"Later {n}", f"Late Maker {n}", "L", "") for n in range(4)]
    arena.import_pack(write_pack(tmp_path / "new", "speed", questions=1, models=later))
    for slot in arena.held(first.token).slots:
        hold(arena, slot.answer)
    arena.clock.advance(30)

    page = voter.ballot()
    arena.clock.advance(30)
    voter.vote(page.token)

    assert {slot.model for slot in arena.held(page.token).slots} == {model[0] for model in later}
    assert arena.events("ballot.issued")[-1].body["will_not_count"] == "repeated_question"
    assert "This vote will not count." in page.html
    assert arena.events("vote.cast")[-1].body["reasons"] == ["repeated_question"]


def test_next_month_the_answers_are_still_seen(arena: ArenaSite) -> None:
    """A new month lifts V-123 for the question, but revealed answers stay revealed."""
    voter = arena.voter()
    for _ in range(QUESTIONS["expert"]):
        voter.read_and_vote("expert")
        arena.clock.advance(10)
    arena.clock.advance(86_400)

    voter.read_and_vote("expert")

    cast = arena.events("vote.cast")[-1].body
    assert cast["month"] == "2026-12"
    assert cast["reasons"] == ["seen_answer"]


def test_a_worn_answer_does_not_count(arena: ArenaSite) -> None:
    """V-151: an answer counts in its first 300 reveals; the vote after that weighs 0."""
    fresh, stale = arena.voter(), arena.voter()
    pages = fresh.ballot(), stale.ballot()
    first, second = (arena.held(page.token).slots[0].answer for page in pages)
    arena.execute("UPDATE answer SET reveals = 299 WHERE id = :id", id=first)
    arena.clock.advance(30)
    fresh.vote(pages[0].token)
    arena.execute("UPDATE answer SET reveals = 300 WHERE id = :id", id=second)
    stale.vote(pages[1].token)

    counted, worn = (each.body for each in arena.events("vote.cast"))
    assert (counted["weight"], counted["reasons"]) == ("1", [])
    assert (worn["weight"], worn["reasons"]) == ("0", ["stale_answer"])


def test_one_network_cannot_wear_out_the_pool(open_empty_arena: OpenArena, tmp_path: Path) -> None:
    """Reveals are counted once for each network: any number of its ids count as one (V-151)."""
    arena = open_empty_arena()
    arena.import_pack(write_pack(tmp_path / "p", "speed", questions=1, models=MODELS[:4]))
    for address in ("192.0.2.1", "192.0.2.1", "192.0.2.9", "198.51.100.7", "127.0.0.1"):
        arena.voter(address).read_and_vote()

    revealed = [len(each.body["revealed"]) for each in arena.events("vote.cast")]
    assert revealed == [4, 0, 0, 4, 4]
    assert arena.count("answer", "reveals = 3") == 4


def test_fewer_than_four_models_is_503(open_empty_arena: OpenArena, tmp_path: Path) -> None:
    """No ballot with three models: 503 with a page of its own, and nothing is issued (V-004)."""
    arena = open_empty_arena()
    assert arena.voter().get("/").status_code == 503
    arena.import_pack(write_pack(tmp_path / "p", "speed", questions=3, models=MODELS[:3]))

    for htmx in (False, True):
        response = arena.voter().get("/", htmx=htmx)
        assert response.status_code == 503
        assert reason_of(response) == "too_few_models"
    assert arena.count("ballot") == 0
    assert arena.count("voter") == 0


def test_four_models_of_two_makers_make_a_ballot(
    open_empty_arena: OpenArena, tmp_path: Path
) -> None:
    """Four makers are preferred, not required (V-005)."""
    arena = open_empty_arena()
    models = [
        (slug, name, f"Maker {n % 2}", "L", "") for n, (slug, name, *_) in enumerate(MODELS[:4])
    ]
    arena.import_pack(write_pack(tmp_path / "p", "speed", questions=1, models=models))

    held = arena.held(arena.voter().ballot().token)

    assert {slot.model for slot in held.slots} == {model[0] for model in models}


def test_a_ballot_is_withdrawn_when_an_answer_is_held(arena: ArenaSite) -> None:
    """A held answer closes open ballots with it: vote 410, and the page shows another (V-024)."""
    voter = arena.voter()
    page = voter.ballot()
    held = arena.held(page.token)
    hold(arena, held.slots[2].answer)

    refused = voter.vote(page.token)
    following = voter.ballot()

    assert (refused.status_code, reason_of(refused)) == (410, "closed")
    assert not set(following.slots) & set(page.slots)
    assert arena.held(page.token).state == "withdrawn"
    assert [each.body["ballot"] for each in arena.events("ballot.withdrawn")] == [held.id]
    assert arena.count("vote") == 0


def open_beside(arena: ArenaSite, voter: Voter, way: str) -> tuple[HeldBallot, HeldBallot]:
    """Return an older and a newer ballot of speed that are open at once."""
    older = arena.held(voter.ballot().token)
    if way == "clock set back":
        arena.clock.advance(3 * 24 * 3600)
        newer = arena.held(voter.ballot().token)
        arena.clock.advance(10 - 3 * 24 * 3600)
        return older, newer
    arena.execute("UPDATE ballot SET state = 'skipped' WHERE id = :id", id=older.id)
    arena.clock.advance(5)
    newer = arena.held(voter.ballot().token)
    arena.execute("UPDATE ballot SET state = 'open' WHERE id = :id", id=older.id)
    return older, newer


@pytest.mark.parametrize("way", ["clock set back", "two requests at once"])
@pytest.mark.parametrize("held", [1, 2])
def test_of_two_open_ballots_those_that_may_be_shown_stay(
    arena: ArenaSite, way: str, held: int
) -> None:
    """The newest with a held answer gives way to the older one, which costs no further ballot."""
    voter = arena.voter()
    older, newer = open_beside(arena, voter, way)
    for each in (newer, older)[:held]:
        hold(arena, each.slots[0].answer)

    shown = voter.get("/?mode=speed")

    assert shown.status_code == 200
    page = page_of(shown)
    assert (arena.held(page.token).id == older.id) == (held == 1)
    assert arena.held(page.token).showable
    withdrawn = [each.body["ballot"] for each in arena.events("ballot.withdrawn")]
    assert withdrawn == [newer.id, older.id][:held]
    assert len(arena.events("ballot.issued")) == 1 + held
    assert [each.body["ballot"] for each in arena.events("ballot.shown")] == [older.id][held - 1 :]


def test_a_ballot_opened_at_every_try_is_busy(arena: ArenaSite) -> None:
    """Whoever finds another ballot opened meanwhile tries once more, then is told to come back."""
    voter = arena.voter()
    first = arena.held(voter.ballot().token)
    voter.post("/skip", {"ballot": page_of(voter.get("/")).token})
    tries: list[str] = []

    def open_meanwhile(
        _conn: Connection, cursor: sqlite3.Cursor, statement: str, *_: object
    ) -> None:
        if "INSERT INTO ballot_holder" in statement:
            tries.append(statement)
            # Rolled back with the ballot that it stops.
            cursor.execute("UPDATE ballot SET state = 'open' WHERE id = ?", (first.id,))

    event.listen(arena.database._writer, "before_cursor_execute", open_meanwhile)
    answer = voter.get("/")

    assert (answer.status_code, reason_of(answer)) == (503, "busy")
    assert len(tries) == 2
    assert arena.count("ballot", "state = 'skipped'") == arena.count("ballot") == 1


def test_nobody_waits_for_reading_while_a_view_is_written(arena: ArenaSite) -> None:
    """Showing and issuing a ballot hold no connection for reading while they wait to write."""
    voter = arena.voter()
    reading: list[int] = []
    pool = arena.database._reader.pool
    assert isinstance(pool, QueuePool)
    event.listen(arena.database._writer, "begin", lambda _conn: reading.append(pool.checkedout()))
    voter.ballot()
    voter.ballot()

    assert set(reading) == {0}


def test_the_first_real_import_closes_demo_ballots(
    open_empty_arena: OpenArena, tmp_path: Path
) -> None:
    """V-174, X-014: the demo is marked, retired by real content, and its open ballots close."""
    arena = open_empty_arena()
    services = arena.services
    load_demo(arena.database, services.ports.log, clock=arena.clock, rng=services.rng)
    render_missing(arena.database)
    voter = arena.voter()
    page = voter.ballot()
    assert "Demo" in page.html

    arena.import_pack(write_pack(tmp_path / "real", "speed", questions=2))
    refused = voter.vote(page.token)
    following = voter.ballot()

    assert len(arena.events("demo.retired")) == 1
    assert (refused.status_code, reason_of(refused)) == (410, "closed")
    assert {slot.model for slot in arena.held(following.token).slots} <= {m[0] for m in MODELS}
    assert "Demo: the models" not in following.html
    assert "Demo retired" in following.html
    assert voter.get("/?mode=expert").status_code == 503


@pytest.mark.parametrize("answer", ["yes", "no"])
def test_consent_is_an_event_and_asked_once(open_arena: OpenArena, answer: str) -> None:
    """V-173: with the setting on the page asks, the answer is an event, and it asks no more."""
    arena = open_arena(fingerprint="consent")
    voter = arena.voter()
    assert 'action="/consent"' in voter.ballot().html

    response = voter.post("/consent", {"fingerprint": answer})

    assert (response.status_code, response.headers["Location"]) == (303, "/me")
    (given,) = arena.events("voter.consent")
    assert given.body["consent"] == answer
    assert arena.private(given)["voter"] == voter.id
    assert 'action="/consent"' not in voter.ballot().html


@pytest.mark.parametrize("mode", ["speed", "expert"])
def test_without_script_the_answer_leads_back_to_its_ballot(
    open_arena: OpenArena, mode: str
) -> None:
    """The same ballot comes again, with a field for the code in each form that sends a vote."""
    arena = open_arena(fingerprint="consent")
    voter = arena.voter()
    before = voter.ballot(mode)
    assert f'name="mode" value="{mode}"' in before.html
    assert "data-device" not in before.html

    response = voter.post("/consent", {"fingerprint": "yes", "mode": mode})

    assert (response.status_code, response.headers["Location"]) == (303, f"/?mode={mode}")
    after = voter.ballot(mode)
    assert after.slots == before.slots
    assert device_forms(after.html) == ["ballot-form", "ballot-other"]


@pytest.mark.parametrize("setting, sent", [("consent", "yes"), ("consent", "no"), ("off", "yes")])
def test_with_script_yes_brings_the_fields_for_the_vote_at_hand(
    open_arena: OpenArena, setting: str, sent: str
) -> None:
    """The answer's fragment takes the question's place: two fields after Yes, else nothing."""
    arena = open_arena(fingerprint=setting)
    voter = arena.voter()
    voter.ballot()

    response = voter.post("/consent", {"fingerprint": sent, "mode": "speed"}, htmx=True)

    assert response.status_code == 200
    asked = (setting, sent) == ("consent", "yes")
    assert device_forms(response.text) == (["ballot-form", "ballot-other"] if asked else [])
    assert response.text.count('name="fingerprint" value=""') == (2 if asked else 0)


@pytest.mark.parametrize("mode", ["", "all", "//evil.invalid", "speed&next=/x", ["speed", "speed"]])
def test_an_answer_leads_to_no_other_place(arena: ArenaSite, mode: str | list[str]) -> None:
    """A mode that is none is 400, and no answer is stored."""
    voter = arena.voter()
    voter.ballot()

    response = voter.post("/consent", {"fingerprint": "yes", "mode": mode})

    assert (response.status_code, reason_of(response)) == (400, "bad_request")
    assert arena.events("voter.consent") == []


def device_forms(html: str) -> list[str]:
    """Return the forms to which fields for the device code belong."""
    return re.findall(r'<input[^>]* form="([^"]+)" data-device>', html)


def test_without_the_setting_nobody_is_asked(arena: ArenaSite) -> None:
    """With the fingerprint off the ballot does not ask."""
    assert 'action="/consent"' not in arena.voter().ballot().html


@pytest.mark.parametrize("sent", [[], ["maybe"], [""], ["yes", "no"], ["x" * 600]])
def test_an_answer_that_is_neither_yes_nor_no(arena: ArenaSite, sent: list[str]) -> None:
    """Missing, doubled and unknown answers are 400 and store nothing."""
    voter = arena.voter()
    voter.ballot()

    response = voter.post("/consent", {"fingerprint": sent})

    assert (response.status_code, reason_of(response)) == (400, "bad_request")
    assert arena.events("voter.consent") == []


@pytest.mark.parametrize(
    "setting, consent, sent, kept",
    [
        ("consent", "yes", DIGEST, True),
        ("consent", "yes", "no digest", False),
        ("consent", "no", DIGEST, False),
        ("consent", None, DIGEST, False),
        ("off", "yes", DIGEST, False),
    ],
)
def test_the_fingerprint_is_kept_only_with_consent_and_setting(
    open_arena: OpenArena, setting: str, consent: str | None, sent: str, kept: bool
) -> None:
    """V-121, V-173: without consent, or with the setting off, nothing of it is stored."""
    arena = open_arena(fingerprint=setting)
    voter = arena.voter()
    token = voter.ballot().token
    if consent:
        voter.post("/consent", {"fingerprint": consent})

    voter.vote(token, fingerprint=sent)

    (cast,) = arena.events("vote.cast")
    private = arena.private(cast)
    assert ("fingerprint" in private) is kept
    assert sent not in str(private)
    assert DIGEST not in cast.body_text


@pytest.mark.parametrize("reason", ["identity", "broken", "offensive", "personal_data", "other"])
def test_a_report_opens_an_item_and_hides_nothing(arena: ArenaSite, reason: str) -> None:
    """V-170: each of the five reasons is stored for the answer meant; the ballot goes on."""
    voter = arena.voter()
    page = voter.ballot()
    form = {"ballot": page.token, "slot": "C", "reason": reason}

    plain, fragment = voter.post("/report", form), voter.post("/report", form, htmx=True)

    assert (plain.status_code, fragment.status_code) == (303, 200)
    reported = arena.events("ballot.reported")
    answer = arena.held(page.token).slots[2].answer
    assert [(e.body["answer"], e.body["reason"]) for e in reported] == [(answer, reason)] * 2
    assert arena.count("report", "open") == 2
    assert voter.ballot().slots == page.slots
    assert voter.vote(page.token).status_code == 303


@pytest.mark.parametrize(
    "fields",
    [
        {"slot": "E", "reason": "other"},
        {"slot": "", "reason": "other"},
        {"slot": "AB", "reason": "other"},
        {"slot": "A", "reason": "unknown"},
        {"slot": "A", "reason": ""},
        {"slot": ["A", "B"], "reason": "other"},
        {"slot": "A", "reason": ["other", "broken"]},
        {"slot": "A"},
        {"reason": "other"},
    ],
)
def test_a_report_that_is_not_on_the_list(arena: ArenaSite, fields: dict[str, object]) -> None:
    """Another letter or reason, doubled or missing, is 422 and stores nothing."""
    voter = arena.voter()
    form = {"ballot": voter.ballot().token, **fields}

    response = voter.post("/report", form)

    assert (response.status_code, reason_of(response)) == (422, "unknown_code")
    assert arena.events("ballot.reported") == []


def voted(arena: ArenaSite) -> tuple[Voter, str]:
    """Return a voter and the address of a vote they cast."""
    voter = arena.voter()
    return voter, route_of(voter.vote(voter.ballot().token))


def test_reasons_after_the_vote_replace_each_other(arena: ArenaSite) -> None:
    """V-170: reasons are optional, come again when changed, and can be taken back."""
    voter, route = voted(arena)
    path = f"/ballots/{route}/reasons"

    assert voter.post(path, {"reason": ["clear", "correct"]}).status_code == 303
    assert arena.count("vote_reason") == 2
    assert voter.post(path, {"reason": ["too_long", "too_long"]}, htmx=True).status_code == 200
    assert arena.count("vote_reason", "reason = 'too_long'") == arena.count("vote_reason") == 1
    assert 'value="too_long" checked' in voter.get(f"/ballots/{route}").text
    assert voter.post(path, {}).status_code == 303
    assert arena.count("vote_reason") == 0
    given = [each.body["reasons"] for each in arena.events("vote.reasoned")]
    assert given == [["correct", "clear"], ["too_long"], []]


def test_unknown_reasons_store_nothing(arena: ArenaSite) -> None:
    """One reason off the list makes the whole answer 422."""
    voter, route = voted(arena)

    for sent in (["clear", "unknown"], [""], ["clear" * 200]):
        response = voter.post(f"/ballots/{route}/reasons", {"reason": sent})
        assert (response.status_code, reason_of(response)) == (422, "unknown_code")
    assert arena.count("vote_reason") == 0


def test_reasons_before_the_vote_are_refused(arena: ArenaSite) -> None:
    """There is nothing to give a reason for: 410 with an audit event."""
    voter = arena.voter()
    route = arena.held(voter.ballot().token).route

    response = voter.post(f"/ballots/{route}/reasons", {"reason": "clear"})

    assert (response.status_code, reason_of(response)) == (410, "closed")
    assert arena.refusals() == [("closed", "reasons")]


def test_the_draw_is_logged_with_its_probability(arena: ArenaSite) -> None:
    """V-063: pool, policy and probability of the set stand in the event from the first ballot."""
    arena.voter().ballot()

    (issued,) = arena.events("ballot.issued")

    draw = issued.body["draw"]
    assert sorted(draw["pool"]) == sorted(model[0] for model in MODELS)
    assert draw["models"] == [slot["model"] for slot in issued.body["slots"]]
    # Before the first board all models are alike: each of the C(6, 4) = 15 sets is as likely. A
    # set with both models of one maker is drawn again, so P(S) is conditioned, and says so.
    assert draw["policy"] == "ucb-e.1"
    assert draw["conditioned"] is True
    assert float(draw["probability"]) == pytest.approx(1 / 15)


def test_a_skipped_question_does_not_come_back_at_once(
    open_empty_arena: OpenArena, tmp_path: Path
) -> None:
    """With two questions each skip leads to the other one; with one there is no other."""
    arena = open_empty_arena()
    arena.import_pack(write_pack(tmp_path / "two", "speed", questions=2))
    voter = arena.voter()

    shown = []
    for _ in range(8):
        page = voter.ballot()
        shown.append(arena.held(page.token).question)
        voter.post("/skip", {"ballot": page.token})
        arena.clock.advance(1)

    assert all(before != after for before, after in pairwise(shown))
