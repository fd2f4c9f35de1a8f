"""What can go wrong in the arena; mapped to a status or an exit code only in webapp/."""

from __future__ import annotations

__all__ = [
    "AlreadyDecided",
    "AlreadyJoined",
    "AlreadyStruck",
    "ArenaError",
    "CatalogueConflict",
    "ClosedMonth",
    "DeviceAlone",
    "DisputeRefused",
    "ImportRefused",
    "NotArchived",
    "NotJoined",
    "NotStruck",
    "NothingToShow",
    "SeveralMonths",
    "UnknownAnswer",
    "UnknownArenaEvent",
    "UnknownCase",
    "UnknownCode",
    "UnknownDecision",
    "UnknownFormat",
    "UnknownVote",
]


class ArenaError(Exception):
    """Base of all errors that the arena raises on purpose; the text says what to do."""


class ImportRefused(ArenaError):
    """An import holds errors, or is not allowed now; nothing was stored."""


class UnknownCode(ArenaError):
    """A reason, mode or slot that is not on the list."""


class UnknownDecision(ArenaError):
    """No decision about votes has this id."""


class UnknownFormat(ImportRefused):
    """The file or folder is none of the formats that can be imported."""


class CatalogueConflict(ArenaError):
    """The catalogue changed between reading and writing; the same command may be run again."""


class NothingToShow(ArenaError):
    """No ballot can be made: fewer than four models have showable answers to any one question."""


class UnknownAnswer(ArenaError):
    """No answer has this id, or it is not in a state that allows the step."""


class UnknownArenaEvent(ArenaError):
    """The log holds an arena event of a kind or version this program cannot project."""


class UnknownVote(ArenaError):
    """A decision names no vote, or one that there is not."""


class ClosedMonth(ArenaError):
    """A decision is about votes of a month that is closed."""


class SeveralMonths(ArenaError):
    """A decision is about votes of more than one month."""


class AlreadyStruck(ArenaError):
    """A vote that is to be struck does not count already."""


class NotStruck(ArenaError):
    """A vote that is to be restored counts."""


class AlreadyJoined(ArenaError):
    """Voters that are to be joined are one cluster already."""


class NotJoined(ArenaError):
    """Voters that are to be parted are in no cluster, or not in one and the same."""


class UnknownCase(ArenaError):
    """No flag, answer, dispute, vote or voter has this name."""


class AlreadyDecided(ArenaError):
    """The case was decided meanwhile; nothing was stored."""


class DeviceAlone(ArenaError):
    """A ban, or a joining with somebody banned, that rests on a shared device alone."""


class DisputeRefused(ArenaError):
    """A step in a dispute is not possible.

    Attributes:
        reason: `not_yours`, `already_open`, `empty`, `over_long`, `too_many`, `too_late`,
            `month_over`, `not_rechecked`, `by_rule` or `counts_already`.
    """

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


class NotArchived(ArenaError):
    """A month's rows are asked for whose archive is not out."""
