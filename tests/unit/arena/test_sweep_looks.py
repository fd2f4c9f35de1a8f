"""Which looks are due, and that a voter who turns to one model late is found by a late one."""

from __future__ import annotations

import numpy as np
import pytest

from antiabuse.detectors import rules
from antiabuse.detectors.evidence import VoterPicks
from antiabuse.detectors.finding import Detector
from arena.sweep_looks import LookTaker, due_looks
from arena.sweep_votes import MonthVotes
from arena.vote_columns import VOTE, Columns
from ranking import lobster
from tests.fixtures.voter_picks import MODELS, TARGET, Habit, simulated_voter

RULES = rules.current()
PEOPLE, EACH = 60, 60
HONEST_VOTES, LATE_VOTES = 200, 200


def voter(late: Habit) -> list[VoterPicks]:
    """Return the parts of one voter: honest for 200 votes, then with a habit for 200 more."""
    rng = np.random.default_rng(5)
    return [
        simulated_voter("honest", HONEST_VOTES, rng, name="long"),
        simulated_voter(late, LATE_VOTES, rng, name="long"),
    ]


def fan(count: int) -> VoterPicks:
    """Return the votes of one who is always shown the target, and always takes it."""
    drawn = simulated_voter("target_only", 10 * count, np.random.default_rng(7), name="fan")
    return drawn.only((drawn.sets == TARGET).any(axis=1)).first(count)


def month(*parts: VoterPicks) -> MonthVotes:
    """Sixty people with sixty votes each, and further votes."""
    rng = np.random.default_rng(3)
    people = [simulated_voter("honest", EACH, rng, name=f"p{n:02}") for n in range(PEOPLE)]
    everyone = [*people, *parts]
    names = [picks.voter for picks in everyone for _ in picks.votes]
    votes = np.zeros(len(names), dtype=VOTE)
    votes["models"] = np.concatenate([picks.sets for picks in everyone])
    votes["best"] = np.concatenate([picks.best for picks in everyone])
    votes["worst"] = np.concatenate([picks.worst for picks in everyone])
    votes["weight"] = 10**lobster.WEIGHT_DIGITS
    listed, number = np.unique(names, return_inverse=True)
    votes["cluster"] = number
    columns = Columns(votes, {"models": MODELS, "clusters": listed.tolist()}, len(votes), None)
    nothing = np.zeros(len(votes), dtype=np.int64)
    return MonthVotes(
        cast=columns,
        now=columns,
        ids=[f"vote-{row}" for row in range(len(votes))],
        names=listed.tolist(),
        voter=number,
        question=nothing,
        hour=nothing,
        seq=np.arange(len(votes)),
    )


@pytest.mark.parametrize(
    "detector, looks",
    [
        (Detector.MODEL_AGENDA, [20, 50, 100, 200, 400]),
        (Detector.FAVOURITE_MODEL, [12, 20, 30, 50, 70, 100, 140, 200]),
        (Detector.CARELESS, [20, 50, 100, 200]),
    ],
)
def test_each_detector_has_its_looks(detector: Detector, looks: list[int]) -> None:
    """Whoever reached them is looked at; the likelihood test keeps to the numbers of V-154."""
    votes = month(*voter("honest"))
    long = votes.names.index("long")

    due = due_looks(votes, detector, frozenset(), RULES)
    assert [look for each, look in due if each == long] == looks
    taken = frozenset({(detector.value, "long", look) for look in looks})
    assert long not in {each for each, _ in due_looks(votes, detector, taken, RULES)}


@pytest.mark.parametrize("late, found_at", [("honest", []), ("boost", [400])])
def test_who_turns_to_one_model_late_is_found(late: Habit, found_at: list[int]) -> None:
    """The votes since the look before are judged alone, so an honest past hides nothing."""
    votes = month(*voter(late))
    taker = looking_at(votes)
    long = votes.names.index("long")
    looks = (20, 50, 100, 200, 400)
    findings = {look: taker.take(Detector.MODEL_AGENDA, long, look) for look in looks}

    assert [look for look, finding in findings.items() if finding] == found_at
    for finding in filter(None, findings.values()):
        assert finding.numbers["model"] == MODELS[TARGET]
        late_ones = {f"vote-{PEOPLE * EACH + row}" for row in range(HONEST_VOTES, 400)}
        assert set(finding.votes) <= late_ones
        assert not finding.discounts


@pytest.mark.parametrize("count, found_at", [(11, []), (12, [12]), (19, [12])])
def test_a_favourite_shows_from_its_twelfth_appearance_on(count: int, found_at: list[int]) -> None:
    """Whoever takes one model twelve times of twelve is reported, though no other look is due."""
    votes = month(fan(count))
    taker, name = looking_at(votes), votes.names.index("fan")
    due = [
        look
        for each, look in due_looks(votes, Detector.FAVOURITE_MODEL, frozenset(), RULES)
        if each == name
    ]
    findings = {look: taker.take(Detector.FAVOURITE_MODEL, name, look) for look in due}

    assert [look for look, finding in findings.items() if finding] == found_at
    for finding in filter(None, findings.values()):
        assert finding.numbers["model"] == MODELS[TARGET]
        assert len(finding.votes) == RULES.favourite_appearances


def looking_at(votes: MonthVotes) -> LookTaker:
    """Return who looks at a month's voters, against the fit of all its votes."""
    cast = votes.cast.votes
    picked = np.where(
        cast["best"] >= 0,
        cast["models"][np.arange(len(cast)), np.maximum(cast["best"], 0)],
        lobster.SAME,
    )
    choices = lobster.Choices(
        models=MODELS,
        sets=cast["models"],
        best=picked.astype(np.int64),
        worst=np.full(len(cast), lobster.NO_WORST),
        weight=cast["weight"].astype(np.int64),
        cluster=votes.voter,
    )
    return LookTaker(votes, choices, lobster.fit(choices), (), RULES)
