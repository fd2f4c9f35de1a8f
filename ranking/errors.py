"""What the ranking room refuses. `lobster.py` keeps its own errors, because it must run alone."""

from __future__ import annotations


class RankingError(Exception):
    """Any refusal of this room outside `lobster.py`."""


class PoolTooSmallError(RankingError):
    """A set cannot be drawn: the pool has fewer models than the set has places."""


class ContradictoryVoteError(RankingError):
    """The verdict and the picks of a vote exclude each other."""
