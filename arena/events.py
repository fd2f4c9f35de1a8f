"""What the arena writes to the log: one frozen dataclass per kind, its body being its fields.

A body holds everything a rebuild needs. Catalogue events carry an exact time: they are acts of the
operator, not of a voter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Final, Literal, Protocol, Self

from ledger.event import Disclosure, NewEvent

__all__ = [
    "CATALOGUE_STREAM",
    "AnswerAdded",
    "AnswerCleared",
    "AnswerHeld",
    "ArenaEvent",
    "DemoRetired",
    "EventBody",
    "ImportCompleted",
    "Mode",
    "ModelAdded",
    "QuestionAdded",
    "new_event",
]

Mode = Literal["speed", "expert"]

CATALOGUE_STREAM: Final = "arena/catalogue"


class ArenaEvent(Protocol):
    """An event of this room: a kind with a version, and who may read its body from when on."""

    KIND: ClassVar[str]
    VERSION: ClassVar[int]

    @property
    def disclosure(self) -> Disclosure:
        """When the body becomes public."""
        ...

    def body(self) -> dict[str, Any]:
        """Return the public body."""
        ...


class EventBody:
    """Base of all events of this room: body and fields are the same thing, in both directions."""

    __slots__ = ()

    def body(self) -> dict[str, Any]:
        """Return the body: every field by its name."""
        return asdict(self)  # type: ignore[call-overload,no-any-return]

    @classmethod
    def from_body(cls, body: Mapping[str, Any]) -> Self:
        """Return the event that has this body."""
        return cls(**body)


@dataclass(frozen=True, slots=True)
class ModelAdded(EventBody):
    """A model entered the catalogue."""

    KIND: ClassVar[str] = "model.added"
    VERSION: ClassVar[int] = 1

    slug: str
    name: str
    maker: str
    licence: str
    link: str
    noncommercial: bool
    demo: bool
    released: bool

    @property
    def disclosure(self) -> Disclosure:
        """Who takes part is public at once."""
        return Disclosure.AT_ONCE


@dataclass(frozen=True, slots=True)
class QuestionAdded(EventBody):
    """A question entered the pool of its mode."""

    KIND: ClassVar[str] = "question.added"
    VERSION: ClassVar[int] = 1

    question: str
    text: str
    category: str
    language: str
    mode: Mode
    origin: str
    licence: str
    redistribute: bool
    noncommercial: bool
    demo: bool

    @property
    def disclosure(self) -> Disclosure:
        """A text that may not be passed on stays shut with its answers (V-171)."""
        return Disclosure.AT_ONCE if self.redistribute else Disclosure.RETIREMENT


@dataclass(frozen=True, slots=True)
class AnswerAdded(EventBody):
    """A model's stored answer to a question; `held_for` is empty when it may be shown."""

    KIND: ClassVar[str] = "answer.added"
    VERSION: ClassVar[int] = 1

    answer: str
    question: str
    model: str
    mode: Mode
    text: str
    latency_ms: int | None
    origin: str
    licence: str
    state: Literal["showable", "held"]
    held_for: str

    @property
    def disclosure(self) -> Disclosure:
        """Text and model together are a look-up table while the answer is in use (V-169)."""
        return Disclosure.RETIREMENT


@dataclass(frozen=True, slots=True)
class AnswerHeld(EventBody):
    """An answer was taken out of the pool until a moderator has looked at it (V-150, V-157)."""

    KIND: ClassVar[str] = "answer.held"
    VERSION: ClassVar[int] = 1

    answer: str
    held_for: str

    @property
    def disclosure(self) -> Disclosure:
        """The reason may name the model."""
        return Disclosure.RETIREMENT


@dataclass(frozen=True, slots=True)
class AnswerCleared(EventBody):
    """A moderator let a held answer back into the pool."""

    KIND: ClassVar[str] = "answer.cleared"
    VERSION: ClassVar[int] = 1

    answer: str
    reason: str

    @property
    def disclosure(self) -> Disclosure:
        """As for holding it."""
        return Disclosure.RETIREMENT


@dataclass(frozen=True, slots=True)
class DemoRetired(EventBody):
    """All demo models, questions and answers left the pool, for real ones came (V-174)."""

    KIND: ClassVar[str] = "demo.retired"
    VERSION: ClassVar[int] = 1

    models: int
    questions: int
    answers: int
    at_us: int

    @property
    def disclosure(self) -> Disclosure:
        """The page says so too."""
        return Disclosure.AT_ONCE


@dataclass(frozen=True, slots=True)
class ImportCompleted(EventBody):
    """Closes the additions of one import; only from here on the new content is drawn from."""

    KIND: ClassVar[str] = "import.completed"
    VERSION: ClassVar[int] = 1

    name: str
    format: str
    mode: Mode
    origin: str
    licence: str
    noncommercial: bool
    demo: bool
    models: int
    questions: int
    answers: int
    held: int
    at_us: int

    @property
    def disclosure(self) -> Disclosure:
        """Counts only."""
        return Disclosure.AT_ONCE


def new_event(event: ArenaEvent, *, event_id: str, stream: str, ruleset: str) -> NewEvent:
    """Return a catalogue event in the ledger's form.

    Args:
        event: what happened.
        event_id: its id in the log.
        stream: e.g. `CATALOGUE_STREAM`.
        ruleset: id of the rules it was made under.
    """
    return NewEvent(
        id=event_id,
        kind=event.KIND,
        version=event.VERSION,
        stream=stream,
        ruleset=ruleset,
        body=event.body(),
        disclosure=event.disclosure,
    )
