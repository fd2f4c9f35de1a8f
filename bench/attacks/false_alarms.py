"""`python -m bench.attacks.false_alarms`: every detector on honest voters, real and simulated.

Prints the numbers that `antiabuse.detectors.alarms` holds and docs/detectors.md shows.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Final

import numpy as np

from antiabuse.detectors.alarms import FALSE_ALARMS
from antiabuse.detectors.dwell import fast_dwell
from antiabuse.detectors.favourite import favourite_model
from antiabuse.detectors.finding import Detector, Finding
from antiabuse.detectors.identical import identical_ballots
from antiabuse.detectors.influence import Pull, influence
from antiabuse.detectors.meetings import SharedPicks
from antiabuse.detectors.shared import Sighting, shared_addresses, shared_devices
from bench.attacks.honest import honest_month
from bench.attacks.month import Month
from bench.attacks.plan import SPEED
from bench.attacks.real_votes import Judges, fit_people, read_judges
from bench.attacks.setting import DAY_US, START_US
from bench.attacks.sweep import Looks, look_at_month, look_at_voter
from ranking import lobster
from ranking.lobster import Ints

VOTES: Final = Path(__file__).resolve().parents[3] / "shared" / "data" / "real" / "mt_bench"
BATTLES: Final = "battles_human.json"
SEEDS: Final = 20
FEWEST: Final = 10  # votes of a judge who is looked at
JUDGE_LOOKS: Final = (10, 20, 50, 100)
# The judges' file has two labels, each pair of models in one order only, and no time or place.
NOT_FOR_JUDGES: Final = frozenset(
    {
        Detector.REPETITIVE_LABELS,
        Detector.FAST_DWELL,
        Detector.SHARED_DEVICE,
        Detector.SHARED_ADDRESS,
        Detector.BURST,
    }
)


@dataclass(slots=True)
class Found:
    """Honest voters looked at, and whom each detector reports and would strike."""

    voters: set[str] = field(default_factory=set)
    reported: dict[Detector, set[str]] = field(default_factory=lambda: defaultdict(set))
    strict: dict[Detector, set[str]] = field(default_factory=lambda: defaultdict(set))

    def alone(self, looks: Looks, name: str, rows: Ints, at: Sequence[int] | None = None) -> None:
        """Look at one voter, at the fixed looks or at those given."""
        self.voters.add(name)
        verdict = look_at_voter(looks, rows, at=at)
        for found, where in ((verdict.reported, self.reported), (verdict.strict, self.strict)):
            for detector in found:
                where[detector].add(name)
        self.together([pull for pull in [_influence(looks, name, rows)] if pull is not None])
        self.favourites(looks, name, rows)

    def favourites(self, looks: Looks, name: str, rows: Ints) -> None:
        """Look at one voter at the numbers of votes where a favourite alone is looked for."""
        picks = dataclasses.replace(looks.picks(rows), voter=name)
        for look in looks.rules.favourite_looks:
            if look <= len(rows):
                finding = favourite_model(picks.first(look), look, looks.rules)
                self.together([finding] if finding is not None else [])

    def together(self, findings: Iterable[Finding]) -> None:
        """Take note of findings about voters who are looked at."""
        for finding in findings:
            names = self.voters.intersection(finding.subjects)
            self.reported[finding.detector] |= names
            if finding.discounts:
                self.strict[finding.detector] |= names


def of_judges(judges: Judges, file: Path) -> Found:
    """Look at the real judges with ten votes or more."""
    looks, found = Looks.of(judges.choices), Found()
    for judge, count in enumerate(judges.counts()):
        if count >= FEWEST:
            rows = np.flatnonzero(judges.choices.cluster == judge)
            at = sorted({*(look for look in JUDGE_LOOKS if look <= count), count})
            found.alone(looks, str(judge), rows, at)
    found.together(look_at_month(looks, np.zeros(len(judges.choices.best), dtype=np.int64)))
    battles = json.loads(file.read_text(encoding="utf-8"))
    question = np.array([battle["question_id"] * 10 + battle["turn"] for battle in battles])
    found.together(_pairs(looks, question))
    return found


def of_month(found: Found, month: Month, seed: int) -> None:
    """Add the voters of an honest month who reach the first look."""
    looks, prefix = Looks.of(month.capped()), f"{seed}-"
    rows = month.votes.rows
    names, counts = np.unique(rows["voter"], return_counts=True)
    here = Found()
    for voter in names[counts >= min(looks.rules.looks)].tolist():
        here.alone(looks, str(voter), month.votes.of_voter(voter))
    here.together(look_at_month(looks, rows["time_us"]))
    here.together(_pairs(looks, rows["question"]))
    here.together(_of_days(month, looks))
    found.voters |= {prefix + name for name in here.voters}
    for mine, all_ in ((here.reported, found.reported), (here.strict, found.strict)):
        for detector, voters in mine.items():
            all_[detector] |= {prefix + name for name in voters}


def _influence(looks: Looks, name: str, rows: Ints) -> Finding | None:
    choices, fitted = looks.choices, looks.fitted
    mine = np.isin(np.arange(len(choices.best)), rows)
    shift = lobster.POINTS_PER_NAT * (fitted.theta - looks.left_out.without(mine))
    errors = {row.model: row.score_se for row in lobster.board(fitted).models}
    counts = (choices.best >= 0) & (choices.weight > 0)
    pulls = [
        Pull(
            model=model,
            points=float(shift[place] - shift.mean()),
            error=float(errors[model]),
            voters=len(np.unique(choices.cluster[counts & (choices.sets == place).any(axis=1)])),
        )
        for place, model in enumerate(fitted.models)
    ]
    return influence(name, [str(row) for row in rows.tolist()], pulls, len(rows), looks.rules)


def _pairs(looks: Looks, question: Ints) -> list[Finding]:
    """Look at all pairs of voters; of a voter's votes on a question, the first."""
    choices = looks.choices
    rows = np.flatnonzero((choices.best >= 0) & (choices.weight > 0))
    cell = choices.cluster[rows] * (int(question.max()) + 1) + question[rows]
    rows = rows[np.sort(np.unique(cell, return_index=True)[1])]
    sets = choices.sets[rows].astype(np.int64)
    odds = np.exp(looks.fitted.theta[sets])
    picks = SharedPicks(
        votes=tuple(map(str, rows.tolist())),
        voters=tuple(map(str, range(int(choices.cluster.max()) + 1))),
        voter=choices.cluster[rows],
        question=question[rows],
        sets=sets,
        best=(sets == choices.best[rows][:, None]).argmax(axis=1),
        chances=odds / odds.sum(axis=1, keepdims=True),
    )
    return identical_ballots(picks, looks.rules)


