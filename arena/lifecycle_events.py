"""What the lifecycle writes to the log: months opened, looks taken, states changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from arena import rules
from arena.ballot_events import arena_stream
from arena.events import EventBody, Mode
from ledger.event import Disclosure, NewEvent

__all__ = ["FallWithheld", "Looked", "MonthOpened", "StateChanged", "lifecycle_event"]


@dataclass(frozen=True, slots=True)
class MonthOpened(EventBody):
    """A month began for a mode; `basket` are the models Active at that moment."""

    KIND: ClassVar[str] = "month.opened"
    VERSION: ClassVar[int] = 1

    mode: Mode
    month: str
    at_us: int
    basket: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StateChanged(EventBody):
    """A model entered a state, with the numbers that caused it as text.

    `before` is None at a model's first entry; `log_size` says from which log entry on the state's
    own exposures count.
    """

    KIND: ClassVar[str] = "model.state"
    VERSION: ClassVar[int] = 1

    mode: Mode
    month: str
    model: str
    before: str | None
    after: str
    cause: str
    at_us: int
    log_size: int
    numbers: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FallWithheld(EventBody):
    """A model was kept from falling to Eliminated, for too few models would be left (V-093)."""

    KIND: ClassVar[str] = "model.withheld"
    VERSION: ClassVar[int] = 1

    mode: Mode
    month: str
    model: str
    before: str
    cause: str
    at_us: int
    eligible: int
    numbers: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Looked(EventBody):
    """One look over all models of a mode, with the looks in a row below the line of each."""

    KIND: ClassVar[str] = "lifecycle.looked"
    VERSION: ClassVar[int] = 1

    mode: Mode
    month: str
    day: str
    at_us: int
    board: str | None
    log_size: int
    looks_below: Mapping[str, int]


def lifecycle_event(
    event: MonthOpened | StateChanged | FallWithheld | Looked, *, event_id: str
) -> NewEvent:
    """Return an event of the lifecycle in the ledger's form."""
    return NewEvent(
        id=event_id,
        kind=event.KIND,
        version=event.VERSION,
        stream=arena_stream(event.mode, event.month),
        ruleset=rules.current().id,
        body=event.body(),
        disclosure=Disclosure.AT_ONCE,
    )
