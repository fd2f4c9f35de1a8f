"""Signed per-model z: who picks a model best, or worst, more or less often than all others (V-153).

A result is 1 for a best pick, else 0, also after "About the same" and "Both bad". The fit knows the
chance of a best pick given that there is one; times the voter's own share of votes with one, it is
the chance of the result, whatever habits the voter has. Worst picks are compared likewise with the
chance whatever the best pick is, times the voter's share of votes with one. Given the best pick the
chance would be larger just where somebody never picks the model best: never best and always worst
is one agenda, and is to count in full. The normal law is poor for rare picks, so the exact tail
(Poisson-binomial) must pass the same level, which only takes false alarms away.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from antiabuse.detectors.evidence import NO_PICK, Showings, VoterPicks, any_worst_chances
from antiabuse.detectors.finding import Detector, Finding, number_text
from antiabuse.detectors.rules import DetectorRules
from antiabuse.detectors.tails import Floats, Ints, normal_bound
from antiabuse.detectors.tallies import Tally, exact_p

__all__ = ["model_agenda"]

Kind = Literal["best", "worst"]


@dataclass(frozen=True, slots=True, eq=False)
class _Statistic:
    """One of the two statistics over all models; `tested` are those seen often enough."""

    kind: Kind
    showings: Showings
    tally: Tally
    tested: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Hit:
    """A model whose z passes; `z` is above 0 where the voter favours it."""

    statistic: _Statistic
    model: int
    z: float
    p: float


def model_agenda(picks: VoterPicks, look: int, rules: DetectorRules) -> Finding | None:
    """Report a voter whose picks favour or disfavour a model beyond chance.

    Args:
        picks: the voter's votes, exactly those of the look.
        look: as in `Finding`.
        rules: thresholds.
    """
    statistics = (_best(picks, rules), _worst(picks, rules))
    tests = sum(len(statistic.tested) for statistic in statistics)
    hits = sorted(_hits(statistics, float(rules.agenda_level), tests), key=lambda hit: hit.p)
    if not hits:
        return None
    first = hits[0]
    strict = list(_hits(statistics, float(rules.agenda_level_discount), tests))
    numbers = {
        "kind": first.statistic.kind,
        "model": picks.models[first.model],
        "tests": str(tests),
        "level": number_text(float(rules.agenda_level) / tests),
    }
    for statistic in statistics:
        numbers |= statistic.tally.numbers(statistic.kind, picks.models, statistic.tested)
    return Finding(
        detector=Detector.MODEL_AGENDA,
        subjects=(picks.voter,),
        votes=picks.showing([hit.model for hit in hits]).votes,
        statistic=number_text(first.z),
        threshold=number_text(normal_bound(float(rules.agenda_level) / tests)),
        p_value=number_text(first.p),
        look=look,
        numbers=numbers,
        discounts=bool(strict) and Detector.MODEL_AGENDA in rules.discounting,
    )


def _best(picks: VoterPicks, rules: DetectorRules) -> _Statistic:
    return _statistic("best", picks, picks.best, picks.chances, rules)


def _worst(picks: VoterPicks, rules: DetectorRules) -> _Statistic:
    return _statistic("worst", picks, picks.worst, any_worst_chances(picks.chances), rules)


def _share(picked: Ints) -> float:
    """Share of votes with a pick."""
    return float((picked != NO_PICK).mean()) if len(picked) else 0.0


def _statistic(
    kind: Kind, picks: VoterPicks, picked: Ints, chances: Floats, rules: DetectorRules
) -> _Statistic:
    showings = Showings.of_picks(picks.sets, picked, chances * _share(picked))
    tally = Tally.of(showings, len(picks.models))
    enough = (tally.seen >= rules.agenda_appearances) & (tally.sd > 0)
    return _Statistic(kind, showings, tally, tuple(np.flatnonzero(enough).tolist()))


def _hits(statistics: tuple[_Statistic, ...], level: float, tests: int) -> Iterator[_Hit]:
    """Yield the models that pass a level shared among all tests (Bonferroni)."""
    if tests == 0:
        return
    bound = normal_bound(level / tests)
    for statistic in statistics:
        z = statistic.tally.z
        for model in statistic.tested:
            if abs(z[model]) >= bound:
                p = exact_p(statistic.showings, model)
                if p <= level / tests:
                    # A worst pick counts -1, so picking a model worst too often disfavours it.
                    sign = -1 if statistic.kind == "worst" else 1
                    yield _Hit(statistic, model, sign * float(z[model]), p)
