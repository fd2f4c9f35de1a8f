"""Reasons in the audit log as plain sentences: the closed lists of moderation, and the rules'."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from antiabuse.admission import Refusal
from antiabuse.sincerity import WeightReason
from arena.review_rules import REASONS, Act
from arena.standing_reasons import (
    JOIN_REASONS,
    PART_REASONS,
    RESTORE_REASONS,
    STRIKE_REASONS,
)
from ranking.lifecycle import Cause

__all__ = ["reason_sentence"]

_WEIGHTS: Final = {
    WeightReason.BAD_CLIENT_VALUE: "The reading time sent with it made no sense.",
    WeightReason.CLOCK: "The server's clock gave no time, so the browser's was used.",
    WeightReason.TOO_FAST: "It came before the answers could be read.",
    WeightReason.NO_SCROLL: "An answer was not opened, or not scrolled.",
    WeightReason.SCROLL_UNKNOWN: "Scrolling could not be measured.",
    WeightReason.REPEATED_QUESTION: (
        "The voter, or one taken for the same person, had voted on this question before."
    ),
    WeightReason.SEEN_ANSWER: (
        "An answer on it had been revealed to the voter, or one taken for the same person."
    ),
    WeightReason.STALE_ANSWER: "An answer on it had been revealed too often.",
    WeightReason.IDENTITY_LEAK: "An answer on it said which model wrote it.",
}
_REFUSALS: Final = {
    Refusal.BAD_ORIGIN: "The request came from another site.",
    Refusal.RATE_LIMITED: "There were too many requests.",
    Refusal.BAD_IDENTITY: "The voter cookie was missing or not issued here.",
    Refusal.BAD_TOKEN: "The ballot's token was missing or damaged.",
    Refusal.NOT_YOURS: "The ballot had been given to another voter.",
    Refusal.BANNED: "The voter is banned.",
    Refusal.ALREADY_VOTED: "The voter had voted on the ballot already.",
    Refusal.CLOSED: "The ballot was closed.",
    Refusal.COOLDOWN: "The vote came too soon after the one before.",
    Refusal.DAILY_CAP: "The voter's votes of the day were used up.",
    Refusal.CONTRADICTORY_CHOICE: "The choice contradicted itself.",
    Refusal.SKIP_CAP: "The voter's skips of the day were used up.",
    Refusal.BALLOT_CAP: "The voter's ballots of the day were used up.",
}
_CAUSES: Final = {
    Cause.WAITED: "It was eliminated for long enough.",
    Cause.REVIVED: "On probation its lower bound rose above the line.",
    Cause.RECOVERED: "Its score rose above the line.",
    Cause.WEAK: "Its score fell below the line.",
    Cause.BELOW: "Its upper bound stayed below the line for several looks.",
    Cause.HOPELESS: "On probation its upper bound lay below the line.",
    Cause.USED_UP: "Its showings on probation were spent without revival.",
    "entered": "It joined the arena.",
    "month": "A month began.",
}
_REPORTS: Final = {
    "identity": "The answer says who wrote it.",
    "broken": "The answer is broken.",
    "offensive": "The answer is offensive.",
    "personal_data": "The answer holds personal data.",
    "other": "Something else is wrong with the answer.",
}

# Codes are members of enumerations of text, or text.
_OF_KIND: Final[Mapping[str, Mapping[Any, str]]] = {
    "vote.cast": _WEIGHTS,
    "vote.refused": _REFUSALS,
    "refusals.folded": _REFUSALS,
    "ballot.reported": _REPORTS,
    "model.state": _CAUSES,
    "model.withheld": _CAUSES,
    "vote.voided": STRIKE_REASONS,
    "vote.discounted": STRIKE_REASONS,
    "vote.restored": RESTORE_REASONS,
    "account.joined": JOIN_REASONS,
    "account.parted": PART_REASONS,
    "flag.decided": {**REASONS[Act.STRIKE_VOTE], **REASONS[Act.DISMISS_FLAG]},
    "answer.held": REASONS[Act.WITHHOLD_ANSWER],
    "answer.cleared": REASONS[Act.CLEAR_ANSWER],
    "answer.decided": {**REASONS[Act.WITHHOLD_ANSWER], **REASONS[Act.CLEAR_ANSWER]},
    "dispute.decided": {
        **REASONS[Act.UPHOLD_DISPUTE],
        **REASONS[Act.REJECT_DISPUTE],
        **REASONS[Act.UPHOLD_JOINING_DISPUTE],
        **REASONS[Act.REJECT_JOINING_DISPUTE],
    },
    "voter.banned": REASONS[Act.BAN],
    "voter.unbanned": REASONS[Act.UNBAN],
    "note.written": REASONS[Act.NOTE],
}


def reason_sentence(kind: str, code: str) -> str:
    """Return what a reason means in an event of a kind; empty where its code says all there is."""
    return _OF_KIND.get(kind, {}).get(code, "")
