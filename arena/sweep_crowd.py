"""Tests of many voters together, and of single days: what the sweep does beside its looks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Final

import numpy as np
from numpy.typing import NDArray

from antiabuse.detectors.answers import KnownVote, repeated_questions, seen_answers
from antiabuse.detectors.burst import TimedPicks, bursts
from antiabuse.detectors.campaign import campaigns
from antiabuse.detectors.dwell import fast_dwell
from antiabuse.detectors.evidence import NO_PICK
from antiabuse.detectors.finding import Finding
from antiabuse.detectors.identical import identical_ballots
from antiabuse.detectors.labels import repetitive_labels
from antiabuse.detectors.meetings import SharedPicks
from antiabuse.detectors.rules import DetectorRules
from antiabuse.detectors.shared import shared_addresses, shared_devices
from arena.events import Mode
from arena.sweep_looks import best_chances
from arena.sweep_votes import MonthVotes, Sightings
from ranking.lobster import Floats

__all__ = [
    "common_causes",
    "equal_pairs",
    "fast_days",
    "known_questions",
    "label_runs",
    "shared_addresses_of",
    "shared_devices_of",
    "told_answers",
    "waves",
]

_LABELS: Final = 4
_NEWEST_US: Final = 2**63 - 1


def label_runs(votes: MonthVotes, rules: DetectorRules) -> list[Finding]:
    """Look at every voter's labels, of votes of any weight."""
    found = []
    best = np.maximum(votes.cast.votes["best"].astype(np.int64), NO_PICK)
    for voter, logged in _by(votes.voter):
        if len(logged) >= rules.label_run:
            rows = votes.as_cast(logged)
            ids = [votes.ids[row] for row in rows.tolist()]
            run = repetitive_labels(votes.names[voter], ids, best[rows].tolist(), _LABELS, rules)
            found += [run] if run else []
    return found


def known_questions(votes: MonthVotes, month: str) -> list[Finding]:
    """Look at voters, after joining, who voted on a question more than once."""
    cluster = votes.now.votes["cluster"].astype(np.int64)
    cell = cluster * (int(votes.question.max(initial=0)) + 1) + votes.question
    _, first = np.unique(cell, return_index=True)
    again = np.ones(len(cell), dtype=np.bool_)
    again[first] = False
    found = []
    for rows in _clusters(cluster, set(cluster[again].tolist())):
        found += repeated_questions(_known(votes, month, rows))
    return found


def told_answers(votes: MonthVotes, month: str) -> list[Finding]:
    """Look at the votes of joined voters on answers that one of the others had been told."""
    cluster = votes.now.votes["cluster"].astype(np.int64)
    pairs = np.unique(np.column_stack([cluster, votes.voter]), axis=0)
    members = np.bincount(pairs[:, 0])
    found = []
    for rows in _clusters(cluster, set(np.flatnonzero(members > 1).tolist())):
        found += seen_answers(_known(votes, month, rows))
    return found


def equal_pairs(votes: MonthVotes, theta: Floats, rules: DetectorRules) -> list[Finding]:
    """Look at all pairs of voters for equal picks; of a voter's votes on a question, the first."""
    rows = _weighing(votes)
    cell = votes.voter[rows] * (int(votes.question.max(initial=0)) + 1) + votes.question[rows]
    rows = rows[np.sort(np.unique(cell, return_index=True)[1])]
    cast = votes.cast.votes
    picks = SharedPicks(
        votes=tuple(votes.ids[row] for row in rows.tolist()),
        voters=tuple(votes.names),
        voter=votes.voter[rows],
        question=votes.question[rows],
        sets=cast["models"][rows].astype(np.int64),
        best=cast["best"][rows].astype(np.int64),
        chances=best_chances(theta, cast["models"][rows]),
    )
    return identical_ballots(picks, rules)


def waves(
    votes: MonthVotes, days: Collection[str], theta: Floats, rules: DetectorRules
) -> list[Finding]:
    """Look at the windows of some days for a wave of picks of one model."""
    rows = _weighing(votes)
    there = np.isin(votes.days(rows), [int(day[-2:]) for day in days])
    return bursts(_timed(votes, rows[there], theta), rules)


