"""A voter under several names: a ban decided in a month without ballots, notes, and joinings."""

from __future__ import annotations

import re

import pytest

from antiabuse.identity import pseudonym
from antiabuse.utc import month_of
from arena import own_data
from tests.fixtures.arena_site import ArenaSite, at, reason_of
from tests.fixtures.moderation_cases import OneSided, one_sided_voter
from tests.fixtures.moderators import Moderator, moderator_of
from webapp.retention import erase_old

CASES = "/moderation/cases"


def case_of(seen: OneSided, month: str = "2026-11") -> str:
    """Return the path of a voter's case."""
    return f"{CASES}/voter:{month}:{seen.name}"


def words(html: str) -> str:
    """Return a page's words, one space between them."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


@pytest.fixture
def seen(either_arena: ArenaSite) -> OneSided:
    """A voter with two votes in November."""
    return one_sided_voter(either_arena, 2)


@pytest.fixture
def rosa(either_arena: ArenaSite, seen: OneSided) -> Moderator:
    """The browser of a moderator, in December, when the voter has come no more."""
    either_arena.clock.now_us = at("2026-12-02T12:00:00+00:00")
    return moderator_of(either_arena)


def banned_link(rosa: Moderator) -> str:
    """Return the case that the audit log links from a ban."""
    html = rosa.get("/moderation/audit?kind=voter.banned").text
    (found,) = set(re.findall(rf'href="({CASES}/voter:2026-12:[0-9a-f]+)"', html))
    return str(found)


def test_a_ban_leads_to_a_case_that_tells_and_lifts_it(
    either_arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """Banned in a month without a ballot: its case has ban, reason, notes, names and the unban."""
    rosa.send(f"{case_of(seen)}/note", reason="watch", text="Came back thrice.")
    rosa.send(f"{case_of(seen)}/ban", verdict="ban", reason="automated")

    link = banned_link(rosa)
    page = rosa.get(link)

    assert page.status_code == 200
    told = words(page.text)
    assert "stands on no ballot" in told
    assert "Banned since 2026-12-02" in told
    assert "The account is run by a program." in told
    assert "Came back thrice." in told
    assert "on the case of November 2026" in told
    assert f'href="{case_of(seen)}"' in page.text
    assert "in November 2026, 2 votes" in told
    assert "Ban the voter" not in told
    first = words(rosa.get(case_of(seen)).text)
    assert "The account is run by a program." in first
    assert "in December 2026, 0 votes" in first

    assert rosa.send(f"{link}/note", reason="context", text="Wrote to us.").status_code == 303
    lifted = rosa.send(f"{link}/ban", verdict="unban", reason="banned_in_error")

    assert lifted.status_code == 303
    told = words(rosa.get(link).text)
    assert "Banned since" not in told
    assert "The ban was a mistake." in told
    assert "Wrote to us." in told
    ballot = seen.voter.ballot()
    either_arena.clock.advance(30)
    assert seen.voter.vote(ballot.token).status_code == 303


def test_a_vote_is_refused_while_the_ban_holds(
    either_arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """A ballot of the later month makes the same case an ordinary one, with the same ban."""
    token = seen.voter.ballot().token
    rosa.send(f"{case_of(seen)}/ban", verdict="ban", reason="automated")
    either_arena.clock.advance(30)

    assert reason_of(seen.voter.vote(token)) == "banned"
    told = words(rosa.get(banned_link(rosa)).text)
    assert "stands on no ballot" not in told
    assert "Banned since" in told
    assert told.count("The account is run by a program. automated") == 1


def test_of_an_erased_voter_the_decision_is_left(
    either_arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """The case says that nothing tells whose name it is, and offers nothing that cannot be done."""
    rosa.send(f"{case_of(seen)}/ban", verdict="ban", reason="automated")
    own_data.erase(either_arena.services.ports, seen.voter.id, either_arena.clock())

    page = rosa.get(banned_link(rosa))

    assert page.status_code == 200
    told = words(page.text)
    assert "Nothing says any more whose name this is" in told
    assert "The account is run by a program." in told
    assert "Lift the ban" not in told
    assert seen.name not in page.text


def test_a_name_nobody_bore_is_no_case(either_arena: ArenaSite, seen: OneSided) -> None:
    """A voter's name of another month, guessed with the key, leads nowhere without a decision."""
    keys = either_arena.services.ports.keys
    name = pseudonym(keys, "2026-12", seen.voter.id)
    rosa = moderator_of(either_arena)

    assert rosa.get(f"{CASES}/voter:2026-12:{name}").status_code == 404
    assert rosa.get(f"{CASES}/voter:2026-12:{seen.name}").status_code == 404


