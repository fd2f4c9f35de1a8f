"""Decisions on flags and answers, taken back: exactly the votes that nothing else keeps struck."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial

import pytest
from sqlalchemy import select

from arena import moderation, review, review_answers
from arena.case_subject import Subject
from arena.cases import Case, case_for_moderators
from arena.catalogue_changes import Recorder, hold_answer
from arena.errors import AlreadyDecided, ClosedMonth
from arena.rebuild import rebuild
from arena.review import FlagState
from arena.review_events import AnswerVerdict, FlagVerdict
from arena.review_rulings import AnswerState
from arena.review_tables import vote_strike
from ledger.event import StoredEvent
from tests.fixtures.arena_site import ArenaSite
from tests.fixtures.arena_votes import refit, votes_by_order
from tests.fixtures.review_cases import (
    ADA,
    BEN,
    at_once,
    close_month,
    raise_flag,
    report,
    restore,
    strike,
    vote,
)

MONTH_S = 40 * 24 * 3600


def decide(
    arena: ArenaSite,
    flag_id: str,
    verdict: FlagVerdict,
    seen: FlagState,
    actor: moderation.Actor = ADA,
) -> str:
    """Decide a flag."""
    return review.decide_flag(
        arena.services.ports,
        actor,
        flag_id,
        seen=seen,
        verdict=verdict,
        reason="careless" if verdict == "upheld" else "chance",
        now_us=arena.clock(),
    )


def rule(
    arena: ArenaSite,
    answer: str,
    verdict: AnswerVerdict,
    seen: AnswerState,
    reason: str | None = None,
) -> str:
    """Decide on an answer: withheld as a leak unless told, or cleared."""
    usual = "identity_leak" if verdict == "withheld" else "tells_no_author"
    return review_answers.decide_answer(
        arena.services.ports,
        ADA,
        answer,
        seen=seen,
        verdict=verdict,
        reason=reason or usual,
        now_us=arena.clock(),
    )


def struck(arena: ArenaSite, votes: Sequence[StoredEvent]) -> list[int]:
    """Say of each vote whether it is struck."""
    return [arena.count("vote_strike", "vote_id = :id", id=each.id) for each in votes]


def case_of(arena: ArenaSite, kind: str, name: str) -> Case:
    """Return a case."""
    with arena.database.read() as conn:
        return case_for_moderators(conn, Subject.read(f"{kind}:{name}"), arena.clock())


def saw(arena: ArenaSite, answer: str) -> list[StoredEvent]:
    """Return the votes on ballots with an answer."""
    ballots = {
        each.id
        for each in arena.events("ballot.issued")
        if answer in [slot["answer"] for slot in each.body["slots"]]
    }
    return [each for each in arena.events("vote.cast") if each.body["ballot"] in ballots]


def held_answer(arena: ArenaSite) -> str:
    """Hold an answer that a vote saw, as the phrase rule does."""
    cast = vote(arena)
    (issued,) = (e for e in arena.events("ballot.issued") if e.id == cast.body["ballot"])
    answer = str(issued.body["slots"][0]["answer"])
    recorder = Recorder(arena.services.ports.log, arena.clock(), arena.services.rng)
    with arena.database.write() as conn:
        hold_answer(conn, recorder, answer, "i am orion")
    return answer


def test_a_flag_dismissed_after_all_restores_its_votes(either_arena: ArenaSite) -> None:
    """Those that its decision struck count again; one struck before, and one after, do not."""
    arena = either_arena
    votes = [vote(arena) for _ in range(4)]
    flag_id = raise_flag(arena, votes)
    strike(arena, votes[0])
    decide(arena, flag_id, "upheld", "open")
    restore(arena, votes[1])
    strike(arena, votes[1])
    assert struck(arena, votes) == [1, 1, 1, 1]
    assert case_of(arena, "flag", flag_id).would_be_restored == 2

    decide(arena, flag_id, "dismissed", "upheld", BEN)

    assert struck(arena, votes) == [1, 1, 0, 0]
    (restored,) = arena.events("vote.restored")[1:]
    assert (restored.body["reason"], restored.body["case"]) == (
        "flag_dismissed",
        f"flag:{flag_id}",
    )
    assert [e.body["votes"] for e in arena.events("flag.decided")] == [3, 2]
    assert case_of(arena, "flag", flag_id).state == "dismissed"
    assert rebuild(arena.database).differing == ()


def test_a_flag_upheld_after_all_strikes_its_votes(either_arena: ArenaSite) -> None:
    """Back and forth as often as moderators decide; each is an event by its moderator's handle."""
    arena = either_arena
    votes = [vote(arena) for _ in range(2)]
    flag_id = raise_flag(arena, votes)
    decide(arena, flag_id, "dismissed", "open")

    decide(arena, flag_id, "upheld", "dismissed", BEN)
    assert struck(arena, votes) == [1, 1]
    decide(arena, flag_id, "dismissed", "upheld")
    assert struck(arena, votes) == [0, 0]

    told = [(e.body["verdict"], e.body["moderator"]) for e in arena.events("flag.decided")]
    assert told == [
        ("dismissed", ADA.handle),
        ("upheld", BEN.handle),
        ("dismissed", ADA.handle),
    ]
    assert len(case_of(arena, "flag", flag_id).decisions) == 3 + 2
    assert rebuild(arena.database).differing == ()


