"""Flags and answers before moderators: what each decision does, and that it is made once."""

from __future__ import annotations

import pytest

from antiabuse.detectors.finding import Detector
from arena import flags, moderation, notes, review, review_answers, review_queue
from arena.case_subject import Subject
from arena.catalogue_changes import Recorder, hold_answer
from arena.errors import AlreadyDecided, AlreadyStruck, ClosedMonth, UnknownCase, UnknownCode
from arena.review_events import AnswerVerdict
from arena.standing_reasons import StrikeReason
from ledger import store
from tests.fixtures.arena_site import ArenaSite
from tests.fixtures.review_cases import (
    ADA,
    BEN,
    at_once,
    finding,
    raise_findings,
    raise_flag,
    report,
    strike,
    vote,
)

MONTH_S = 40 * 24 * 3600


def uphold(arena: ArenaSite, flag_id: str, actor: moderation.Actor = ADA) -> str:
    """Uphold a flag."""
    return review.decide_flag(
        arena.services.ports,
        actor,
        flag_id,
        seen="open",
        verdict="upheld",
        reason="careless",
        now_us=arena.clock(),
    )


def dismiss(arena: ArenaSite, flag_id: str, actor: moderation.Actor = ADA) -> str:
    """Dismiss a flag."""
    return review.decide_flag(
        arena.services.ports,
        actor,
        flag_id,
        seen="open",
        verdict="dismissed",
        reason="chance",
        now_us=arena.clock(),
    )


def decide(
    arena: ArenaSite,
    answer: str,
    verdict: AnswerVerdict,
    reason: str,
    actor: moderation.Actor = ADA,
) -> str:
    """Decide on an answer."""
    return review_answers.decide_answer(
        arena.services.ports,
        actor,
        answer,
        seen="open",
        verdict=verdict,
        reason=reason,
        now_us=arena.clock(),
    )


def hold(arena: ArenaSite, answer: str, words: str = "i am orion") -> None:
    """Hold an answer, as the phrase rule does."""
    recorder = Recorder(arena.services.ports.log, arena.clock(), arena.services.rng)
    with arena.database.write() as conn:
        hold_answer(conn, recorder, answer, words)


def test_a_campaign_of_hundreds_is_one_flag(either_arena: ArenaSite) -> None:
    """However many names it has; the same names are flagged once."""
    cast = vote(either_arena)
    names = [f"V-{number:064x}" for number in range(400)]
    found = finding(names, [cast.id], look=0, detector=Detector.CAMPAIGN)

    (raised,) = raise_findings(either_arena, [found])

    assert raise_findings(either_arena, [found]) == []
    with either_arena.database.read() as conn:
        (item,) = review_queue.queue_for_moderators(conn).items
    assert (str(item.subject), item.voters) == (f"flag:{raised}", 400)


def test_a_flag_alone_changes_no_vote(either_arena: ArenaSite) -> None:
    """V-126: a flag opens a review item; its votes go on counting."""
    cast = vote(either_arena)
    raise_flag(either_arena, [cast])

    assert either_arena.count("flag", "state = 'open'") == 1
    assert either_arena.count("vote_strike") == 0


def test_a_finding_is_raised_once(either_arena: ArenaSite) -> None:
    """Two sweeps, and two findings of one look in one sweep, leave one flag (restart-safe)."""
    arena = either_arena
    cast = vote(arena)
    found = finding([cast.body["voter"]], [cast.id])
    later = finding([cast.body["voter"]], [cast.id], look=50)
    ports = arena.services.ports

    def sweep() -> list[str | None]:
        with arena.database.write() as conn:
            return flags.raise_flags(
                conn, ports, "speed", "2026-11", "2026-11-30T12:00Z", [found, later, found]
            )

    first, second = at_once([sweep, sweep])

    assert isinstance(first, list)
    assert isinstance(second, list)
    assert sorted([first.count(None), second.count(None)]) == [1, 3]
    assert arena.count("flag") == 2
    assert len(arena.events("flag.raised")) == 2
    assert all(each.shuffled for each in arena.events("flag.raised"))


