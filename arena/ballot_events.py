"""What ballots and votes write to the log, one frozen dataclass per kind; the body is its fields.

Bodies say the hour and the voter's name of the month; moment, voter, address are private (V-158).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, Protocol, Self

from antiabuse.utc import month_of
from arena import rules
from arena.events import EventBody, Mode
from arena.visitor import Visitor
from ledger.event import Disclosure, NewEvent

__all__ = [
    "ANY_MODE",
    "BallotIssued",
    "BallotReported",
    "BallotShown",
    "BallotSkipped",
    "BallotWithdrawn",
    "BoardPublished",
    "IssuedSlot",
    "Verdict",
    "View",
    "VoteCast",
    "VoteReasoned",
    "arena_stream",
    "ballot_event",
    "board_event",
]

Verdict = Literal["best_worst", "same", "bad"]
View = Literal["official", "extended", "style", "makers", "head_to_head", "checks"]


class _Kind(Protocol):
    KIND: ClassVar[str]
    VERSION: ClassVar[int]

    def body(self) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class IssuedSlot:
    """One place of a ballot: its random id, and what stands there."""

    slot: str
    answer: str
    model: str


@dataclass(frozen=True, slots=True)
class BallotIssued(EventBody):
    """Four answers were drawn for a voter; `draw` holds pool and probability of the set (V-063)."""

    KIND: ClassVar[str] = "ballot.issued"
    VERSION: ClassVar[int] = 1

    mode: Mode
    month: str
    hour: str
    question: str
    voter: str
    slots: tuple[IssuedSlot, ...]
    draw: Mapping[str, Any]
    board: str | None
    will_not_count: str | None

    @classmethod
    def from_body(cls, body: Mapping[str, Any]) -> Self:
        """Return the event that has this body."""
        slots = tuple(IssuedSlot(**slot) for slot in body["slots"])
        return cls(**{**body, "slots": slots})


@dataclass(frozen=True, slots=True)
class BallotShown(EventBody):
    """An open ballot was sent to its holder once more."""

    KIND: ClassVar[str] = "ballot.shown"
    VERSION: ClassVar[int] = 1

    ballot: str
    hour: str


@dataclass(frozen=True, slots=True)
class BallotWithdrawn(EventBody):
    """An open ballot was closed since one of its answers may no longer be shown (V-024)."""

    KIND: ClassVar[str] = "ballot.withdrawn"
    VERSION: ClassVar[int] = 1

    ballot: str
    hour: str


@dataclass(frozen=True, slots=True)
class BallotSkipped(EventBody):
    """A voter closed a ballot unrevealed (V-170)."""

    KIND: ClassVar[str] = "ballot.skipped"
    VERSION: ClassVar[int] = 1

    ballot: str
    hour: str


@dataclass(frozen=True, slots=True)
class BallotReported(EventBody):
    """A voter pointed a moderator to one answer; it hides nothing by itself (V-170)."""

    KIND: ClassVar[str] = "ballot.reported"
    VERSION: ClassVar[int] = 1

    ballot: str
    hour: str
    answer: str
    reason: str


@dataclass(frozen=True, slots=True)
class VoteCast(EventBody):
    """A vote was accepted: choice, weight with its parts, and changes with the board behind them.

    `models`, `p_win` and `changes` are in slot order; all decimals are text. `revealed` are the
    models whose answers count one reveal more (V-151), in slot order.
    """

    KIND: ClassVar[str] = "vote.cast"
    VERSION: ClassVar[int] = 1

    ballot: str
    mode: Mode
    month: str
    hour: str
    question: str
    voter: str
    cluster: str
    models: tuple[str, ...]
    verdict: Verdict
    best: str | None
    worst: str | None
    weight: str
    weight_parts: Mapping[str, Any]
    reasons: tuple[str, ...]
    board: str | None
    p_win: tuple[str, ...]
    changes: tuple[str, ...]
    revealed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VoteReasoned(EventBody):
    """A voter said after the vote what decided it (V-170); a later one replaces an earlier one."""

    KIND: ClassVar[str] = "vote.reasoned"
    VERSION: ClassVar[int] = 1

    ballot: str
    hour: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BoardPublished(EventBody):
    """A fit was published: the whole board, from which log entries, by which program (V-050).

    `view` says which kind of fit; `category` is empty for all; `facts` are what the view knows
    beside its rows, all fractions as text.
    """

    KIND: ClassVar[str] = "board.published"
    VERSION: ClassVar[int] = 1

    mode: Mode
    month: str
    view: View
    category: str
    board: str
    computed_us: int
    log_size: int
    code_version: str
    demo: bool
    votes: int
    voters: int
    verdicts: Mapping[str, int]
    excluded: Mapping[str, int]
    basket: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    facts: Mapping[str, Any]
    output_sha256: str


ANY_MODE: Final = "any"
"""In place of the mode, for what belongs to neither."""


def arena_stream(mode: str, month: str) -> str:
    """Return the log stream of a mode and month."""
    return f"arena/{mode}/{month}"


def ballot_event(
    event: _Kind,
    *,
    event_id: str,
    mode: str,
    visitor: Visitor,
    raw: Mapping[str, Any] | None = None,
) -> NewEvent:
    """Return an event of the open month in the ledger's form: shuffled, disclosed with the archive.

    Args:
        event: what happened.
        event_id: a random id (UUIDv4).
        mode: the ballot's mode.
        visitor: who did it, from where, when; private.
        raw: further private facts, as the browser sent them.
    """
    private: dict[str, Any] = {"voter": visitor.voter, "at_us": visitor.now_us, **(raw or {})}
    if visitor.address is not None:
        private |= {"address": visitor.address.address, "prefix": visitor.address.prefix}
    return NewEvent(
        id=event_id,
        kind=event.KIND,
        version=event.VERSION,
        stream=arena_stream(mode, month_of(visitor.now_us)),
        ruleset=rules.current().id,
        body=event.body(),
        private=private,
        disclosure=Disclosure.ARCHIVE,
        shuffled=True,
    )


def board_event(event: BoardPublished, *, event_id: str) -> NewEvent:
    """Return a board in the ledger's form: disclosed at once."""
    return NewEvent(
        id=event_id,
        kind=event.KIND,
        version=event.VERSION,
        stream=arena_stream(event.mode, event.month),
        ruleset=rules.current().id,
        body=event.body(),
        disclosure=Disclosure.AT_ONCE,
    )
