"""Refits from the changed votes alone, and columns that are read in place."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from ranking import lobster
from ranking.lobster import Choices

COLUMNS = ("sets", "best", "worst", "weight", "cluster")


def month(votes: int, *, models: int = 8, kind: type[np.signedinteger] = np.int64) -> Choices:
    """A month of seeded votes with all verdicts and some votes of weight 0."""
    rng = np.random.default_rng(11)
    theta = rng.normal(size=models)
    shown = np.array([rng.permutation(models)[:4] for _ in range(votes)])
    order = np.argsort(-(theta[shown] + rng.gumbel(size=(votes, 4))), axis=1)
    picked = np.take_along_axis(shown, order, axis=1)
    best = np.where(rng.random(votes) < 0.1, rng.choice([lobster.SAME, lobster.BAD]), picked[:, 0])
    worst = np.where((best >= 0) & (rng.random(votes) < 0.7), picked[:, 3], lobster.NO_WORST)
    weight = rng.choice([0, 500_000, 10**6], size=votes, p=[0.05, 0.15, 0.8])
    return Choices(
        tuple(f"m{i}" for i in range(models)),
        np.asfortranarray(shown, dtype=kind),
        best.astype(kind),
        worst.astype(kind),
        weight.astype(np.int64),
        rng.integers(0, max(1, votes // 10), votes),
    )


def first(choices: Choices, count: int) -> Choices:
    """The first votes of a month."""
    return Choices(choices.models, *(getattr(choices, name)[:count] for name in COLUMNS))


@pytest.fixture(scope="module")
def now() -> Choices:
    """Twenty thousand votes."""
    return month(20_000)


def same_fit(got: lobster.Fit, wanted: lobster.Fit, share: float) -> None:
    """All parts agree: tallies exactly, strengths and errors as near as the drift allows."""
    for name in ("votes", "clusters", "same_votes", "bad_votes", "models"):
        assert getattr(got, name) == getattr(wanted, name)
    for name in ("wins", "worst", "same", "bad"):
        assert getattr(got, name) == pytest.approx(getattr(wanted, name), abs=1e-9)
    assert got.theta == pytest.approx(wanted.theta, abs=2 * share**2 + 1e-9)
    for row, other in zip(lobster.board(got).models, lobster.board(wanted).models, strict=True):
        assert row.se == pytest.approx(other.se, rel=2 * share)
        assert row.model == other.model


def test_new_votes_give_the_fit_of_all_votes(now: Choices) -> None:
    """Twenty votes more, by voters old and new: strengths to 2 d², tallies exactly."""
    before = first(now, len(now.best) - 20)

    got = lobster.refit(lobster.fit(before), before, now)

    assert 0 < got.drift <= lobster.REFIT_DRIFT
    same_fit(got, lobster.fit(now), got.drift)
    assert got.log_likelihood == pytest.approx(lobster.fit(now).log_likelihood, abs=1e-4)


def test_voided_and_restored_votes_are_changes(now: Choices) -> None:
    """Weights that change, to 0 and from 0 too, are taken out and put in exactly."""
    weight = now.weight.copy()
    weight[:10], weight[10:20] = 0, 10**6
    changed = dataclasses.replace(now, weight=weight)

    got = lobster.refit(lobster.fit(now), now, changed)

    assert got.drift > 0
    same_fit(got, lobster.fit(changed), got.drift)


def test_nothing_new_is_the_same_fit(now: Choices) -> None:
    """Without a change nothing moves."""
    last = lobster.fit(now)

    got = lobster.refit(last, now, now)

    same_fit(got, last, 0.0)


def test_many_new_votes_are_fitted_with_all_others(now: Choices) -> None:
    """Beyond the allowed drift the result is that of a full fit, and may be refitted again."""
    before = first(now, 2_000)

    got = lobster.refit(lobster.fit(before), before, now)

    assert got.drift == 0
    assert got.theta == pytest.approx(lobster.fit(now).theta, abs=1e-9)


def test_a_fit_without_ghost_is_renewed_in_full(now: Choices) -> None:
    """Plain maximum likelihood has no shortcut."""
    before = first(now, len(now.best) - 20)

    got = lobster.refit(lobster.fit(before, ghost=0), before, now)

    assert got.drift == 0
    assert got.theta == pytest.approx(lobster.fit(now, ghost=0).theta, abs=1e-9)


def test_a_refit_builds_on_a_full_fit_of_the_same_votes_only(now: Choices) -> None:
    """Refits of refits, other voters and missing votes are refused."""
    before = first(now, len(now.best) - 20)
    last = lobster.fit(before)
    others = dataclasses.replace(now, cluster=now.cluster[::-1])

    for fitted, earlier, later in (
        (lobster.refit(last, before, now), before, now),
        (last, before, others),
        (last, before, first(before, 100)),
        (lobster.fit_extended(before), before, now),
        (last, before, dataclasses.replace(now, models=tuple("abcdefgh"))),
    ):
        with pytest.raises(lobster.WrongUseError, match="refit needs"):
            lobster.refit(fitted, earlier, later)


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32])
def test_small_columns_give_the_same_fit(kind: type[np.signedinteger]) -> None:
    """The width of the integers and the order in memory change nothing."""
    wide, narrow = lobster.fit(month(500)), lobster.fit(month(500, kind=kind))

    assert narrow.theta.tolist() == wide.theta.tolist()
    assert narrow.inverse.tolist() == wide.inverse.tolist()


def test_more_models_than_the_integers_can_count_past() -> None:
    """127 models fill eight bits: the place for no model needs more."""
    sets = np.array([[i, (i + 1) % 127, lobster.PAD] for i in range(127)])
    best = sets[:, 0].copy()
    none = np.full(127, lobster.NO_WORST)
    columns = (best, none, np.full(127, 10**6), np.arange(127))
    models = tuple(f"m{i}" for i in range(127))

    small = lobster.fit(Choices(models, sets.astype(np.int8), best.astype(np.int8), *columns[1:]))
    large = lobster.fit(Choices(models, sets, *columns))

    assert small.theta == pytest.approx(large.theta, abs=1e-12)
    assert small.exposures.tolist() == large.exposures.tolist() == [2] * 127


def test_unsigned_and_broken_numbers_are_refused() -> None:
    """Columns must be signed integers, for negative numbers have meanings."""
    good = month(10)

    for bad in (good.sets.astype(np.uint16), good.sets.astype(np.float64)):
        with pytest.raises(lobster.VotesError, match="whole numbers"):
            dataclasses.replace(good, sets=bad)  # type: ignore[arg-type]


def test_places_without_a_model_come_last() -> None:
    """A gap inside a set is refused, for the extended board reads sets from the left."""
    good = month(1)

    with pytest.raises(lobster.VotesError, match="after the models"):
        dataclasses.replace(good, sets=np.array([[good.best[0], lobster.PAD, 7, 6]]))


def test_strengths_alone_are_those_of_the_fit() -> None:
    """`strengths` is the fit without errors."""
    choices = month(300)

    assert lobster.strengths(choices).tolist() == lobster.fit(choices).theta.tolist()
    plain = lobster.fit(choices, ghost=0).theta
    assert lobster.strengths(choices, ghost=0) == pytest.approx(plain, abs=1e-12)


def test_the_order_of_blocks_and_parts_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small blocks of votes, of voters and of sorted votes give the same fit."""
    choices = month(2_000)
    whole = lobster.fit(choices)
    extended = lobster.fit_extended(choices)

    for name, size in (("_BLOCK_VOTES", 100), ("_VOTER_CELLS", 60), ("_SORTED_VOTES", 70)):
        monkeypatch.setattr(lobster, name, size)
    monkeypatch.setattr(lobster, "_BLOCK_CELLS", 500)

    for got, wanted in (
        (lobster.fit(choices), whole),
        (lobster.fit_extended(choices), extended),
    ):
        assert got.theta == pytest.approx(wanted.theta, abs=1e-10)
        assert got.inverse == pytest.approx(wanted.inverse, abs=1e-10)
        assert got.middle == pytest.approx(wanted.middle, abs=1e-8)
