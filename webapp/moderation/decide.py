"""Forms of the case files: each is one decision with a reason, made by the one who is signed in.

None of them takes a number: votes are struck or restored, voters joined or parted; scores follow.
"""

from __future__ import annotations

from typing import Literal, TypeVar

from flask import Blueprint, abort, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from arena import (
    bans,
    disputes,
    moderation,
    notes,
    parting,
    review,
    review_answers,
    review_rules,
)
from arena.case_strikes import strike_voter
from arena.case_subject import Subject
from arena.errors import UnknownCode
from arena.review_rulings import AnswerState
from arena.standing_reasons import JoinReason, PartReason, RestoreReason, StrikeReason
from webapp.errors import problem_response
from webapp.moderation.cases import back_to
from webapp.moderation.guard import MODERATORS, actor, moderators_only
from webapp.refusals import Act, Problem
from webapp.visitors import request_time_us
from webapp.wiring import services

__all__ = ["decision_forms"]

Word = TypeVar("Word", bound=str)
Reason = TypeVar("Reason", JoinReason, PartReason)

decision_forms = Blueprint("moderation_decide", __name__, url_prefix="/moderation")


@decision_forms.post("/cases/<subject>/decide")
@moderators_only(*MODERATORS)
def decide(subject: str) -> AnyResponse:
    """Decide a flag, an answer or a dispute."""
    about = Subject.read(subject)
    match about.kind:
        case "flag":
            _decide_flag(about)
        case "answer":
            _decide_answer(about)
        case "dispute":
            _decide_dispute(about)
        case _:
            abort(404)
    return back_to(about)


def _decide_flag(about: Subject) -> None:
    verdict: Literal["upheld", "dismissed"] = _verdict("upheld", "dismissed")
    seen: review.FlagState = _one_of("seen", "open", "upheld", "dismissed")
    review.decide_flag(
        services().ports,
        actor(),
        about.name,
        seen=seen,
        verdict=verdict,
        reason=_field("reason"),
        now_us=request_time_us(),
    )


def _decide_answer(about: Subject) -> None:
    verdict: Literal["withheld", "cleared"] = _verdict("withheld", "cleared")
    seen: AnswerState = _one_of("seen", "open", "withheld", "cleared")
    review_answers.decide_answer(
        services().ports,
        actor(),
        about.name,
        seen=seen,
        verdict=verdict,
        reason=_field("reason"),
        now_us=request_time_us(),
    )


def _decide_dispute(about: Subject) -> None:
    verdict: Literal["upheld", "rejected"] = _verdict("upheld", "rejected")
    disputes.decide_dispute(
        services().ports,
        actor(),
        about.name,
        verdict=verdict,
        reason=_field("reason"),
        text=_field("text"),
        now_us=request_time_us(),
    )


@decision_forms.post("/cases/<subject>/recheck")
@moderators_only(*MODERATORS)
def recheck(subject: str) -> AnyResponse:
    """Take a dispute up."""
    about = Subject.read(subject)
    if about.kind != "dispute":
        abort(404)
    disputes.begin_recheck(
        services().ports, actor(), about.name, text=_field("text"), now_us=request_time_us()
    )
    return back_to(about)


@decision_forms.post("/cases/<subject>/note")
@moderators_only(*MODERATORS)
def note(subject: str) -> AnyResponse:
    """Write a note on a case."""
    about = Subject.read(subject)
    notes.write_note(
        services().ports,
        actor(),
        about,
        reason=_field("reason"),
        text=_field("text"),
        now_us=request_time_us(),
    )
    return redirect(f"/moderation/cases/{about}#notes", code=303)


@decision_forms.post("/cases/<subject>/ban")
@moderators_only(*MODERATORS)
def ban(subject: str) -> AnyResponse:
    """Ban a voter, or lift the ban."""
    about = Subject.read(subject)
    if about.month is None:
        abort(404)
    change = bans.ban if _verdict("ban", "unban") == "ban" else bans.unban
    change(
        services().ports,
        actor(),
        about.month,
        about.name,
        reason=_field("reason"),
        now_us=request_time_us(),
    )
    return back_to(about)


