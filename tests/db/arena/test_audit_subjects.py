"""What the audit log finds of one vote, flag or voter is all that names it, whatever the kind."""

from __future__ import annotations

import pytest

from arena import audit, moderation
from arena.audit_filter import AuditFilter
from arena.standing_reasons import JoinReason
from ledger import store
from ledger.event import StoredEvent
from tests.fixtures.arena_site import ArenaSite
from tests.fixtures.review_cases import ADA, review_everything, vote


@pytest.fixture
def reviewed(either_arena: ArenaSite) -> ArenaSite:
    """A site where moderators did all they can do, and joined two voters who vote on."""
    review_everything(either_arena)
    voters = [either_arena.voter() for _ in range(2)]
    names = [vote(either_arena, voter).body["voter"] for voter in voters]
    moderation.join(
        either_arena.services.ports, ADA, "2026-11", names, JoinReason.SAME_DEVICE,
        either_arena.clock(),
    )  # fmt: skip
    for voter in voters:
        either_arena.clock.advance(60)
        vote(either_arena, voter)
    return either_arena


def found(arena: ArenaSite, wanted: AuditFilter) -> set[str]:
    """Return the ids of the events that a filter keeps."""
    with arena.database.read() as conn:
        return {row.event for row in audit.every_row_for_moderators(conn, wanted)}


def naming(arena: ArenaSite, *words: str) -> set[str]:
    """Return the ids of the arena's events whose bodies have one of these words, or are theirs."""
    return {
        each.id
        for each in logged(arena)
        if each.id in words or any(f'"{word}"' in each.body_text for word in words)
    }


def logged(arena: ArenaSite) -> list[StoredEvent]:
    """Return the events of the arena's months."""
    with arena.database.read() as conn:
        return [each for each in store.replay(conn) if each.stream.startswith("arena/")]


def test_all_that_names_a_vote_or_its_ballot_is_found(reviewed: ArenaSite) -> None:
    """Whatever was done to a vote: flag, strike, restoring, dispute, notes, words on its ballot."""
    kinds: set[str] = set()
    for cast in reviewed.events("vote.cast"):
        rows = found(reviewed, AuditFilter(vote=cast.id))
        assert rows == naming(reviewed, cast.id, cast.body["ballot"])
        kinds |= {each.kind for each in logged(reviewed) if each.id in rows}
    assert kinds >= {"flag.raised", "vote.voided", "vote.restored", "dispute.opened"}
    assert found(reviewed, AuditFilter(vote=reviewed.events("flag.raised")[0].id)) == set()


def test_all_that_names_a_flag_is_found(reviewed: ArenaSite) -> None:
    """Its own event, its decision, and strikes made in its case."""
    for flag in reviewed.events("flag.raised"):
        of_case = {each.id for each in logged(reviewed) if flag.id in each.body_text}
        assert found(reviewed, AuditFilter(flag=flag.id)) == of_case | {flag.id}


def test_all_that_names_a_voter_is_found(reviewed: ArenaSite) -> None:
    """Sweeps, bans and joinings too, and votes of others that count as the voter's."""
    kinds: set[str] = set()
    for name in {each.body["voter"] for each in reviewed.events("ballot.issued")}:
        rows = found(reviewed, AuditFilter(voter=name))
        assert naming(reviewed, name) <= rows
        kinds |= {each.kind for each in logged(reviewed) if each.id in rows}
    assert kinds >= {"sweep.finished", "voter.banned", "account.joined", "ballot.reported"}
