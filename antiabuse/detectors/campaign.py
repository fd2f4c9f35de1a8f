"""Voters who together push one model, or hold it down, however honestly they vote otherwise.

A test of one voter weakens as others of the same will move the fit that it compares with. So voters
are a mixture: with a share π a voter picks the model wherever it is shown, with a chance, the zeal,
beside the model's own; all others pick it as its strength says. π and the strength are fitted
together (EM: Dempster, Laird and Rubin 1977). π = 0 is tested by the likelihood ratio, whose law
is half a chi-square of one degree of freedom (Self and Liang 1987).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from antiabuse.detectors.burst import TimedPicks
from antiabuse.detectors.evidence import NO_PICK, any_worst_chances
from antiabuse.detectors.finding import Detector, Finding, number_text
from antiabuse.detectors.rules import DetectorRules
from antiabuse.detectors.steps import step
from antiabuse.detectors.tails import Floats, Ints

__all__ = ["campaigns"]

Kind = Literal["best", "worst"]

# Natural logs by which the true strength may lie under the fit that a campaign has moved.
_STARTS: Final = (0.0, -1.0, -2.5)
_FIRST_SHARE: Final = 0.1
_LEAST_SHARE: Final = 1e-6
_TRIES: Final = 10  # steps after which the best start goes on alone
_STEPS: Final = 200
_SETTLED: Final = 1e-5  # natural logs, of a shift
_NEXT_TO_NOTHING: Final = 1e-3  # of a log-likelihood; the test needs ten and more
_PRIOR: Final = 0.5  # curvature that keeps the shift finite when nobody, or everybody, picks


@dataclass(frozen=True, slots=True, eq=False)
class _Showings:
    """Showings (r,) of one model: who saw it, whether it was picked, the log-odds by the fit.

    `saw` (V,) says who saw it at all.
    """

    voter: Ints
    picked: Floats
    log_odds: Floats
    saw: NDArray[np.bool_]

    def by_voter(self, chance: Floats) -> Floats:
        """Sum the log-likelihood of each voter's showings."""
        logs = np.log(np.where(self.picked > 0, chance, 1 - chance))
        made: Floats = np.bincount(self.voter, logs, len(self.saw)).astype(np.float64, copy=False)
        return made

    def chance(self, shift: float) -> Floats:
        """Return the chances (r,) after a shift of the model's strength."""
        made: Floats = 1 / (1 + np.exp(-(self.log_odds + shift)))
        return made

    def step(self, shift: float, weight: Floats) -> float:
        """Return a Newton step of the shift towards the picks, by weights (r,)."""
        chance = self.chance(shift)
        slope = float(weight @ (self.picked - chance)) - _PRIOR * shift
        bend = float(weight @ (chance * (1 - chance))) + _PRIOR
        return max(-1.0, min(1.0, slope / bend))


@dataclass(frozen=True, slots=True, eq=False)
class _Test:
    """A model and a pick: the votes (r,) that showed it, and these showings."""

    kind: Kind
    model: int
    rows: Ints
    showings: _Showings

    @property
    def saw(self) -> int:
        """Return how many voters were shown the model."""
        return int(self.showings.saw.sum())

    def without(self, voters: NDArray[np.bool_]) -> _Test:
        """Return the same without the votes of some voters (V,)."""
        showings = self.showings
        kept = ~voters[showings.voter]
        left = _Showings(
            showings.voter[kept],
            showings.picked[kept],
            showings.log_odds[kept],
            showings.saw & ~voters,
        )
        return _Test(self.kind, self.model, self.rows[kept], left)


@dataclass(frozen=True, slots=True, eq=False)
class _Mixture:
    """A fitted mixture: log-likelihood, share of those who push, shift of the model's strength.

    `pushes` (V,) is the chance of each voter to be one of them, 0 for who never saw the model.
    """

    log_likelihood: float
    share: float
    shift: float
    pushes: Floats


def campaigns(picks: TimedPicks, rules: DetectorRules) -> list[Finding]:
    """Report the voters who push a model, for each model and either pick that passes the test.

    The level is shared among all models, both picks and both zeals. The clearest comes first, and
    the others are tested without those it names: where a fleet never picks its model worst, all
    others seem to do so by agreement. Known members and suspected ones are findings of their own;
    the latter discount nothing, nor do those that only the lesser zeal shows.

    Args:
        picks: of the month.
        rules: thresholds.
    """
    names, voter = np.unique(np.array(picks.voters, dtype=object), return_inverse=True)
    tests = list(_tests(picks, voter, len(names), rules))
    zeals = (rules.campaign_zeal, rules.campaign_lesser_zeal)
    count = len(tests) * len(zeals)
    level = float(rules.campaign_level) / max(1, count)
    found, named = [], np.zeros(len(names), dtype=np.bool_)
    for zeal in zeals:
        left = [
            test for each in tests if (test := each.without(named)).saw >= rules.campaign_voters
        ]
        gains = [_gain(test.showings, zeal, rules)[0] for test in left]
        for place in np.argsort(gains)[::-1].tolist():
            if _p_value(gains[place]) > level:
                break
            test = left[place].without(named)
            if test.saw < rules.campaign_voters:
                continue
            gain, mixture = _gain(test.showings, zeal, rules)
            if _p_value(gain) > level:
                continue
            for members, named_from in _groups(mixture.pushes, rules):
                named[members] = True
                numbers = {
                    "kind": test.kind,
                    "model": picks.models[test.model],
                    "tests": str(count),
                    "zeal": str(zeal),
                    "keen": "yes" if zeal == rules.campaign_zeal else "no",
                    "share": number_text(mixture.share),
                    "gain": number_text(gain),
                    "members": str(len(members)),
                    "named_from": str(named_from),
                }
                votes = test.rows[np.isin(test.showings.voter, members)].tolist()
                subjects = sorted(str(names[member]) for member in members.tolist())
                found.append(_finding(picks, subjects, votes, gain, numbers, rules))
    return found


