"""Whom a case is about: who may be joined, other flags, all votes of a voter, and the erased."""

from __future__ import annotations

import re

import pytest

from antiabuse.detectors.finding import Detector
from antiabuse.utc import month_of
from arena import own_data
from tests.fixtures.arena_site import MODELS, ArenaSite, reason_of
from tests.fixtures.arena_votes import refit
from tests.fixtures.moderation_cases import OneSided, flag_of, one_sided_voter
from tests.fixtures.moderators import Moderator, moderator_of
from tests.fixtures.review_cases import finding, raise_findings


@pytest.fixture
def seen(arena: ArenaSite) -> OneSided:
    """A voter with four votes, in the log."""
    return one_sided_voter(arena, 4)


@pytest.fixture
def rosa(arena: ArenaSite, seen: OneSided) -> Moderator:
    """The browser of a moderator, signed in."""
    return moderator_of(arena)


def voter_case(arena: ArenaSite, seen: OneSided) -> str:
    """Return the path of a voter's case."""
    return f"/moderation/cases/voter:{month_of(arena.clock())}:{seen.name}"


def shared_flag(arena: ArenaSite, *people: OneSided) -> str:
    """Raise a flag about several voters at one address; return the path of its case."""
    names = sorted(each.name for each in people)
    votes = [vote for each in people for vote in each.votes]
    found = finding(names, votes, detector=Detector.SHARED_ADDRESS, look=30)
    (made,) = raise_findings(arena, [found])
    return f"/moderation/cases/flag:{made}"


def offered(html: str) -> dict[str, bool]:
    """Return the voters that a page offers to join, and whether each is ticked."""
    rows = re.findall(r'type="checkbox" name="voter" value="([0-9a-f]+)"( checked)?', html)
    return {name: bool(ticked) for name, ticked in rows}


def join(rosa: Moderator, arena: ArenaSite, case: str, *people: OneSided) -> int:
    """Send the form with some ticked; return the status."""
    form = {
        "csrf": rosa.csrf(),
        "month": month_of(arena.clock()),
        "voter": [each.name for each in people],
        "reason": "same_pattern",
    }
    return rosa.post(f"{case}/join", form).status_code


