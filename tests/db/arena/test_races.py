"""Votes that race: one voter's two requests, two browsers, and whole crowds, on both databases."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from werkzeug.test import TestResponse

from antiabuse import rules as antiabuse_rules
from arena import catalogue_changes
from arena.catalogue_changes import Recorder
from tests.fixtures.arena_site import ArenaSite, Voter, page_of, reason_of, vote_form


def at_once(calls: Sequence[Callable[[], TestResponse]]) -> list[TestResponse]:
    """Run calls in threads that begin together; return what each answered."""
    gate = threading.Barrier(len(calls))
    answers: list[TestResponse | BaseException] = [RuntimeError("not run")] * len(calls)

    def run(nth: int, call: Callable[[], TestResponse]) -> None:
        gate.wait(10)
        try:
            answers[nth] = call()
        except BaseException as error:  # noqa: BLE001 - told to the test below
            answers[nth] = error

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    failed = [each for each in answers if isinstance(each, BaseException)]
    assert failed == []
    return [each for each in answers if isinstance(each, TestResponse)]


def tab_of(voter: Voter) -> Voter:
    """Return another tab: the same cookie and address in a client of its own."""
    tab = voter.site.voter(voter.address)
    tab.client.set_cookie("voter", voter.cookie)
    return tab


@pytest.mark.parametrize("requests", [2, 6])
def test_one_of_several_simultaneous_votes_counts(either_arena: ArenaSite, requests: int) -> None:
    """V-129: racing votes of one voter on one ballot store exactly one; the others are 409."""
    arena = either_arena
    voter = arena.voter()
    token = voter.ballot().token
    arena.clock.advance(30)
    tabs = [tab_of(voter) for _ in range(requests)]
    letters = ["A", "B"] * requests

    answers = at_once(
        [
            lambda tab=tab, best=best: tab.vote(token, best=best, worst="D")  # type: ignore[misc]
            for tab, best in zip(tabs, letters, strict=False)
        ]
    )

    statuses = Counter((each.status_code, reason_of(each)) for each in answers)
    assert statuses == {(303, None): 1, (409, "already_voted"): requests - 1}
    assert arena.count("vote") == 1
    assert len(arena.events("vote.cast")) == 1
    assert arena.refusals() == [("already_voted", "vote")] * (requests - 1)
    assert arena.count("voter", "votes = 1") == 1
    assert arena.count("answer", "reveals = 1") == 4


def test_two_ballots_voted_at_once_fall_under_the_cooldown(either_arena: ArenaSite) -> None:
    """Racing votes of one voter on two ballots: one is accepted, the other has to wait."""
    arena = either_arena
    voter = arena.voter()
    tokens = [voter.ballot("speed").token, voter.ballot("expert").token]
    tabs = [tab_of(voter) for _ in tokens]

    answers = at_once(
        [
            lambda tab=tab, token=token: tab.vote(token)  # type: ignore[misc]
            for tab, token in zip(tabs, tokens, strict=True)
        ]
    )

    statuses = sorted((each.status_code, reason_of(each)) for each in answers)
    assert statuses == [(303, None), (429, "cooldown")]
    assert arena.count("vote") == 1


def test_vote_and_skip_at_once_do_one_of_the_two(either_arena: ArenaSite) -> None:
    """A ballot is voted or skipped, never both, and the events say the same as the tables."""
    arena = either_arena
    for _ in range(3):
        voter = arena.voter()
        token = voter.ballot().token
        tab = tab_of(voter)
        at_once(
            [
                lambda voter=voter, token=token: voter.vote(token),  # type: ignore[misc]
                lambda tab=tab, token=token: tab.post("/skip", {"ballot": token}),  # type: ignore[misc]
            ]
        )
        done = arena.events("vote.cast", "ballot.skipped")
        assert len([each for each in done if each.body["ballot"] == arena.held(token).id]) == 1
        assert arena.held(token).state in ("voted", "skipped")


def test_two_tabs_that_fetch_a_withdrawn_ballot_at_once_both_get_one(
    either_arena: ArenaSite,
) -> None:
    """Closing a ballot whose answer is held happens once, however many tabs come upon it."""
    arena = either_arena
    voter = arena.voter()
    held = arena.held(voter.ballot().token)
    recorder = Recorder(arena.services.ports.log, arena.clock(), arena.services.rng)
    with arena.database.write() as conn:
        catalogue_changes.hold_answer(conn, recorder, held.slots[0].answer, "for a moderator")
    tabs = [tab_of(voter) for _ in range(4)]

    answers = at_once([lambda tab=tab: tab.get("/") for tab in tabs])  # type: ignore[misc]

    assert [each.status_code for each in answers] == [200] * 4
    assert len(arena.events("ballot.withdrawn")) == 1


def test_many_voters_at_once_lose_nothing(either_arena: ArenaSite) -> None:
    """Eight voters' votes at one moment are all stored, each once, with all reveals counted."""
    arena = either_arena
    voters = [arena.voter() for _ in range(8)]
    tokens = [voter.ballot().token for voter in voters]
    arena.clock.advance(30)

    answers = at_once(
        [
            lambda voter=voter, token=token: voter.post("/vote", vote_form(token))  # type: ignore[misc]
            for voter, token in zip(voters, tokens, strict=True)
        ]
    )

    assert [each.status_code for each in answers] == [303] * 8
    assert arena.count("vote") == 8
    assert len({each.body["ballot"] for each in arena.events("vote.cast")}) == 8
    with arena.database.read() as conn:
        total = conn.exec_driver_sql("SELECT sum(reveals) FROM answer").scalar_one()
    assert total == 32