def test_a_voters_case_says_whom_they_are_joined_with(either_arena: ArenaSite) -> None:
    """Who, since when, by whom and why, with links to their cases and to the board's change."""
    arena = either_arena
    people = [one_sided_voter(arena, 1) for _ in range(4)]
    rosa = moderator_of(arena)
    month = month_of(arena.clock())

    def join(reason: str, *whom: OneSided) -> str:
        arena.clock.advance(600)
        form = {
            "csrf": rosa.csrf(),
            "month": month,
            "reason": reason,
            "voter": [each.name for each in whom],
        }
        assert rosa.post(f"{case_of(whom[0])}/join", form).status_code == 303
        return arena.events("account.joined")[-1].id

    first = join("same_device", people[0], people[1])
    join("admitted", people[2], people[3])
    last = join("same_pattern", people[1], people[2])

    html = rosa.get(case_of(people[0])).text
    part = html.partition('id="joined"')[2].partition("</ol>")[0]
    rows = part.split("<li>")[1:]
    assert len(rows) == 2
    assert re.findall(r"cases/voter:2026-11:([0-9a-f]+)", rows[0]) == [people[1].name]
    assert "They voted from one device." in rows[0]
    assert f'href="/moderation/decisions/{first}"' in rows[0]
    assert set(re.findall(r"cases/voter:2026-11:([0-9a-f]+)", rows[1])) == {
        people[2].name,
        people[3].name,
    }
    assert "Their votes agree more" in rows[1]
    assert "at 2026-11-30 12:3" in rows[1]
    assert rosa_handle(arena) in rows[1]
    assert f'href="/moderation/decisions/{last}"' in rows[1]
    assert rosa.get(f"/moderation/decisions/{last}").status_code == 200
    alone = one_sided_voter(arena, 1)
    assert 'id="joined"' not in rosa.get(case_of(alone)).text


def rosa_handle(arena: ArenaSite) -> str:
    """Return the handle under which the moderator decided."""
    return str(arena.events("account.joined")[-1].body["moderator"])


def test_after_its_time_the_private_part_says_no_more(
    either_arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """The ban holds on, and the case of the first name still lifts it."""
    rosa.send(f"{case_of(seen)}/ban", verdict="ban", reason="automated")
    either_arena.clock.now_us = at("2027-03-15T12:00:00+00:00")
    erase_old(either_arena.services, pause_s=0, clock_is_right=True)
    olga = moderator_of(either_arena, "olga")

    assert "Nothing says any more" in words(olga.get(banned_link(olga)).text)
    assert "Banned since 2026-12-02" in words(olga.get(case_of(seen)).text)
    assert (
        olga.send(f"{case_of(seen)}/ban", verdict="unban", reason="ban_served").status_code == 303
    )


def test_a_name_that_only_a_vote_bears_has_a_case(either_arena: ArenaSite, seen: OneSided) -> None:
    """A vote after midnight on a November ballot is December's: its voter can be found and banned.

    Joined to others, the ban holds for them as well.
    """
    arena = either_arena
    other = arena.voter()
    tokens = []
    for voter in (seen.voter, other):
        arena.clock.now_us = at("2026-11-30T23:58:00+00:00")
        tokens.append((voter, voter.ballot().token))
    arena.clock.now_us = at("2026-12-01T00:01:00+00:00")
    for voter, token in tokens:
        assert voter.vote(token).status_code == 303
    arena.sequence()
    rosa = moderator_of(arena)
    cast = arena.events("vote.cast")[-2:]
    first, second = (str(each.body["voter"]) for each in cast)

    page = rosa.get(f"/moderation/votes/{cast[0].id}").text
    (link,) = set(re.findall(rf'href="({CASES}/voter:2026-12:[0-9a-f]+)"', page))
    told = words(rosa.get(link).text)
    assert "stands on no ballot" not in told
    assert "erased" not in told
    form = {"csrf": rosa.csrf(), "month": "2026-12", "reason": "admitted"}
    joined = rosa.post(f"{link}/join", {**form, "voter": [first, second]})
    assert joined.status_code == 303
    again = other.ballot().token
    assert rosa.send(f"{link}/ban", verdict="ban", reason="automated").status_code == 303

    for name in (first, second):
        assert "Banned since 2026-12-01" in words(rosa.get(f"{CASES}/voter:2026-12:{name}").text)
    arena.clock.advance(30)
    assert reason_of(other.vote(again)) == "banned"
    lifted = rosa.send(
        f"{CASES}/voter:2026-12:{second}/ban", verdict="unban", reason="banned_in_error"
    )
    assert lifted.status_code == 303
    assert "Banned since" not in words(rosa.get(link).text)


def test_a_late_skip_links_its_voters_own_month(either_arena: ArenaSite, seen: OneSided) -> None:
    """A November ballot that is skipped in December leads to the voter's November case."""
    either_arena.clock.now_us = at("2026-11-30T23:58:00+00:00")
    token = seen.voter.ballot().token
    either_arena.clock.now_us = at("2026-12-01T00:01:00+00:00")
    assert seen.voter.post("/skip", {"ballot": token}).status_code == 303
    rosa = moderator_of(either_arena)

    html = rosa.get("/moderation/audit?kind=ballot.skipped").text

    (link,) = set(re.findall(rf'href="({CASES}/voter:[^"]+)"', html))
    assert link == case_of(seen)
    assert rosa.get(link).status_code == 200
