"""Tests of one voter at fixed numbers of votes, against the fit without that voter (V-153, V-154).

The first votes are the first in the log, so that anyone can take the same look again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from antiabuse.detectors.agenda import model_agenda
from antiabuse.detectors.careless import careless
from antiabuse.detectors.deciding import deciding_for_one
from antiabuse.detectors.evidence import NO_PICK, VoterPicks
from antiabuse.detectors.favourite import favourite_model
from antiabuse.detectors.finding import Detector, Finding
from antiabuse.detectors.influence import Pull, influence
from antiabuse.detectors.rules import DetectorRules
from arena.flags import Look
from arena.sweep_votes import MonthVotes
from ranking import lobster
from ranking.leave_out import LeaveOut
from ranking.lobster import Choices, Fit, Floats

__all__ = ["AT_LOOKS", "LookTaker", "best_chances", "due_looks"]

AT_LOOKS: Final = (
    Detector.MODEL_AGENDA,
    Detector.FAVOURITE_MODEL,
    Detector.CARELESS,
    Detector.INFLUENCE,
)
_SEED_BYTES: Final = 8


def due_looks(
    votes: MonthVotes, detector: Detector, taken: frozenset[Look], rules: DetectorRules
) -> Iterator[tuple[int, int]]:
    """Yield voter and look for each number of votes that a voter reached without being looked at.

    Votes of weight 0 when cast do not count: they move nothing, and some were cast by people who
    knew the models' names.
    """
    weighing = votes.voter[votes.cast.votes["weight"] > 0]
    number = np.bincount(weighing, minlength=len(votes.names))
    further = {
        Detector.MODEL_AGENDA: rules.late_looks,
        Detector.FAVOURITE_MODEL: rules.favourite_looks,
    }
    looks = sorted({*rules.looks, *further.get(detector, ())})
    for voter in np.flatnonzero(number >= min(looks)).tolist():
        for look in looks:
            if number[voter] >= look and (detector.value, votes.names[voter], look) not in taken:
                yield voter, look


@dataclass(frozen=True, slots=True, eq=False)
class _Subject:
    """A voter, the strengths without their votes, and those votes."""

    picks: VoterPicks
    pulls: tuple[Pull, ...]


class LookTaker:
    """Takes looks at voters of a mode and month, each voter left out of the fit once."""

    def __init__(
        self,
        votes: MonthVotes,
        counted: Choices,
        fitted: Fit,
        basket: Sequence[str],
        rules: DetectorRules,
    ) -> None:
        """Take the votes, how they count on the board, and the fit of that."""
        self._votes = votes
        self._fitted = fitted
        self._rules = rules
        self._leave_out = LeaveOut(counted, fitted)
        self._basket = [fitted.models.index(slug) for slug in basket]
        rows = lobster.board(fitted, basket=basket or None).models
        errors = {row.model: row.score_se for row in rows}
        self._errors = [errors[model] for model in fitted.models]
        self._voters = _voters_of(counted)
        self._subjects: dict[int, _Subject] = {}

    def take(self, detector: Detector, voter: int, look: int) -> Finding | None:
        """Run one detector on a voter's first votes."""
        subject = self._subjects.get(voter)
        if subject is None:
            subject = self._subjects[voter] = self._subject(voter)
        tests: dict[Detector, Callable[[VoterPicks], Finding | None]] = {
            Detector.MODEL_AGENDA: lambda picks: _agenda(picks, look, self._rules),
            Detector.FAVOURITE_MODEL: lambda picks: favourite_model(picks, look, self._rules),
            Detector.CARELESS: lambda picks: careless(
                picks, look, self._rules, self._rng(picks.voter, look)
            ),
            Detector.INFLUENCE: lambda picks: influence(
                picks.voter, picks.votes, subject.pulls, look, self._rules
            ),
        }
        return tests[detector](_looked_at(subject.picks, look, self._rules))

    def _subject(self, voter: int) -> _Subject:
        mine: NDArray[np.bool_] = self._votes.voter == voter
        cluster = self._votes.now.votes["cluster"]
        # Accounts that are joined stand or fall together, so none may vouch for another.
        without = self._leave_out.without(cluster == cluster[mine.argmax()])
        shift = self._fitted.theta - without
        if self._basket:
            shift = shift - shift[self._basket].mean()
        pulls = tuple(
            Pull(
                model=model,
                points=float(points),
                error=float(self._errors[place]),
                voters=int(self._voters[place]),
            )
            for place, (model, points) in enumerate(
                zip(self._fitted.models, lobster.POINTS_PER_NAT * shift, strict=True)
            )
        )
        return _Subject(self._picks(voter, mine, without), pulls)

    def _picks(self, voter: int, mine: NDArray[np.bool_], theta: Floats) -> VoterPicks:
        cast = self._votes.cast.votes
        rows = np.flatnonzero(mine & (cast["weight"] > 0))
        return VoterPicks(
            voter=self._votes.names[voter],
            votes=tuple(self._votes.ids[row] for row in rows.tolist()),
            models=self._fitted.models,
            sets=cast["models"][rows].astype(np.int64),
            best=np.maximum(cast["best"][rows].astype(np.int64), NO_PICK),
            worst=cast["worst"][rows].astype(np.int64),
            chances=best_chances(theta, cast["models"][rows]),
        )

    def _rng(self, voter: str, look: int) -> np.random.Generator:
        """Return draws that are the same whenever this look is taken."""
        seed = hashlib.sha256(f"{voter} {look}".encode()).digest()[:_SEED_BYTES]
        return np.random.default_rng(int.from_bytes(seed))


def best_chances(theta: Floats, sets: NDArray[np.signedinteger]) -> Floats:
    """Chance (n, k) of each place of full sets to be picked best, by Plackett-Luce."""
    worth = theta[sets]
    odds = np.exp(worth - worth.max(axis=1, keepdims=True))
    made: Floats = odds / odds.sum(axis=1, keepdims=True)
    return made


def _looked_at(picks: VoterPicks, look: int, rules: DetectorRules) -> VoterPicks:
    """Return a voter's first votes, and of a late look those since the look before."""
    if look not in rules.late_looks:
        return picks.first(look)
    before = max(each for each in rules.looks + rules.late_looks if each < look)
    return picks.first(look).since(before)


def _agenda(picks: VoterPicks, look: int, rules: DetectorRules) -> Finding | None:
    """Return what both tests of agendas find, as one finding about the voter.

    A late look has a level of its own, and takes no weight: every taste shows in so many votes.
    """
    if look in rules.late_looks:
        rules = replace(rules, agenda_level=rules.agenda_late_level, discounting=())
    by_picks = model_agenda(picks, look, rules)
    by_verdict = deciding_for_one(picks, look, rules)
    if by_picks is None or by_verdict is None:
        return by_picks or by_verdict
    return replace(
        by_picks,
        votes=by_verdict.votes,
        numbers={**by_verdict.numbers, **by_picks.numbers},
        discounts=by_picks.discounts or by_verdict.discounts,
    )


def _voters_of(choices: Choices) -> NDArray[np.int64]:
    """(M,) voter clusters whose counted best picks showed each model."""
    counted = (choices.best >= 0) & (choices.weight > 0)
    size, sets = len(choices.models), choices.sets[counted].astype(np.int64)
    cell = choices.cluster[counted].astype(np.int64)[:, None] * size + sets
    return np.bincount(np.unique(cell) % size, minlength=size)