def test_ballots_opened_at_once_never_pass_the_day_cap(either_arena: ArenaSite) -> None:
    """Requests that race for the last ballot of the day get one between them."""
    arena = either_arena
    voter = arena.voter()
    voter.post("/skip", {"ballot": voter.ballot().token})
    arena.execute("UPDATE voter SET ballots = 149 WHERE id = :id", id=voter.id)
    tabs = [tab_of(voter) for _ in range(5)]

    answers = at_once([lambda tab=tab: tab.get("/") for tab in tabs])  # type: ignore[misc]

    assert [each.status_code for each in answers] == [200] * 5
    assert arena.count("ballot_holder", "voter_id = :id", id=voter.id) == 2
    assert arena.count("voter", "ballots = 150") == 1


def test_the_database_itself_refuses_a_second_vote_on_a_ballot(either_arena: ArenaSite) -> None:
    """Whatever the code above does, a ballot bears one vote row."""
    arena = either_arena
    voter = arena.voter()
    voter.vote(voter.ballot().token)

    with pytest.raises(IntegrityError):
        arena.execute(
            "INSERT INTO vote SELECT 'another', ballot_id, mode, month, hour, question_id, voter,"
            " cluster, models, verdict, best, worst, weight_micro, weight_parts, reasons, board_id,"
            " p_win, changes FROM vote"
        )


def test_a_replayed_vote_counts_once(either_arena: ArenaSite) -> None:
    """The same request sent again, at once and an hour later, is 409 and changes nothing."""
    arena = either_arena
    voter = arena.voter()
    form = vote_form(voter.ballot().token)
    assert voter.post("/vote", form, htmx=True).status_code == 200
    before = arena.events("vote.cast")

    for wait in (0, 3600):
        arena.clock.advance(wait)
        again = voter.post("/vote", form, htmx=True)
        assert (again.status_code, reason_of(again)) == (409, "already_voted")

    assert arena.events("vote.cast") == before


@pytest.mark.parametrize("mode", ["speed", "expert"])
def test_first_requests_at_once_open_one_ballot(either_arena: ArenaSite, mode: str) -> None:
    """V-172: tabs that race for a voter's first ballot of a mode get the same one, spent once."""
    arena = either_arena
    for _ in range(3):
        voter = arena.voter()
        voter.ballot("expert" if mode == "speed" else "speed")
        tabs = [tab_of(voter) for _ in range(4)]

        answers = at_once([lambda tab=tab: tab.get(f"/?mode={mode}") for tab in tabs])  # type: ignore[misc]

        assert len({page_of(each).slots for each in answers}) == 1
        query = "voter_id = :id AND ballot_id IN (SELECT id FROM ballot WHERE mode = :mode)"
        assert arena.count("ballot_holder", query, id=voter.id, mode=mode) == 1
        assert arena.count("voter", "id = :id AND ballots = 2", id=voter.id) == 1


def test_two_tabs_show_one_ballot_and_take_one_vote(either_arena: ArenaSite) -> None:
    """Both tabs hold the same ballot; the second tab's vote is refused whatever it picks."""
    arena = either_arena
    voter = arena.voter()
    first = voter.ballot()
    second = page_of(tab_of(voter).get("/"))

    assert second.slots == first.slots
    assert voter.vote(first.token, best="A", worst="B").status_code == 303
    arena.clock.advance(30)
    assert reason_of(voter.vote(second.token, best="B", worst="A")) == "already_voted"
    (cast,) = arena.events("vote.cast")
    assert cast.body["best"] == arena.held(first.token).slots[0].model


def test_a_vote_in_flight_does_not_outrun_a_withheld_answer(either_arena: ArenaSite) -> None:
    """A vote that waits for the row of an answer just being withheld is refused, and not spent."""
    arena = either_arena
    voter = arena.voter()
    token = voter.ballot().token
    arena.clock.advance(30)
    answers: list[TestResponse] = []
    voting = threading.Thread(target=lambda: answers.append(voter.vote(token, best="A")))

    with arena.database.write() as conn:
        conn.execute(text("UPDATE answer SET state = 'held', held_for = 'identity_leak'"))
        voting.start()
        voting.join(1)  # by now it waits for this transaction
        assert answers == []
    voting.join(30)

    assert [(each.status_code, reason_of(each)) for each in answers] == [(410, "closed")]
    assert arena.count("vote") == 0
    assert arena.count("voter", "votes = 0") == 1
    assert arena.refusals() == [("closed", "vote")]


def test_the_last_fresh_reveal_is_given_once(either_arena: ArenaSite) -> None:
    """V-151: of votes that race for the last reveal that counts, exactly one counts.

    Of six models any two ballots of four share two.
    """
    arena = either_arena
    arena.execute(
        "UPDATE answer SET state = 'retired' WHERE question_id <>"
        " (SELECT MIN(question_id) FROM answer WHERE mode = 'expert')"
    )
    last = antiabuse_rules.current().fresh_reveals - 1
    arena.execute("UPDATE answer SET reveals = :last", last=last)
    voters = [arena.voter() for _ in range(6)]
    tokens = [voter.ballot("expert").token for voter in voters]
    assert len({arena.held(token).question for token in tokens}) == 1
    arena.clock.advance(30)

    answers = at_once(
        [
            lambda voter=voter, token=token: voter.vote(token)  # type: ignore[misc]
            for voter, token in zip(voters, tokens, strict=True)
        ]
    )

    assert {each.status_code for each in answers} == {303}
    reasons = sorted(each.body["reasons"] for each in arena.events("vote.cast"))
    assert reasons == [[], *[["stale_answer"]] * 5]
