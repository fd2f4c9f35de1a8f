"""A month of honest voters only: the ground that every attack starts from."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

from antiabuse.sincerity import ClientValues
from antiabuse.utc import SECOND_US
from arena.votes import Choice
from bench.attacks.bots import Policy, Reader
from bench.attacks.month import Month
from bench.attacks.people import honest_values
from bench.attacks.real_votes import People
from bench.attacks.setting import DAY_US, LIMITS, START_US, Ballot, Setting, Visit

__all__ = ["HonestVoter", "honest_month", "honest_voters", "sit", "take_turn"]

DAYS: Final = 30
BETWEEN_S: Final = 12.0  # from a reveal to the next ballot
# Assumptions: some people sit behind one address, as at school; some devices look alike.
SHARES_NETWORK: Final = 0.1
NETWORK_SIZE: Final = 4
CONSENTS: Final = 0.4
DEVICE_KINDS: Final = 400


@dataclass(frozen=True, slots=True)
class HonestVoter:
    """An honest voter, what it votes by, and when each of its sessions begins, with its votes."""

    visit: Visit
    policy: Reader
    sessions: tuple[tuple[int, int], ...]


def honest_voters(
    setting: Setting,
    people: People,
    ballots: int,
    rng: random.Random,
    *,
    first: int = 0,
    days: int = DAYS,
) -> list[HonestVoter]:
    """Draw voters until their votes are as many as asked for; each has as many as a real judge.

    Their sessions fall on any of so many days.
    """
    voters: list[HonestVoter] = []
    left = ballots
    while left > 0:
        number = first + len(voters)
        count = min(left, rng.choice(people.votes))
        left -= count
        shared = rng.random() < SHARES_NETWORK
        network = 1_000_000 + number // NETWORK_SIZE if shared else number
        device = rng.randrange(DEVICE_KINDS) if rng.random() < CONSENTS else -1
        opinions = {name: rng.gauss(0.0, people.taste) for name in setting.names()}
        sessions = []
        while count > 0:
            today = min(count, LIMITS.daily_votes)
            day = rng.randrange(days)
            sessions.append((START_US + day * DAY_US + rng.randrange(DAY_US // 2), today))
            count -= today
        voters.append(
            HonestVoter(Visit(number, network, device), Reader(people, opinions), tuple(sessions))
        )
    return voters


def honest_month(
    setting: Setting,
    people: People,
    seed: int,
    *,
    month: Month | None = None,
    first: int = 0,
    days: int = DAYS,
) -> Month:
    """Simulate the honest ballots of a month, or add them to one that has begun.

    Args:
        setting: of the month.
        people: what voters are like.
        seed: of all chance.
        month: one that has begun.
        first: number of the first voter who comes.
        days: over which they come, from the month's first.
    """
    rng = random.Random(f"honest {setting.mode} {seed} {first}")
    month = month or Month(setting, setting.worths(people.scale), rng)
    voters = honest_voters(setting, people, setting.ballots, rng, first=first, days=days)
    sessions = [(*session, voter) for voter in voters for session in voter.sessions]
    for start_us, count, voter in sorted(sessions, key=lambda session: session[:2]):
        sit(month, voter.visit, voter.policy, start_us, count)
    month.refit()
    return month


def sit(month: Month, visit: Visit, policy: Policy, start_us: int, votes: int) -> int:
    """Let a voter vote so often from a moment on; return the moment after."""
    now_us, done = start_us, 0
    while done < votes:
        ballot = month.issue(visit, now_us)
        if ballot is None:
            break
        client, waited_s = honest_values(month.setting.read_s, month.rng)
        voted, now_us = take_turn(month, visit, policy, ballot, (client, waited_s))
        done += voted
    return now_us


def take_turn(
    month: Month,
    visit: Visit,
    policy: Policy,
    ballot: Ballot,
    read: tuple[ClientValues, float],
) -> tuple[bool, int]:
    """Vote on a ballot or skip it; return whether it was a vote, and the moment after."""
    shown = month.shown(ballot)
    choice: Choice | None = policy.choose(shown, month.rng)
    client, waited_s = read
    now_us = ballot.issued_us + round(waited_s * SECOND_US)
    if choice is None:
        month.skip(visit, ballot, now_us)
        return False, now_us
    # Who votes too early waits and sends the same form again.
    wait_s = max(0.0, LIMITS.cooldown_s - waited_s - BETWEEN_S)
    now_us += round(wait_s * SECOND_US)
    if not month.cast(visit, ballot, choice, client, now_us):
        return False, now_us
    policy.learn(shown)
    return True, now_us + round(BETWEEN_S * SECOND_US)
