"""What changes how a vote stands: struck, restored, its voter joined with others or parted.

Bodies name votes by id and voters by their pseudonym of the month; a moderator stands there by
handle, the name is private.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from arena import rules
from arena.ballot_events import ANY_MODE, arena_stream
from arena.events import EventBody, Mode
from ledger.event import Disclosure, NewEvent

__all__ = [
    "AccountJoined",
    "AccountParted",
    "StandingEvent",
    "VoteDiscounted",
    "VoteRestored",
    "VoteVoided",
    "standing_event",
]


@dataclass(frozen=True, slots=True)
class VoteDiscounted(EventBody):
    """A detector that the rules list as discounting struck votes by itself (V-126)."""

    KIND: ClassVar[str] = "vote.discounted"
    VERSION: ClassVar[int] = 1

    mode: Mode
    month: str
    hour: str
    votes: tuple[str, ...]
    reason: str
    detector: str
    flag: str


@dataclass(frozen=True, slots=True)
class VoteVoided(EventBody):
    """A moderator struck votes; `case` says what it was about. `mode` is None for both modes."""

    KIND: ClassVar[str] = "vote.voided"
    VERSION: ClassVar[int] = 1

    mode: Mode | None
    month: str
    votes: tuple[str, ...]
    reason: str
    moderator: str
    case: str
    at_us: int


@dataclass(frozen=True, slots=True)
class VoteRestored(EventBody):
    """A moderator let struck votes count again, with the weight they were cast with.

    `undoes` names, in the order of `votes`, the event that struck each: a detector's strike gets
    its place in the log up to a minute late, so the order there does not say what is in force.
    """

    KIND: ClassVar[str] = "vote.restored"
    VERSION: ClassVar[int] = 1

    mode: Mode | None
    month: str
    votes: tuple[str, ...]
    undoes: tuple[str, ...]
    reason: str
    moderator: str
    case: str
    at_us: int


@dataclass(frozen=True, slots=True)
class AccountJoined(EventBody):
    """Voters of a month are one cluster from here on, all members named; the smallest names it."""

    KIND: ClassVar[str] = "account.joined"
    VERSION: ClassVar[int] = 1

    month: str
    members: tuple[str, ...]
    cluster: str
    reason: str
    moderator: str | None
    at_us: int

    @property
    def mode(self) -> None:
        """A person votes in both modes."""


@dataclass(frozen=True, slots=True)
class AccountParted(EventBody):
    """A moderator took voters of a month out of a cluster: from here on each stands alone.

    `members` are who stands alone, also the last one left; `rest` is who stays joined, with the
    smallest of them as its name, or empty with no name.
    """

    KIND: ClassVar[str] = "account.parted"
    VERSION: ClassVar[int] = 1

    month: str
    members: tuple[str, ...]
    rest: tuple[str, ...]
    cluster: str | None
    reason: str
    moderator: str
    at_us: int

    @property
    def mode(self) -> None:
        """A person votes in both modes."""


StandingEvent = VoteDiscounted | VoteVoided | VoteRestored | AccountJoined | AccountParted


def standing_event(
    event: StandingEvent, *, event_id: str, private: Mapping[str, Any] | None = None
) -> NewEvent:
    """Return the event in the ledger's form, disclosed with the archive.

    Args:
        event: what happened.
        event_id: a random one (UUIDv4) for a detector's strike, which is shuffled among votes.
        private: the moderator's name.
    """
    return NewEvent(
        id=event_id,
        kind=event.KIND,
        version=event.VERSION,
        stream=arena_stream(event.mode or ANY_MODE, event.month),
        ruleset=rules.current().id,
        body=event.body(),
        private=private,
        disclosure=Disclosure.ARCHIVE,
        shuffled=isinstance(event, VoteDiscounted),
    )
