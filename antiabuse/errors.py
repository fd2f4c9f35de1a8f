"""What may go wrong in this room; the face alone maps these to a status."""

from __future__ import annotations


class AntiabuseError(Exception):
    """Root of all errors of this room."""


class BadIdentity(AntiabuseError):
    """The voter cookie was not issued by this server, or was altered."""


class BadToken(AntiabuseError):
    """The ballot token is malformed, was altered, or was not signed by this server."""


class BadAddress(AntiabuseError):
    """Neither the connection nor a trusted proxy gives a network address."""


class UnknownVoter(AntiabuseError):
    """The voter has no row: `quotas.register` comes first."""


class DigestKeyUnusable(AntiabuseError):
    """The key of a day or month cannot be read or made; what needs it is left out."""


class ClockAhead(AntiabuseError):
    """The clock stands so far ahead of the last erasing that it may be wrong: nothing is erased."""
