"""Nothing tells who wrote an answer before the vote: the checklist of stored answers (V-002)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Response
from werkzeug.test import TestResponse

from arena import ballots, catalogue_changes, exposure
from arena.ballot_store import Revealed
from arena.catalogue import render_missing
from arena.catalogue_changes import Recorder
from arena.demo_pack import load_demo
from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import ArenaSite, Page, Voter, page_of, vote_form, write_pack
from tests.fixtures.leaks import ids_of, leaks, strange_headers, words_of

STABLE = re.compile(r"\d+|[0-9a-f]{8}-[0-9a-f-]{27}")


def responses_before_the_vote(arena: ArenaSite, voter: Voter, page: Page) -> Iterator[TestResponse]:
    """Yield every kind of answer that a visitor with an unvoted ballot can get."""
    route = arena.held(page.token).route
    form = vote_form(page.token)
    yield page.response
    yield voter.get("/", htmx=True)
    yield voter.get("/", headers={"Accept": "application/json"})
    yield voter.get("/?mode=none")
    yield voter.get("/nowhere")
    yield voter.get("/vote")
    for path in (f"/ballots/{route}", f"/receipts/{route}", f"/receipts/{route}.tlog-proof"):
        yield voter.get(path)
        yield voter.get(path, headers={"Accept": "application/json"})
        yield arena.voter().get(path)
    yield voter.post(f"/ballots/{route}/reasons", {"reason": "clear"})
    yield voter.post("/report", {"ballot": page.token, "slot": "B", "reason": "identity"})
    yield voter.post("/report", {"ballot": page.token, "slot": "E", "reason": "identity"})
    report = {"ballot": page.token, "slot": "A", "reason": "broken"}
    yield voter.post("/report", report, htmx=True)
    yield voter.post("/consent", {"fingerprint": "no"})
    for changed in ({"worst": "A"}, {"ballot": "x"}, {"verdict": "x"}):
        yield voter.post("/vote", form | changed)
        yield voter.post("/vote", form | changed, htmx=True)
        yield voter.post("/vote", form | changed, headers={"Accept": "application/json"})
    yield voter.post("/vote", form, headers={"Sec-Fetch-Site": "cross-site"})
    yield voter.post("/vote", {"ballot": "x" * 100_000})
    for path in ("/me", "/rules", "/about", "/privacy", "/verify", "/metrics", "/readyz"):
        yield voter.get(path)
    yield voter.post("/skip", {"ballot": page.token}, htmx=True)
    yield voter.post("/skip", {"ballot": page.token})
    yield voter.vote(page.token)


def public_log(arena: ArenaSite) -> Iterator[TestResponse]:
    """Yield the public log's files."""
    size = arena.sequence()
    reader = arena.voter()
    yield reader.get("/log/checkpoint")
    for start in range(0, size, 256):
        width = min(256, size - start)
        name = f"{start // 256:03}" + ("" if width == 256 else f".p/{width}")
        for kind in ("0", "entries"):
            response = reader.get(f"/log/tile/{kind}/{name}")
            assert response.status_code == 200
            yield response


@pytest.mark.parametrize("mode", ["speed", "expert"])
def test_no_response_before_the_vote_names_a_model(arena: ArenaSite, mode: str) -> None:
    """Points 2, 4, 13: bodies, headers, cookies, errors and other pages hold no registry string."""
    words = words_of(arena.models().values())
    voter = arena.voter()

    found = {
        (response.request.method, response.request.path, response.status_code): leaks(
            response, words
        )
        for response in responses_before_the_vote(arena, voter, voter.ballot(mode))
    }

    assert len(found) > 20
    assert {where: what for where, what in found.items() if what} == {}
    assert arena.count("vote") == 0


def test_no_response_before_the_vote_holds_a_lasting_id(arena: ArenaSite) -> None:
    """Point 3: no id of an answer, a question or its text stands in any response."""
    voter = arena.voter()
    page = voter.ballot()
    ids = ids_of(arena.held(page.token))

    found = [leaks(each, ids) for each in responses_before_the_vote(arena, voter, page)]

    assert not any(found)


def test_headers_before_the_vote_are_those_we_know(arena: ArenaSite) -> None:
    """Points 4, 5, 12: no validator, no timing, no header but the list, and nothing is kept."""
    voter = arena.voter()
    for response in responses_before_the_vote(arena, voter, voter.ballot()):
        assert strange_headers(response) == set(), response.request.path
        assert response.headers["Referrer-Policy"] == "no-referrer"
        if response.mimetype in ("text/html", "application/problem+json") and response.data:
            assert response.headers["Cache-Control"] == "no-store", response.request.path


