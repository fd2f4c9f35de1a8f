"""Joined voters at ballot and vote: one day's allowance, one memory of answers (V-151, V-152)."""

from __future__ import annotations

import threading

import pytest

from antiabuse import quotas
from antiabuse import rules as antiabuse_rules
from antiabuse.identity import pseudonym
from arena import bans, moderation
from arena.ballot_store import load_held, revealed_to
from arena.errors import AlreadyDecided
from arena.moderation import Actor
from arena.standing_reasons import JoinReason
from tests.fixtures.arena_site import ArenaSite, Voter, reason_of

ROSA = Actor("Rosa", "M-0001")
MONTH = "2026-11"


def joined(arena: ArenaSite, *voters: Voter) -> None:
    """Join voters who have voted."""
    names = [pseudonym(arena.services.ports.keys, MONTH, voter.id) for voter in voters]
    ports = arena.services.ports
    moderation.join(ports, ROSA, MONTH, names, JoinReason.SAME_PATTERN, arena.clock())


def pair(arena: ArenaSite) -> tuple[Voter, Voter]:
    """Return two voters with a vote each."""
    one, two = arena.voter(), arena.voter()
    for voter in (one, two):
        voter.read_and_vote()
        arena.clock.advance(10)
    return one, two


def use_up(arena: ArenaSite, voter: Voter, kind: str, left: int) -> None:
    """Leave a voter so many of a day's allowance, counted alone."""
    caps = antiabuse_rules.current()
    spent = {"votes": caps.daily_votes, "ballots": caps.daily_ballots, "skips": caps.daily_skips}
    query = f"UPDATE voter SET {kind} = :spent WHERE id = :id"  # noqa: S608 - a column
    arena.execute(query, spent=spent[kind] - left, id=voter.id)


def test_what_one_saw_the_other_saw(either_arena: ArenaSite) -> None:
    """A joined voter's vote on answers that another of the cluster saw revealed weighs nothing."""
    arena = either_arena
    one, two = pair(arena)
    page = two.ballot()
    held = arena.held(page.token)
    with arena.database.read() as conn:
        seen = revealed_to(conn, one.id, MONTH).answers
    arena.execute(
        "UPDATE ballot_slot SET answer_id = :seen WHERE slot_id = :slot",
        seen=min(seen),
        slot=held.slots[0].slot_id,
    )
    arena.execute(
        "UPDATE ballot SET question_id = (SELECT question_id FROM answer WHERE id = :seen)"
        " WHERE id = :ballot",
        seen=min(seen),
        ballot=held.id,
    )
    joined(arena, one, two)
    arena.clock.advance(30)

    assert two.vote(page.token).status_code == 303

    assert "seen_answer" in arena.events("vote.cast")[-1].body["reasons"]
    assert arena.events("vote.cast")[-1].body["weight"] == "0"


def test_strangers_saw_nothing_of_each_other(either_arena: ArenaSite) -> None:
    """Without a joining the same vote counts."""
    arena = either_arena
    one, two = pair(arena)
    page = two.ballot()
    held = arena.held(page.token)
    with arena.database.read() as conn:
        own = revealed_to(conn, two.id, MONTH).answers
        seen = revealed_to(conn, one.id, MONTH).answers - own
    arena.execute(
        "UPDATE ballot_slot SET answer_id = :seen WHERE slot_id = :slot",
        seen=min(seen),
        slot=held.slots[0].slot_id,
    )
    arena.clock.advance(30)

    assert two.vote(page.token).status_code == 303
    assert arena.events("vote.cast")[-1].body["weight"] == "1"


def test_ballots_avoid_what_the_cluster_saw(either_arena: ArenaSite) -> None:
    """While there are fresh questions, no ballot shows an answer that a joined voter saw."""
    arena = either_arena
    one, two = pair(arena)
    joined(arena, one, two)
    with arena.database.read() as conn:
        seen = revealed_to(conn, one.id, MONTH).answers
    for _ in range(4):
        held = arena.held(two.ballot().token)
        assert seen.isdisjoint(slot.answer for slot in held.slots)
        two.post("/skip", {"ballot": two.ballot().token})


