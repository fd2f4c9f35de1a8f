"""Forms about a shared device: no ban for it alone, one reason to uphold its flag, and why."""

from __future__ import annotations

import re

import pytest

from antiabuse.detectors.finding import Detector
from antiabuse.utc import month_of
from tests.fixtures.arena_site import ArenaSite, reason_of
from tests.fixtures.moderation_cases import OneSided, flag_of, one_sided_voter
from tests.fixtures.moderators import Moderator, moderator_of


@pytest.fixture
def seen(arena: ArenaSite) -> OneSided:
    """A voter with votes."""
    return one_sided_voter(arena, 2)


@pytest.fixture
def rosa(arena: ArenaSite) -> Moderator:
    """The browser of a moderator, signed in."""
    return moderator_of(arena)


def case_of(arena: ArenaSite, who: OneSided) -> str:
    """Return the path of a voter's case."""
    return f"/moderation/cases/voter:{month_of(arena.clock())}:{who.name}"


def reasons(html: str, select: str) -> list[str]:
    """Return the codes that a form offers."""
    _, _, inside = html.partition(f'<select id="{select}"')
    return re.findall(r'<option value="([a-z_]+)"', inside.partition("</select>")[0])


def test_the_case_offers_no_ban_and_says_what_to_do(
    arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """A form that is sent all the same changes nothing; another flag brings the offer back."""
    flag_of(arena, seen, Detector.SHARED_DEVICE)
    case = case_of(arena, seen)

    page = rosa.get(case).text
    assert "No ban for a shared device alone" in page
    assert "dismiss the flag. If something does, put it on record first" in page
    assert reasons(page, "reason-ban") == []
    sent = rosa.send(f"{case}/ban", verdict="ban", reason="automated")
    assert (sent.status_code, reason_of(sent)) == (409, "device_alone")
    assert "Only a shared device stands on record against this voter" in sent.text
    assert arena.events("voter.banned") == []

    flag_of(arena, seen, Detector.MODEL_AGENDA)
    page = rosa.get(case).text
    assert "No ban for a shared device alone" not in page
    assert "A shared device is never ground enough." in page
    assert rosa.send(f"{case}/ban", verdict="ban", reason="automated").status_code == 303


def test_who_is_joined_for_a_device_is_parted_first(
    arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """Both cases say so, and a banned voter is joined to nobody for a device."""
    other = one_sided_voter(arena, 1)
    form = {
        "csrf": rosa.csrf(),
        "month": month_of(arena.clock()),
        "voter": [seen.name, other.name],
        "reason": "same_device",
    }
    case = case_of(arena, seen)
    assert rosa.post(f"{case}/join", form).status_code == 303

    for who in (seen, other):
        assert (
            "joined for their device alone. Part those first" in rosa.get(case_of(arena, who)).text
        )
    assert reason_of(rosa.send(f"{case}/ban", verdict="ban", reason="automated")) == "device_alone"

    parting = {**form, "voter": [seen.name], "reason": "different_people"}
    assert rosa.post(f"{case}/part", parting).status_code == 303
    assert rosa.send(f"{case}/ban", verdict="ban", reason="automated").status_code == 303
    again = rosa.post(f"{case}/join", form)
    assert (again.status_code, reason_of(again)) == (409, "device_alone")
    assert "leave the banned one out" in again.text


def test_a_devices_flag_is_upheld_for_one_person_alone(
    arena: ArenaSite, seen: OneSided, rosa: Moderator
) -> None:
    """The form says how weak it is; a reason about how they vote is refused."""
    flag = flag_of(arena, seen, Detector.SHARED_DEVICE)
    case = f"/moderation/cases/flag:{flag}"

    page = rosa.get(case).text
    assert reasons(page, "reason-upheld") == ["same_person"]
    assert "A shared device alone is weak" in page
    sent = rosa.send(f"{case}/decide", verdict="upheld", seen="open", reason="automated")
    assert sent.status_code == 422
    assert arena.count("vote_strike") == 0

    other = flag_of(arena, seen, Detector.MODEL_AGENDA)
    assert "A shared device alone is weak" not in rosa.get(f"/moderation/cases/flag:{other}").text
