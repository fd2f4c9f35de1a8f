"""What detectors found, in words that a moderator can judge by."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from types import SimpleNamespace

import pytest
from flask import render_template_string

from antiabuse.detectors.finding import Detector
from arena import review_rules
from arena.review_rules import ReviewRules
from tests.fixtures.arena_site import MODELS, ArenaSite
from tests.fixtures.moderation_cases import OneSided, flag_of, one_sided_voter
from tests.fixtures.moderators import moderator_of
from tests.fixtures.review_cases import finding, raise_findings
from webapp.audit.reason_words import reason_sentence
from webapp.moderation.plain_numbers import few_digits, one_in

TEMPLATE = """
{%- from "moderation/words.html" import detector_name, what_was_seen, what_was_expected,
  honest_reasons -%}
{{ detector_name(flag.detector) }}
{{ what_was_seen(flag, {"heron": "Heron"}) }}
{{ what_was_expected(flag) }}
{{ honest_reasons(flag.detector) }}"""


@pytest.mark.parametrize("detector", list(Detector))
def test_every_detector_speaks(arena: ArenaSite, detector: Detector) -> None:
    """Name, sight, expectation and the honest explanation are sentences of its own, not codes."""
    flag = SimpleNamespace(
        detector=detector.value,
        statistic="5",
        threshold="4",
        p_value="0.001",
        look=20,
        voters=3,
        numbers={"model": "heron", "kind": "best", "members": "3"},
    )
    with arena.app.test_request_context():
        lines = render_template_string(TEMPLATE, flag=flag).strip().splitlines()

    assert len(lines) == 4
    name, seen, expected, honest = (line.strip() for line in lines)
    assert all((name, seen, expected, honest))
    assert detector.value not in " ".join(lines)
    assert seen.endswith(".")


def test_a_shared_device_names_the_newest_and_says_so(arena: ArenaSite) -> None:
    """Of eight voters the five newest are named; sentences speak of devices, not of addresses."""
    numbers = {"voters": "8", "votes": "32"}
    seen = told(arena, Detector.SHARED_DEVICE, numbers, statistic="8", threshold="4", voters=5)
    assert "8 voters cast 32 votes from one device in one day." in seen
    assert "are the 5 who came last; the first 3 are left out" in seen
    assert "share both" not in seen
    whole = told(arena, Detector.SHARED_ADDRESS, numbers, statistic="8", threshold="4", voters=8)
    assert "left out" not in whole
    assert "share an address" in whole


def told(
    arena: ArenaSite,
    detector: Detector,
    numbers: Mapping[str, str],
    *,
    statistic: str = "-14.0655",
    threshold: str = "4.10748",
    p_value: str | None = "2.33781e-25",
    voters: int = 1,
) -> str:
    """Return the sentences about a finding, without markup."""
    flag = SimpleNamespace(
        detector=detector.value,
        statistic=statistic,
        threshold=threshold,
        p_value=p_value,
        look=20,
        voters=voters,
        numbers=numbers,
    )
    with arena.app.test_request_context():
        page = render_template_string(TEMPLATE, flag=flag)
    return html.unescape(re.sub("<[^>]*>", "", page))


def counts(kind: str, picked: str) -> dict[str, str]:
    """Return a model's counts as a finding bears them."""
    values = {"seen": "31", "picked": picked, "expected": "14.4962", "sd": "2.77123"}
    return {
        "kind": kind,
        "model": "heron",
        **{f"{name}:{kind}:heron": value for name, value in values.items()},
    }


@pytest.mark.parametrize(
    "kind,statistic,picked,words",
    [
        ("best", "-14.0655", "0", "picked best less often than"),
        ("best", "14.0655", "31", "picked best more often than"),
        ("worst", "-14.0655", "31", "picked worst more often than"),
        ("worst", "14.0655", "0", "picked worst less often than"),
    ],
)
def test_an_agenda_tells_pick_and_direction(
    arena: ArenaSite, kind: str, statistic: str, picked: str, words: str
) -> None:
    """Below 0 the voter is against the model, which means the opposite for worst picks."""
    seen = told(arena, Detector.MODEL_AGENDA, counts(kind, picked), statistic=statistic)

    assert f"Heron was {words}" in seen
    assert "by 14.1 standard deviations" in seen
    assert f"{picked} of 31 showings; 14.5 ± 2.77 were to be expected." in seen
    assert "Reported from 4.11 standard deviations on." in seen
    assert "less than one in a million" in seen
    assert "e-25" not in seen


def test_deciding_for_one_model_has_a_sentence_of_its_own(arena: ArenaSite) -> None:
    """What is measured there is a chance, not a number of standard deviations."""
    seen = told(
        arena,
        Detector.MODEL_AGENDA,
        counts("decided", "30"),
        statistic="3.57143e-05",
        threshold="3.57143e-05",
    )

    assert "30 of 31 votes that showed it have a best pick" in seen
    assert "about 1 in 28,000" in seen
    assert "standard deviations" not in seen


def test_one_voter_of_a_campaign_is_one(arena: ArenaSite) -> None:
    """The sentence is in the singular then, and its limit is a chance in words."""
    numbers = {"kind": "worst", "model": "heron", "members": "1"}
    one = told(arena, Detector.CAMPAIGN, numbers, statistic="1e-33", threshold="3.57143e-05")
    two = told(arena, Detector.CAMPAIGN, numbers, threshold="3.57143e-05", voters=2)

    assert "every time this voter saw Heron, it was picked worst" in one
    assert "is below this limit: about 1 in 28,000." in one
    assert "every time these 2 voters saw Heron" in two