def test_the_policy_loads_nothing_from_elsewhere(arena: ArenaSite) -> None:
    """Point 11: everything is refused but our own files, and no address in the page is foreign."""
    page = arena.voter().ballot()

    policy = page.response.headers["Content-Security-Policy"]

    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    loaded = re.findall(r'(?:src|href|action|srcset|poster)="([^"]*)"', page.html)
    assert [each for each in loaded if not each.startswith(("/", "#"))] == []


def test_all_four_come_in_one_answer(arena: ArenaSite) -> None:
    """Points 7, 8: one whole response, no streaming, and no request of its own for a slot."""
    page = arena.voter().ballot()

    assert not page.response.is_streamed
    assert page.html.count('class="answer"') == 4
    for slot in page.slots:
        assert not re.search(rf'(?:src|href|hx-get|action)="[^"]*{re.escape(slot)}', page.html)


def test_slot_ids_are_fresh_and_say_nothing(arena: ArenaSite) -> None:
    """Point 3: the same answers get other slot ids on every ballot, and none is a lasting id."""
    seen: Counter[str] = Counter()
    answers: Counter[str] = Counter()
    for _ in range(40):
        page = arena.voter().ballot()
        held = arena.held(page.token)
        assert page.slots == tuple(slot.slot_id for slot in held.slots)
        seen.update(page.slots)
        answers.update(slot.answer for slot in held.slots)
        assert not any(STABLE.fullmatch(slot) for slot in page.slots)

    assert max(answers.values()) > 1
    assert set(seen.values()) == {1}
    assert not set(seen) & set(answers)


def test_the_same_ballot_again_has_the_same_slots(arena: ArenaSite) -> None:
    """Showing a ballot again gives no second sample of ids, only another token (V-172)."""
    voter = arena.voter()
    first = voter.ballot()
    arena.clock.advance(5)
    again = voter.ballot()

    assert again.slots == first.slots
    assert again.token != first.token
    assert len(arena.events("ballot.issued")) == 1
    assert len(arena.events("ballot.shown")) == 1


def test_one_answer_looks_the_same_on_every_ballot(arena: ArenaSite) -> None:
    """Point 9: but for letter and slot id, an answer's markup is the same wherever it stands."""
    looks: dict[str, set[str]] = {}
    for _ in range(40):
        page = arena.voter().ballot()
        shown = re.findall(r'class="answer-text prose"[^>]*>(.*?)</div>', page.html, re.DOTALL)
        for slot, look in zip(arena.held(page.token).slots, shown, strict=True):
            looks.setdefault(slot.answer, set()).add(look)

    assert {len(each) for each in looks.values()} == {1}
    assert not any(" id=" in look for each in looks.values() for look in each)


def test_the_token_tells_no_model_and_no_answer(arena: ArenaSite) -> None:
    """Tokens can be read: ballot, voter and time stand in one, and nothing else."""
    voter = arena.voter()
    page = voter.ballot()
    held = arena.held(page.token)

    ballot, owner, moment, _signature = page.token.split(".")

    assert (ballot, owner, int(moment)) == (held.id, voter.id, arena.clock())


def test_the_reveal_comes_with_the_vote_and_to_its_voter_only(arena: ArenaSite) -> None:
    """V-014, V-017: the four names come with the answer to the vote, and nobody else gets them."""
    voter, other = arena.voter(), arena.voter()
    page = voter.ballot()
    held = arena.held(page.token)
    shown = [arena.models()[slot.model] for slot in held.slots]
    words = words_of(shown)
    assert leaks(voter.get(f"/ballots/{held.route}"), words) == []

    reveal = voter.vote(page.token, htmx=True)

    assert {model.name.lower() for model in shown} <= set(leaks(reveal, words))
    assert {model.slug.lower() for model in shown} <= set(leaks(reveal, words))
    for path in (f"/ballots/{held.route}", f"/receipts/{held.route}"):
        assert leaks(other.get(path), words) == []
        assert leaks(arena.voter().get(path), words) == []