def test_what_another_upheld_flag_holds_stays_struck(either_arena: ArenaSite) -> None:
    """Of a vote in both, the last flag to fall restores, whichever of them struck it."""
    arena = either_arena
    for turn, order in enumerate(((0, 1), (1, 0))):
        votes = [vote(arena) for _ in range(3)]
        flags = [
            raise_flag(arena, votes[:2], look=10 * turn + 1),
            raise_flag(arena, votes[1:], look=10 * turn + 2),
        ]
        for each in flags:
            decide(arena, each, "upheld", "open")
        first, second = (flags[nth] for nth in order)

        decide(arena, first, "dismissed", "upheld")
        assert struck(arena, votes) == ([0, 1, 1] if order[0] == 0 else [1, 1, 0])
        assert case_of(arena, "flag", second).would_be_restored == 2

        decide(arena, second, "dismissed", "upheld")
        assert struck(arena, votes) == [0, 0, 0]
    assert rebuild(arena.database).differing == ()


def test_a_vote_restored_by_hand_is_kept_by_no_earlier_flag(either_arena: ArenaSite) -> None:
    """An upheld flag holds nothing that a moderator let count again since."""
    arena = either_arena
    votes = [vote(arena)]
    earlier, later = (raise_flag(arena, votes, look=look) for look in (1, 2))
    decide(arena, earlier, "upheld", "open")
    restore(arena, votes[0])
    decide(arena, later, "upheld", "open")

    decide(arena, later, "dismissed", "upheld")

    assert struck(arena, votes) == [0]


def test_an_open_flag_holds_nothing_of_others(either_arena: ArenaSite) -> None:
    """A vote in an upheld and an open flag counts again when the upheld one falls."""
    arena = either_arena
    votes = [vote(arena)]
    upheld, waiting = (raise_flag(arena, votes, look=look) for look in (1, 2))
    decide(arena, upheld, "upheld", "open")

    decide(arena, upheld, "dismissed", "upheld")
    assert struck(arena, votes) == [0]
    decide(arena, waiting, "dismissed", "open")
    assert struck(arena, votes) == [0]


def test_a_flag_and_a_leak_hold_the_same_vote(either_arena: ArenaSite) -> None:
    """Dismissing the flag leaves what the answer holds; clearing the answer then restores it."""
    arena = either_arena
    answer = held_answer(arena)
    votes = saw(arena, answer)[:1]
    flag_id = raise_flag(arena, votes)
    decide(arena, flag_id, "upheld", "open")
    rule(arena, answer, "withheld", "open")

    decide(arena, flag_id, "dismissed", "upheld")
    assert struck(arena, votes) == [1]
    assert case_of(arena, "answer", answer).would_be_restored == len(saw(arena, answer))

    rule(arena, answer, "cleared", "withheld")
    assert struck(arena, votes) == [0]
    assert rebuild(arena.database).differing == ()


def test_a_leak_and_then_a_flag_hold_the_same_vote(either_arena: ArenaSite) -> None:
    """Clearing the answer leaves what the flag holds; dismissing the flag then restores it."""
    arena = either_arena
    answer = held_answer(arena)
    rule(arena, answer, "withheld", "open")
    votes = saw(arena, answer)[:1]
    flag_id = raise_flag(arena, votes)
    decide(arena, flag_id, "upheld", "open")

    rule(arena, answer, "cleared", "withheld")
    assert struck(arena, votes) == [1]

    decide(arena, flag_id, "dismissed", "upheld")
    assert struck(arena, votes) == [0]


