"""The queue: what waits, for whom, and in which order."""

from __future__ import annotations

import re

import pytest

from tests.fixtures.arena_site import MODELS, ArenaSite
from tests.fixtures.moderation_cases import dispute_of, flag_of, one_sided_voter, report_of
from tests.fixtures.moderators import Moderator, moderator_of


def cases_shown(html: str) -> list[str]:
    """Return the subjects of the cases listed, in their order."""
    return re.findall(r'class="case-link" href="/moderation/cases/([^"]+)"', html)


def test_an_empty_queue_says_what_will_be_here(rosa: Moderator) -> None:
    """Nothing waits, and the page says so."""
    assert "Nothing waits" in rosa.get("/moderation").text


def test_all_that_waits_is_listed_oldest_first(arena: ArenaSite, rosa: Moderator) -> None:
    """A report, a flag and a dispute of three hours stand in the order they came."""
    seen = one_sided_voter(arena, 2)
    answer = report_of(arena)
    arena.clock.advance(1_800)
    flag = flag_of(arena, seen)
    arena.clock.advance(1_800)
    dispute = dispute_of(arena, seen)
    rosa = moderator_of(arena, "otto")

    page = rosa.get("/moderation").text

    assert set(cases_shown(page)) == {f"answer:{answer}", f"flag:{flag}", f"dispute:{dispute}"}
    assert cases_shown(page)[-1] == f"dispute:{dispute}"
    assert f"For or against one model: {MODELS[0][1]}" in page
    assert page.count(f"voter {seen.name[:8]}") == 2
    assert "nobody here or anywhere else can write a score" in page


@pytest.mark.parametrize("kind", ["flag", "answer", "dispute"])
def test_the_queue_may_be_narrowed_to_one_kind(
    arena: ArenaSite, rosa: Moderator, kind: str
) -> None:
    """Only cases of the kind remain."""
    seen = one_sided_voter(arena, 1)
    report_of(arena)
    flag_of(arena, seen)
    dispute_of(arena, seen)

    shown = cases_shown(rosa.get(f"/moderation?kind={kind}").text)

    assert len(shown) == 1
    assert shown[0].startswith(f"{kind}:")


def test_other_kinds_are_no_page(rosa: Moderator) -> None:
    """A kind that there is not is no page of ours."""
    assert rosa.get("/moderation?kind=scores").status_code == 404


def test_a_decision_leads_to_where_it_stands(arena: ArenaSite, rosa: Moderator) -> None:
    """The case says that it is done, beside a heading that takes the focus."""
    case = f"/moderation/cases/flag:{flag_of(arena, one_sided_voter(arena, 1))}"

    sent = rosa.send(f"{case}/decide", seen="open", verdict="dismissed", reason="chance")

    assert sent.headers["Location"] == f"{case}?done=1#decided"
    assert "Done. It stands last" in rosa.get(f"{case}?done=1").text
    assert '<h2 id="decided" tabindex="-1">' in rosa.get(case).text
    assert "Done." not in rosa.get(case).text


def test_strangers_and_masters_see_no_queue(arena: ArenaSite) -> None:
    """Voters are led to the form, masters are told why."""
    assert arena.voter().get("/moderation").status_code == 303
    assert moderator_of(arena, "max", "master").get("/moderation").status_code == 403