def test_a_name_in_the_page_is_found(arena: ArenaSite) -> None:
    """The check can fail: a name planted in one answer, in an attribute even, is reported."""
    voter = arena.voter()
    page = voter.ballot()
    slot = arena.held(page.token).slots[2]
    name = arena.models()[slot.model].name
    words = words_of(arena.models().values())
    planted = f'<p title="&#{ord(name[0])};{name[1:]}">x</p>'
    arena.execute(
        "UPDATE answer_html SET html = :html WHERE answer_id = :id", html=planted, id=slot.answer
    )

    assert leaks(voter.get("/"), words) == [name.lower()]


@pytest.mark.parametrize("header", ["ETag", "X-Model", "Server-Timing"])
def test_a_telling_header_is_found(arena: ArenaSite, header: str) -> None:
    """The check can fail: a header outside the list, with a slug in it, is reported twice."""
    slug = next(iter(arena.models()))

    @arena.app.after_request
    def plant(response: Response) -> Response:
        response.headers[header] = f'"{slug}"'
        return response

    response = arena.voter().get("/")

    assert strange_headers(response) == {header}
    assert leaks(response, words_of(arena.models().values())) == [slug]


def test_invisible_marks_are_gone_from_page_and_raw_text(arena: ArenaSite) -> None:
    """Point 10: zero-width marks, tags and overrides of an answer reach the browser nowhere."""
    marks = "\u200b\u2060\u202e\U000e0041"
    voter = arena.voter()
    answer = arena.held(voter.ballot().token).slots[1].answer
    arena.execute("UPDATE answer SET text = :text WHERE id = :id", text=f"a{marks}b", id=answer)
    arena.execute("DELETE FROM answer_html WHERE answer_id = :id", id=answer)
    render_missing(arena.database)

    html = voter.ballot().html

    assert not set(marks) & set(html)
    assert "ZERO WIDTH SPACE" in html


def test_positions_do_not_depend_on_the_model(arena: ArenaSite) -> None:
    """Points 6, 14: over 4,000 ballots each model stands in each of the four places alike."""
    with arena.database.read() as conn:
        snapshot = arena.services.ports.catalogue.current(conn)
        known = exposure.mode_indices(conn, snapshot, "speed", None)
    nothing = Revealed(frozenset(), frozenset())
    places: Counter[tuple[str, int]] = Counter()
    for _ in range(4_000):
        drawn = ballots._draw(snapshot, "speed", known, nothing, arena.services.rng)
        places.update((answer.model, place) for place, answer in enumerate(drawn.answers))

    shown = Counter(dict.fromkeys(snapshot.models, 0))
    for (model, _), count in places.items():
        shown[model] += count
    chi_square = sum(
        (places[model, place] - shown[model] / 4) ** 2 / (shown[model] / 4)
        for model in shown
        for place in range(4)
    )

    # 6 models × 4 places with fixed sums: 15 degrees of freedom, 0.1 % point 37.7.
    assert chi_square < 37.7
    assert min(shown.values()) > 0


def test_a_ballot_has_four_models_of_four_makers(arena: ArenaSite) -> None:
    """V-001, V-004, V-005: four models, never one twice, and four makers where there are four."""
    for _ in range(30):
        held = arena.held(arena.voter().ballot().token)
        models = [arena.models()[slot.model] for slot in held.slots]
        assert len({model.slug for model in models}) == 4
        assert len({model.maker for model in models}) == 4


def test_reload_and_second_tab_after_the_reveal_show_the_vote(arena: ArenaSite) -> None:
    """Point 16: the old form is refused, its address shows the reveal, `/` shows another ballot."""
    voter = arena.voter()
    page = voter.ballot()
    held = arena.held(page.token)
    voter.vote(page.token)
    arena.clock.advance(20)

    assert voter.vote(page.token).status_code == 409
    assert 'id="reveal"' in voter.get(f"/ballots/{held.route}").text
    assert not set(voter.ballot().slots) & set(page.slots)


def test_before_the_vote_its_address_leads_to_the_ballot(arena: ArenaSite) -> None:
    """The voter's own route shows no reveal before the vote but goes to the ballot page."""
    voter = arena.voter()
    held = arena.held(voter.ballot("expert").token)

    response = voter.get(f"/ballots/{held.route}")

    assert (response.status_code, response.headers["Location"]) == (303, "/?mode=expert")


def test_the_board_does_not_move_with_a_vote(arena: ArenaSite) -> None:
    """Point 17: after a vote the board page is what it was, also once the vote is sequenced."""
    reader, voter = arena.voter(), arena.voter()
    for _ in range(3):
        voter.read_and_vote()
    before = reader.get("/leaderboard?format=json").text
    arena.sequence()

    assert reader.get("/leaderboard?format=json").text == before


