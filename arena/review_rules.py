"""Limits of moderation, and the closed list of reasons for each thing a moderator may decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from antiabuse.detectors.finding import Detector
from arena.errors import UnknownCode
from arena.standing_reasons import (
    PART_REASONS,
    RESTORE_REASONS,
    STRIKE_REASONS,
    PartReason,
    RestoreReason,
    StrikeReason,
)

__all__ = [
    "REASONS",
    "Act",
    "ReviewRules",
    "check_flag_reason",
    "check_reason",
    "current",
    "flag_reasons",
]


class Act(StrEnum):
    """What a moderator may decide; each has reasons of its own."""

    UPHOLD_FLAG = "uphold_flag"
    DISMISS_FLAG = "dismiss_flag"
    STRIKE_VOTE = "strike_vote"
    WITHHOLD_ANSWER = "withhold_answer"
    CLEAR_ANSWER = "clear_answer"
    UPHOLD_DISPUTE = "uphold_dispute"
    REJECT_DISPUTE = "reject_dispute"
    UPHOLD_JOINING_DISPUTE = "uphold_joining_dispute"
    REJECT_JOINING_DISPUTE = "reject_joining_dispute"
    BAN = "ban"
    UNBAN = "unban"
    NOTE = "note"


_BY_RULE: Final = "The vote's weight follows from a rule that binds everybody."
_MONTH_OVER: Final = "The month was closed before this was decided, and its board stands."

REASONS: Final[Mapping[Act, Mapping[str, str]]] = {
    # Only a detector strikes by itself; decisions that are taken back restore by themselves. No
    # detector looks at what an answer says of its author: that is a reason on one ballot.
    Act.UPHOLD_FLAG: {
        code.value: text
        for code, text in STRIKE_REASONS.items()
        if code not in (StrikeReason.DETECTOR, StrikeReason.IDENTITY_LEAK)
    },
    Act.STRIKE_VOTE: {
        code.value: text
        for code, text in STRIKE_REASONS.items()
        if code is not StrikeReason.DETECTOR
    },
    Act.DISMISS_FLAG: {
        "chance": "Chance explains what was seen.",
        "honest_explanation": "There is an honest explanation.",
        "shared_connection": "Several people share a device or an address.",
        "too_little": "The evidence is too little to act on.",
    },
    Act.WITHHOLD_ANSWER: {
        "identity_leak": "The answer tells who wrote it.",
        "broken_answer": "The answer is empty, cut off or unreadable.",
        "offensive": "The answer insults or threatens.",
        "personal_data": "The answer holds personal data.",
    },
    Act.CLEAR_ANSWER: {
        "tells_no_author": "The words do not tell who wrote the answer.",
        "report_unfounded": "The report does not hold.",
        "within_rules": "The answer is poor, but within the rules.",
    },
    Act.UPHOLD_DISPUTE: {
        code.value: text
        for code, text in RESTORE_REASONS.items()
        if code not in (RestoreReason.FLAG_DISMISSED, RestoreReason.ANSWER_CLEARED)
    },
    Act.REJECT_DISPUTE: {
        "evidence_stands": "The evidence against the vote stands.",
        "weight_by_rule": _BY_RULE,
        "counts_already": "The vote counts already.",
        "month_over": _MONTH_OVER,
    },
    Act.UPHOLD_JOINING_DISPUTE: {
        PartReason.DIFFERENT_PEOPLE.value: PART_REASONS[PartReason.DIFFERENT_PEOPLE],
    },
    Act.REJECT_JOINING_DISPUTE: {
        "one_person": "What speaks for one person stands.",
        "weight_by_rule": _BY_RULE,
        "month_over": _MONTH_OVER,
    },
    Act.BAN: {
        "automated": "The account is run by a program.",
        "same_person": "The account is one of several of one person.",
        "coordinated": "The account votes by an agreement.",
        "false_reports": "The account reports answers without cause.",
    },
    Act.UNBAN: {
        "banned_in_error": "The ban was a mistake.",
        "ban_served": "The ban has lasted long enough.",
    },
    Act.NOTE: {
        "context": "Something that helps to judge the case.",
        "watch": "Something to keep an eye on.",
        "handover": "What the next moderator should know.",
    },
}
"""Code and plain sentence of every reason."""

_ONE_PERSON: Final = (
    StrikeReason.SAME_PERSON,
    StrikeReason.COORDINATED,
    StrikeReason.AUTOMATED,
)
_NO_CHOICE: Final = (StrikeReason.CARELESS, StrikeReason.AUTOMATED)
_FOR_A_MODEL: Final = (
    StrikeReason.ONE_SIDED,
    StrikeReason.COORDINATED,
    StrikeReason.SAME_PERSON,
    StrikeReason.AUTOMATED,
)
_FLAG_REASONS: Final[Mapping[Detector, tuple[StrikeReason, ...]]] = {
    Detector.REPEATED_QUESTION: _ONE_PERSON,
    Detector.REPETITIVE_LABELS: _NO_CHOICE,
    Detector.FAVOURITE_MODEL: _FOR_A_MODEL,
    Detector.FAST_DWELL: _NO_CHOICE,
    # Equal machines make equal codes: it says nothing of how anybody voted.
    Detector.SHARED_DEVICE: (StrikeReason.SAME_PERSON,),
    Detector.SHARED_ADDRESS: _ONE_PERSON,
    Detector.MODEL_AGENDA: _FOR_A_MODEL,
    Detector.CARELESS: _NO_CHOICE,
    Detector.IDENTICAL_BALLOTS: _ONE_PERSON,
    Detector.BURST: _FOR_A_MODEL,
    Detector.CAMPAIGN: _FOR_A_MODEL,
    Detector.SEEN_ANSWER: _FOR_A_MODEL,
    # Who moves a score much may do so in any way.
    Detector.INFLUENCE: (*_FOR_A_MODEL, StrikeReason.CARELESS),
}
"""Of the reasons to uphold a flag, those that what its detector measures can bear out."""


@dataclass(frozen=True, slots=True)
class ReviewRules:
    """The ruleset of moderation; a changed number is a new id."""

    id: str = field(
        default="moderation.2026.1",
        metadata={"unit": "id", "reason": "named by every event written under these rules"},
    )
    published: str = field(
        default="2026-11-30",
        metadata={"unit": "UTC date", "reason": "since when these rules are in force"},
    )
    dispute_chars: int = field(
        default=2_000,
        metadata={
            "unit": "characters of one text",
            "reason": "a page: room to explain a vote, and short enough to be read in full",
        },
    )
    dispute_additions: int = field(
        default=5,
        metadata={
            "unit": "texts after the first",
            "reason": "a dispute is looked into, not held as a correspondence",
        },
    )
    disputes_per_vote: int = field(
        default=2,
        metadata={
            "unit": "disputes",
            "reason": "a second look when something new came to light; a third repeats it",
        },
    )
    note_chars: int = field(
        default=2_000,
        metadata={"unit": "characters", "reason": "a note is read beside the case"},
    )
    page_rows: int = field(
        default=100,
        metadata={"unit": "rows", "reason": "what one page of the queue or the audit log shows"},
    )
    case_votes: int = field(
        default=500,
        metadata={"unit": "votes", "reason": "the newest votes a case lists of its voters"},
    )
    case_neighbours: int = field(
        default=50,
        metadata={
            "unit": "voters",
            "reason": "those who share most with the case's voters; a campus shares one address",
        },
    )
    influence_voters: int = field(
        default=3,
        metadata={
            "unit": "voters for each model",
            "reason": "where to look first; all below them move the model less than any of these",
        },
    )


_CURRENT: Final = ReviewRules()


def current() -> ReviewRules:
    """Return the ruleset in force."""
    return _CURRENT


def check_reason(act: Act, reason: str) -> str:
    """Return a reason code if the act may be done for it.

    Raises:
        UnknownCode: it is not on the list of that act.
    """
    if reason not in REASONS[act]:
        raise UnknownCode(f"{reason!r} is no reason to {act.value.replace('_', ' ')}")
    return reason


def flag_reasons(detector: str) -> Mapping[str, str]:
    """Return the reasons for which a flag of a detector may be upheld, the likeliest first."""
    return {code.value: STRIKE_REASONS[code] for code in _FLAG_REASONS[Detector(detector)]}


def check_flag_reason(detector: str, reason: str) -> str:
    """Return a reason code if a flag of that detector may be upheld for it.

    Raises:
        UnknownCode: it is not on the list of that detector.
    """
    if reason not in flag_reasons(detector):
        raise UnknownCode(f"{reason!r} is no reason to uphold a flag of this kind")
    return reason
