"""Whether a vote is admitted: refusals in their order (V-131), and their texts (O-20). Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from antiabuse.errors import AntiabuseError
from antiabuse.rules import AntiabuseRules, current
from antiabuse.voter import VoterState


class Refusal(StrEnum):
    """Why a request is refused: the codes of V-131 in the order of the checks, then other caps."""

    BAD_ORIGIN = "bad_origin"
    RATE_LIMITED = "rate_limited"
    BAD_IDENTITY = "bad_identity"
    BAD_TOKEN = "bad_token"  # noqa: S105 - a reason code
    NOT_YOURS = "not_yours"
    BANNED = "banned"
    ALREADY_VOTED = "already_voted"
    CLOSED = "closed"
    COOLDOWN = "cooldown"
    DAILY_CAP = "daily_cap"
    CONTRADICTORY_CHOICE = "contradictory_choice"
    SKIP_CAP = "skip_cap"
    BALLOT_CAP = "ballot_cap"


MESSAGES: Final[dict[Refusal, str]] = {
    Refusal.BAD_ORIGIN: "This request came from another site.",
    Refusal.RATE_LIMITED: "Too many requests. Try again in %(seconds)d s.",
    Refusal.BAD_IDENTITY: "Your voter cookie is missing or was not issued by this site.",
    Refusal.BAD_TOKEN: "This ballot's token is missing or damaged.",
    Refusal.NOT_YOURS: "This ballot was given to another voter.",
    Refusal.BANNED: "A moderator stopped the votes of this voter.",
    Refusal.ALREADY_VOTED: "You have already voted on this ballot.",
    Refusal.CLOSED: "This ballot is closed.",
    Refusal.COOLDOWN: "Please wait %(seconds)d s before the next vote.",
    Refusal.DAILY_CAP: "You have used your %(votes)d votes for today (UTC).",
    Refusal.CONTRADICTORY_CHOICE: "The choice contradicts itself.",
    Refusal.SKIP_CAP: "You have used your %(skips)d skips for today (UTC).",
    Refusal.BALLOT_CAP: "You have been shown your %(ballots)d ballots for today (UTC).",
}
"""English text of each refusal, with named numbers as gettext takes them."""

_TIMED: Final = frozenset({Refusal.RATE_LIMITED, Refusal.COOLDOWN})


class Refused(AntiabuseError):
    """A request that is not admitted.

    Attributes:
        refusal: the reason.
        retry_after_s: whole seconds until it may be tried again; None when waiting does not help.
    """

    def __init__(self, refusal: Refusal, retry_after_s: int | None = None) -> None:
        super().__init__(refusal.value)
        self.refusal = refusal
        self.retry_after_s = retry_after_s

    def message(self) -> str:
        """Return the English sentence for the voter."""
        return message(self.refusal, self.retry_after_s, current())


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteFacts:
    """What is known about a vote whose token is good.

    Attributes:
        voter: who votes, locked and as of now.
        is_holder: the ballot was issued to this voter.
        already_voted: this voter's vote on this ballot is stored.
        is_open: not expired, skipped or withdrawn.
        choice_is_sound: exactly one of best (with another or no worst), same, bad.
    """

    voter: VoterState
    is_holder: bool
    already_voted: bool
    is_open: bool
    choice_is_sound: bool


def first_refusal(facts: VoteFacts) -> Refusal | None:
    """Return the first reason against a vote from `not_yours` on, as V-131 orders them."""
    checks = (
        (Refusal.NOT_YOURS, not facts.is_holder),
        (Refusal.BANNED, facts.voter.banned),
        (Refusal.ALREADY_VOTED, facts.already_voted),
        (Refusal.CLOSED, not facts.is_open),
        (Refusal.COOLDOWN, facts.voter.wait_s > 0),
        (Refusal.DAILY_CAP, facts.voter.votes_left == 0),
        (Refusal.CONTRADICTORY_CHOICE, not facts.choice_is_sound),
    )
    return next((refusal for refusal, holds in checks if holds), None)


def first_skip_refusal(facts: VoteFacts) -> Refusal | None:
    """Return the first reason against skipping a ballot, or None (V-170)."""
    checks = (
        (Refusal.NOT_YOURS, not facts.is_holder),
        (Refusal.BANNED, facts.voter.banned),
        (Refusal.ALREADY_VOTED, facts.already_voted),
        (Refusal.CLOSED, not facts.is_open),
        (Refusal.SKIP_CAP, facts.voter.skips_left == 0),
    )
    return next((refusal for refusal, holds in checks if holds), None)


def refused(refusal: Refusal, voter: VoterState) -> Refused:
    """Return the error for a refusal, with the voter's wait where waiting helps."""
    match refusal:
        case Refusal.COOLDOWN:
            return Refused(refusal, voter.wait_s)
        case Refusal.DAILY_CAP | Refusal.SKIP_CAP | Refusal.BALLOT_CAP:
            return Refused(refusal, voter.day_left_s)
        case _:
            return Refused(refusal)


def message(refusal: Refusal, seconds: int | None, rules: AntiabuseRules) -> str:
    """Return the English sentence of a refusal.

    Args:
        refusal: the reason.
        seconds: the wait that the texts of `cooldown` and `rate_limited` name; others ignore it.
        rules: the ruleset whose caps the texts name.

    Raises:
        ValueError: a text that names a wait, without one.
    """
    if refusal in _TIMED and seconds is None:
        raise ValueError(f"the text of {refusal} names the wait")
    return MESSAGES[refusal] % {
        "seconds": seconds,
        "votes": rules.daily_votes,
        "ballots": rules.daily_ballots,
        "skips": rules.daily_skips,
    }