def test_a_finished_sweep_takes_no_look_again(either_arena: ArenaSite) -> None:
    """The looks of a sweep are kept once, also when it is written twice."""
    arena = either_arena
    looks = [("careless", "v1", 20), ("careless", "v1", 50), ("model_agenda", "v1", 30)]
    for _ in range(2):
        with arena.database.write() as conn:
            flags.finish_sweep(
                conn,
                arena.services.ports,
                "speed",
                "2026-11",
                looks=looks,
                flags=1,
                unrun={"burst": "no fit"},
                now_us=arena.clock(),
            )
    with arena.database.read() as conn:
        assert flags.taken_looks(conn, "speed", "2026-11") == frozenset(looks)
        assert flags.taken_looks(conn, "expert", "2026-11") == frozenset()
    assert arena.events("sweep.finished")[0].body["unrun"] == {"burst": "no fit"}


def test_an_upheld_flag_strikes_its_votes(either_arena: ArenaSite) -> None:
    """Votes that still count are struck for the reason given; one struck before is left alone."""
    arena = either_arena
    votes = [vote(arena) for _ in range(3)]
    flag_id = raise_flag(arena, votes)
    strike(arena, votes[0])

    uphold(arena, flag_id)

    (decided,) = arena.events("flag.decided")
    assert decided.body["votes"] == 2
    assert decided.body["moderator"] == ADA.handle
    assert ADA.name not in decided.body_text
    assert arena.private(decided)["name"] == ADA.name
    assert arena.count("vote_strike", "reason = 'careless'") == 2
    assert arena.count("vote_strike", "reason = 'automated'") == 1
    assert arena.count("flag", "state = 'upheld'") == 1


def test_a_dismissed_flag_takes_back_what_its_detector_struck(either_arena: ArenaSite) -> None:
    """What a discounting detector struck for this flag counts again; other strikes stay."""
    arena = either_arena
    ports = arena.services.ports
    votes = [vote(arena) for _ in range(2)]
    found = finding(
        [votes[0].body["voter"]],
        [each.id for each in votes],
        detector=Detector.FAST_DWELL,
        discounts=True,
    )
    strike(arena, votes[1])
    with arena.database.write() as conn:
        (flag_id,) = flags.raise_flags(
            conn, ports, "speed", "2026-11", "2026-11-30T12:00Z", [found]
        )
        assert flag_id is not None
        moderation.discount(
            conn,
            ports,
            flag=flag_id,
            detector="fast_dwell",
            vote_ids=found.votes,
            now_us=arena.clock(),
        )
    assert arena.count("vote_strike") == 2

    dismiss(arena, flag_id)

    assert arena.count("vote_strike", "vote_id = :id", id=votes[0].id) == 0
    assert arena.count("vote_strike", "vote_id = :id", id=votes[1].id) == 1
    (restored,) = arena.events("vote.restored")
    assert restored.body["reason"] == "flag_dismissed"


def test_two_moderators_at_once_decide_a_flag_once(either_arena: ArenaSite) -> None:
    """The second gets a clear error, and nothing of what they wanted is stored."""
    arena = either_arena
    for turn in range(4):
        votes = [vote(arena) for _ in range(2)]
        flag_id = raise_flag(arena, votes, look=turn)
        before = arena.count("event")

        done = at_once([lambda: uphold(arena, flag_id), lambda: dismiss(arena, flag_id, BEN)])  # noqa: B023

        lost = [each for each in done if isinstance(each, AlreadyDecided)]
        assert len(lost) == 1, done
        assert "look again" in str(lost[0])
        (decided,) = (e for e in arena.events("flag.decided") if e.body["flag"] == flag_id)
        upheld = decided.body["verdict"] == "upheld"
        # Upheld by one, the votes are struck by one more event; dismissed, they are not.
        assert arena.count("event") == before + 1 + upheld
        struck = [arena.count("vote_strike", "vote_id = :id", id=each.id) for each in votes]
        assert struck == [int(upheld)] * 2