def test_a_cluster_has_one_days_votes(either_arena: ArenaSite) -> None:
    """When together they have used the day's votes, each further one is refused (V-118, V-152)."""
    arena = either_arena
    one, two = pair(arena)
    page = two.ballot()
    use_up(arena, one, "votes", left=1)
    joined(arena, one, two)
    arena.clock.advance(30)

    refused = two.vote(page.token)

    assert (refused.status_code, reason_of(refused)) == (429, "daily_cap")


def test_a_cluster_has_one_days_ballots(either_arena: ArenaSite) -> None:
    """Impressions count together: the last ballot of the day is issued to one of them (V-152)."""
    arena = either_arena
    one, two = pair(arena)
    use_up(arena, one, "ballots", left=2)  # and one ballot was issued to the other
    joined(arena, one, two)

    assert two.get("/").status_code == 200
    assert arena.events("ballot.issued")[-1].body["voter"] == pseudonym(
        arena.services.ports.keys, MONTH, two.id
    )
    issued = len(arena.events("ballot.issued"))
    assert 'id="ballot-form"' not in one.get("/").text
    assert len(arena.events("ballot.issued")) == issued


def test_a_cluster_has_one_days_skips(either_arena: ArenaSite) -> None:
    """Choosing ballots by skipping under two ids is choosing by skipping (V-170)."""
    arena = either_arena
    one, two = pair(arena)
    page = two.ballot()
    use_up(arena, one, "skips", left=0)
    joined(arena, one, two)

    refused = two.post("/skip", {"ballot": page.token})

    assert (refused.status_code, reason_of(refused)) == (429, "skip_cap")


