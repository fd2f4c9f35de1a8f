"""The signed per-model z finds those who push or pull one model, and hardly anybody else."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest

from antiabuse.detectors import rules
from antiabuse.detectors.agenda import model_agenda
from antiabuse.detectors.evidence import NO_PICK, VoterPicks
from antiabuse.detectors.finding import Detector
from tests.fixtures.voter_picks import MODELS, TARGET, Habit, simulated_voter

RULES = rules.current()


def ten_votes(picked: int, chance: float = 0.25) -> VoterPicks:
    """Ten votes on one pair of models of which the first is picked so many times."""
    return VoterPicks(
        voter="v",
        votes=tuple(f"vote-{row}" for row in range(10)),
        models=("first", "second"),
        sets=np.tile([0, 1], (10, 1)),
        best=np.where(np.arange(10) < picked, 0, 1),
        worst=np.full(10, NO_PICK),
        chances=np.tile([chance, 1 - chance], (10, 1)),
    )


def test_z_is_picks_over_expectation_in_deviations() -> None:
    """Ten of ten at one in four: z = (10 - 2.5) / sqrt(10 · 3/16), exact chance 2 · 4^-10."""
    found = model_agenda(ten_votes(10), 10, RULES)

    assert found is not None
    assert found.detector is Detector.MODEL_AGENDA
    assert found.subjects == ("v",)
    assert float(found.statistic) == pytest.approx(7.5 / np.sqrt(10 * 3 / 16), rel=1e-5)
    assert float(found.threshold) == pytest.approx(3.4808, abs=1e-4)
    assert found.p_value is not None
    assert float(found.p_value) == pytest.approx(2 * 4.0**-10, rel=1e-5)
    assert found.numbers["model"] == "first"
    assert [found.numbers[f"{name}:best:first"] for name in ("seen", "picked", "expected")] == [
        "10",
        "10",
        "2.5",
    ]


def test_a_rare_pick_is_not_reported_by_the_normal_law_alone() -> None:
    """Two of ten at one in a hundred have z 6.0, but a chance of 0.4 %: not one in a thousand."""
    chances = ten_votes(2, 0.01)

    assert model_agenda(chances, 10, RULES) is None


def test_too_few_appearances_are_not_tested() -> None:
    """Four appearances say nothing, however they went."""
    assert model_agenda(ten_votes(10, 0.01).first(4), 4, RULES) is None
    assert model_agenda(ten_votes(10, 0.01).first(5), 5, RULES) is not None


def test_votes_without_a_pick_count_as_nought_at_the_voters_own_rate() -> None:
    """Ten verdicts of "same" halve the chance of twenty showings: (10 - 2.5) / sqrt(35/16)."""
    picks = ten_votes(10)
    doubled = VoterPicks(
        voter="v",
        votes=tuple(f"vote-{row}" for row in range(20)),
        models=picks.models,
        sets=np.tile(picks.sets, (2, 1)),
        best=np.concatenate([picks.best, np.full(10, NO_PICK)]),
        worst=np.full(20, NO_PICK),
        chances=np.tile(picks.chances, (2, 1)),
    )

    found = model_agenda(doubled, 20, RULES)
    assert found is not None
    assert float(found.statistic) == pytest.approx(7.5 / np.sqrt(35 / 16), rel=1e-5)
    assert found.numbers["seen:best:first"] == "20"
    assert found.numbers["expected:best:first"] == "2.5"


def test_someone_who_rarely_decides_has_no_agenda() -> None:
    """Forty verdicts and ten honest picks are a habit, and no model's misfortune."""
    rng = np.random.default_rng(6)
    for _ in range(20):
        picks = simulated_voter("honest", 50, rng)
        rare = replace(
            picks,
            best=np.where(np.arange(50) < 40, NO_PICK, picks.best),
            worst=np.full(50, NO_PICK),
        )
        assert model_agenda(rare, 50, RULES) is None


def test_always_worst_and_never_best_counts_in_full() -> None:
    """Ten of ten on equal models: as unlikely as ten best picks, not as one in three each."""
    rows = np.arange(10)
    picks = VoterPicks(
        voter="v",
        votes=tuple(f"vote-{row}" for row in rows),
        models=tuple("abcdefghij"),
        sets=np.column_stack(
            [np.zeros(10, dtype=np.int64), *(1 + (rows + n) % 9 for n in (0, 1, 2))]
        ),
        best=1 + rows % 3,
        worst=np.zeros(10, dtype=np.int64),
        chances=np.full((10, 4), 0.25),
    )

    found = model_agenda(picks, 10, RULES)
    assert found is not None
    assert (found.numbers["kind"], found.numbers["model"]) == ("worst", "a")
    assert float(found.statistic) < 0
    assert found.p_value is not None
    assert float(found.p_value) == pytest.approx(2 * 4.0**-10, rel=1e-5)


@pytest.mark.parametrize(
    "habit, sign, kind", [("boost", 1, {"best"}), ("suppress", -1, {"best", "worst"})]
)
def test_an_agenda_shows_with_its_sign(habit: Habit, sign: int, kind: set[str]) -> None:
    """A hundred votes show whom a voter pushes up or down."""
    rng = np.random.default_rng(20)
    found = [model_agenda(simulated_voter(habit, 100, rng), 100, RULES) for _ in range(20)]
    hits = [finding for finding in found if finding is not None]

    assert len(hits) >= 16
    for finding in hits:
        assert finding.numbers["model"] == MODELS[TARGET]
        assert finding.numbers["kind"] in kind
        assert np.sign(float(finding.statistic)) == sign


@pytest.mark.parametrize("votes", RULES.looks)
def test_honest_voters_are_left_alone(votes: int) -> None:
    """Of 300 honest voters at most two are reported at a look: the level allows 0.3."""
    rng = np.random.default_rng(votes)
    found = [model_agenda(simulated_voter("honest", votes, rng), votes, RULES) for _ in range(300)]

    assert sum(finding is not None for finding in found) <= 2


def test_z_is_as_spread_as_simulated_voters() -> None:
    """The deviation a finding shows is that of direct simulation on the same ballots."""
    rng = np.random.default_rng(7)
    picks = simulated_voter("boost", 200, rng).decided()
    found = model_agenda(picks, 200, RULES)
    assert found is not None

    name = MODELS[TARGET]
    drawn = np.array(
        [
            (picks.sets[np.arange(len(best)), best] == TARGET).sum()
            for best in (
                (np.log(picks.chances) + rng.gumbel(size=picks.sets.shape)).argmax(axis=1)
                for _ in range(4000)
            )
        ]
    )
    assert drawn.mean() == pytest.approx(float(found.numbers[f"expected:best:{name}"]), abs=0.15)
    assert drawn.std() == pytest.approx(float(found.numbers[f"sd:best:{name}"]), rel=0.05)


def test_discounting_needs_the_list_and_the_stricter_level() -> None:
    """A finding takes weight only if the ruleset says so and the odds are far longer."""
    listed = replace(RULES, discounting=(Detector.MODEL_AGENDA,))
    strict = replace(listed, agenda_level_discount=Decimal("1e-9"))

    def discounts(with_rules: rules.DetectorRules) -> bool:
        found = model_agenda(ten_votes(10, 0.2), 10, with_rules)
        assert found is not None
        return found.discounts

    assert not discounts(RULES)
    assert discounts(listed)
    assert not discounts(strict)