def _of_days(month: Month, looks: Looks) -> list[Finding]:
    """Look at haste, devices and addresses of each day; a network here is one address."""
    rows = month.votes.rows
    seen: list[Sighting] = []
    joined: dict[str, int] = {}
    fast: dict[tuple[str, str], list[tuple[str, Decimal | None]]] = defaultdict(list)
    for vote, row in enumerate(rows):
        voter, day = str(row["voter"]), f"2026-11-{(row['time_us'] - START_US) // DAY_US + 1:02}"
        fast[voter, day].append((str(vote), Decimal(int(row["dwell_ms"])) / 1000))
        joined.setdefault(voter, int(row["time_us"]))
        place = [None if row[name] < 0 else str(row[name]) for name in ("network", "device")]
        seen.append(
            Sighting(vote=str(vote), voter=voter, day=day, address=place[0], device=place[1])
        )
    hasty = [fast_dwell(voter, day, votes, looks.rules) for (voter, day), votes in fast.items()]
    return [
        *(finding for finding in hasty if finding is not None),
        *shared_devices(seen, joined, looks.rules),
        *shared_addresses(seen, looks.rules),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print, for each detector, honest voters reported and beyond the stricter threshold."""
    parser = argparse.ArgumentParser(prog="bench.attacks.false_alarms", description=__doc__)
    parser.add_argument("--seeds", type=int, default=SEEDS, help="honest months")
    parser.add_argument("--votes", type=Path, default=VOTES, help="folder of MT-bench data")
    options = parser.parse_args(arguments)
    judges = read_judges(options.votes / BATTLES)
    people = fit_people(judges)
    real, simulated = of_judges(judges, options.votes / BATTLES), Found()
    for seed in range(options.seeds):
        of_month(simulated, honest_month(SPEED, people, seed), seed)
    print(f"{len(real.voters)} judges, {len(simulated.voters)} simulated voters")
    for detector in FALSE_ALARMS:
        told = "-" if detector in NOT_FOR_JUDGES else str(len(real.reported[detector]))
        both = [len(found[detector]) for found in (simulated.reported, simulated.strict)]
        print(f"{detector.value:20} {told:>4} {both[0]:>5} {both[1]:>5}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
