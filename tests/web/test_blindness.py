"""What blindness asks beside the list of leaks in `blindness/`: whose reveal, which ballot."""

from __future__ import annotations

import re
from pathlib import Path

from arena import ballot_draw, catalogue_changes, exposure
from arena.ballot_store import Revealed
from arena.catalogue import render_missing
from arena.catalogue_changes import Recorder
from tests.fixtures.arena_site import ArenaSite, write_pack
from tests.fixtures.leaks import leaks, words_of


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
        for answer in ballot_draw.draw_ballot(
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
