"""Two voters who pick alike on the questions that both saw, far more often than taste explains.

Two best picks agree when they are the same model's answer. Some answers are plainly best, so
honest voters agree more than strengths say: the odds of agreeing are scaled so that all pairs
together agree as often as they do. A pair's number of agreements then has an exact tail
(Poisson-binomial), and the level is shared among all pairs compared (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from antiabuse.detectors.finding import Detector, Finding, number_text
from antiabuse.detectors.meetings import Meetings, SharedPicks, meetings, scale_of, scaled
from antiabuse.detectors.rules import DetectorRules
from antiabuse.detectors.steps import step
from antiabuse.detectors.tails import SCREEN_SD, Ints, count_tails

__all__ = ["identical_ballots"]


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two voters who agreed often: votes on the same picks, and how likely so many are."""

    voters: tuple[str, str]
    votes: tuple[str, ...]
    questions: int
    agreed: int
    expected: float
    sd: float
    p: float


def identical_ballots(picks: SharedPicks, rules: DetectorRules) -> list[Finding]:
    """Report pairs of voters whose best picks agree too often to be made apart.

    Args:
        picks: of the month; the voters with the most votes are compared, up to `pair_voters`.
        rules: thresholds.
    """
    kept = _compared(picks, rules)
    scale = scale_of(meetings(picks, kept))
    pairs: list[_Pair] = []
    tests = 0
    for block in meetings(picks, kept):
        _, place, shared = np.unique(block.pair, return_inverse=True, return_counts=True)
        tests += int((shared >= rules.pair_questions).sum())
        pairs += _likely(picks, block, place, scale, rules)
    level = float(rules.pair_level) / max(1, tests)
    return [_finding(pair, tests, rules) for pair in pairs if pair.p <= level]


def _compared(picks: SharedPicks, rules: DetectorRules) -> Ints:
    """Places of the votes of those who have enough for a pair, and the most."""
    votes = np.bincount(picks.voter, minlength=len(picks.voters))
    busiest = np.argsort(-votes, kind="stable")[: rules.pair_voters]
    chosen = np.zeros(len(votes), dtype=np.bool_)
    chosen[busiest] = votes[busiest] >= rules.pair_questions
    return np.flatnonzero(chosen[picks.voter])


def _likely(
    picks: SharedPicks, block: Meetings, place: Ints, scale: float, rules: DetectorRules
) -> Iterator[_Pair]:
    """Yield the pairs of a block that agree well above expectation, with their exact tail."""
    chance = scaled(block.chance, scale)
    shared, agreed = np.bincount(place), np.bincount(place, block.agree)
    expected = np.bincount(place, chance)
    sd = np.sqrt(np.bincount(place, chance * (1 - chance)))
    above = (shared >= rules.pair_questions) & (agreed - expected > SCREEN_SD * sd)
    for pair in np.flatnonzero(above).tolist():
        rows = np.flatnonzero(place == pair)
        alike = rows[block.agree[rows] > 0]
        votes = np.concatenate([block.first[alike], block.second[alike]]).tolist()
        yield _Pair(
            voters=(
                picks.voters[picks.voter[block.first[rows[0]]]],
                picks.voters[picks.voter[block.second[rows[0]]]],
            ),
            votes=tuple(sorted(picks.votes[vote] for vote in votes)),
            questions=len(rows),
            agreed=len(alike),
            expected=float(expected[pair]),
            sd=float(sd[pair]),
            p=count_tails(chance[rows], len(alike))[1],
        )


def _finding(pair: _Pair, tests: int, rules: DetectorRules) -> Finding:
    strict = pair.p <= float(rules.pair_level_discount) / tests
    return Finding(
        detector=Detector.IDENTICAL_BALLOTS,
        subjects=tuple(sorted(pair.voters)),
        votes=pair.votes,
        statistic=number_text(pair.p),
        threshold=number_text(float(rules.pair_level) / tests),
        p_value=number_text(pair.p),
        look=step(pair.questions, rules.pair_questions, strict=strict),
        numbers={
            "questions": str(pair.questions),
            "agreed": str(pair.agreed),
            "expected": number_text(pair.expected),
            "sd": number_text(pair.sd),
            "tests": str(tests),
        },
        discounts=strict and Detector.IDENTICAL_BALLOTS in rules.discounting,
    )