def test_a_flag_and_a_direct_strike_at_once_leave_no_half(either_arena: ArenaSite) -> None:
    """One moderator upholds a flag while another strikes one of its votes."""
    arena = either_arena
    for turn in range(4):
        votes = [vote(arena) for _ in range(3)]
        flag_id = raise_flag(arena, votes, look=turn)

        def strike(vote_id: str = votes[1].id) -> str:
            return moderation.void(
                arena.services.ports,
                BEN,
                [vote_id],
                reason=StrikeReason.AUTOMATED,
                case=f"vote:{vote_id}",
                now_us=arena.clock(),
            )

        done = at_once([lambda: uphold(arena, flag_id), strike])  # noqa: B023

        errors = [each for each in done if isinstance(each, Exception)]
        assert all(isinstance(each, AlreadyStruck) for each in errors), done
        assert isinstance(done[0], str)
        assert [arena.count("vote_strike", "vote_id = :id", id=v.id) for v in votes] == [1] * 3


def test_a_decision_needs_a_reason_of_its_list(either_arena: ArenaSite) -> None:
    """A reason of another verdict is refused, and the flag stays open."""
    arena = either_arena
    flag_id = raise_flag(arena, [vote(arena)])
    with pytest.raises(UnknownCode):
        review.decide_flag(
            arena.services.ports,
            ADA,
            flag_id,
            seen="open",
            verdict="upheld",
            reason="chance",
            now_us=arena.clock(),
        )
    with pytest.raises(UnknownCode):
        review.decide_flag(
            arena.services.ports,
            ADA,
            flag_id,
            seen="open",
            verdict="withheld",  # type: ignore[arg-type]
            reason="chance",
            now_us=arena.clock(),
        )
    with pytest.raises(UnknownCase):
        dismiss(arena, "no-flag")
    assert arena.count("flag", "state = 'open'") == 1
    assert arena.count("decision") == 0


def test_a_month_that_is_over_is_not_changed(either_arena: ArenaSite) -> None:
    """After the month's end its flags can be dismissed, but no longer strike votes."""
    arena = either_arena
    flag_id = raise_flag(arena, [vote(arena)])
    arena.clock.advance(MONTH_S)
    with pytest.raises(ClosedMonth):
        uphold(arena, flag_id)
    assert arena.count("flag", "state = 'open'") == 1
    dismiss(arena, flag_id)
    assert arena.count("flag", "state = 'dismissed'") == 1


def test_mass_reports_hide_nothing(either_arena: ArenaSite) -> None:
    """B20: sixty reports of one answer hide nothing and make one case, with its reporters told."""
    arena = either_arena
    answers = [report(arena).body["answer"] for _ in range(3)]
    voter = arena.voter()
    answers.extend(report(arena, voter).body["answer"] for _ in range(57))

    assert arena.count("answer", "state <> 'showable'") == 0
    with arena.database.read() as conn:
        items = review_queue.queue_for_moderators(conn).items
    by_answer = {item.subject.name: item for item in items}
    assert set(by_answer) == set(answers)
    assert sum(item.reports for item in items) == 60
    assert by_answer[answers[-1]].reports >= 57
    assert by_answer[answers[-1]].voters <= 4


def test_a_confirmed_leak_hides_the_answer_and_strikes_its_votes(either_arena: ArenaSite) -> None:
    """V-150: the answer leaves the pool and all its counted votes weigh 0 as `identity_leak`."""
    arena = either_arena
    votes = [vote(arena) for _ in range(6)]
    held = {each.id: arena_answers(arena, each.body["ballot"]) for each in votes}
    answer = held[votes[0].id][0]
    with_it = [each.id for each in votes if answer in held[each.id]]
    hold(arena, answer)

    decide(arena, answer, "withheld", "identity_leak")

    assert arena.count("answer", "id = :id AND state = 'held'", id=answer) == 1
    assert arena.count("vote_strike", "reason = 'identity_leak'") == len(with_it)
    (decided,) = arena.events("answer.decided")
    assert decided.body["votes"] == len(with_it)
    with pytest.raises(AlreadyDecided):
        decide(arena, answer, "cleared", "tells_no_author", BEN)
    with arena.database.read() as conn:
        assert review_queue.queue_for_moderators(conn).items == ()


