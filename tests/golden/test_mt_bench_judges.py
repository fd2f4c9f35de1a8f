"""The user tests on 1,751 real votes of MT-bench's judges: honest people are left alone.

Expectations come from the votes of all others on the same pair of models.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from antiabuse.detectors import rules
from antiabuse.detectors.agenda import model_agenda
from antiabuse.detectors.careless import careless
from antiabuse.detectors.deciding import deciding_for_one
from antiabuse.detectors.evidence import NO_PICK, Showings, VoterPicks
from antiabuse.detectors.favourite import favourite_model
from antiabuse.detectors.finding import Finding
from antiabuse.detectors.tails import normal_bound
from antiabuse.detectors.tallies import Tally

RULES = rules.current()
FEWEST_VOTES = 10
OUTCOMES = ("model_a", "model_b", "tie")


@dataclass(frozen=True)
class Judge:
    """One judge's n votes on pairs: which outcome, and how often others chose each (n, 3)."""

    name: str
    models: tuple[str, ...]
    sets: NDArray[np.int64]
    outcome: NDArray[np.int64]
    others: NDArray[np.float64]

    def picks(self) -> VoterPicks:
        """The votes as the detectors take them; half a win is added to each side of the history."""
        wins = self.others[:, :2] + 0.5
        return VoterPicks(
            voter=self.name,
            votes=tuple(f"{self.name}-{row}" for row in range(len(self.outcome))),
            models=self.models,
            sets=self.sets,
            best=np.where(self.outcome == OUTCOMES.index("tie"), NO_PICK, self.outcome),
            worst=np.full(len(self.outcome), NO_PICK),
            chances=wins / wins.sum(axis=1, keepdims=True),
        )


@pytest.fixture(scope="module")
def judges(shared_data: Path) -> list[Judge]:
    """The judges with at least ten votes."""
    file = shared_data / "real" / "mt_bench" / "battles_human.json"
    battles = json.loads(file.read_text(encoding="utf-8"))
    models = tuple(sorted({battle[side] for battle in battles for side in ("model_a", "model_b")}))
    history: Counter[tuple[str, str, str]] = Counter()
    by_judge = defaultdict(list)
    for battle in battles:
        history[battle["model_a"], battle["model_b"], battle["winner"]] += 1
        by_judge[battle["judge"]].append(battle)
    made = []
    for name, votes in sorted(by_judge.items()):
        if len(votes) < FEWEST_VOTES:
            continue
        own = Counter((vote["model_a"], vote["model_b"], vote["winner"]) for vote in votes)
        pairs = [(vote["model_a"], vote["model_b"]) for vote in votes]
        made.append(
            Judge(
                name=name,
                models=models,
                sets=np.array([[models.index(a), models.index(b)] for a, b in pairs]),
                outcome=np.array([OUTCOMES.index(vote["winner"]) for vote in votes]),
                others=np.array(
                    [
                        [history[a, b, outcome] - own[a, b, outcome] for outcome in OUTCOMES]
                        for a, b in pairs
                    ],
                    dtype=np.float64,
                ),
            )
        )
    return made


def test_there_are_as_many_judges_as_in_the_source(judges: list[Judge]) -> None:
    """59 judges have ten votes or more."""
    assert len(judges) == 59


def test_the_signed_z_flags_no_honest_judge(judges: list[Judge]) -> None:
    """As first measured: a tie is half a win, level 0.1 % shared among all six models."""
    flagged = []
    for judge in judges:
        share = judge.others / judge.others.sum(axis=1, keepdims=True)
        worth = np.array([1.0, 0.0, 0.5])
        expected, result = share @ worth, worth[judge.outcome]
        variance = share @ worth**2 - expected**2
        showings = Showings(
            model=judge.sets.T.ravel(),
            result=np.concatenate([result, 1 - result]),
            expected=np.concatenate([expected, 1 - expected]),
            variance=np.concatenate([variance, variance]),
        )
        tally = Tally.of(showings, len(judge.models))
        z = np.abs(tally.z[tally.seen >= RULES.agenda_appearances])
        if z.max(initial=0) >= normal_bound(float(RULES.agenda_level) / len(judge.models)):
            flagged.append(judge.name)

    assert flagged == []


def test_the_detectors_of_agendas_flag_no_honest_judge(judges: list[Judge]) -> None:
    """On the votes with a winner, as the arena looks at its own votes."""
    found: list[Finding | None] = []
    for judge in judges:
        picks = judge.picks()
        look = len(picks.votes)
        found += [
            model_agenda(picks, look, RULES),
            deciding_for_one(picks, look, RULES),
            favourite_model(picks, look, RULES),
        ]

    assert [finding for finding in found if finding is not None] == []


def test_the_likelihood_test_flags_few_honest_judges(judges: list[Judge]) -> None:
    """About as many as first measured, 2 % of 59; experts differ a little from the crowd."""
    found = [
        careless(judge.picks(), len(judge.outcome), RULES, np.random.default_rng(place))
        for place, judge in enumerate(judges)
    ]

    assert sum(finding is not None for finding in found) <= 2


def test_a_judge_who_turns_to_one_model_is_found(judges: list[Judge]) -> None:
    """Judges who vote for a middling model wherever they meet it pass the same test."""
    flagged = tried = 0
    for judge in judges:
        picks = judge.picks()
        place = judge.models.index("vicuna-13b-v1.2")
        shown = picks.sets == place
        if shown.any(axis=1).sum() < 15:
            continue
        best = np.where(shown.any(axis=1), shown.argmax(axis=1), picks.best)
        bot = VoterPicks(
            voter=picks.voter,
            votes=picks.votes,
            models=picks.models,
            sets=picks.sets,
            best=best,
            worst=picks.worst,
            chances=picks.chances,
        )
        tried += 1
        flagged += model_agenda(bot, len(best), RULES) is not None

    assert tried >= 5
    assert flagged >= 0.7 * tried
