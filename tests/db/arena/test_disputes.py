"""Disputes: who may open one, the order of their steps, and what becomes public (X-012)."""

from __future__ import annotations

import pytest

from arena import dispute_views, disputes, moderation
from arena.errors import AlreadyDecided, DisputeRefused, UnknownCase, UnknownCode
from arena.review_events import DisputeVerdict
from arena.standing_reasons import RestoreReason
from ledger import store
from ledger.event import StoredEvent
from tests.fixtures.arena_site import ArenaSite, Voter
from tests.fixtures.review_cases import ADA, BEN, at_once, strike, visitor, vote

WORDS = "I read all four answers in the library."


@pytest.fixture
def voter(either_arena: ArenaSite) -> Voter:
    """Somebody whose vote was struck."""
    return either_arena.voter()


@pytest.fixture
def struck(either_arena: ArenaSite, voter: Voter) -> StoredEvent:
    """The vote, struck by a moderator."""
    cast = vote(either_arena, voter)
    strike(either_arena, cast)
    return cast


def submit(arena: ArenaSite, voter: Voter, cast: StoredEvent, text: str = WORDS) -> str:
    """Open a dispute."""
    return disputes.open_dispute(arena.services.ports, visitor(arena, voter), cast.id, text)


def recheck(arena: ArenaSite, dispute_id: str, actor: moderation.Actor = ADA) -> None:
    """Begin the re-check."""
    disputes.begin_recheck(
        arena.services.ports, actor, dispute_id, text="Reading times.", now_us=arena.clock()
    )


def decide(
    arena: ArenaSite,
    dispute_id: str,
    verdict: DisputeVerdict = "upheld",
    reason: str = "dispute_upheld",
    actor: moderation.Actor = ADA,
) -> bool:
    """Decide a dispute."""
    return disputes.decide_dispute(
        arena.services.ports,
        actor,
        dispute_id,
        verdict=verdict,
        reason=reason,
        text="The times fit a reader.",
        now_us=arena.clock(),
    )


def refused(reason: str, action: object) -> None:
    """Check that a step of a voter is refused for a reason."""
    assert callable(action)
    with pytest.raises(DisputeRefused) as caught:
        action()
    assert caught.value.reason == reason


def test_an_upheld_dispute_restores_the_vote(
    either_arena: ArenaSite, voter: Voter, struck: StoredEvent
) -> None:
    """Submitted, evidence, re-check, upheld: four versions are kept and the vote counts again."""
    arena = either_arena
    opened = submit(arena, voter, struck)
    disputes.add_evidence(arena.services.ports, visitor(arena, voter), opened, "A photo of it.")
    recheck(arena, opened)
    assert arena.count("vote_strike") == 1

    assert decide(arena, opened) is True

    assert arena.count("vote_strike") == 0
    with arena.database.read() as conn:
        (own,) = dispute_views.own_disputes(conn, voter.id)
        (public,) = dispute_views.public_disputes(conn).disputes
    assert [step.state for step in own.steps] == ["submitted", "evidence", "recheck", "upheld"]
    assert [step.text for step in own.steps] == [
        WORDS,
        "A photo of it.",
        "Reading times.",
        "The times fit a reader.",
    ]
    assert (own.vote, own.ballot) == (struck.id, struck.body["ballot"])
    assert [step.text for step in public.steps] == [
        None,
        None,
        "Reading times.",
        "The times fit a reader.",
    ]
    assert (public.vote, public.ballot) == (None, None)
    assert [step.number for step in public.steps] == [1, 2, 3, 4]


def test_a_rejected_dispute_changes_nothing(
    either_arena: ArenaSite, voter: Voter, struck: StoredEvent
) -> None:
    """The strike stays, and the decision says why."""
    arena = either_arena
    opened = submit(arena, voter, struck)
    recheck(arena, opened)
    assert decide(arena, opened, "rejected", "evidence_stands") is False
    assert arena.count("vote_strike") == 1
    (decided,) = arena.events("dispute.decided")
    assert decided.body["reason"] == "evidence_stands"
    assert decided.body["restored"] is False


