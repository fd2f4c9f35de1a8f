"""A case as moderators read it, one vote's life, and decisions in public."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena import after_vote, bans, disputes, moderation, notes, review, review_answers
from arena.case_subject import Subject
from arena.cases import Case, case_for_moderators
from arena.catalogue_changes import Recorder, hold_answer
from arena.decisions import public_decisions
from arena.errors import AlreadyDecided, UnknownCase, UnknownCode, UnknownVote
from arena.rebuild import PROJECTED, rebuild
from arena.refits import refit_now
from arena.review_queue import (
    neighbours_in_queue,
    queue_for_moderators,
    waiting_for_moderators,
)
from arena.vote_life import VoteLife, vote_life_for_moderators
from ledger import store
from tests.fixtures.arena_site import ArenaSite, reason_of
from tests.fixtures.review_cases import (
    ADA,
    BEN,
    at_once,
    raise_flag,
    report,
    restore,
    review_everything,
    strike,
    visitor,
    vote,
)

MONTH = "2026-11"


def read_case(arena: ArenaSite, subject: Subject) -> Case:
    """Return a case."""
    with arena.database.read() as conn:
        return case_for_moderators(conn, subject, arena.clock())


def life_of(arena: ArenaSite, vote_id: str) -> VoteLife:
    """Return a vote's life."""
    with arena.database.read() as conn:
        return vote_life_for_moderators(conn, vote_id)


def ban(arena: ArenaSite, voter: str, actor: moderation.Actor = ADA) -> str:
    """Ban a voter by pseudonym."""
    return bans.ban(
        arena.services.ports, actor, MONTH, voter, reason="automated", now_us=arena.clock()
    )


def test_a_flags_case_holds_what_was_seen(either_arena: ArenaSite) -> None:
    """The measurement, the voter's votes with those flagged marked, and picks against expected."""
    arena = either_arena
    voter = arena.voter()
    votes = [vote(arena, voter) for _ in range(4)]
    vote(arena)  # somebody else's
    strike(arena, votes[0])
    flag_id = raise_flag(arena, votes[:3])

    case = read_case(arena, Subject("flag", flag_id))

    assert case.flag is not None
    assert (case.flag.detector, case.flag.statistic) == ("careless", "41.5")
    assert case.flag.numbers == {"draws": "999"}
    assert case.state == "open"
    assert case.voters == (votes[0].body["voter"],)
    listed = case.votes.rows
    assert {each.id for each in listed} == {each.id for each in votes}
    assert {each.id for each in listed[:3]} == {each.id for each in votes[:3]}
    assert [each.flagged for each in listed] == [True] * 3 + [False]
    assert {each.id for each in listed if each.struck == "automated"} == {votes[0].id}
    assert case.would_be_struck == 2
    for kind in ("best", "worst"):
        tallies = [getattr(each, kind) for each in case.picks]
        assert sum(each.picked for each in tallies) == 4
        assert sum(each.shown for each in tallies) == 16
        assert sum(each.expected for each in tallies) == pytest.approx(4, abs=1e-4)
        assert all(0 < each.variance < each.shown / 4 for each in tallies)
    best = [each.body["best"] for each in votes]
    assert {each.model: each.best.picked for each in case.picks if each.best.picked} == {
        model: best.count(model) for model in best
    }


def test_neighbours_share_a_device_or_address(either_arena: ArenaSite) -> None:
    """Voters of one address are shown to be neighbours, others are not."""
    arena = either_arena
    first, second = arena.voter("198.51.100.7"), arena.voter("198.51.100.7")
    cast = vote(arena, first)
    near = [vote(arena, second), vote(arena, second)]
    vote(arena, arena.voter("192.0.2.9"))

    case = read_case(arena, Subject("vote", cast.id))

    assert {(each.voter, each.via, each.votes) for each in case.neighbours} == {
        (near[0].body["voter"], "network", 2),
        (near[0].body["voter"], "address", 2),
    }


def test_an_answers_case_holds_its_reports(either_arena: ArenaSite) -> None:
    """The text with the words found, each report with its reporter, and votes that showed it."""
    arena = either_arena
    voter = arena.voter()
    said = report(arena, voter, reason="offensive")
    answer = said.body["answer"]
    recorder = Recorder(arena.services.ports.log, arena.clock(), arena.services.rng)
    with arena.database.write() as conn:
        hold_answer(conn, recorder, answer, "i am orion")

    case = read_case(arena, Subject("answer", answer))

    assert case.answer is not None
    assert case.answer.held_for == "i am orion"
    assert not case.answer.withheld
    (told,) = case.answer.reports
    assert (told.reason, told.open, told.month) == ("offensive", True, MONTH)
    assert case.voters == (told.voter,)
    assert case.state == "open"
    review_answers.decide_answer(
        arena.services.ports,
        ADA,
        answer,
        seen="open",
        verdict="withheld",
        reason="offensive",
        now_us=arena.clock(),
    )
    decided = read_case(arena, Subject("answer", answer))
    assert decided.state == "withheld"
    assert [each.verdict for each in decided.decisions] == ["withheld"]


