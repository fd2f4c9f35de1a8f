"""The arena's tests of voters beside two published ones, on real votes of judges and on bots.

`python -m bench.voter_tests FILE` takes pairwise battles (`model_a`, `model_b`, `winner`, `judge`).
Every judge with ten votes is tested against the votes of all others on the same pairs; bots vote
on pairs drawn from the file, honestly where their model is not shown.
"""

from __future__ import annotations

import json
import math
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from antiabuse.detectors import rules as detector_rules
from antiabuse.detectors.agenda import model_agenda
from antiabuse.detectors.careless import careless
from antiabuse.detectors.evidence import NO_PICK, VoterPicks

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEVEL: Final = 0.05
FEWEST: Final = 10
BOTS: Final = 200
OUTCOMES: Final = ("model_a", "model_b", "tie")
WORTH: Final = np.array([1.0, 0.0, 0.5])  # of an outcome for the first model
_FISHER_LOOKS: Final = 5
_PRODUCT_FEWEST: Final = 5
_PRODUCT_MOST: Final = 100


@dataclass(frozen=True, eq=False)
class Sheet:
    """One voter's n votes: models (n, 2), outcome (n,), and others' outcomes on the pair (n, 3)."""

    sets: Ints
    outcome: Ints
    others: Floats


@dataclass(frozen=True, eq=False)
class Battles:
    """All votes by place of judge, pair and outcome, models by strength, strongest first."""

    models: tuple[str, ...]
    judge: Ints
    sets: Ints
    outcome: Ints

    def history(self, pairs: Ints) -> Floats:
        """Count the outcomes (n, 3) of all votes on some pairs."""
        size = len(self.models)
        table = np.zeros((size * size, len(OUTCOMES)))
        np.add.at(table, (self.sets[:, 0] * size + self.sets[:, 1], self.outcome), 1)
        made: Floats = table[pairs[:, 0] * size + pairs[:, 1]]
        return made

    def sheets(self) -> list[Sheet]:
        """Return the judges with enough votes, each against all others."""
        made = []
        for judge in range(int(self.judge.max()) + 1):
            mine = np.flatnonzero(self.judge == judge)
            if len(mine) >= FEWEST:
                own = Battles(self.models, self.judge[mine], self.sets[mine], self.outcome[mine])
                others = self.history(own.sets) - own.history(own.sets)
                made.append(Sheet(own.sets, own.outcome, others))
        return made

    def bot(self, votes: int, model: int | None, push: int, rng: np.random.Generator) -> Sheet:
        """Return a voter who draws others' outcomes, but for one model; None picks blindly."""
        pairs = self.sets[rng.integers(0, len(self.sets), votes)]
        others = self.history(pairs)
        share = others / others.sum(axis=1, keepdims=True)
        outcome = (rng.random((votes, 1)) > np.cumsum(share, axis=1)).sum(axis=1)
        if model is None:
            outcome = rng.integers(0, len(OUTCOMES), votes)
        for side in range(2):
            shown = pairs[:, side] == (-1 if model is None else model)
            outcome = np.where(shown, side if push > 0 else 1 - side, outcome)
        return Sheet(pairs, outcome, others)


def read(path: Path) -> Battles:
    """Read battles; models are put in the order of their share of wins."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    won: dict[str, float] = defaultdict(float)
    shown: dict[str, int] = defaultdict(int)
    for row in rows:
        worth = float(WORTH[OUTCOMES.index(row["winner"])])
        for side, value in (("model_a", worth), ("model_b", 1 - worth)):
            won[row[side]] += value
            shown[row[side]] += 1
    models = tuple(sorted(shown, key=lambda model: -won[model] / shown[model]))
    judges = sorted({row["judge"] for row in rows})
    return Battles(
        models=models,
        judge=np.array([judges.index(row["judge"]) for row in rows]),
        sets=np.array(
            [[models.index(row["model_a"]), models.index(row["model_b"])] for row in rows]
        ),
        outcome=np.array([OUTCOMES.index(row["winner"]) for row in rows]),
    )


def fisher(sheet: Sheet, rng: np.random.Generator) -> bool:
    """Chiang et al. 2024: Fisher's -2 Σ ln p at five random points, which share the level."""
    worths = WORTH
    worth = worths[sheet.outcome]
    as_high = np.where(worths >= worth[:, None], sheet.others, 0.0).sum(axis=1)
    p = (1 + as_high) / (sheet.others.sum(axis=1) + 1)
    sums = np.cumsum(-2 * np.log(p))
    looks = rng.choice(len(sums), min(_FISHER_LOOKS, len(sums)), replace=False)
    return any(chi_square_tail(float(sums[j]), j + 1) <= LEVEL / _FISHER_LOOKS for j in looks)