def test_only_a_struck_vote_can_be_disputed(either_arena: ArenaSite, voter: Voter) -> None:
    """A vote that counts, and one that weighs 0 by rule, struck or not: no dispute helps either."""
    arena = either_arena
    counts = vote(arena, voter)
    arena.clock.advance(30)
    voter.read_and_vote(seconds=1, fields={"dwell_ms": "1000"})
    weightless = arena.events("vote.cast")[-1]
    assert weightless.body["weight"] == "0"

    refused("counts_already", lambda: submit(arena, voter, counts))
    refused("by_rule", lambda: submit(arena, voter, weightless))
    strike(arena, weightless)
    refused("by_rule", lambda: submit(arena, voter, weightless))
    assert arena.count("dispute") == 0


def test_upholding_what_changes_nothing_is_refused(
    either_arena: ArenaSite, voter: Voter, struck: StoredEvent
) -> None:
    """V-052: a dispute about a weight by rule can be rejected and not upheld, and stays open."""
    arena = either_arena
    opened = submit(arena, voter, struck)
    recheck(arena, opened)
    arena.execute("UPDATE vote SET weight_micro = 0 WHERE id = :id", id=struck.id)

    refused("by_rule", lambda: decide(arena, opened))

    assert arena.events("dispute.decided") == []
    assert arena.count("vote_strike") == 1
    assert decide(arena, opened, "rejected", "weight_by_rule") is False


def test_what_a_voter_says_is_private(
    either_arena: ArenaSite, voter: Voter, struck: StoredEvent
) -> None:
    """No body holds the words or the voter's id, and erased they are gone."""
    arena = either_arena
    opened = submit(arena, voter, struck)
    disputes.add_evidence(arena.services.ports, visitor(arena, voter), opened, WORDS)
    said = arena.events("dispute.opened", "dispute.advanced")
    for event in said:
        assert "library" not in event.body_text
        assert voter.id not in event.body_text
        assert event.shuffled
        assert arena.private(event)["voter"] == voter.id
    with arena.database.write() as conn:
        store.erase_private(conn, said[0].id, reason="request", now_us=arena.clock())
    with arena.database.read() as conn:
        found = dispute_views.dispute_for_moderators(conn, opened)
    assert found is not None
    assert [step.text for step in found.steps] == [None, WORDS]


def test_only_the_votes_own_voter_may_dispute_it(
    either_arena: ArenaSite, voter: Voter, struck: StoredEvent
) -> None:
    """Somebody else, and a vote that there is not, get the same refusal, which is logged."""
    arena = either_arena
    other = arena.voter()
    other.ballot()
    opened = submit(arena, voter, struck)
    ports = arena.services.ports
    refused("not_yours", lambda: submit(arena, other, struck))
    refused("not_yours", lambda: disputes.open_dispute(ports, visitor(arena, voter), "none", "x"))
    refused("not_yours", lambda: disputes.add_evidence(ports, visitor(arena, other), opened, "x"))
    assert arena.refusals() == [("not_yours", "dispute")] * 3
    assert arena.count("dispute") == 1


@pytest.mark.parametrize(
    "text, reason", [("", "empty"), (" \n", "empty"), ("x" * 2001, "over_long")]
)
def test_texts_have_bounds(
    either_arena: ArenaSite, voter: Voter, struck: StoredEvent, text: str, reason: str
) -> None:
    """Empty and over-long texts are refused at every step that needs one."""
    arena = either_arena
    refused(reason, lambda: submit(arena, voter, struck, text))
    opened = submit(arena, voter, struck, "x" * 2000)
    ports = arena.services.ports
    refused(reason, lambda: disputes.add_evidence(ports, visitor(arena, voter), opened, text))
    recheck(arena, opened)
    refused(
        reason,
        lambda: disputes.decide_dispute(
            ports,
            ADA,
            opened,
            verdict="rejected",
            reason="evidence_stands",
            text=text,
            now_us=arena.clock(),
        ),
    )


def test_steps_keep_their_order(either_arena: ArenaSite, voter: Voter, struck: StoredEvent) -> None:
    """No decision before the re-check, no evidence after it, a bounded number of texts."""
    arena = either_arena
    opened = submit(arena, voter, struck)
    refused("not_rechecked", lambda: decide(arena, opened))
    for _ in range(5):
        disputes.add_evidence(arena.services.ports, visitor(arena, voter), opened, "more")
    add = lambda: disputes.add_evidence(  # noqa: E731 - tried twice
        arena.services.ports, visitor(arena, voter), opened, "more"
    )
    refused("too_many", add)
    recheck(arena, opened)
    refused("too_late", add)
    with pytest.raises(AlreadyDecided):
        recheck(arena, opened, BEN)
    with pytest.raises(UnknownCode):
        decide(arena, opened, "rejected", "dispute_upheld")
    with pytest.raises(UnknownCase):
        decide(arena, "none")
    decide(arena, opened)
    with pytest.raises(AlreadyDecided):
        decide(arena, opened)


