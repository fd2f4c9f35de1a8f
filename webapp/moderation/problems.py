"""What the moderators' rooms, and voters' disputes, answer when something cannot be done."""

from __future__ import annotations

from typing import Final

from flask import Flask, Response, request

from arena.errors import (
    AlreadyDecided,
    AlreadyJoined,
    AlreadyStruck,
    ArenaError,
    ClosedMonth,
    DeviceAlone,
    DisputeRefused,
    NotArchived,
    NotJoined,
    NotStruck,
    SeveralMonths,
    UnknownCase,
    UnknownDecision,
    UnknownVote,
)
from webapp.errors import problem_response
from webapp.refusals import Act, Problem

__all__ = ["init_moderation_problems"]

_DISPUTES: Final = {
    "not_yours": 403,
    "already_open": 409,
    "too_many": 409,
    "too_late": 409,
    "month_over": 409,
    "not_rechecked": 409,
    "by_rule": 409,
    "counts_already": 409,
    "empty": 422,
    "over_long": 422,
}
# error -> (status, reason, title, what was kept)
_WORDS: Final[dict[type[ArenaError], tuple[int, str, str, str | None]]] = {
    UnknownCase: (404, "unknown_case", "Unknown case", None),
    UnknownVote: (404, "unknown_vote", "Unknown vote", None),
    UnknownDecision: (404, "unknown_decision", "Unknown decision", None),
    NotArchived: (404, "not_archived", "The month is not archived yet", None),
    AlreadyDecided: (409, "already_decided", "It was decided meanwhile", "Nothing was changed."),
    AlreadyStruck: (409, "already_struck", "It was changed meanwhile", "Nothing was changed."),
    SeveralMonths: (409, "several_months", "One month at a time", "Nothing was changed."),
    NotStruck: (409, "not_struck", "It was changed meanwhile", "Nothing was changed."),
    AlreadyJoined: (409, "already_joined", "They are one already", "Nothing was changed."),
    NotJoined: (409, "not_joined", "They are not joined", "Nothing was changed."),
    DeviceAlone: (409, "device_alone", "A device is not ground enough", "Nothing was changed."),
    ClosedMonth: (409, "closed_month", "The month is closed", "Its board stands as it was."),
}


def init_moderation_problems(app: Flask) -> None:
    """Answer each of these errors with its status and in words."""
    for error in _WORDS:
        app.register_error_handler(error, _answer)
    app.register_error_handler(DisputeRefused, _dispute_refused)


def _answer(error: ArenaError) -> Response:
    status, reason, title, kept = _WORDS[type(error)]
    return problem_response(
        Problem(
            status=status,
            reason=reason,
            title=title,
            text=_sentence(str(error)),
            kept=kept,
            act=_way_back(),
        )
    )


def _dispute_refused(error: DisputeRefused) -> Response:
    return problem_response(
        Problem(
            status=_DISPUTES[error.reason],
            reason=error.reason,
            title="This step is not possible",
            text=_sentence(str(error)),
            kept="The vote is as it was.",
            act=_way_back(),
        )
    )


def _way_back() -> Act:
    if request.path.startswith("/moderation"):
        return Act("Back to the queue", "/moderation")
    return Act("Your votes", "/me")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."
