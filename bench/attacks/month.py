"""A simulated month of one mode: the arena's own rules, without its database.

Draw, weight, admission, caps, fit and lifecycle are the arena's functions. A board is fitted every
so many votes and not by the clock; the daily look comes with the first ballot of a day.
"""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Final

import numpy as np

from antiabuse.admission import VoteFacts, first_refusal, first_skip_refusal
from antiabuse.sincerity import ClientValues, WeightReason, weigh
from antiabuse.utc import day_of
from antiabuse.voter import VoterRow, VoterState, voter_state
from arena.votes import Choice
from bench.attacks.allowance import together
from bench.attacks.people import Shown
from bench.attacks.setting import DAY_US, LIMITS, START_US, Ballot, Memory, Setting, Visit
from bench.attacks.votes import VoteLog, mark_of
from ranking import limits, lobster, ucbe
from ranking import rules as ranking_rules
from ranking.exposure import SET_SIZE, Candidate
from ranking.lifecycle import Standing, State, look, multiplier
from ranking.lobster import Flags, Floats

__all__ = ["Month"]

_UNIT: Final = 10**lobster.WEIGHT_DIGITS
RULES: Final = ranking_rules.current()


class Month:
    """The month's state; `refit_every` votes lie between two boards."""

    def __init__(
        self,
        setting: Setting,
        worths: Floats,
        rng: random.Random,
        *,
        makers: Mapping[str, str] | None = None,
    ) -> None:
        self.setting = setting
        self.worths = worths
        self.rng = rng
        self.names = setting.names()
        self._place = {name: place for place, name in enumerate(self.names)}
        self._pool = [Candidate(name, (makers or {}).get(name, name)) for name in self.names]
        self.votes = VoteLog(self.names)
        self.refit_every = RULES.refit_votes
        self.reveals = np.zeros(setting.questions * setting.models, dtype=np.int64)
        self.clusters: dict[int, int] = {}
        self.memories: dict[int, Memory] = {}
        self.issued = self.stale = self.boards = 0
        self.states = dict.fromkeys(self.names, State.ACTIVE)
        self.entered: dict[str, tuple[int, int]] = dict.fromkeys(self.names, (START_US, 0))
        self.looks_below = dict.fromkeys(self.names, 0)
        self.moves: list[tuple[int, str, State]] = []
        self.released: set[str] = set(self.names)
        self.theta = np.zeros(setting.models)
        self.showings = np.zeros(setting.models, dtype=np.int64)
        self._fitted_votes = 0
        self._now_us = START_US
        self._day_over_us = START_US + DAY_US
        self.known = self._indices()

    def branch(self, rng: random.Random) -> Month:
        """Return a copy that goes its own way; voters who came before must not come again."""
        other = copy.copy(self)
        other.rng = rng
        other.votes = self.votes.copy()
        other.reveals = self.reveals.copy()
        for name in ("clusters", "memories", "states", "entered", "looks_below"):
            setattr(other, name, dict(getattr(self, name)))
        other.moves, other.released = list(self.moves), set(self.released)
        return other

    def shown(self, ballot: Ballot) -> Shown:
        """Return a ballot as its voter sees it."""
        return Shown(
            question=str(ballot.question),
            answers=tuple(str(answer) for answer in self._answers(ballot)),
            models=tuple(self.names[model] for model in ballot.models),
            worth=tuple(float(self.worths[model]) for model in ballot.models),
        )

    def issue(self, visit: Visit, now_us: int) -> Ballot | None:
        """Draw a ballot, or refuse it where the day's allowance is used up."""
        self._look_if_due(now_us)
        memory = self._memory(visit.voter, now_us)
        state = self._state(memory, now_us)
        if not (state.ballots_left and state.skips_left and state.votes_left):
            return None
        memory.spend(state, ballots=1)
        question = self._question(memory)
        if self.setting.even_draw:
            drawn = tuple(self.rng.sample(self.names, SET_SIZE))
        else:
            drawn, _ = ucbe.choose(self._pool, self.known, self.rng, RULES)
        self.issued += 1
        return Ballot(question, tuple(self._place[model] for model in drawn), now_us)

    def withdraw(self, model: str) -> None:
        """Show a model no more."""
        self.released.discard(model)
        self.known = self._indices()

    def release(self, model: str) -> None:
        """Show a model from now on; it enters Active."""
        self.released.add(model)
        self.entered[model] = (self._now_us, self.votes.count)
        self.known = self._indices()

    def skip(self, visit: Visit, ballot: Ballot, now_us: int) -> None:
        """Close a ballot unrevealed, where a skip is admitted."""
        memory = self._memory(visit.voter, now_us)
        state = self._state(memory, now_us)
        if first_skip_refusal(_facts(state)) is None:
            memory.last_skipped = ballot.question
            memory.spend(state, skips=1)

    def cast(
        self, visit: Visit, ballot: Ballot, choice: Choice, client: ClientValues, now_us: int
    ) -> bool:
        """Accept a vote, or say no; fit a board when it is time."""
        memory = self._memory(visit.voter, now_us)
        state = self._state(memory, now_us)
        if first_refusal(_facts(state)) is not None:
            return False
        found = self._anomalies(visit.voter, memory, ballot)
        weight = weigh(client, now_us - ballot.issued_us, found, LIMITS)
        memory.spend(state, votes=1, now_us=now_us)
        answers = self._answers(ballot)
        self.reveals[answers] += 1
        memory.keys.add(ballot.question)
        memory.answers.update(answers)
        self.stale += WeightReason.STALE_ANSWER in found
        self.votes.add(
            sets=ballot.models,
            best=mark_of(choice.verdict, choice.best),
            worst=lobster.NO_WORST if choice.worst is None else choice.worst,
            weight=int(weight.weight * _UNIT),
            voter=visit.voter,
            cluster=self.clusters.get(visit.voter, visit.voter),
            network=visit.network,
            device=visit.device,
            question=ballot.question,
            time_us=now_us,
            dwell_ms=int((weight.dwell_s or Decimal(0)) * 1000),
        )
        if self.votes.count - self._fitted_votes >= self.refit_every:
            self.refit()
        return True

    def refit(self) -> None:
        """Publish a board of all votes."""
        self.boards += 1
        self._fitted_votes = self.votes.count
        self.theta = self.fit()
        choices = self.votes.choices()
        counted = choices.sets[choices.weight > 0]
        self.showings = np.bincount(counted.ravel(), minlength=len(self.names))
        self.known = self._indices()

    def limited(self, without: Flags | None = None) -> tuple[lobster.Choices, lobster.Fit]:
        """Return all votes but those of a mask, as far as cap and bound let them count, fitted."""
        choices = self.votes.choices(without=without)
        start = dict(zip(self.names, self.theta.tolist(), strict=True))
        networks = self.votes.rows["network"].copy()
        made, fitted = limits.limited(choices, networks, RULES, start=start)
        return made.choices, fitted

    def capped(self, without: Flags | None = None) -> lobster.Choices:
        """Return the votes with the weights that count, by voter and by network."""
        return self.limited(without)[0]

    def fit(self, without: Flags | None = None) -> Floats:
        """Return log-strengths from all votes but those of a mask."""
        return self.limited(without)[1].theta

    def join(self, voters: Collection[int]) -> None:
        """Make voters one cluster, their past votes as well."""
        first = min(voters)
        self.clusters.update(dict.fromkeys(voters, first))
        rows = self.votes.rows
        rows["cluster"][np.isin(rows["voter"], list(voters))] = first

    def _indices(self) -> ucbe.Indices:
        standings = [
            ucbe.Standing(
                model=name,
                gamma=math.exp(self.theta[place]),
                showings=int(self.showings[place]),
                multiplier=multiplier(self.states[name], RULES) if name in self.released else 0.0,
            )
            for place, name in enumerate(self.names)
        ]
        return ucbe.indices(standings, RULES)

    def _question(self, memory: Memory) -> int:
        """Choose uniformly among the questions without a vote of this voter, if any is left."""
        count = self.setting.questions
        if len(memory.keys) >= count:
            return self.rng.randrange(count)
        while True:
            question = self.rng.randrange(count)
            alone = len(memory.keys) == count - 1
            if question not in memory.keys and (alone or question != memory.last_skipped):
                return question

    def _anomalies(self, voter: int, memory: Memory, ballot: Ballot) -> set[WeightReason]:
        answers = self._answers(ballot)
        cluster = self.clusters.get(voter, voter)
        seen = memory.answers
        if cluster != voter or voter in self.clusters:
            members = [v for v, c in self.clusters.items() if c == cluster and v in self.memories]
            seen = set().union(*(self.memories[member].answers for member in members))
        checks = {
            WeightReason.REPEATED_QUESTION: ballot.question in memory.keys,
            WeightReason.SEEN_ANSWER: not seen.isdisjoint(answers),
            WeightReason.STALE_ANSWER: any(
                self.reveals[answer] >= self.setting.fresh_reveals for answer in answers
            ),
        }
        return {reason for reason, holds in checks.items() if holds}

    def _answers(self, ballot: Ballot) -> list[int]:
        return [ballot.question * self.setting.models + model for model in ballot.models]

    def _state(self, memory: Memory, now_us: int) -> VoterState:
        own = voter_state(memory.row, now_us, LIMITS)
        return together(own, self.clusters, self.memories, now_us)

    def _memory(self, voter: int, now_us: int) -> Memory:
        known = self.memories.get(voter)
        if known is None:
            row = VoterRow(str(voter), now_us, day_of(now_us), 0, 0, 0, None, None, None)
            known = self.memories[voter] = Memory(row)
        return known

    def _look_if_due(self, now_us: int) -> None:
        self._now_us = now_us
        if now_us >= self._day_over_us:
            self._day_over_us = (now_us - START_US) // DAY_US * DAY_US + START_US + DAY_US
            if self.votes.count:
                self._look(now_us)

    def _look(self, now_us: int) -> None:
        choices, fitted = self.limited()
        basket = lobster.basket_of(fitted, fitted.models)
        rows = {row.model: row for row in lobster.board(fitted, basket=basket).models}
        standings = [
            self._standing(place, name, rows[name], choices)
            for place, name in enumerate(self.names)
            if name in self.released
        ]
        found = look(standings, now_us, RULES)
        for model, state in found.states.items():
            if state is not self.states[model]:
                self.moves.append((self.votes.count, model, state))
                self.entered[model] = (now_us, self.votes.count)
        self.states |= found.states
        self.looks_below |= found.looks_below
        self.known = self._indices()

    def _standing(
        self, place: int, name: str, row: lobster.Row, choices: lobster.Choices
    ) -> Standing:
        entered_us, entered_size = self.entered[name]
        mine = (choices.sets == place).any(axis=1) & (choices.best >= 0) & (choices.weight > 0)
        mine &= np.arange(len(mine)) >= entered_size
        known = row.exposures > 0
        return Standing(
            model=name,
            state=self.states[name],
            entered_us=entered_us,
            exposures=row.exposures,
            exposures_in_state=float(choices.weight[mine].sum()) / _UNIT,
            clusters_in_state=len(np.unique(choices.cluster[mine])),
            score=row.score if known else None,
            score_se=row.score_se if known else None,
            looks_below=self.looks_below[name],
        )


def _facts(state: VoterState) -> VoteFacts:
    """Return what is known of a sound choice on a ballot that its voter holds open."""
    return VoteFacts(
        voter=state, is_holder=True, already_voted=False, is_open=True, choice_is_sound=True
    )
