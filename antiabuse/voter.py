"""A voter as of one moment: what was used today, and what is still allowed. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from antiabuse.rules import AntiabuseRules
from antiabuse.utc import DAY_US, SECOND_US, ceil_seconds, day_left_s, day_of

Consent = Literal["yes", "no"]


@dataclass(frozen=True, slots=True)
class VoterRow:
    """The columns of table `voter` in order; its counters belong to `day`, which may be past."""

    id: str
    created_us: int
    day: str
    votes: int
    ballots: int
    skips: int
    last_vote_us: int | None
    banned_us: int | None
    consent: Consent | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VoterState:
    """What a voter has used and may still do today (UTC).

    Attributes:
        id: the voter id.
        day: today, `2026-11-30`.
        votes: accepted today.
        ballots: issued today.
        skips: made today.
        votes_left: still allowed today; likewise the other two.
        wait_s: whole seconds, rounded up, until a vote is allowed by the cooldown; 0 = now.
        day_left_s: whole seconds, rounded up, until the counters begin anew.
        banned: votes are refused.
        consent: to the fingerprint; None = never asked or answered.
    """

    id: str
    day: str
    votes: int
    ballots: int
    skips: int
    votes_left: int
    ballots_left: int
    skips_left: int
    wait_s: int
    day_left_s: int
    banned: bool
    consent: Consent | None


def voter_state(row: VoterRow, now_us: int, rules: AntiabuseRules) -> VoterState:
    """Return the state of a voter at a moment (microseconds UTC).

    Counters of a day gone by are 0. Those of the next day stay: a clock that was set back over
    midnight must not give a second quota. Those of any later day are 0 again, and nobody waits
    longer than two cooldowns, for a clock that ran ahead must not hold anybody up for days.
    """
    today = day_of(now_us)
    gone = not today <= row.day <= day_of(now_us + DAY_US)
    votes, ballots, skips = (0, 0, 0) if gone else (row.votes, row.ballots, row.skips)
    next_vote_us, cooldown_us = now_us, rules.cooldown_s * SECOND_US
    # A last vote further ahead than clocks differ was counted by a clock since set back.
    if row.last_vote_us is not None and row.last_vote_us <= now_us + cooldown_us:
        next_vote_us = row.last_vote_us + cooldown_us
    return VoterState(
        id=row.id,
        day=today if gone else row.day,
        votes=votes,
        ballots=ballots,
        skips=skips,
        votes_left=max(0, rules.daily_votes - votes),
        ballots_left=max(0, rules.daily_ballots - ballots),
        skips_left=max(0, rules.daily_skips - skips),
        wait_s=ceil_seconds(next_vote_us - now_us),
        day_left_s=day_left_s(now_us),
        banned=row.banned_us is not None,
        consent=row.consent,
    )