@pytest.mark.parametrize(
    "text", ["", "flag", "flag:", "flag:x", "answer:x", "dispute:x", "vote:x", "voter:2026-11:x",
             "voter:x", "board:x", "flag:a:b"]
)  # fmt: skip
def test_no_case_without_a_subject(either_arena: ArenaSite, text: str) -> None:
    """What names nothing is no case."""
    with pytest.raises(UnknownCase):
        read_case(either_arena, Subject.read(text))


def test_a_ban_stops_votes_and_is_made_once(either_arena: ArenaSite) -> None:
    """V-170: further votes are refused, earlier ones stay; of two moderators one is told."""
    arena = either_arena
    voter = arena.voter()
    cast = vote(arena, voter)
    name = cast.body["voter"]
    page = voter.ballot()

    done = at_once([lambda: ban(arena, name), lambda: ban(arena, name, BEN)])

    assert [isinstance(each, AlreadyDecided) for each in done].count(True) == 1, done
    (banned,) = arena.events("voter.banned")
    assert voter.id not in banned.body_text
    assert banned.body["voter"] == name
    arena.clock.advance(30)
    assert reason_of(voter.vote(page.token, htmx=True)) == "banned"
    assert arena.count("vote_strike") == 0
    assert read_case(arena, Subject("voter", name, MONTH)).banned == {name: banned.body["at_us"]}
    bans.unban(
        arena.services.ports, BEN, MONTH, name, reason="banned_in_error", now_us=arena.clock()
    )
    with pytest.raises(AlreadyDecided):
        bans.unban(
            arena.services.ports, BEN, MONTH, name, reason="banned_in_error", now_us=arena.clock()
        )
    assert voter.vote(page.token, htmx=True).status_code == 200
    with pytest.raises(UnknownCode):
        bans.ban(arena.services.ports, ADA, MONTH, name, reason="dislike", now_us=arena.clock())
    with pytest.raises(UnknownCase):
        ban(arena, "nobody")


def test_a_votes_life_is_told_in_order(either_arena: ArenaSite) -> None:
    """Issued, shown, cast, reasoned, flagged, struck, disputed, restored, each with its index."""
    arena = either_arena
    voter = arena.voter()
    voter.ballot()
    cast = vote(arena, voter)  # the same ballot, shown once more
    other = vote(arena)
    ports = arena.services.ports
    after_vote.give_reasons(ports, visitor(arena, voter), cast.body["ballot"], ["clear"])
    flag_id = raise_flag(arena, [cast])
    review.decide_flag(
        ports, ADA, flag_id, seen="open", verdict="upheld", reason="careless", now_us=arena.clock()
    )
    opened = disputes.open_dispute(ports, visitor(arena, voter), cast.id, "I did read.")
    disputes.begin_recheck(ports, ADA, opened, text="", now_us=arena.clock())
    disputes.decide_dispute(
        ports,
        ADA,
        opened,
        verdict="upheld",
        reason="dispute_upheld",
        text="Right.",
        now_us=arena.clock(),
    )
    waiting = life_of(arena, cast.id)
    arena.sequence()
    life = life_of(arena, cast.id)

    assert [step.kind for step in life.steps] == [
        "ballot.issued",
        "ballot.shown",
        "vote.cast",
        "vote.reasoned",
        "flag.raised",
        "vote.voided",
        "flag.decided",
        "dispute.opened",
        "dispute.advanced",
        "vote.restored",
        "dispute.decided",
    ]
    assert waiting.index is None
    assert life.index is not None
    assert all(step.index is not None for step in life.steps)
    assert other.id not in {step.event for step in life.steps}
    with pytest.raises(UnknownVote):
        life_of(arena, "none")


def test_a_votes_life_names_the_boards_that_counted_it(either_arena: ArenaSite) -> None:
    """Counted until struck, left out until restored, then counted again."""
    arena = either_arena
    votes = [vote(arena) for _ in range(6)]
    for act in (None, strike, restore):
        if act is not None:
            act(arena, votes[0])
        for _ in range(2):
            vote(arena)
            arena.sequence()
            assert refit_now(arena.services.ports, "speed", MONTH, arena.clock())

    spans = life_of(arena, votes[0].id).boards

    assert [(each.counted, each.boards) for each in spans] == [(True, 2), (False, 2), (True, 2)]
    published = [each.body["board"] for each in arena.events("board.published")]
    assert [each.first for each in spans] == published[::2]
    assert [each.last for each in spans] == published[1::2]


