"""Erasing while the same voter votes: whichever is first, nothing that names the voter is left."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from antiabuse import erased
from arena import own_data
from arena.case_subject import Subject
from ledger import private_parts
from tests.fixtures.arena_site import ArenaSite, Voter
from tests.fixtures.moderation_cases import dispute_of, one_sided_voter, strike
from tests.fixtures.review_cases import note_on

TABS = 3


def tab_of(voter: Voter) -> Voter:
    """Return another tab: the same cookie in a client of its own."""
    tab = voter.site.voter(voter.address)
    tab.client.set_cookie("voter", voter.cookie)
    return tab


@pytest.mark.parametrize("attempt", range(4))
def test_erasing_and_voting_at_once_leave_nothing(either_arena: ArenaSite, attempt: int) -> None:
    """Votes and skips are taken before the erasure, and erased with it, or refused after it."""
    site = either_arena
    voter = site.voter()
    for _ in range(attempt):
        voter.read_and_vote()
        site.clock.advance(10)
    speed, expert = voter.ballot().token, voter.ballot("expert").token
    site.clock.advance(30)
    gone, tabs = voter.id, [tab_of(voter) for _ in range(TABS)]
    before = site.count("vote")
    works: list[Callable[[], object]] = [
        lambda: own_data.erase(site.services.ports, gone, site.clock()),
        lambda: tabs[0].vote(speed).status_code,
        lambda: tabs[1].vote(expert).status_code,
        lambda: tabs[2].post("/skip", {"ballot": speed}).status_code,
    ]
    barrier = threading.Barrier(len(works))

    def run(work: Callable[[], object]) -> object:
        barrier.wait(timeout=30)
        return work()

    with ThreadPoolExecutor(len(works)) as threads:
        answers = list(threads.map(run, works))
    site.sequence()

    for table, column in (
        ("voter", "id"), ("ballot_holder", "voter_id"), ("sighting", "voter_id"),
        ("event_private", "subject"),
    ):  # fmt: skip
        assert site.count(table, f"{column} = :id", id=gone) == 0, (table, answers)
    assert site.count("event_private", "part LIKE :id", id=f"%{gone}%") == 0
    assert site.count("vote") - before == sum(answer == 303 for answer in answers[1:3])
    site.verified()


def test_two_erasures_at_once_are_one(either_arena: ArenaSite) -> None:
    """A double click erases everything once, without an error."""
    site = either_arena
    voter = site.voter()
    voter.read_and_vote()
    gone = voter.id
    barrier = threading.Barrier(2)

    def erase(_: int) -> own_data.Erased:
        barrier.wait(timeout=30)
        return own_data.erase(site.services.ports, gone, site.clock())

    with ThreadPoolExecutor(2) as threads:
        done = list(threads.map(erase, range(2)))

    assert sorted(each.private_parts for each in done) == [0, 2]
    assert site.count("event_erasure") == 2
    assert site.count("event_private") == 0


def test_a_request_that_waited_for_an_erasure_leaves_no_row(either_arena: ArenaSite) -> None:
    """Registering while an erasure commits does not bring the voter's row back."""
    site = either_arena
    voter = site.voter()
    voter.read_and_vote()
    gone = voter.id
    answers: list[int] = []
    asking = threading.Thread(target=lambda: answers.append(tab_of(voter).get("/").status_code))

    with site.database.write() as conn:
        erased.forget(conn, gone, site.clock())
        asking.start()
        asking.join(1)  # by now it waits for this transaction
    asking.join(30)

    assert len(answers) == 1
    assert site.count("voter", "id = :id", id=gone) == 0


@pytest.mark.parametrize("what", ["view", "reasons", "report", "dispute", "evidence"])
def test_what_waited_for_an_erasure_writes_nothing(either_arena: ArenaSite, what: str) -> None:
    """A request that saw its ballot before the erasure commits leaves no word with the id."""
    site = either_arena
    seen = one_sided_voter(site, 2)
    strike(site, seen.votes[1])
    opened = dispute_of(site, seen)
    token = seen.voter.ballot().token
    gone = seen.voter.id
    tab = tab_of(seen.voter)
    requests: dict[str, Callable[[], object]] = {
        "view": lambda: tab.get("/"),
        "reasons": lambda: tab.post(f"/ballots/{seen.routes[0]}/reasons", {"reason": "correct"}),
        "report": lambda: tab.post("/report", {"ballot": token, "slot": "A", "reason": "identity"}),
        "dispute": lambda: tab.post("/disputes", {"vote": seen.routes[1], "text": "I read it."}),
        "evidence": lambda: tab.post(f"/disputes/{opened}/evidence", {"text": "Twice."}),
    }
    asking = threading.Thread(target=requests[what])

    with site.database.write() as conn:
        private_parts.erase_about(conn, gone, now_us=site.clock())
        erased.forget(conn, gone, site.clock())
        asking.start()
        asking.join(1)  # by now it waits for this transaction
    asking.join(30)

    assert not asking.is_alive()
    assert site.count("event_private", "subject = :id", id=gone) == 0
    assert site.count("event_private", "part LIKE :id", id=f"%{gone}%") == 0


def test_a_note_that_waited_for_an_erasure_names_nobody(either_arena: ArenaSite) -> None:
    """A moderator who writes while the voter erases leaves no id behind."""
    site = either_arena
    seen = one_sided_voter(site, 1)
    gone = seen.voter.id
    subject = Subject("vote", seen.votes[0])
    writing = threading.Thread(target=lambda: note_on(site, subject))

    with site.database.write() as conn:
        private_parts.erase_about(conn, gone, now_us=site.clock())
        erased.forget(conn, gone, site.clock())
        writing.start()
        writing.join(1)  # by now it waits for this transaction
    writing.join(30)

    assert not writing.is_alive()
    assert site.count("case_note") == 1
    assert site.count("event_private", "part LIKE :id", id=f"%{gone}%") == 0
