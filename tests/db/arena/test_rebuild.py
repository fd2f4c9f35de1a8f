"""The log rebuilds every table, on both databases, after all that can happen (X-003, V-054)."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena import catalogue_changes, moderation, parting, refits
from arena.catalogue import render_missing
from arena.catalogue_changes import Recorder
from arena.moderation import Actor
from arena.rebuild import PROJECTED, rebuild
from arena.standing_reasons import JoinReason, PartReason, RestoreReason, StrikeReason
from ledger.verify import Report, verify_log
from tests.fixtures.arena_site import ArenaSite, route_of, write_pack
from tests.fixtures.arena_votes import upkeep_of_all
from tests.fixtures.review_cases import review_everything


def verified(arena: ArenaSite) -> Report:
    """Read the whole log independently."""
    services = arena.services
    with arena.database.read() as conn:
        return verify_log(
            conn,
            origin=services.settings.log_origin,
            verifiers=[services.log_key.verifier],
            kept=[services.checkpoint_path.read_text(encoding="utf-8")],
        )


def decide(arena: ArenaSite) -> None:
    """Strike three votes, restore one of them, join three voters and part one."""
    ports, actor, now = arena.services.ports, Actor("Rosa", "M-0001"), arena.clock()
    cast = arena.events("vote.cast")
    votes = [each.id for each in cast[:3]]
    leak, mistake = StrikeReason.IDENTITY_LEAK, RestoreReason.MISTAKE
    moderation.void(ports, actor, votes, reason=leak, case="answer 1", now_us=now)
    moderation.restore(ports, actor, votes[:1], reason=mistake, case="answer 1", now_us=now)
    voters = sorted({each.body["voter"] for each in cast})[:3]
    moderation.join(ports, actor, "2026-11", voters, JoinReason.ADMITTED, now)
    parting.part(ports, actor, "2026-11", voters[:1], PartReason.MISTAKE, now)


@pytest.fixture
def lived(either_arena: ArenaSite, tmp_path: Path) -> ArenaSite:
    """A site with a mixed history: every kind of event that this room projects, twice a board."""
    arena = either_arena
    voters = [arena.voter() for _ in range(4)]
    for nth, voter in enumerate(voters):
        reveal = voter.read_and_vote(("speed", "expert")[nth % 2])
        voter.post(f"/ballots/{route_of(reveal)}/reasons", {"reason": ["clear", "wrong"]})
        voter.post(f"/ballots/{route_of(reveal)}/reasons", {"reason": ["vague"]})
    voters[0].read_and_vote(verdict="same")
    voters[1].read_and_vote(verdict="bad", seconds=12)
    voters[2].read_and_vote(seconds=1)
    page = voters[3].ballot()
    voters[3].ballot()
    voters[3].post("/report", {"ballot": page.token, "slot": "B", "reason": "broken"})
    voters[3].post("/skip", {"ballot": page.token})
    held = arena.held(voters[3].ballot().token)
    recorder = Recorder(arena.services.ports.log, arena.clock(), arena.services.rng)
    with arena.database.write() as conn:
        catalogue_changes.hold_answer(conn, recorder, held.slots[1].answer, "says a name")
    voters[3].ballot()  # withdraws the ballot with the held answer
    with arena.database.write() as conn:
        catalogue_changes.clear_answer(conn, recorder, held.slots[1].answer, "a story's name")
    voters[0].vote("nonsense")
    arena.sequence()
    upkeep_of_all(arena.services.ports, arena.clock())
    for mode in ("speed", "expert"):
        assert refits.refit_now(arena.services.ports, mode, "2026-11", arena.clock())
    arena.import_pack(write_pack(tmp_path / "more", "expert", questions=2, topic="more"))
    arena.voter().read_and_vote("expert")
    decide(arena)
    review_everything(arena)
    arena.sequence()
    assert refits.refit_now(arena.services.ports, "expert", "2026-11", arena.clock())
    arena.sequence()
    return arena


def test_a_rebuild_gives_equal_tables(lived: ArenaSite) -> None:
    """Emptied and replayed, no table differs in one row, and none of them was empty."""
    done = rebuild(lived.database)

    assert done.differing == ()
    assert set(done.rows) == {table.name for table in PROJECTED}
    assert all(done.rows.values()), done.rows
    assert verified(lived).ok


def test_after_a_rebuild_the_arena_goes_on(lived: ArenaSite) -> None:
    """Ballots are shown, votes are counted and boards fitted as before."""
    voter = lived.voter()
    page = voter.ballot()
    rebuild(lived.database)
    render_missing(lived.database)
    lived.clock.advance(30)

    assert voter.ballot().slots == page.slots
    assert voter.vote(page.token).status_code == 303
    assert lived.voter().get("/leaderboard?format=json").status_code == 200
    lived.sequence()
    assert refits.refit_now(lived.services.ports, "speed", "2026-11", lived.clock())
    assert rebuild(lived.database).differing == ()


CHANGES = {
    "vote": "UPDATE vote SET weight_micro = 0 WHERE weight_micro > 0",
    "answer": "UPDATE answer SET reveals = reveals + 1",
    "vote_reason": "DELETE FROM vote_reason",
    "ballot": "UPDATE ballot SET state = 'open' WHERE state = 'withdrawn'",
    "board": "UPDATE board SET body = '{}'",
    "report": "UPDATE report SET reason = 'other'",
    "catalogue_head": "UPDATE catalogue_head SET version = version + 1",
}


def test_a_rebuild_names_and_mends_what_was_changed(lived: ArenaSite) -> None:
    """A table that does not hold what the log says is named, and right again afterwards."""
    for table, statement in CHANGES.items():
        lived.execute(statement)
        assert rebuild(lived.database).differing == (table,)
        assert rebuild(lived.database).differing == ()


def test_progress_counts_every_event(lived: ArenaSite) -> None:
    """The callback gets the number of events replayed so far, up to all of them."""
    told: list[int] = []
    done = rebuild(lived.database, told.append)
    assert told == list(range(1, done.events + 1))
    assert done.events == lived.count("event")
