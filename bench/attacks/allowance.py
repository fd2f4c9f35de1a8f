"""What a voter may still do today, with what the ids joined to it have used (V-152)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from antiabuse.voter import VoterState, voter_state
from bench.attacks.setting import LIMITS, Memory

__all__ = ["together"]


def together(
    own: VoterState, clusters: Mapping[int, int], memories: Mapping[int, Memory], now_us: int
) -> VoterState:
    """Return a voter's state with the allowances of a day shared by its cluster.

    Args:
        own: the voter alone.
        clusters: the cluster of each voter that is joined to others.
        memories: of the voters who have come, by number.
        now_us: the moment, microseconds UTC.
    """
    mine = clusters.get(int(own.id))
    if mine is None:
        return own
    voters = [voter for voter, cluster in clusters.items() if cluster == mine]
    members = [memories[voter] for voter in voters if voter in memories]
    states = [voter_state(member.row, now_us, LIMITS) for member in members]
    votes, ballots, skips = (
        sum(getattr(state, name) for state in states) for name in ("votes", "ballots", "skips")
    )
    return replace(
        own,
        votes_left=max(0, LIMITS.daily_votes - votes),
        ballots_left=max(0, LIMITS.daily_ballots - ballots),
        skips_left=max(0, LIMITS.daily_skips - skips),
    )
