"""Voters who were joined wrongly: parted on a voter's case, told on case files and in public."""

from __future__ import annotations

import re

import pytest
from werkzeug.test import TestResponse

from antiabuse.utc import month_of
from tests.fixtures.arena_site import ArenaSite, reason_of
from tests.fixtures.arena_votes import refit
from tests.fixtures.moderation_cases import OneSided, one_sided_voter
from tests.fixtures.moderators import Moderator, moderator_of
from tests.fixtures.review_cases import close_month

MONTH_S = 40 * 24 * 3600


@pytest.fixture
def people(arena: ArenaSite) -> list[OneSided]:
    """Three voters with votes, in the order of their names."""
    found = [one_sided_voter(arena, 2) for _ in range(3)]
    return sorted(found, key=lambda each: each.name)


@pytest.fixture
def rosa(arena: ArenaSite, people: list[OneSided]) -> Moderator:
    """The browser of a moderator, signed in, who took the three for one person."""
    rosa = moderator_of(arena)
    send(rosa, arena, people[0], "join", *people, reason="same_pattern")
    return rosa


def case_of(arena: ArenaSite, who: OneSided) -> str:
    """Return the path of a voter's case."""
    return f"/moderation/cases/voter:{month_of(arena.clock())}:{who.name}"


def send(
    rosa: Moderator,
    arena: ArenaSite,
    case: OneSided,
    step: str,
    *ticked: OneSided,
    reason: str = "different_people",
) -> TestResponse:
    """Send a form of a voter's case with some ticked."""
    form = {
        "csrf": rosa.csrf(),
        "month": month_of(arena.clock()),
        "voter": [each.name for each in ticked],
        "reason": reason,
    }
    return rosa.post(f"{case_of(arena, case)}/{step}", form)


def may_part(html: str) -> list[str]:
    """Return whom a page offers to part."""
    _, _, inside = html.partition('id="part"')
    return re.findall(r'name="voter" value="([0-9a-f]+)"', inside.partition("</details>")[0])


def test_a_voters_case_parts_who_was_joined(
    arena: ArenaSite, people: list[OneSided], rosa: Moderator
) -> None:
    """The page offers all of the cluster, tells both decisions, and then offers the rest alone."""
    names = [each.name for each in people]
    assert may_part(rosa.get(case_of(arena, people[2])).text) == names

    done = send(rosa, arena, people[2], "part", people[2])

    assert done.status_code == 303
    after = rosa.get(case_of(arena, people[2])).text
    assert may_part(after) == []
    assert "Joined to nobody at present." in after
    assert "Parted:" in after
    assert "They are different people who share a device or a network." in after
    assert may_part(rosa.get(case_of(arena, people[0])).text) == names[:2]


def test_everybody_reads_of_a_parting_and_its_board(
    arena: ArenaSite, people: list[OneSided], rosa: Moderator
) -> None:
    """Kind, reason and handle in the list of decisions; before and after as for a joining."""
    arena.sequence()
    refit(arena)
    send(rosa, arena, people[0], "part", *people)
    (parted,) = arena.events("account.parted")

    public = arena.voter().get("/decisions").text
    assert "Voters parted" in public
    assert f'href="/decisions/{parted.id}"' in public
    assert not any(each.name in public for each in people)
    arena.sequence()
    refit(arena)
    for path in ("/decisions", "/moderation/decisions"):
        assert "Score before" in rosa.get(f"{path}/{parted.id}").text
        assert "They are different people who share a device or a network." in rosa.get(path).text
    audit = rosa.get("/moderation/audit?kind=account.parted").text
    assert "account.parted" in audit


def test_what_cannot_be_parted_is_told(
    arena: ArenaSite, people: list[OneSided], rosa: Moderator
) -> None:
    """Nobody ticked, a stranger, a reason of another list, and who was parted meanwhile."""
    stranger = one_sided_voter(arena, 1)
    case = people[0]
    nobody = send(rosa, arena, case, "part")
    assert (nobody.status_code, reason_of(nobody)) == (422, "too_few")
    foreign = send(rosa, arena, case, "part", people[1], stranger)
    assert (foreign.status_code, reason_of(foreign)) == (409, "not_joined")
    assert send(rosa, arena, case, "part", people[1], reason="same_device").status_code == 422
    assert arena.events("account.parted") == []
    send(rosa, arena, case, "part", people[1])
    late = send(rosa, arena, case, "part", people[1])
    assert (late.status_code, reason_of(late)) == (409, "not_joined")
    assert (
        rosa.send("/moderation/cases/flag:x/part", voter="x", reason="mistake").status_code == 404
    )


def test_a_closed_months_joining_stays(
    arena: ArenaSite, people: list[OneSided], rosa: Moderator
) -> None:
    """No form is offered, and one of before changes nothing."""
    month, case = month_of(arena.clock()), case_of(arena, people[0])
    close_month(arena, month=month)
    arena.clock.advance(MONTH_S)
    otto = moderator_of(arena, "otto")

    assert may_part(otto.get(case).text) == []
    late = otto.send(f"{case}/part", voter=people[0].name, reason="mistake")
    assert (late.status_code, reason_of(late)) == (409, "closed_month")