def test_the_public_log_tells_nothing_of_votes_and_answers(arena: ArenaSite) -> None:
    """Points 18, 19: entries and tiles hold no model, answer, voter, question, minute or text."""
    voter, skipper = arena.voter(), arena.voter()
    page = voter.ballot()
    held = arena.held(page.token)
    voter.vote(page.token)
    skipper.post("/skip", {"ballot": skipper.ballot().token})
    words = words_of(arena.models().values()) | ids_of(held)
    words |= {voter.id, held.route, *page.slots, "view 1 on topic", str(arena.clock())}

    for response in public_log(arena):
        assert leaks(response, words) == []


def test_ballot_vote_and_refusal_are_shuffled_and_kept_for_the_archive(arena: ArenaSite) -> None:
    """V-158: what voters do has random ids, waits for its batch and is not disclosed at once."""
    voter = arena.voter()
    page = voter.ballot()
    voter.ballot()
    voter.vote(page.token)
    voter.vote(page.token)
    voter.post("/skip", {"ballot": voter.ballot().token})
    kinds = ("ballot.issued", "ballot.shown", "vote.cast", "vote.refused", "ballot.skipped")

    recorded = arena.events(*kinds)

    assert {each.kind for each in recorded} == set(kinds)
    for each in recorded:
        assert each.shuffled
        assert each.disclosure.value == "archive"
        assert each.id[14] == "4"  # UUID version
        assert each.body["hour"] == "2026-11-30T12:00Z"
        assert voter.id not in each.body_text


def test_a_held_or_failed_answer_enters_no_ballot(arena: ArenaSite) -> None:
    """Points 1, 20: held and failed answers are never drawn, though everything else is."""
    with arena.database.read() as conn:
        snapshot = arena.services.ports.catalogue.current(conn)
    answers = [a.id for q in snapshot.questions("speed") for a in q.answers]
    recorder = Recorder(arena.services.ports.log, arena.clock(), arena.services.rng)
    with arena.database.write() as conn:
        for answer in answers[::7]:
            catalogue_changes.hold_answer(conn, recorder, answer, "I am Zanthor Nine")
    arena.execute("UPDATE answer SET state = 'failed' WHERE id = :id", id=answers[1])
    gone = {*answers[::7], answers[1]}

    with arena.database.read() as conn:
        snapshot = arena.services.ports.catalogue.current(conn)
        known = exposure.mode_indices(conn, snapshot, "speed", None)
    drawn = {
        answer.id
        for _ in range(600)
        for answer in ballots._draw(
            snapshot, "speed", known, Revealed(frozenset(), frozenset()), arena.services.rng
        ).answers
    }

    # The cache goes by the catalogue's version, so the failed one went with the last hold.
    assert drawn == set(answers) - gone


def test_an_answer_that_says_its_name_is_held_back(arena: ArenaSite, tmp_path: Path) -> None:
    """Point 1: at import the phrase rule holds the planted answer, and no ballot shows it."""
    folder = write_pack(tmp_path / "new", "speed", questions=4, topic="planted")
    path = folder / "answers.jsonl"
    telling = path.read_text(encoding="utf-8").replace("View 3", "I am Drumlow Seventy. View 3")
    path.write_text(telling, encoding="utf-8")

    arena.import_pack(folder)

    assert arena.count("answer", "state = 'held'") == 4
    assert arena.count("answer", "state = 'showable' AND text LIKE 'I am%'") == 0


def test_the_demo_packs_are_blind_too(open_empty_arena: OpenArena) -> None:
    """The same crawl over the content that every new installation begins with."""
    arena = open_empty_arena()
    services = arena.services
    load_demo(arena.database, services.ports.log, clock=arena.clock, rng=services.rng)
    render_missing(arena.database)
    words = words_of(arena.models().values(), licences=False)

    for mode in ("speed", "expert"):
        voter = arena.voter()
        for response in responses_before_the_vote(arena, voter, voter.ballot(mode)):
            assert leaks(response, words) == []
        for _ in range(10):
            page = voter.ballot(mode)
            assert leaks(page.response, words) == []
            following = voter.post("/skip", {"ballot": page.token}, htmx=True)
            assert leaks(following, words) == []
            assert page_of(following).slots != page.slots
