"""Columns that are read in place, votes by the hundred thousand, and work in blocks."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from ranking import lobster
from ranking.lobster import Choices


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

    assert lobster.strengths(choices) == pytest.approx(lobster.fit(choices).theta, abs=1e-12)
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
    monkeypatch.setattr(lobster, "_MANY_VOTES", 300)
    monkeypatch.setattr(lobster, "_VOTERS_PER_MODEL", 0)

    for got, wanted in (
        (lobster.fit(choices), whole),
        (lobster.fit_extended(choices), extended),
    ):
        assert got.theta == pytest.approx(wanted.theta, abs=1e-10)
        assert got.inverse == pytest.approx(wanted.inverse, abs=1e-10)
        assert got.middle == pytest.approx(wanted.middle, abs=1e-8)


@pytest.mark.parametrize("ghost", [0.5, 0.0])
@pytest.mark.parametrize("start", [None, {"m0": 3.0, "m1": -3.0}])
def test_about_the_right_information_finds_the_same_maximum(
    ghost: float, start: dict[str, float] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With many votes the information comes from the gradient's sums, near or far from the top."""
    choices = month(20_000)
    exact = lobster.fit(choices, ghost=ghost, start=start)

    monkeypatch.setattr(lobster, "_COUNTLESS", 0)
    about = lobster.fit(choices, ghost=ghost, start=start)

    assert (about.theta != exact.theta).any()
    assert about.theta == pytest.approx(exact.theta, abs=1e-10)
    assert about.inverse == pytest.approx(exact.inverse, abs=1e-9)
    assert about.log_likelihood == pytest.approx(exact.log_likelihood, abs=1e-6)


def test_too_few_votes_for_about_the_right_information(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it does not bring the maximum nearer, the exact one takes its place."""
    choices = month(12)
    exact = lobster.fit(choices)

    monkeypatch.setattr(lobster, "_COUNTLESS", 0)
    about = lobster.fit(choices)

    assert about.theta == pytest.approx(exact.theta, abs=1e-9)


def test_two_threads_give_one_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks are added in their own order, whichever thread is first: every digit is the same."""
    choices = month(5_000)
    monkeypatch.setattr(lobster, "_BLOCK_VOTES", 300)
    monkeypatch.setattr(lobster, "_VOTER_CELLS", 500)
    monkeypatch.setattr(lobster, "_VOTERS_PER_MODEL", 1)

    fits = [lobster.fit(choices) for _ in range(5)]
    monkeypatch.setattr(lobster, "_THREADS", 1)
    alone = lobster.fit(choices)

    assert alone.middle is not None
    for fitted in fits:
        assert fitted.middle is not None
        assert fitted.theta.tolist() == alone.theta.tolist()
        assert fitted.inverse.tolist() == alone.inverse.tolist()
        assert fitted.middle.tolist() == alone.middle.tolist()