def test_an_answer_cleared_after_all_is_shown_with_its_votes(either_arena: ArenaSite) -> None:
    """Votes struck for the leak alone count again; and the other way round they are struck."""
    arena = either_arena
    answer = held_answer(arena)
    votes = saw(arena, answer)
    other = vote(arena)
    strike(arena, other)
    rule(arena, answer, "withheld", "open")
    assert case_of(arena, "answer", answer).state == "withheld"

    rule(arena, answer, "cleared", "withheld")

    assert struck(arena, votes) == [0] * len(votes)
    assert struck(arena, [other]) == [1]
    assert arena.count("answer", "id = :id AND state = 'showable'", id=answer) == 1
    (restored,) = arena.events("vote.restored")
    assert restored.body["reason"] == "answer_cleared"
    assert case_of(arena, "answer", answer).state == "cleared"

    rule(arena, answer, "withheld", "cleared")
    assert struck(arena, votes) == [1] * len(votes)
    assert arena.count("answer", "id = :id AND state = 'held'", id=answer) == 1
    decided = [(e.body["verdict"], e.body["votes"]) for e in arena.events("answer.decided")]
    assert decided == [
        ("withheld", len(votes)),
        ("cleared", len(votes)),
        ("withheld", len(votes)),
    ]
    assert rebuild(arena.database).differing == ()


def test_a_leak_is_known_until_the_answer_is_cleared(either_arena: ArenaSite) -> None:
    """Withheld anew for another reason, on a later report, the leak's votes stay struck."""
    arena = either_arena
    vote(arena)
    answer = str(report(arena).body["answer"])
    rule(arena, answer, "withheld", "open")
    # As if it had been reported again, from a page that was still open.
    arena.execute("UPDATE report SET open = :open", open=True)
    assert case_of(arena, "answer", answer).state == "open"

    rule(arena, answer, "withheld", "open", "offensive")

    found = case_of(arena, "answer", answer).answer
    assert found is not None
    assert (found.withheld, found.leak) == (True, True)


def test_nobody_decides_on_a_state_they_did_not_see(either_arena: ArenaSite) -> None:
    """A form of another state, or for the verdict in force, changes nothing."""
    arena = either_arena
    votes = [vote(arena)]
    flag_id, answer = raise_flag(arena, votes), held_answer(arena)
    for wrong in ("upheld", "dismissed"):
        with pytest.raises(AlreadyDecided):
            decide(arena, flag_id, "upheld", wrong)
    with pytest.raises(AlreadyDecided):
        rule(arena, answer, "cleared", "withheld")
    decide(arena, flag_id, "upheld", "open")
    rule(arena, answer, "cleared", "open")
    before = arena.count("event")
    for seen in ("open", "upheld", "dismissed"):
        with pytest.raises(AlreadyDecided):
            decide(arena, flag_id, "upheld", seen)
    for again in ("open", "cleared", "withheld"):
        with pytest.raises(AlreadyDecided):
            rule(arena, answer, "cleared", again)
    assert arena.count("event") == before


def test_two_who_take_a_decision_back_at_once_do_so_once(either_arena: ArenaSite) -> None:
    """The second of two who saw it upheld is told; the votes are restored by one event."""
    arena = either_arena
    for turn in range(3):
        votes = [vote(arena) for _ in range(2)]
        flag_id = raise_flag(arena, votes, look=turn)
        decide(arena, flag_id, "upheld", "open")

        def back(actor: moderation.Actor, flag_id: str = flag_id) -> str:
            return decide(arena, flag_id, "dismissed", "upheld", actor)

        done = at_once([lambda: back(ADA), lambda: back(BEN)])

        assert [isinstance(each, AlreadyDecided) for each in done].count(True) == 1, done
        assert struck(arena, votes) == [0, 0]
        assert len(arena.events("vote.restored")) == turn + 1