@decision_forms.post("/cases/<subject>/strike")
@moderators_only(*MODERATORS)
def strike(subject: str) -> AnyResponse:
    """Strike all votes of a voter that still count, as many as the page said."""
    about = Subject.read(subject)
    if about.month is None:
        abort(404)
    strike_voter(
        services().ports,
        actor(),
        about.month,
        about.name,
        expected=_count("votes"),
        reason=_field("reason"),
        now_us=request_time_us(),
    )
    return back_to(about)


@decision_forms.post("/cases/<subject>/join")
@moderators_only(*MODERATORS)
def join(subject: str) -> AnyResponse:
    """Take those of a case's voters and neighbours who were ticked for one person."""
    about = Subject.read(subject)
    voters = sorted(set(request.form.getlist("voter")))
    if len(voters) < 2:  # noqa: PLR2004 - one alone is one person already
        return problem_response(_too_few(about))
    moderation.join(
        services().ports,
        actor(),
        _field("month"),
        voters,
        _reason(JoinReason),
        request_time_us(),
    )
    return redirect(f"/moderation/cases/{about}#joined", code=303)


@decision_forms.post("/cases/<subject>/part")
@moderators_only(*MODERATORS)
def part(subject: str) -> AnyResponse:
    """Take those who were ticked out of the cluster of a voter's case."""
    about = Subject.read(subject)
    if about.month is None:
        abort(404)
    voters = sorted(set(request.form.getlist("voter")))
    if not voters:
        return problem_response(_nobody(about))
    parting.part(
        services().ports, actor(), about.month, voters, _reason(PartReason), request_time_us()
    )
    return redirect(f"/moderation/cases/{about}#joined", code=303)


def _reason(listed: type[Reason]) -> Reason:
    """Return the reason that the form names, of a closed list."""
    try:
        return listed(_field("reason"))
    except ValueError as error:
        raise UnknownCode("choose a reason from the list") from error


@decision_forms.post("/votes/<vote_id>/decide")
@moderators_only(*MODERATORS)
def decide_vote(vote_id: str) -> AnyResponse:
    """Strike one vote, or restore it."""
    reason, case = _field("reason"), f"vote:{vote_id}"
    if _verdict("strike", "restore") == "strike":
        moderation.void(
            services().ports,
            actor(),
            [vote_id],
            reason=StrikeReason(review_rules.check_reason(review_rules.Act.STRIKE_VOTE, reason)),
            case=case,
            now_us=request_time_us(),
        )
    else:
        moderation.restore(
            services().ports,
            actor(),
            [vote_id],
            reason=RestoreReason(
                review_rules.check_reason(review_rules.Act.UPHOLD_DISPUTE, reason)
            ),
            case=case,
            now_us=request_time_us(),
        )
    return redirect(f"/moderation/votes/{vote_id}?done=1#decided", code=303)


def _too_few(about: Subject) -> Problem:
    return Problem(
        status=422,
        reason="too_few",
        title="Tick two voters or more",
        text="To be one person they have to be two names at least.",
        kept="Nothing was changed.",
        act=Act("Back to the case", f"/moderation/cases/{about}#join"),
    )


def _nobody(about: Subject) -> Problem:
    return Problem(
        status=422,
        reason="too_few",
        title="Tick one voter or more",
        text="Who is ticked stands alone from then on.",
        kept="Nothing was changed.",
        act=Act("Back to the case", f"/moderation/cases/{about}#part"),
    )


def _count(name: str) -> int:
    """Return the number that the page wrote into its own form."""
    text = _field(name)
    if not text.isascii() or not text.isdigit() or len(text) > 9:  # noqa: PLR2004 - fits any count
        raise UnknownCode("open the case again and send its form")
    return int(text)


def _verdict(*allowed: Word) -> Word:
    """Return the one of the verdicts that the form names."""
    return _one_of("verdict", *allowed)


def _one_of(name: str, *allowed: Word) -> Word:
    """Return the one of some words that a field of the form says."""
    said = _field(name)
    for word in allowed:
        if word == said:
            return word
    raise UnknownCode("choose one of the decisions on the page")


def _field(name: str) -> str:
    return request.form.get(name, "").strip()