def common_causes(
    votes: MonthVotes, told: Mapping[str, int], theta: Floats, rules: DetectorRules
) -> list[Finding]:
    """Look for voters who together push a model, and report what was not told of one of them yet.

    Joined voters are judged as one, and named together: a campaign of ids with a few votes each
    shows once they are joined.

    Args:
        votes: of the month.
        told: by voter of a campaign that was reported already, the last step of its evidence.
        theta: log-strengths of the fit of all votes.
        rules: thresholds.
    """
    rows = _weighing(votes)
    clusters = votes.now.names["clusters"]
    number = votes.now.votes["cluster"][rows].tolist()
    members: dict[str, set[str]] = defaultdict(set)
    for cluster, voter in zip(number, votes.voter[rows].tolist(), strict=True):
        members[clusters[cluster]].add(votes.names[voter])
    picks = _timed(votes, rows, theta)
    found = []
    for each in campaigns(
        replace(picks, voters=tuple(clusters[cluster] for cluster in number)), rules
    ):
        named = tuple(sorted({name for cluster in each.subjects for name in members[cluster]}))
        if any(told.get(name, -1) < each.look for name in named):
            numbers = {**each.numbers, "members": str(len(named))}
            found.append(replace(each, subjects=named, numbers=numbers))
    return found


def _timed(votes: MonthVotes, rows: NDArray[np.int64], theta: Floats) -> TimedPicks:
    cast = votes.cast.votes
    return TimedPicks(
        votes=tuple(votes.ids[row] for row in rows.tolist()),
        voters=tuple(votes.names[voter] for voter in votes.voter[rows].tolist()),
        hour=votes.hour[rows],
        models=tuple(votes.cast.names["models"]),
        sets=cast["models"][rows].astype(np.int64),
        best=cast["best"][rows].astype(np.int64),
        worst=cast["worst"][rows].astype(np.int64),
        chances=best_chances(theta, cast["models"][rows]),
    )


def fast_days(sightings: Sightings, mode: Mode, rules: DetectorRules) -> list[Finding]:
    """Look at each voter's days for fast votes, counted over both modes."""
    of_day: dict[tuple[str, str], list[tuple[str, Decimal | None]]] = defaultdict(list)
    for at in sightings.seen:
        of_day[at.voter, at.day].append((at.vote, sightings.dwell[at.vote]))
    found = [fast_dwell(voter, day, votes, rules) for (voter, day), votes in of_day.items()]
    return _in_mode([finding for finding in found if finding], sightings, mode)


def shared_devices_of(
    sightings: Sightings, mode: Mode, named: Collection[str], rules: DetectorRules
) -> list[Finding]:
    """Look at each day's devices for too many voters, counted over both modes.

    Args:
        sightings: of the days.
        mode: whose votes are told.
        named: voters whom flags about these days name already; they count as the newest, so that
            the others are told as well, and no more of them than there are too many.
        rules: thresholds.
    """
    joined = sightings.joined | dict.fromkeys(named, _NEWEST_US)
    return _in_mode(shared_devices(sightings.seen, joined, rules), sightings, mode)


def shared_addresses_of(sightings: Sightings, mode: Mode, rules: DetectorRules) -> list[Finding]:
    """Look at each day's addresses for too many voters, counted over both modes."""
    return _in_mode(shared_addresses(sightings.seen, rules), sightings, mode)


def _in_mode(findings: list[Finding], sightings: Sightings, mode: Mode) -> list[Finding]:
    """Keep of each finding the votes of one mode; the sweep of the other raises the others."""
    made = []
    for finding in findings:
        votes = tuple(vote for vote in finding.votes if sightings.modes[vote] == mode)
        if votes:
            made.append(replace(finding, votes=votes))
    return made


def _weighing(votes: MonthVotes) -> NDArray[np.int64]:
    """Places of the votes with a best pick that weighed something when cast."""
    cast = votes.cast.votes
    return np.flatnonzero((cast["weight"] > 0) & (cast["best"] >= 0))


def _by(number: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield each number with its places, in rising order."""
    order = np.argsort(number, kind="stable")
    edges = np.flatnonzero(np.diff(number[order])) + 1
    for rows in np.split(order, edges):
        if len(rows):
            yield int(number[rows[0]]), rows


def _clusters(cluster: NDArray[np.int64], wanted: set[int]) -> Iterator[NDArray[np.int64]]:
    """Yield the places of the votes of some clusters."""
    if wanted:
        yield from (rows for name, rows in _by(cluster) if name in wanted)


def _known(votes: MonthVotes, month: str, rows: NDArray[np.int64]) -> Iterator[KnownVote]:
    """Yield a cluster's votes in the order of casting."""
    answers, rows = votes.cast.votes["answers"], votes.as_cast(rows)
    for row, day in zip(rows.tolist(), votes.days(rows).tolist(), strict=True):
        yield KnownVote(
            vote=votes.ids[row],
            voter=votes.names[votes.voter[row]],
            day=f"{month}-{day:02d}",
            question=int(votes.question[row]),
            answers=answers[row].tolist(),
        )