def test_members_who_vote_at_once_do_not_block_each_other(either_arena: ArenaSite) -> None:
    """Each locks all rows of the cluster in one order; of two last votes one is accepted."""
    arena = either_arena
    one, two = pair(arena)
    tokens = [one.ballot().token, two.ballot().token]
    use_up(arena, one, "votes", left=2)  # and the other has cast one
    joined(arena, one, two)
    arena.clock.advance(30)
    answers: list[int] = []
    gate = threading.Barrier(2)

    def run(voter: Voter, token: str) -> None:
        gate.wait(10)
        answers.append(voter.vote(token).status_code)

    threads = [
        threading.Thread(target=run, args=pair_) for pair_ in zip((one, two), tokens, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert sorted(answers) == [303, 429]


def ban(arena: ArenaSite, voter: Voter) -> str:
    """Ban a voter."""
    name = pseudonym(arena.services.ports.keys, MONTH, voter.id)
    now = arena.clock()
    return bans.ban(arena.services.ports, ROSA, MONTH, name, reason="automated", now_us=now)


def unban(arena: ArenaSite, voter: Voter) -> str:
    """Lift a ban."""
    name = pseudonym(arena.services.ports.keys, MONTH, voter.id)
    now = arena.clock()
    return bans.unban(arena.services.ports, ROSA, MONTH, name, reason="ban_served", now_us=now)


def test_a_ban_holds_for_all_who_are_joined(either_arena: ArenaSite) -> None:
    """Votes and skips of each are 403, also of one joined later; of a stranger they are not."""
    arena = either_arena
    one, two = pair(arena)
    three, stranger = pair(arena)
    pages = {voter.id: voter.ballot() for voter in (one, two, three, stranger)}
    arena.clock.advance(30)
    joined(arena, one, two)
    ban(arena, one)

    for member in (one, two):
        refused = member.vote(pages[member.id].token)
        assert (refused.status_code, reason_of(refused)) == (403, "banned")
    skipped = two.post("/skip", {"ballot": pages[two.id].token})
    assert (skipped.status_code, reason_of(skipped)) == (403, "banned")
    joined(arena, two, three)
    refused = three.vote(pages[three.id].token)
    assert (refused.status_code, reason_of(refused)) == (403, "banned")
    assert stranger.vote(pages[stranger.id].token).status_code == 303
    names = [pseudonym(arena.services.ports.keys, MONTH, voter_id) for voter_id in pages]
    (banned,) = arena.events("voter.banned")
    with arena.database.read() as conn:
        found = bans.banned_among(conn, MONTH, names, arena.clock())
    assert found == dict.fromkeys(names[:3], banned.body["at_us"])


def test_lifting_a_ban_frees_all_who_are_joined(either_arena: ArenaSite) -> None:
    """Two bans within a cluster end with one decision, about whichever of its ids."""
    arena = either_arena
    one, two = pair(arena)
    three, _ = pair(arena)
    pages = {voter.id: voter.ballot() for voter in (one, two, three)}
    arena.clock.advance(30)
    ban(arena, one)
    ban(arena, two)
    joined(arena, one, two, three)

    unban(arena, three)

    for member in (one, two, three):
        assert member.vote(pages[member.id].token).status_code == 303
    (lifted,) = arena.events("voter.unbanned")
    assert lifted.body["voter"] == pseudonym(arena.services.ports.keys, MONTH, three.id)
    assert len(arena.events("voter.banned")) == 2
    with pytest.raises(AlreadyDecided):
        unban(arena, one)


def test_erasing_the_banned_id_frees_nobody(either_arena: ArenaSite) -> None:
    """The ban goes over to the ids joined to it, and a moderator can lift it from any of them."""
    arena = either_arena
    one, two = pair(arena)
    three, stranger = pair(arena)
    pages = {voter.id: voter.ballot() for voter in (two, three, stranger)}
    arena.clock.advance(30)
    joined(arena, one, two, three)
    ban(arena, one)

    assert one.post("/me/erase").status_code == 303

    for member in (two, three):
        refused = member.vote(pages[member.id].token)
        assert (refused.status_code, reason_of(refused)) == (403, "banned")
    assert stranger.vote(pages[stranger.id].token).status_code == 303
    unban(arena, three)
    for member in (two, three):
        assert member.vote(pages[member.id].token).status_code == 303


def test_erasing_a_joined_id_bans_nobody(either_arena: ArenaSite) -> None:
    """Where the ban is another's, and where there is none, erasing changes nothing for others."""
    arena = either_arena
    one, two = pair(arena)
    joined(arena, one, two)
    one.post("/me/erase")

    assert two.read_and_vote().status_code == 200
    assert arena.count("voter", "banned_us IS NOT NULL") == 0


def test_a_ban_of_one_leaves_others_alone_without_a_joining(either_arena: ArenaSite) -> None:
    """The joining, not the ban, makes them one; a second ban of the same id is told apart."""
    arena = either_arena
    one, two = pair(arena)
    page = two.ballot()
    arena.clock.advance(30)
    ban(arena, one)
    with pytest.raises(AlreadyDecided):
        ban(arena, one)
    with pytest.raises(AlreadyDecided):
        unban(arena, two)

    assert two.vote(page.token).status_code == 303


def test_states_of_a_cluster_are_sums(either_arena: ArenaSite) -> None:
    """What is left of the day is what the cluster has left, read and locked alike."""
    arena = either_arena
    one, two = pair(arena)
    caps = antiabuse_rules.current()
    with arena.database.write() as conn:
        read = quotas.read_cluster(conn, one.id, [two.id], arena.clock())
        locked = quotas.lock_cluster(conn, one.id, [two.id], arena.clock())
        alone = quotas.read_cluster(conn, one.id, [], arena.clock())
    assert read == locked
    assert read is not None
    assert alone is not None
    assert (read.votes, read.ballots, read.votes_left) == (2, 2, caps.daily_votes - 2)
    assert alone.votes == 1


def test_a_held_ballot_is_still_the_voters_own(either_arena: ArenaSite) -> None:
    """Joining gives nobody another one's ballots."""
    arena = either_arena
    one, two = pair(arena)
    token = one.ballot().token
    joined(arena, one, two)

    refused = two.vote(token)

    assert (refused.status_code, reason_of(refused)) == (403, "not_yours")
    with arena.database.read() as conn:
        held = load_held(conn, arena.services.tokens.read(token).ballot)
    assert held is not None
    assert held.state == "open"


def test_pages_say_what_the_cluster_has_left(either_arena: ArenaSite) -> None:
    """A joined voter is told the allowance that holds, on the reveal and on the own page."""
    arena = either_arena
    one, two = pair(arena)
    joined(arena, one, two)
    left = antiabuse_rules.current().daily_votes - 2

    assert f"<strong>{left}</strong> votes" in one.get("/me").text
    assert f"{left - 1} votes left today" in one.read_and_vote().text