def test_two_flags_that_fall_at_once_leave_no_vote_struck(either_arena: ArenaSite) -> None:
    """Whoever is second sees that the first is gone: a vote of both counts again."""
    arena = either_arena
    for turn in range(3):
        votes = [vote(arena) for _ in range(2)]
        flags = [raise_flag(arena, votes, look=10 * turn + nth) for nth in range(2)]
        for each in flags:
            decide(arena, each, "upheld", "open")

        calls = [partial(decide, arena, each, "dismissed", "upheld") for each in flags]
        done = at_once(calls)

        assert all(isinstance(each, str) for each in done), done
        assert struck(arena, votes) == [0, 0]


def test_a_closed_months_decision_stands(either_arena: ArenaSite) -> None:
    """Its votes can be restored no more, neither by flag nor by answer; nothing is half done."""
    arena = either_arena
    answer = held_answer(arena)
    votes = saw(arena, answer)
    flag_id = raise_flag(arena, [vote(arena)])
    decide(arena, flag_id, "upheld", "open")
    rule(arena, answer, "withheld", "open")
    close_month(arena)
    arena.clock.advance(MONTH_S)

    with pytest.raises(ClosedMonth):
        decide(arena, flag_id, "dismissed", "upheld")
    assert arena.count("flag", "state = 'upheld'") == 1
    rule(arena, answer, "cleared", "withheld")
    assert struck(arena, votes) == [1] * len(votes)
    assert arena.count("answer", "id = :id AND state = 'showable'", id=answer) == 1


def test_the_board_is_as_before_once_a_flag_is_taken_back(either_arena: ArenaSite) -> None:
    """Struck and restored as one decision each, the votes of the board are those of before."""
    arena = either_arena
    votes_by_order(arena, 12)
    votes = arena.events("vote.cast")
    before = refit(arena)
    flag_id = raise_flag(arena, votes[:3])
    decide(arena, flag_id, "upheld", "open")
    arena.sequence()
    assert refit(arena).excluded == {"careless": 3}
    decide(arena, flag_id, "dismissed", "upheld")
    arena.sequence()

    after = refit(arena)

    assert (after.votes, after.excluded) == (before.votes, before.excluded)
    assert [row.score for row in after.rows] == [row.score for row in before.rows]


@pytest.mark.parametrize("seed", range(3))
def test_any_history_leaves_struck_what_something_holds(either_arena: ArenaSite, seed: int) -> None:
    """Random flags, leaks, strikes and restorings by hand: a vote is struck as long as one holds.

    Upholding a case lays its hold on all its votes and dismissing takes it off; restoring by hand
    takes off all, and a strike by hand is taken off by hand alone.
    """
    arena, rng = either_arena, random.Random(seed)
    answers = [held_answer(arena) for _ in range(2)]
    votes = {each.id: each for each in (vote(arena) for _ in range(5))}
    votes |= {each.id: each for each in arena.events("vote.cast")}
    about = {f"answer:{each}": [v.id for v in saw(arena, each)] for each in answers}
    for look in range(4):
        chosen = rng.sample(sorted(votes), 3)
        about[f"flag:{raise_flag(arena, [votes[v] for v in chosen], look=look)}"] = chosen
    states = dict.fromkeys(about, "open")
    holds: dict[str, set[str]] = {vote_id: set() for vote_id in votes}

    for _ in range(40):
        act = rng.choice(["decide", "decide", "decide", "void", "restore"])
        picked = rng.choice(sorted(votes))
        if act == "decide":
            case = rng.choice(sorted(about))
            kind, name = case.split(":")
            hold = states[case] not in ("upheld", "withheld")
            if kind == "flag":
                flag_verdict: FlagVerdict = "upheld" if hold else "dismissed"
                decide(arena, name, flag_verdict, states[case])  # type: ignore[arg-type]
                states[case] = flag_verdict
            else:
                verdict: AnswerVerdict = "withheld" if hold else "cleared"
                rule(arena, name, verdict, states[case])  # type: ignore[arg-type]
                states[case] = verdict
            for vote_id in about[case]:
                (holds[vote_id].add if hold else holds[vote_id].discard)(case)
        elif act == "void" and not holds[picked]:
            strike(arena, votes[picked])
            holds[picked].add("hand")
        elif act == "restore" and holds[picked]:
            restore(arena, votes[picked])
            holds[picked].clear()
        with arena.database.read() as conn:
            found = set(conn.execute(select(vote_strike.c.vote_id)).scalars())
        assert found == {vote_id for vote_id, by in holds.items() if by}
    assert rebuild(arena.database).differing == ()
