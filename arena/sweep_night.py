"""One night's work: all detectors over a mode's month, each on its own, nothing written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
from sqlalchemy import Connection, select

from antiabuse.detectors import rules as detector_rules
from antiabuse.detectors.finding import Detector, Finding
from antiabuse.utc import day_of
from arena import boards, sweep_crowd
from arena.events import Mode
from arena.flags import Look
from arena.refits import counted
from arena.review_events import FlagVerdict
from arena.review_tables import flag
from arena.sweep_days import EVERYBODY, NIGHT, days_of, standing_looks
from arena.sweep_looks import AT_LOOKS, LookTaker, due_looks
from arena.sweep_votes import MonthVotes, read_sightings
from arena.told_flags import ToldFlags
from ranking import lobster
from ranking.lobster import Choices

__all__ = ["Night"]

_BY_FIT: Final = (*AT_LOOKS, Detector.IDENTICAL_BALLOTS, Detector.BURST, Detector.CAMPAIGN)


class Night:
    """One sweep's work: findings, the looks that gave them, and the detectors that failed."""

    def __init__(
        self, conn: Connection, mode: Mode, month: str, now_us: int, votes: MonthVotes
    ) -> None:
        self.mode = mode
        self.month = month
        self.findings: list[Finding] = []
        self.looks: list[Look] = []
        self.faults: dict[str, Exception] = {}
        self._conn = conn
        self._votes = votes
        self._rules = detector_rules.current()
        self._days = [day for day in days_of(month) if day < day_of(now_us)]
        self._taken = standing_looks(conn, mode, month, now_us)

    def run(self) -> None:
        """Run every detector; one that fails keeps no other one back (V-168)."""
        votes, month, rules = self._votes, self.month, self._rules
        self._try(Detector.REPETITIVE_LABELS, lambda: sweep_crowd.label_runs(votes, rules))
        self._try(Detector.REPEATED_QUESTION, lambda: sweep_crowd.known_questions(votes, month))
        self._try(Detector.SEEN_ANSWER, lambda: sweep_crowd.told_answers(votes, month))
        self._places()
        self._with_fit()
        self.looks += [(NIGHT, EVERYBODY, int(day[-2:])) for day in self._days]

    def _places(self) -> None:
        """Look at where and how fast votes were cast, on days that were not looked at yet."""
        detectors = (Detector.FAST_DWELL, Detector.SHARED_DEVICE, Detector.SHARED_ADDRESS)
        days = sorted({day for detector in detectors for day in self._undone(detector)})
        mode, rules = self.mode, self._rules
        seen = read_sightings(self._conn, self.month, days)
        told = ToldFlags(self._conn, mode, self.month, Detector.SHARED_DEVICE)
        named = told.named_on([int(day[-2:]) for day in days])
        acts: tuple[Callable[[], list[Finding]], ...] = (
            lambda: sweep_crowd.fast_days(seen, mode, rules),
            lambda: sweep_crowd.shared_devices_of(seen, mode, named, rules),
            lambda: sweep_crowd.shared_addresses_of(seen, mode, rules),
        )
        for detector, act in zip(detectors, acts, strict=True):
            self._try(detector, act, _day_looks(detector, days))

    def _with_fit(self) -> None:
        """Look at picks against the fit; without one, say of each detector that it did not run."""
        votes, rules = self._votes, self._rules
        try:
            choices = counted(votes.now)[0].choices()
            basket, start = _zero(self._conn, self.mode, self.month, choices)
            fitted = lobster.fit(choices, start=start)
        except lobster.LobsterError as error:
            for detector in _BY_FIT:
                self.faults[detector.value] = error
            return
        days, told = self._undone(Detector.BURST), self._told(Detector.CAMPAIGN)
        self._try(
            Detector.CAMPAIGN,
            lambda: sweep_crowd.common_causes(votes, told, fitted.theta, rules),
        )
        self._try(
            Detector.IDENTICAL_BALLOTS, lambda: sweep_crowd.equal_pairs(votes, fitted.theta, rules)
        )
        self._try(
            Detector.BURST,
            lambda: sweep_crowd.waves(votes, days, fitted.theta, rules),
            _day_looks(Detector.BURST, days),
        )
        try:
            # In a fit that a campaign has moved, honest voters look careless (docs/attacks.md).
            suspects = frozenset(self._told(Detector.CAMPAIGN, but="dismissed"))
            others = _without(choices, votes, suspects | self._named(Detector.CAMPAIGN))
            theirs = lobster.fit(others, start=dict(zip(fitted.models, fitted.theta, strict=True)))
            taker = LookTaker(votes, others, theirs, basket, rules)
        except lobster.LobsterError as error:
            self.faults |= dict.fromkeys((detector.value for detector in AT_LOOKS), error)
            return
        for detector in AT_LOOKS:
            for voter, look in due_looks(votes, detector, self._taken, rules):
                found = partial(_listed, taker, detector, voter, look)
                self._try(detector, found, [(detector.value, votes.names[voter], look)])

    def _try(
        self, detector: Detector, act: Callable[[], list[Finding]], looks: Sequence[Look] = ()
    ) -> None:
        try:
            found = act()
        except Exception as error:  # noqa: BLE001 - whatever stops one detector is told, not spread
            self.faults[detector.value] = error
        else:
            self.findings += found
            self.looks += looks

    def _named(self, detector: Detector) -> frozenset[str]:
        """Return the voters whom a detector names this night."""
        found = (each.subjects for each in self.findings if each.detector is detector)
        return frozenset(subject for subjects in found for subject in subjects)

    def _told(self, detector: Detector, but: FlagVerdict | None = None) -> dict[str, int]:
        """Return the voters whom a detector reported this month, but for flags in one state.

        With each stands the last look that did so.
        """
        query = select(flag.c.subject, flag.c.look).where(
            flag.c.detector == detector.value, flag.c.mode == self.mode, flag.c.month == self.month
        )
        if but is not None:
            query = query.where(flag.c.state != but)
        told: dict[str, int] = {}
        for row in self._conn.execute(query):
            told |= {name: max(row.look, told.get(name, row.look)) for name in row.subject.split()}
        return told

    def _undone(self, detector: Detector) -> list[str]:
        """Return the days over which a detector did not go yet."""
        return [
            day
            for day in self._days
            if (detector.value, EVERYBODY, int(day[-2:])) not in self._taken
        ]


def _without(choices: Choices, votes: MonthVotes, names: Collection[str]) -> Choices:
    """Return the votes with those of some voters at weight 0."""
    theirs = np.array([name in names for name in votes.names], dtype=np.bool_)[votes.voter]
    return replace(choices, weight=np.where(theirs, 0, choices.weight))


def _listed(taker: LookTaker, detector: Detector, voter: int, look: int) -> list[Finding]:
    found = taker.take(detector, voter, look)
    return [found] if found else []


def _day_looks(detector: Detector, days: Sequence[str]) -> list[Look]:
    return [(detector.value, EVERYBODY, int(day[-2:])) for day in days]


def _zero(
    conn: Connection, mode: Mode, month: str, choices: Choices
) -> tuple[Sequence[str], dict[str, float]]:
    """Return the basket of the newest board and its strengths to start from; empty without one."""
    board = boards.latest(conn, mode, month)
    if board is None or board.demo:
        return (), {}
    known = set(choices.models)
    basket = board.basket if set(board.basket) <= known else ()
    return basket, {row.model: row.theta for row in board.rows if row.model in known}
