"""What a simulated month is made of, who comes to it, and what a ballot of it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from antiabuse import rules as antiabuse_rules
from antiabuse.utc import SECOND_US
from antiabuse.voter import VoterRow, VoterState
from ranking import lobster
from ranking.lobster import Floats

__all__ = ["DAY_US", "LIMITS", "START_US", "Ballot", "Memory", "Setting", "Visit"]

START_US: Final = 1_793_491_200 * SECOND_US  # 2026-11-01 00:00 UTC
DAY_US: Final = 86_400 * SECOND_US
GAP_POINTS: Final = 14.0
LIMITS: Final = antiabuse_rules.current()


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a month is made of; models stand `GAP_POINTS` apart on a board of all people.

    With `even_draw` all sets of four are as likely, as they are not in the arena.
    """

    mode: str
    ballots: int
    questions: int
    read_s: float
    models: int = 20
    fresh_reveals: int = LIMITS.fresh_reveals
    even_draw: bool = False

    def names(self) -> tuple[str, ...]:
        """Return the models' names, strongest first."""
        return tuple(f"m{place:02d}" for place in range(self.models))

    def worths(self, scale: float) -> Floats:
        """Return log-strengths as an average reader feels them, with mean 0."""
        places = np.arange(self.models)
        worth: Floats = scale * GAP_POINTS / lobster.POINTS_PER_NAT * (places.mean() - places)
        return worth


@dataclass(frozen=True, slots=True)
class Visit:
    """Who comes from where: numbers of voter, network and device; below 0 is unknown."""

    voter: int
    network: int
    device: int = -1


@dataclass(frozen=True, slots=True)
class Ballot:
    """An issued ballot."""

    question: int
    models: tuple[int, ...]
    issued_us: int


@dataclass(slots=True)
class Memory:
    """What the arena knows of a voter."""

    row: VoterRow
    keys: set[int] = field(default_factory=set)
    answers: set[int] = field(default_factory=set)
    last_skipped: int = -1

    def spend(
        self,
        state: VoterState,
        *,
        votes: int = 0,
        ballots: int = 0,
        skips: int = 0,
        now_us: int | None = None,
    ) -> None:
        """Count against the allowances of the day; `now_us` is when, for a vote."""
        self.row = VoterRow(
            id=self.row.id,
            created_us=self.row.created_us,
            day=state.day,
            votes=state.votes + votes,
            ballots=state.ballots + ballots,
            skips=state.skips + skips,
            last_vote_us=now_us or self.row.last_vote_us,
            banned_us=None,
            consent=None,
        )