def _groups(pushes: Floats, rules: DetectorRules) -> Iterator[tuple[Ints, Decimal]]:
    """Yield known members and suspected ones, each with the chance from which they are named.

    Of ids with a single vote each none may be more than likely while the campaign is plain.
    """
    levels: tuple[Decimal, ...] = (rules.campaign_member, rules.campaign_suspect)
    if pushes.max(initial=0.0) < float(rules.campaign_suspect):
        levels = (rules.campaign_likely,)
    most = np.inf
    for level in levels:
        members = np.flatnonzero((pushes >= float(level)) & (pushes < most))
        most = float(level)
        if len(members):
            yield members, level


def _p_value(gain: float) -> float:
    return math.erfc(math.sqrt(max(0.0, gain) / 2)) / 2


def _finding(
    picks: TimedPicks,
    subjects: list[str],
    votes: list[int],
    gain: float,
    numbers: dict[str, str],
    rules: DetectorRules,
) -> Finding:
    tests, p = int(numbers["tests"]), _p_value(gain)
    sure = Decimal(numbers["named_from"]) >= rules.campaign_member
    keen = numbers["keen"] == "yes"
    strict = sure and keen and p <= float(rules.campaign_level_discount) / tests
    return Finding(
        detector=Detector.CAMPAIGN,
        subjects=tuple(subjects),
        votes=tuple(picks.votes[vote] for vote in votes),
        statistic=number_text(p),
        threshold=number_text(float(rules.campaign_level) / tests),
        p_value=number_text(p),
        look=step(len(votes), 1, strict=strict),
        numbers=numbers,
        discounts=strict and Detector.CAMPAIGN in rules.discounting,
    )


def _tests(picks: TimedPicks, voter: Ints, voters: int, rules: DetectorRules) -> Iterator[_Test]:
    """Yield the showings of each model for either pick, where enough voters saw it."""
    of_worst = any_worst_chances(picks.chances)
    of_kind: tuple[tuple[Kind, Ints, Floats], ...] = (
        ("best", picks.best, picks.chances),
        ("worst", picks.worst, of_worst),
    )
    for kind, picked, chances in of_kind:
        given = picked != NO_PICK
        for model in range(len(picks.models)):
            rows, slots = np.nonzero((picks.sets == model) & given[:, None])
            saw = np.bincount(voter[rows], minlength=voters) > 0
            if saw.sum() < rules.campaign_voters:
                continue
            chance = chances[rows, slots]
            hit = (picked[rows] == slots).astype(np.float64)
            odds = np.log(chance) - np.log1p(-chance)
            yield _Test(kind, model, rows, _Showings(voter[rows], hit, odds, saw))


def _gain(showings: _Showings, zeal: Decimal, rules: DetectorRules) -> tuple[float, _Mixture]:
    """Twice the log-likelihood that a share of pushing voters gains, and the best mixture."""
    keen, most = float(zeal), float(rules.campaign_most_share)
    everyone = np.ones(len(showings.picked))
    shift = 0.0
    for _ in range(_STEPS):
        step = showings.step(shift, everyone)
        shift += step
        if abs(step) < _SETTLED:
            break
    alone = float(showings.by_voter(showings.chance(shift)).sum())
    tried = [
        _climbed(
            showings, _expected(showings, shift + start, _FIRST_SHARE, keen), keen, most, _TRIES
        )
        for start in _STARTS
    ]
    best = max(tried, key=lambda mixture: mixture.log_likelihood)
    best = _climbed(showings, best, keen, most, _STEPS)
    return 2 * (best.log_likelihood - alone), best


def _climbed(
    showings: _Showings, found: _Mixture, zeal: float, most: float, steps: int
) -> _Mixture:
    """Improve a mixture by EM, until a step gains next to nothing; `most` is its largest share."""
    for _ in range(steps):
        share = min(most, max(_LEAST_SHARE, float(found.pushes[showings.saw].mean())))
        step = showings.step(found.shift, 1 - found.pushes[showings.voter])
        better = _expected(showings, found.shift + step, share, zeal)
        gained, found = better.log_likelihood - found.log_likelihood, better
        if abs(gained) < _NEXT_TO_NOTHING:
            break
    return found


def _expected(showings: _Showings, shift: float, share: float, zeal: float) -> _Mixture:
    """Return how likely each voter pushes, given share and shift."""
    chance = showings.chance(shift)
    honest = math.log1p(-share) + showings.by_voter(chance)
    pushing = math.log(share) + showings.by_voter(zeal + (1 - zeal) * chance)
    total = np.logaddexp(honest, pushing)
    pushes = np.where(showings.saw, np.exp(pushing - total), 0.0)
    return _Mixture(float(total[showings.saw].sum()), share, shift, pushes)