def arena_answers(arena: ArenaSite, ballot: str) -> list[str]:
    """Return the answers on a ballot."""
    (issued,) = (each for each in arena.events("ballot.issued") if each.id == ballot)
    return [slot["answer"] for slot in issued.body["slots"]]


def test_an_upheld_report_hides_without_striking(either_arena: ArenaSite) -> None:
    """A broken answer leaves the pool; votes on it stay, for nobody's blindness was broken."""
    arena = either_arena
    vote(arena)
    reported = report(arena, reason="broken").body["answer"]

    decide(arena, reported, "withheld", "broken_answer")

    assert arena.count("answer", "id = :id AND state = 'held'", id=reported) == 1
    assert arena.count("vote_strike") == 0
    assert arena.count("report", "open") == 0


def test_a_cleared_answer_may_be_shown(either_arena: ArenaSite) -> None:
    """Clearing a held answer brings it back; clearing a reported one leaves it where it is."""
    arena = either_arena
    reported = report(arena).body["answer"]
    decide(arena, reported, "cleared", "report_unfounded")
    assert arena.count("answer", "id = :id AND state = 'showable'", id=reported) == 1

    hold(arena, reported)
    decide(arena, reported, "cleared", "tells_no_author")
    assert arena.count("answer", "id = :id AND state = 'showable'", id=reported) == 1
    assert [e.body["reports"] for e in arena.events("answer.decided")][1] == []


def test_two_moderators_at_once_decide_an_answer_once(either_arena: ArenaSite) -> None:
    """One hides it and strikes, the other clears: only one of the two happens."""
    arena = either_arena
    vote(arena)
    for _ in range(4):
        answer = report(arena).body["answer"]
        done = at_once(
            [
                lambda a=answer: decide(arena, a, "withheld", "personal_data"),  # type: ignore[misc]
                lambda a=answer: decide(arena, a, "cleared", "within_rules", BEN),  # type: ignore[misc]
            ]
        )
        assert [isinstance(each, AlreadyDecided) for each in done].count(True) == 1, done
        last = arena.events("answer.decided")[-1]
        state = "held" if last.body["verdict"] == "withheld" else "showable"
        assert arena.count("answer", "id = :id AND state = :state", id=answer, state=state) == 1


def test_a_notes_text_is_private(either_arena: ArenaSite) -> None:
    """The log says that a note was written; what it says is read from the private part."""
    arena = either_arena
    flag_id = raise_flag(arena, [vote(arena)])
    subject = Subject("flag", flag_id)
    notes.write_note(
        arena.services.ports,
        ADA,
        subject,
        reason="watch",
        text="  The same hour every day. ",
        now_us=arena.clock(),
    )

    (written,) = arena.events("note.written")
    assert "hour every" not in written.body_text
    with arena.database.read() as conn:
        (note,) = notes.notes_for_moderators(conn, subject)
    assert note.text == "The same hour every day."
    with arena.database.write() as conn:
        store.erase_private(conn, written.id, reason="retention", now_us=arena.clock())
    with arena.database.read() as conn:
        (note,) = notes.notes_for_moderators(conn, subject)
    assert note.text is None


@pytest.mark.parametrize("text", ["", "   ", "x" * 2001])
def test_a_note_has_bounds(either_arena: ArenaSite, text: str) -> None:
    """An empty or over-long note, and one on nothing, are refused."""
    arena = either_arena
    ports, now = arena.services.ports, arena.clock()
    flag_id = raise_flag(arena, [vote(arena)])
    with pytest.raises(UnknownCode):
        notes.write_note(
            ports, ADA, Subject("flag", flag_id), reason="watch", text=text, now_us=now
        )
    with pytest.raises(UnknownCase):
        notes.write_note(ports, ADA, Subject("flag", "none"), reason="watch", text="x", now_us=now)
    assert arena.count("case_note") == 0