def chi_square_tail(value: float, half: int) -> float:
    """P(chi-square of 2 · half degrees of freedom >= value): the Poisson law's lower tail."""
    if value <= 0:
        return 1.0
    terms = [-value / 2 + k * math.log(value / 2) - math.lgamma(k + 1) for k in range(half)]
    return math.fsum(map(math.exp, terms))


def product_rule(sheet: Sheet, _rng: np.random.Generator) -> bool:
    """The rule of FastChat's code: the product of 1 / (2p), each way, against 1 / level.

    The history holds the voter's own votes and no ties, but a tie of the voter is compared with it;
    where nothing in it is as far out, p is 0 and the voter flagged at once.
    """
    if len(sheet.outcome) < _PRODUCT_FEWEST:
        return False
    worths = WORTH
    worth = worths[sheet.outcome[:_PRODUCT_MOST]]
    history = sheet.others[:_PRODUCT_MOST].copy()
    for row in range(len(worth)):
        same = (sheet.sets == sheet.sets[row]).all(axis=1)
        history[row] += np.bincount(sheet.outcome[same], minlength=len(OUTCOMES))
    decided = np.where(worths == worths[-1], 0.0, history)
    total = decided.sum(axis=1)
    for beyond in (worths >= worth[:, None], worths <= worth[:, None]):
        p = np.where(beyond, decided, 0.0).sum(axis=1) / total
        if (p == 0).any() or -np.log(2 * p).sum() >= -math.log(LEVEL):
            return True
    return False


def as_picks(sheet: Sheet, models: Sequence[str]) -> VoterPicks:
    """Return a sheet as the arena's tests take it; half a win is added to each side of history."""
    wins = sheet.others[:, :2] + 0.5
    return VoterPicks(
        voter="v",
        votes=tuple(str(row) for row in range(len(sheet.outcome))),
        models=tuple(models),
        sets=sheet.sets,
        best=np.where(sheet.outcome == OUTCOMES.index("tie"), NO_PICK, sheet.outcome),
        worst=np.full(len(sheet.outcome), NO_PICK),
        chances=wins / wins.sum(axis=1, keepdims=True),
    )


def main(arguments: Sequence[str]) -> None:
    """Print the share of each kind of voter that each test flags."""
    battles = read(Path(arguments[0]))
    rng = np.random.default_rng(1)
    rules = detector_rules.current()
    tests: dict[str, Callable[[Sheet, np.random.Generator], bool]] = {
        "Fisher, as published, 5 %": fisher,
        "product rule, 5 %": product_rule,
        "careless, 1 %": lambda sheet, rng: (
            careless(as_picks(sheet, battles.models), 0, rules, rng) is not None
        ),
        "model agenda, 0.1 %": lambda sheet, _rng: (
            model_agenda(as_picks(sheet, battles.models), 0, rules) is not None
        ),
    }
    weakest = len(battles.models) - 1
    kinds = {
        "honest judges": battles.sheets(),
        "blind, 50 votes": [battles.bot(50, None, 1, rng) for _ in range(BOTS)],
        "boost the last, 25": [battles.bot(25, weakest, 1, rng) for _ in range(BOTS)],
        "boost the 4th, 50": [battles.bot(50, 3, 1, rng) for _ in range(BOTS)],
        "boost the 3rd, 50": [battles.bot(50, 2, 1, rng) for _ in range(BOTS)],
        "suppress the 1st, 50": [battles.bot(50, 0, -1, rng) for _ in range(BOTS)],
    }
    print(f"{'':26}" + "".join(f"{kind:>22}" for kind in kinds))
    for name, test in tests.items():
        shares = [
            sum(test(sheet, rng) for sheet in sheets) / len(sheets) for sheets in kinds.values()
        ]
        print(f"{name:26}" + "".join(f"{share:>22.0%}" for share in shares))


if __name__ == "__main__":
    main(sys.argv[1:])