def test_one_dispute_at_a_time_and_two_in_all(
    either_arena: ArenaSite, voter: Voter, struck: StoredEvent
) -> None:
    """A second is possible after the first was decided, a third is not."""
    arena = either_arena
    for _ in range(2):
        opened = submit(arena, voter, struck)
        refused("already_open", lambda: submit(arena, voter, struck))
        recheck(arena, opened)
        decide(arena, opened, "rejected", "evidence_stands")
    refused("too_many", lambda: submit(arena, voter, struck))


def test_a_month_that_is_over_stands(
    either_arena: ArenaSite, voter: Voter, struck: StoredEvent
) -> None:
    """A vote of an earlier month is not disputed any more."""
    either_arena.clock.advance(40 * 24 * 3600)
    refused("month_over", lambda: submit(either_arena, voter, struck))


def test_one_of_several_disputes_at_once_is_opened(
    either_arena: ArenaSite, voter: Voter, struck: StoredEvent
) -> None:
    """A form sent four times opens one dispute; the others are told."""
    arena = either_arena
    done = at_once([lambda: submit(arena, voter, struck)] * 4)
    lost = [each for each in done if isinstance(each, DisputeRefused)]
    assert [each.reason for each in lost] == ["already_open"] * 3, done
    assert arena.count("dispute") == arena.count("dispute_step") == 1


def test_two_moderators_at_once_decide_a_dispute_once(
    either_arena: ArenaSite,
) -> None:
    """One upholds, the other rejects: the second is told, and the vote follows the first."""
    arena = either_arena
    for _ in range(4):
        voter = arena.voter()
        cast = vote(arena, voter)
        strike(arena, cast)
        opened = submit(arena, voter, cast)
        recheck(arena, opened)

        done = at_once(
            [
                lambda d=opened: decide(arena, d),  # type: ignore[misc]
                lambda d=opened: decide(arena, d, "rejected", "evidence_stands", BEN),  # type: ignore[misc]
            ]
        )

        assert [isinstance(each, AlreadyDecided) for each in done].count(True) == 1, done
        last = arena.events("dispute.decided")[-1].body
        assert last["restored"] is (last["state"] == "upheld")
        struck = arena.count("vote_strike", "vote_id = :id", id=cast.id)
        assert struck == (0 if last["restored"] else 1)


def test_opening_and_restoring_at_once_both_end(
    either_arena: ArenaSite, voter: Voter, struck: StoredEvent
) -> None:
    """A dispute opened while a moderator restores the vote waits for nothing that waits for it."""
    arena = either_arena

    def restore() -> str:
        return moderation.restore(
            arena.services.ports,
            BEN,
            [struck.id],
            reason=RestoreReason.MISTAKE,
            case=f"vote:{struck.id}",
            now_us=arena.clock(),
        )

    opened, restored = at_once([lambda: submit(arena, voter, struck), restore])
    assert isinstance(restored, str), restored
    if isinstance(opened, DisputeRefused):  # the restoring came first
        assert opened.reason == "counts_already"
        return
    recheck(arena, str(opened))
    refused("counts_already", lambda: decide(arena, str(opened)))
    assert decide(arena, str(opened), "rejected", "counts_already") is False


def test_pages_of_disputes_hold_each_once(either_arena: ArenaSite) -> None:
    """Page by page, newest first, every dispute comes exactly once."""
    arena = either_arena
    opened = []
    for _ in range(5):
        voter = arena.voter()
        cast = vote(arena, voter)
        strike(arena, cast)
        opened.append(submit(arena, voter, cast))
        arena.clock.advance(2400)
    seen: list[dispute_views.Dispute] = []
    after = None
    with arena.database.read() as conn:
        while True:
            page = dispute_views.public_disputes(conn, after, limit=2)
            seen.extend(page.disputes)
            after = page.next
            if after is None:
                break
    assert sorted(each.id for each in seen) == sorted(opened)
    hours = [each.hour for each in seen]
    assert hours == sorted(hours, reverse=True)
    assert len(set(hours)) > 1
