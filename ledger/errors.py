"""What can go wrong in the ledger, as one small tree.

Every message says what to do; which status a page answers is decided in webapp/errors.py.
"""

from __future__ import annotations

__all__ = [
    "DatabaseBusy",
    "DatabaseFull",
    "DatabaseNotMigrated",
    "DatabaseUnavailable",
    "EntryTooLarge",
    "InvalidEvent",
    "InvalidNote",
    "InvalidProof",
    "LedgerError",
    "LogForked",
    "NotCanonical",
    "SequencerRaced",
    "SigningKeyUnusable",
]


class LedgerError(Exception):
    """Anything the ledger refuses or cannot do."""


class DatabaseBusy(LedgerError):
    """Another writer held the database for too long; trying again later may work."""


class DatabaseFull(LedgerError):
    """The disk or the database's quota is full; nothing of the transaction was stored."""


class DatabaseUnavailable(LedgerError):
    """The database cannot be reached, opened or read."""


class DatabaseNotMigrated(LedgerError):
    """The database's schema is not the one this code needs."""


class NotCanonical(LedgerError, ValueError):
    """A value has no canonical JSON form."""


class InvalidEvent(LedgerError, ValueError):
    """An event breaks the rules of the log."""


class EntryTooLarge(InvalidEvent):
    """An event's log entry would not fit its two-byte length."""


class InvalidNote(LedgerError, ValueError):
    """A signed note or checkpoint is malformed, or no known key signed it."""


class InvalidProof(LedgerError, ValueError):
    """A Merkle proof does not prove what it claims."""


class SigningKeyUnusable(LedgerError):
    """The signing key's file cannot be used as it is."""


class SequencerRaced(LedgerError):
    """Another sequencer moved the head meanwhile; nothing was stored, the next step goes on."""


class LogForked(LedgerError):
    """The database does not hold the tree that was signed last, so nothing may be signed."""
