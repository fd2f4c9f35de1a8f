"""What the vote templates get; nothing of a model before the vote."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Final

from markupsafe import Markup

from antiabuse.sincerity import ANOMALIES, WeightReason
from antiabuse.utc import SECOND_US
from antiabuse.voter import VoterState
from arena import rules
from arena.ballots import Capped, Shown
from arena.boards import BoardRow
from arena.catalogue import ModelInfo
from arena.rendering import render
from arena.reveals import Others, Reveal, RevealedSlot, Weight

__all__ = [
    "BallotView",
    "CapView",
    "RevealView",
    "WeightView",
    "ballot_view",
    "cap_view",
    "reveal_view",
    "weight_view",
]

_MUST_NOT_COUNT: Final = ANOMALIES | {WeightReason.BAD_CLIENT_VALUE}
_WEIGHS_NOTHING: Final = _MUST_NOT_COUNT | {WeightReason.TOO_FAST, WeightReason.NO_SCROLL}


@dataclass(frozen=True, slots=True)
class QuestionView:
    """A question; `html` is safe, `plain` says that it is one short paragraph."""

    text: str
    html: Markup
    category: str
    language: str


@dataclass(frozen=True, slots=True)
class SlotView:
    """One anonymous answer."""

    letter: str
    slot_id: str
    html: Markup
    raw: str
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BallotView:
    """An open ballot with its token and what is left of the day."""

    token: str
    mode: str
    question: QuestionView
    slots: tuple[SlotView, ...]
    will_not_count: str | None
    votes_left: int
    ballots_left: int
    skips_left: int
    wait_s: int
    fingerprint_question: bool
    collect_fingerprint: bool
    can_report: bool


@dataclass(frozen=True, slots=True)
class RevealedSlotView:
    """One answer with its author."""

    letter: str
    html: Markup
    raw: str
    removed: tuple[str, ...]
    model: ModelInfo
    p_win: float
    change: Decimal
    score: float | None
    place: str | None
    provisional: bool


@dataclass(frozen=True, slots=True)
class WeightView:
    """The weight in numbers that people read.

    Attributes:
        value: the weight it was cast with.
        counts: it enters points and board.
        dwell_s: seconds read; None where no clock knows them.
        dwell_weight, scroll_factor, rules_factor: the three parts; their product is the weight.
        reasons: why it is below 1.
        by_rule: which of them gave it weight 0; empty when it was cast with some weight.
        struck: why it no longer counts; None for a vote that nobody struck.
    """

    value: str
    counts: bool
    dwell_s: str | None
    dwell_weight: str
    scroll_factor: str
    rules_factor: str
    reasons: tuple[str, ...]
    by_rule: tuple[str, ...]
    struck: str | None


@dataclass(frozen=True, slots=True)
class ReceiptLink:
    """Where the receipt is, and whether the vote is in the signed log yet."""

    url: str
    sequenced: bool


@dataclass(frozen=True, slots=True)
class RevealView:
    """A vote after it was cast."""

    route: str
    mode: str
    verdict: str
    best: str | None
    worst: str | None
    question: QuestionView
    slots: tuple[RevealedSlotView, ...]
    weight: WeightView
    others: Others | None
    others_from: int
    ruleset: str
    receipt: ReceiptLink
    next_wait_s: int
    votes_left: int
    reason_chips: tuple[str, ...]
    chosen_reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CapView:
    """Which allowance of the day is used up, and until when."""

    kind: str
    text: str
    until_us: int


@lru_cache(maxsize=512)
def _question_html(text: str) -> Markup:
    return Markup(render(text).html)  # noqa: S704 - the renderer's allow-list makes it safe


def _question(text: str, category: str, language: str) -> QuestionView:
    return QuestionView(text, _question_html(text), category, language)


def ballot_view(found: Shown, token: str, *, fingerprint: bool) -> BallotView:
    """Return an open ballot for its page; `fingerprint` tells whether the installation uses one."""
    ballot, state = found.ballot, found.state
    return BallotView(
        token=token,
        mode=ballot.mode,
        question=_question(ballot.question, ballot.category, ballot.language),
        slots=tuple(
            SlotView(s.letter, s.slot_id, Markup(s.html), s.raw, s.removed)  # noqa: S704 - as stored
            for s in ballot.slots
        ),
        will_not_count=ballot.will_not_count,
        votes_left=state.votes_left,
        ballots_left=state.ballots_left,
        skips_left=state.skips_left,
        wait_s=state.wait_s,
        fingerprint_question=fingerprint and state.consent is None,
        collect_fingerprint=fingerprint and state.consent == "yes",
        can_report=True,
    )


def cap_view(capped: Capped, text: str, now_us: int) -> CapView:
    """Return the wait until the day's allowances begin anew."""
    return CapView(capped.kind, text, now_us + capped.state.day_left_s * SECOND_US)


def reveal_view(reveal: Reveal, route: str, state: VoterState, *, sequenced: bool) -> RevealView:
    """Return a reveal for its page."""
    return RevealView(
        route=route,
        mode=reveal.mode,
        verdict=reveal.verdict,
        best=reveal.best,
        worst=reveal.worst,
        question=_question(reveal.question, reveal.category, reveal.language),
        slots=tuple(_slot(slot) for slot in reveal.slots),
        weight=weight_view(reveal.weight),
        others=reveal.others,
        others_from=rules.current().others_shown_from,
        ruleset=rules.current().id,
        receipt=ReceiptLink(f"/receipts/{route}", sequenced),
        next_wait_s=state.wait_s,
        votes_left=state.votes_left,
        reason_chips=rules.current().vote_reasons,
        chosen_reasons=reveal.reasons,
    )


def weight_view(weight: Weight) -> WeightView:
    """Return a weight with its parts, and what made it 0."""
    return WeightView(
        value=_plain(weight.value),
        counts=weight.counts,
        dwell_s=None if weight.dwell_s is None else f"{weight.dwell_s:.1f}",
        dwell_weight=_plain(weight.dwell_weight),
        scroll_factor=_plain(weight.scroll_factor),
        rules_factor="0" if _MUST_NOT_COUNT.intersection(weight.reasons) else "1",
        reasons=weight.reasons,
        by_rule=()
        if weight.value
        else tuple(code for code in weight.reasons if code in _WEIGHS_NOTHING),
        struck=weight.struck,
    )


def _slot(slot: RevealedSlot) -> RevealedSlotView:
    row = slot.row
    return RevealedSlotView(
        letter=slot.letter,
        html=Markup(slot.html),  # noqa: S704 - the renderer's allow-list makes it safe
        raw=slot.raw,
        removed=slot.removed,
        model=slot.model,
        p_win=slot.p_win,
        change=slot.change,
        score=row.score if row else None,
        place=place_text(row),
        provisional=row is not None and row.provisional,
    )


def place_text(row: BoardRow | None) -> str | None:
    """Return a place for people: `2`, or `2–4` where the votes cannot order the models."""
    if row is None or row.best_place is None:
        return None
    if row.best_place == row.worst_place:
        return str(row.best_place)
    return f"{row.best_place}–{row.worst_place}"


def _plain(value: Decimal) -> str:
    return f"{value.normalize():f}"