def test_decisions_are_public_without_their_subjects(either_arena: ArenaSite) -> None:
    """X-011: handle, kind, reason, hour and number of votes; no voter, vote or moderator's name."""
    arena = either_arena
    cast = vote(arena)
    strike(arena, cast)
    arena.clock.advance(1)
    restore(arena, cast)
    arena.clock.advance(1)
    ban(arena, cast.body["voter"])
    arena.clock.advance(1)
    notes.write_note(
        arena.services.ports,
        ADA,
        Subject("vote", cast.id),
        reason="context",
        text="seen",
        now_us=arena.clock(),
    )
    with arena.database.read() as conn:
        page = public_decisions(conn)
        first = public_decisions(conn, limit=3)
        rest = public_decisions(conn, first.next)
    assert [(each.kind, each.votes) for each in page.decisions] == [
        ("note.written", 0),
        ("voter.banned", 0),
        ("vote.restored", 1),
        ("vote.voided", 1),
    ]
    assert (*first.decisions, *rest.decisions) == page.decisions
    assert rest.next is None
    told = repr(page)
    for secret in (cast.id, cast.body["voter"], ADA.name, BEN.name, "seen"):
        assert secret not in told
    assert {each.moderator for each in page.decisions} == {ADA.handle, BEN.handle}


def pages(arena: ArenaSite) -> Iterator[str]:
    """Yield the subjects of the queue, two a page."""
    after = None
    with arena.database.read() as conn:
        while True:
            page = queue_for_moderators(conn, after, limit=2)
            assert len(page.items) <= 2
            yield from (str(each.subject) for each in page.items)
            after = page.next
            if after is None:
                return


def test_the_queue_is_oldest_first_and_pages_hold_each_once(either_arena: ArenaSite) -> None:
    """Flags, reported answers and disputes in one queue; a decided case leaves it."""
    arena = either_arena
    voter = arena.voter()
    cast = vote(arena, voter)
    expected = [f"flag:{raise_flag(arena, [cast])}"]
    arena.clock.advance(3600)
    expected.append(f"answer:{report(arena).body['answer']}")
    arena.clock.advance(3600)
    strike(arena, cast)
    opened = disputes.open_dispute(arena.services.ports, visitor(arena, voter), cast.id, "Why?")
    expected.append(f"dispute:{opened}")
    arena.clock.advance(3600)
    expected.append(f"flag:{raise_flag(arena, [cast], look=50)}")

    assert list(pages(arena)) == expected
    review.decide_flag(
        arena.services.ports,
        ADA,
        expected[0].removeprefix("flag:"),
        seen="open",
        verdict="dismissed",
        reason="chance",
        now_us=arena.clock(),
    )
    assert list(pages(arena)) == expected[1:]


REVIEWED = {"flag", "flag_vote", "sweep_look", "dispute", "dispute_step", "decision", "case_note"}


def test_a_rebuild_gives_equal_tables_of_review(either_arena: ArenaSite) -> None:
    """X-003: after every kind of decision the log gives the same rows, without private parts."""
    arena = either_arena
    review_everything(arena)
    with arena.database.write() as conn:
        for event in arena_events(arena):
            store.erase_private(conn, event, reason="retention", now_us=arena.clock())

    done = rebuild(arena.database)

    assert done.differing == ()
    assert {table.name for table in PROJECTED} >= REVIEWED
    assert all(done.rows[name] for name in REVIEWED), done.rows


def arena_events(arena: ArenaSite) -> list[str]:
    """Return the ids of all events of review."""
    kinds = (
        "dispute.opened",
        "dispute.advanced",
        "dispute.decided",
        "note.written",
        "flag.decided",
        "voter.banned",
    )
    return [each.id for each in arena.events(*kinds)]


def test_the_queue_knows_what_stands_beside_a_case(either_arena: ArenaSite) -> None:
    """Each case has those before and after it, also in one hour; a decided one leads to the oldest.

    The counts by kind are those of the queue itself, and one kind alone keeps the order.
    """
    arena = either_arena
    voter = arena.voter()
    cast = vote(arena, voter)
    strike(arena, cast)
    disputes.open_dispute(arena.services.ports, visitor(arena, voter), cast.id, "Why?")
    arena.clock.advance(3600)
    report(arena)
    decided = raise_flag(arena, [cast], look=100)
    review.decide_flag(
        arena.services.ports,
        ADA,
        decided,
        seen="open",
        verdict="dismissed",
        reason="chance",
        now_us=arena.clock(),
    )
    for look in (20, 50):
        raise_flag(arena, [cast], look=look)

    in_order = list(pages(arena))
    with arena.database.read() as conn:
        waiting = waiting_for_moderators(conn)
        beside = [neighbours_in_queue(conn, Subject.read(each)) for each in in_order]
        of_decided = neighbours_in_queue(conn, Subject("flag", decided))
        first = queue_for_moderators(conn, limit=1, kind="flag")
        rest = queue_for_moderators(conn, first.next, kind="flag")
        whole = queue_for_moderators(conn).items

    assert dict(waiting.kinds) == {"flag": 2, "answer": 1, "dispute": 1}
    assert waiting.since == whole[0].hour
    around = [None, *in_order, None]
    assert beside == list(zip(around[:-2], around[2:], strict=True))
    assert of_decided == (None, in_order[0])
    flags_alone = [str(each.subject) for each in (*first.items, *rest.items)]
    assert flags_alone == [each for each in in_order if each.startswith("flag:")]
    assert rest.next is None
