"""What a refusal or fault says to people: title, what was kept, what to do next, in which mode."""

from __future__ import annotations

from dataclasses import dataclass

from flask import request

from antiabuse.admission import Refusal
from webapp.vote.ban_view import BanView

__all__ = ["Act", "Problem", "in_mode", "refusal_problem"]

STATUS: dict[Refusal, int] = {
    Refusal.BAD_ORIGIN: 403,
    Refusal.RATE_LIMITED: 429,
    Refusal.BAD_IDENTITY: 403,
    Refusal.BAD_TOKEN: 400,
    Refusal.NOT_YOURS: 403,
    Refusal.BANNED: 403,
    Refusal.ALREADY_VOTED: 409,
    Refusal.CLOSED: 410,
    Refusal.COOLDOWN: 429,
    Refusal.DAILY_CAP: 429,
    Refusal.SKIP_CAP: 429,
    Refusal.BALLOT_CAP: 429,
    Refusal.CONTRADICTORY_CHOICE: 422,
}

# reason -> (title, what was kept, label and address of what to do next, where the mode is added)
_WORDS: dict[str, tuple[str, str | None, tuple[str, str] | None]] = {
    "bad_origin": (
        "This came from another site",
        "Nothing was counted.",
        ("Open the ballot here", "/"),
    ),
    "rate_limited": ("Too many requests", "Your ballot stays open.", None),
    "bad_identity": (
        "We could not recognise your browser",
        "Nothing was counted.",
        ("Get a new ballot", "/"),
    ),
    "bad_token": ("This ballot form cannot be used", "Nothing was counted.", ("Get a ballot", "/")),
    "not_yours": ("This ballot belongs to another voter", None, ("Get your own ballot", "/")),
    "banned": ("Your votes are stopped", "Earlier votes are unchanged.", None),
    "already_voted": (
        "You have voted on this ballot",
        "Your first vote stands.",
        ("Next question", "/"),
    ),
    "closed": ("This ballot is closed", "Nothing was counted.", ("Get a new ballot", "/")),
    "cooldown": ("A moment, please", "Your ballot and your choice are kept.", None),
    "daily_cap": (
        "Your votes for today are used",
        "Your votes so far stand.",
        ("See the board", "/leaderboard"),
    ),
    "skip_cap": (
        "Your skips for today are used",
        "You can still vote on the question in front of you.",
        None,
    ),
    "ballot_cap": ("Your ballots for today are used", None, ("See the board", "/leaderboard")),
    "contradictory_choice": (
        "Your choice contradicts itself",
        "Nothing was counted; your ballot stays open.",
        None,
    ),
}


@dataclass(frozen=True, slots=True)
class Act:
    """What to do next."""

    label: str
    href: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One error as people and machines see it; `ban` for a voter whose votes are stopped."""

    status: int
    reason: str
    title: str
    text: str
    kept: str | None = None
    act: Act | None = None
    retry_after_s: int | None = None
    ban: BanView | None = None


def in_mode(path: str) -> str:
    """Return the address of a page in the mode that the request's own address names, or Speed."""
    mode = "expert" if request.args.get("mode") == "expert" else "speed"
    return f"{path}?mode={mode}"


def refusal_problem(refusal: Refusal, text: str, retry_after_s: int | None = None) -> Problem:
    """Return the problem of one refusal; what it leads to is of the mode that was asked for."""
    title, kept, act = _WORDS[refusal.value]
    return Problem(
        status=STATUS[refusal],
        reason=refusal.value,
        title=title,
        text=text,
        kept=kept,
        act=None if act is None else Act(act[0], in_mode(act[1])),
        retry_after_s=retry_after_s,
    )