def test_a_cases_own_voters_are_offered_and_may_be_left_out(
    arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """Without any neighbour there is a form; whoever is not ticked is not joined."""
    others = [one_sided_voter(arena, 1) for _ in range(2)]
    case = shared_flag(arena, seen, *others)

    assert offered(rosa.get(case).text) == {each.name: True for each in (seen, *others)}
    assert join(rosa, arena, case, seen, others[0]) == 303

    assert arena.count("cluster_member") == 2
    assert arena.count("cluster_member", "voter = :name", name=others[1].name) == 0


def test_one_alone_is_not_joined(arena: ArenaSite, seen: OneSided, rosa: Moderator) -> None:
    """Fewer than two ticks are refused in words, and one voter alone has no form."""
    case = shared_flag(arena, seen, one_sided_voter(arena, 1))
    form = {"csrf": rosa.csrf(), "month": "2026-11", "voter": [seen.name] * 2, "reason": "admitted"}

    refused = rosa.post(f"{case}/join", form)

    assert (refused.status_code, reason_of(refused)) == (422, "too_few")
    assert arena.count("cluster_member") == 0
    alone = rosa.get(f"/moderation/cases/flag:{flag_of(arena, seen)}").text
    assert 'action="/moderation/cases' in alone
    assert "/join" not in alone


def test_those_who_are_one_already_are_not_offered(
    arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """After the joining nothing is left to join."""
    other = one_sided_voter(arena, 1)
    case = shared_flag(arena, seen, other)
    join(rosa, arena, case, seen, other)

    assert offered(rosa.get(case).text) == {}


def test_a_case_links_the_other_flags_of_its_voters(
    arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """Open and decided ones, on each case and on the voter's own, and none of strangers."""
    stranger = flag_of(arena, one_sided_voter(arena, 1))
    one = flag_of(arena, seen)
    many = shared_flag(arena, seen, one_sided_voter(arena, 1)).rpartition("/")[2]
    rosa.send(
        f"/moderation/cases/flag:{one}/decide", seen="open", verdict="dismissed", reason="chance"
    )

    pages = {
        path: set(
            re.findall(
                r'<td role="cell"><a href="/moderation/cases/(flag:[^"]+)"', rosa.get(path).text
            )
        )
        for path in (
            f"/moderation/cases/flag:{one}",
            f"/moderation/cases/{many}",
            voter_case(arena, seen),
        )
    }

    assert list(pages.values()) == [{many}, {f"flag:{one}"}, {many, f"flag:{one}"}]
    assert stranger not in str(pages)
    listed = rosa.get(voter_case(arena, seen)).text.partition('id="flags"')[2]
    assert '<td role="cell" data-name="State">dismissed</td>' in listed
    assert f'<td role="cell" data-name="Model">{MODELS[0][1]}</td>' in listed
    assert '<td role="cell" class="number" data-name="Votes">4</td>' in listed


def test_all_votes_of_a_voter_are_struck_at_once(
    arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """The page says how many, one struck before is not among them, and so many are struck."""
    case = voter_case(arena, seen)
    rosa.send(f"/moderation/votes/{seen.votes[0]}/decide", verdict="strike", reason="careless")
    counting = arena.count(
        "vote", "voter = :name AND weight_micro > 0 AND id <> :id", name=seen.name, id=seen.votes[0]
    )
    page = rosa.get(case).text
    assert f"All {counting} are struck" in page

    done = rosa.send(f"{case}/strike", reason="automated", votes=str(counting))

    assert done.status_code == 303
    assert arena.count("vote_strike") == counting + 1
    event = arena.events("vote.voided")[-1]
    assert event.body["case"] == case.rpartition("/")[2]
    after = rosa.get(case).text
    assert "The vote was cast by a program." in after
    assert "Strike them all" not in after


@pytest.mark.parametrize(
    "fields,status",
    [
        ({"votes": "3", "reason": "automated"}, 409),
        ({"votes": "0", "reason": "automated"}, 409),
        ({"votes": "many", "reason": "automated"}, 422),
        ({"votes": "4", "reason": "detector"}, 422),
        ({"votes": "4", "reason": ""}, 422),
    ],
)
def test_striking_all_needs_a_reason_and_the_number_told(
    arena: ArenaSite, seen: OneSided, rosa: Moderator, fields: dict[str, str], status: int
) -> None:
    """A page that is out of date, or a reason of another list, strikes nothing."""
    assert rosa.send(f"{voter_case(arena, seen)}/strike", **fields).status_code == status
    assert arena.count("vote_strike") == 0


def test_an_erased_voters_case_is_still_there(
    arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """Votes, picks and flags under the pseudonym, and that the data was erased; nobody to ban."""
    flag = flag_of(arena, seen)
    own_data.erase(arena.services.ports, seen.voter.id, arena.clock())

    page = rosa.get(voter_case(arena, seen))

    assert page.status_code == 200
    assert "data was erased" in page.text
    assert page.text.count('href="/moderation/votes/') == 4
    assert "Picked best, against expectation" in page.text
    assert "Ban the voter" not in page.text
    assert "data erased" in rosa.get(f"/moderation/cases/flag:{flag}").text
    audit = rosa.get(f"/moderation/audit?kind=vote.cast&voter={seen.name}").text
    assert f'href="{voter_case(arena, seen)}"' in audit


def test_a_mode_without_votes_waits_for_no_board(
    arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """A joining of voters of one mode says that the other is not concerned."""
    other = one_sided_voter(arena, 2)
    refit(arena)
    case = shared_flag(arena, seen, other)
    join(rosa, arena, case, seen, other)
    (joined,) = arena.events("account.joined")

    page = rosa.get(f"/moderation/decisions/{joined.id}").text
    public = arena.voter().get(f"/decisions/{joined.id}").text

    for text in (page, public):
        assert text.count("No vote of this mode is concerned") == 1
        assert text.count("is not out yet") == 1
    assert "Their votes agree more than those of different people do." in page