@pytest.mark.parametrize(
    "text,words",
    [
        ("-14.0655", "\N{MINUS SIGN}14.1"),
        ("107.048", "107"),
        ("0.939", "0.939"),
        ("0.0173492", "0.0173"),
        ("40", "40"),
        ("12345", "12,345"),
        ("2.00", "2"),
        ("1.999999", "2"),
        ("0", "0"),
        ("?", "?"),
    ],
)
def test_numbers_have_three_digits(text: str, words: str) -> None:
    """Whole numbers stay as they are, others keep what can be read."""
    assert few_digits(text) == words


@pytest.mark.parametrize(
    "chance,number",
    [("1", 1), ("0.5", 2), ("0.004", 250), ("3.57143e-05", 28_000), ("0.000001", 1_000_000)],
)
def test_a_chance_is_one_in_so_many(chance: str, number: int) -> None:
    """To two significant digits; what is too small for any number is still one."""
    assert one_in(chance) == number
    assert one_in("0") == one_in("1e-300") > 1_000_000


def test_a_reason_speaks_by_its_kind() -> None:
    """One code may mean different things of a vote and of an account."""
    assert reason_sentence("vote.voided", "automated") == "The vote was cast by a program."
    assert reason_sentence("voter.banned", "automated") == "The account is run by a program."
    assert reason_sentence("vote.cast", "too_fast") == "It came before the answers could be read."
    assert reason_sentence("vote.cast", "nothing") == ""


def flag_about(arena: ArenaSite, seen: OneSided, kind: str) -> str:
    """Raise a flag about picks of one kind, with counts of two models; return its case's path."""
    numbers = {"kind": kind, "model": MODELS[0][0]}
    for slug, picked in ((MODELS[0][0], "8"), (MODELS[1][0], "0")):
        values = {"seen": "8", "picked": picked, "expected": "1.5", "sd": "0.9"}
        numbers |= {f"{name}:{kind}:{slug}": value for name, value in values.items()}
    found = finding([seen.name], seen.votes, detector=Detector.MODEL_AGENDA, numbers=numbers)
    (made,) = raise_findings(arena, [found])
    return f"/moderation/cases/flag:{made}"


@pytest.mark.parametrize(
    "kind,heading",
    [("worst", "Picked worst, against expectation"), ("decided", "A best pick where the model")],
)
def test_plot_and_table_show_what_the_flag_is_about(
    arena: ArenaSite, kind: str, heading: str
) -> None:
    """The detector's own counts stand first, with a plot of theirs; best picks follow."""
    seen = one_sided_voter(arena, 4)
    rosa = moderator_of(arena)
    case = flag_about(arena, seen, kind)

    page = rosa.get(case).text
    drawings = [rosa.get(f"{case}/picks.svg?kind={each}").text for each in (kind, "best")]

    assert page.index(heading) < page.index("Picked best, against expectation")
    assert "8 <strong>(outside)</strong></td>" in page
    assert f"picks.svg?kind={kind}&amp;" in page
    assert drawings[0] != drawings[1]
    assert rosa.get(f"{case}/picks.svg?kind=none").status_code == 404


def test_worst_picks_are_counted_where_the_flag_bears_no_counts(arena: ArenaSite) -> None:
    """A campaign's finding has none: the votes themselves are counted."""
    seen = one_sided_voter(arena, 4)
    numbers = {"kind": "worst", "model": MODELS[0][0], "members": "1"}
    found = finding([seen.name], seen.votes, detector=Detector.CAMPAIGN, numbers=numbers)
    (made,) = raise_findings(arena, [found])

    page = moderator_of(arena).get(f"/moderation/cases/flag:{made}").text

    assert "Picked worst, against expectation" in page
    assert page.count("All votes of this case") == 2


def test_a_decided_case_speaks_of_what_is(arena: ArenaSite) -> None:
    """No "until you decide" any more, but how many of the flagged votes are struck, and why."""
    seen = one_sided_voter(arena, 4)
    rosa = moderator_of(arena)
    case = f"/moderation/cases/flag:{flag_of(arena, seen)}"
    assert "Until you decide" in rosa.get(case).text

    rosa.send(f"{case}/decide", seen="open", verdict="upheld", reason="one_sided")

    page = rosa.get(case).text
    assert "Until you decide" not in page
    assert "4 of 4 flagged votes are struck." in page
    assert "The votes favour or hurt one model far more than chance allows." in page
    for path in ("/moderation/decisions", "/decisions"):
        listed = rosa.get(path).text
        assert "The votes favour or hurt one model far more than chance allows." in listed
        assert '<small class="code">one_sided</small>' in listed


def test_a_ban_is_about_no_votes(arena: ArenaSite) -> None:
    """Its line tells the reason, and no number of votes."""
    seen = one_sided_voter(arena, 1)
    rosa = moderator_of(arena)
    case = f"/moderation/cases/voter:2026-11:{seen.name}"

    rosa.send(f"{case}/ban", verdict="ban", reason="automated")

    page = rosa.get(case).text
    assert "The account is run by a program." in page
    assert "0 votes" not in page


def test_a_cut_list_says_so(arena: ArenaSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """How many votes it holds of how many."""
    seen = one_sided_voter(arena, 4)
    rosa = moderator_of(arena)
    case = f"/moderation/cases/flag:{flag_of(arena, seen)}"
    assert "The list is cut" not in rosa.get(case).text

    monkeypatch.setattr(review_rules, "current", lambda: ReviewRules(case_votes=3))

    page = rosa.get(case).text
    assert "it holds 3 of 4 votes" in page
    assert "4 votes are struck and stop counting" in page
