"""What review writes to the log: flags, sweeps, decisions, bans, notes and disputes.

Bodies name voters by the month's pseudonym and moderators by their public handle. Names, voter ids,
notes and the texts of voters stand in private parts only, so no rebuild needs them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, Self

from arena import review_rules
from arena.ballot_events import ANY_MODE, arena_stream
from arena.events import EventBody, Mode
from ledger.event import Disclosure, NewEvent

__all__ = [
    "AnswerDecided",
    "AnswerVerdict",
    "DisputeAdvanced",
    "DisputeDecided",
    "DisputeOpened",
    "DisputeStep",
    "DisputeVerdict",
    "FlagDecided",
    "FlagRaised",
    "FlagVerdict",
    "NoteWritten",
    "ReviewEvent",
    "SweepFinished",
    "VoterBanned",
    "VoterUnbanned",
    "review_event",
]

FlagVerdict = Literal["upheld", "dismissed"]
AnswerVerdict = Literal["withheld", "cleared"]
DisputeStep = Literal["evidence", "recheck"]
DisputeVerdict = Literal["upheld", "rejected"]


class ReviewEvent(Protocol):
    """What all events of review have in common."""

    KIND: ClassVar[str]
    VERSION: ClassVar[int]

    @property
    def mode(self) -> str | None:
        """The mode it is about; None where that is both."""
        ...

    @property
    def month(self) -> str:
        """The month it is about."""
        ...

    def body(self) -> dict[str, Any]:
        """Return the public body."""
        ...


@dataclass(frozen=True, slots=True)
class FlagRaised(EventBody):
    """A detector's rule was passed: a case to look at, which by itself deletes nothing (V-126).

    `subjects` are pseudonyms; statistic, threshold, p-value and numbers are text.
    """

    KIND: ClassVar[str] = "flag.raised"
    VERSION: ClassVar[int] = 1

    detector: str
    mode: Mode
    month: str
    hour: str
    subjects: tuple[str, ...]
    votes: tuple[str, ...]
    statistic: str
    threshold: str
    p_value: str | None
    look: int
    numbers: Mapping[str, str]
    discounts: bool


@dataclass(frozen=True, slots=True)
class SweepFinished(EventBody):
    """All detectors went over a mode's month: looks taken, flags raised, detectors that failed.

    `looks` are (detector, pseudonym, look); `unrun` says why a detector could not run (V-168).
    """

    KIND: ClassVar[str] = "sweep.finished"
    VERSION: ClassVar[int] = 1

    mode: Mode
    month: str
    at_us: int
    looks: tuple[tuple[str, str, int], ...]
    flags: int
    unrun: Mapping[str, str]

    @classmethod
    def from_body(cls, body: Mapping[str, Any]) -> Self:
        """Return the event that has this body."""
        looks = tuple((detector, voter, look) for detector, voter, look in body["looks"])
        return cls(**{**body, "looks": looks})


@dataclass(frozen=True, slots=True)
class FlagDecided(EventBody):
    """A moderator upheld a flag, which strikes its votes, or dismissed it; the last one holds."""

    KIND: ClassVar[str] = "flag.decided"
    VERSION: ClassVar[int] = 1

    flag: str
    mode: Mode
    month: str
    verdict: FlagVerdict
    reason: str
    moderator: str
    votes: int
    at_us: int


@dataclass(frozen=True, slots=True)
class AnswerDecided(EventBody):
    """A moderator judged a held or reported answer, and with it the reports open by then."""

    KIND: ClassVar[str] = "answer.decided"
    VERSION: ClassVar[int] = 1

    answer: str
    reports: tuple[str, ...]
    mode: Mode
    month: str
    verdict: AnswerVerdict
    reason: str
    moderator: str
    votes: int
    at_us: int


@dataclass(frozen=True, slots=True)
class VoterBanned(EventBody):
    """A moderator stopped a voter's further votes; earlier ones stay (V-170)."""

    KIND: ClassVar[str] = "voter.banned"
    VERSION: ClassVar[int] = 1

    voter: str
    month: str
    reason: str
    moderator: str
    at_us: int

    @property
    def mode(self) -> None:
        """A ban holds for both modes."""


@dataclass(frozen=True, slots=True)
class VoterUnbanned(EventBody):
    """A moderator let a banned voter vote again."""

    KIND: ClassVar[str] = "voter.unbanned"
    VERSION: ClassVar[int] = 1

    voter: str
    month: str
    reason: str
    moderator: str
    at_us: int

    @property
    def mode(self) -> None:
        """A ban holds for both modes."""


@dataclass(frozen=True, slots=True)
class NoteWritten(EventBody):
    """A moderator wrote a note on a case; its text is for moderators."""

    KIND: ClassVar[str] = "note.written"
    VERSION: ClassVar[int] = 1

    subject: str
    mode: str
    month: str
    reason: str
    moderator: str
    at_us: int


@dataclass(frozen=True, slots=True)
class DisputeOpened(EventBody):
    """A voter disputes what became of a vote of their own; what they say is private (X-012)."""

    KIND: ClassVar[str] = "dispute.opened"
    VERSION: ClassVar[int] = 1

    vote: str
    mode: Mode
    month: str
    hour: str


@dataclass(frozen=True, slots=True)
class DisputeAdvanced(EventBody):
    """A dispute went a step on: its voter added evidence, or a moderator began the re-check.

    `moderator` is None and `text` empty for a step of the voter.
    """

    KIND: ClassVar[str] = "dispute.advanced"
    VERSION: ClassVar[int] = 1

    dispute: str
    mode: Mode
    month: str
    state: DisputeStep
    hour: str
    moderator: str | None
    text: str


@dataclass(frozen=True, slots=True)
class DisputeDecided(EventBody):
    """A moderator decided a dispute; `restored` says whether the vote counts again by that."""

    KIND: ClassVar[str] = "dispute.decided"
    VERSION: ClassVar[int] = 1

    dispute: str
    mode: Mode
    month: str
    state: DisputeVerdict
    hour: str
    reason: str
    moderator: str
    text: str
    restored: bool
    at_us: int


def review_event(
    event: ReviewEvent,
    *,
    event_id: str,
    private: Mapping[str, Any] | None = None,
    ruleset: str | None = None,
    shuffled: bool = False,
) -> NewEvent:
    """Return an event of review in the ledger's form, disclosed with the month's archive.

    Args:
        event: what happened.
        event_id: a random id (UUIDv4) where shuffled.
        private: what only moderators may read.
        ruleset: id of the rules it was made under; those of moderation unless told.
        shuffled: for flags and for what voters do, which must not tell its minute (V-158).
    """
    return NewEvent(
        id=event_id,
        kind=event.KIND,
        version=event.VERSION,
        stream=arena_stream(event.mode or ANY_MODE, event.month),
        ruleset=ruleset or review_rules.current().id,
        body=event.body(),
        private=private,
        disclosure=Disclosure.ARCHIVE,
        shuffled=shuffled,
    )
