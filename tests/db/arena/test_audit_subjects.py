"""What the audit log finds of one vote, flag or voter is all that names it, whatever the kind."""

from __future__ import annotations

import pytest

from arena import audit, moderation
from arena.audit_filter import AuditFilter
from arena.audit_names import names_beginning
from arena.bans import ban
from arena.standing_reasons import JoinReason
from ledger import store
from ledger.event import StoredEvent
from tests.fixtures.arena_site import ArenaSite, at
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
    return {row.event for row in audit.every_row_for_moderators(arena.database.read, wanted)}


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
    """Whatever was done to a vote, by the name of either: also decisions on its flags."""
    kinds: set[str] = set()
    for cast in reviewed.events("vote.cast"):
        rows = found(reviewed, AuditFilter(vote=cast.id))
        cases = [each.id for each in flags_and_disputes(reviewed, cast.id)]
        joined = {
            each.id
            for each in reviewed.events("account.joined")
            if cast.body["voter"] in each.body["members"]
        }
        about = naming(reviewed, cast.id, cast.body["ballot"], *cases) | joined
        assert about <= rows
        assert found(reviewed, AuditFilter(vote=cast.body["ballot"])) == rows
        kinds |= {each.kind for each in logged(reviewed) if each.id in rows}
    assert kinds >= {
        "flag.raised", "flag.decided", "vote.voided", "vote.restored", "account.joined",
        "dispute.opened", "dispute.advanced", "dispute.decided", "note.written",
    }  # fmt: skip
    flag = reviewed.events("flag.raised")[0].id
    assert found(reviewed, AuditFilter(vote=flag)) == set()


def test_nothing_of_another_vote_is_found(reviewed: ArenaSite) -> None:
    """A vote's events are its own, its ballot's, and those of cases and joinings it is in."""
    votes = {each.id: each for each in reviewed.events("vote.cast")}
    for cast in votes.values():
        rows = found(reviewed, AuditFilter(vote=cast.id))
        others = set(votes) - {cast.id}
        ballots = {votes[other].body["ballot"] for other in others}
        assert not rows & (others | ballots)


def test_a_ballot_without_a_vote_is_found(reviewed: ArenaSite) -> None:
    """Its issue, and that it was skipped or an answer reported."""
    report = reviewed.events("ballot.reported")[0]
    rows = found(reviewed, AuditFilter(vote=report.body["ballot"]))
    assert rows == naming(reviewed, report.body["ballot"])
    assert report.id in rows


def flags_and_disputes(arena: ArenaSite, vote_id: str) -> list[StoredEvent]:
    """Return the cases that a vote is in."""
    return [
        each
        for each in arena.events("flag.raised", "dispute.opened")
        if f'"{vote_id}"' in each.body_text
    ]


def test_a_name_that_only_a_vote_bears_is_found(either_arena: ArenaSite) -> None:
    """Of a vote after the month's midnight on a ballot of before; by its beginning too."""
    arena, voter = either_arena, either_arena.voter()
    arena.clock.now_us = at("2026-11-30T23:59:30+00:00")
    page = voter.ballot()
    arena.clock.advance(60)
    assert voter.vote(page.token, htmx=True).status_code == 200
    (cast,) = arena.events("vote.cast")
    name = cast.body["voter"]
    voter.post("/reasons", {"ballot": page.token, "reasons": "clear"})

    with arena.database.read() as conn:
        assert names_beginning(conn, "voter", name[:8], "2026-12") == (name,)
        assert names_beginning(conn, "voter", name[:8], "2026-11") == ()
    rows = found(arena, AuditFilter(voter=name))
    later = {each.id for each in logged(arena) if each.stream.endswith("2026-12")}
    assert cast.id in rows
    assert rows == {each for each in rows if each in later}
    assert arena.events("ballot.issued")[0].id in found(arena, AuditFilter(vote=cast.id))


def test_a_name_that_only_a_ban_bears_is_found(either_arena: ArenaSite) -> None:
    """Of a voter banned in a month in which they voted nothing."""
    arena = either_arena
    cast = vote(arena)
    arena.clock.now_us = at("2026-12-02T12:00:00+00:00")
    ban(arena.services.ports, ADA, "2026-11", cast.body["voter"], reason="automated",
        now_us=arena.clock())  # fmt: skip
    (banned,) = arena.events("voter.banned")
    name = banned.body["voter"]

    assert name != cast.body["voter"]
    with arena.database.read() as conn:
        assert names_beginning(conn, "voter", name[:8], "2026-12") == (name,)
    assert found(arena, AuditFilter(voter=name)) == {banned.id}


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
