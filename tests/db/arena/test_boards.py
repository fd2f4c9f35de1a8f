"""Boards from sequenced votes: when they are fitted, from what, and what they leave out (V-050)."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from arena import boards, refits
from arena.boards import PublishedBoard
from ledger.canonical import canonical
from ranking import lobster
from ranking import rules as ranking_rules
from ranking.lobster import NO_WORST, Choices
from tests.fixtures.arena_site import ArenaSite

MONTH = "2026-11"


def votes(arena: ArenaSite, count: int, mode: str = "speed", **fields: str) -> None:
    """Let so many voters vote once each."""
    for _ in range(count):
        arena.voter().read_and_vote(mode, fields=fields)


def latest(arena: ArenaSite, mode: str = "speed", month: str = MONTH) -> PublishedBoard | None:
    """Return the newest board."""
    with arena.database.read() as conn:
        return boards.latest(conn, mode, month)


def refit(arena: ArenaSite, mode: str = "speed", min_votes: int = 1) -> bool:
    """Fit if a board is due now."""
    return refits.refit_if_due(arena.services.ports, mode, MONTH, arena.clock(), min_votes)


def test_votes_wait_for_the_log(either_arena: ArenaSite) -> None:
    """A board is made of log entries: before the votes are sequenced none is published."""
    arena = either_arena
    votes(arena, 3)
    assert not refit(arena)
    arena.sequence()

    assert refit(arena)

    board = latest(arena)
    assert board is not None
    assert (board.votes, board.voters, board.mode, board.month) == (3, 3, "speed", MONTH)
    assert board.log_size == arena.sequence(after_s=0) - 1
    (published,) = arena.events("board.published")
    assert published.id == board.id
    assert not published.shuffled


def test_the_board_moves_with_the_fit(either_arena: ArenaSite) -> None:
    """The page shows the new order only once the next board is out, with how many votes wait."""
    arena = either_arena
    reader = arena.voter()
    votes(arena, 4)
    arena.sequence()
    refit(arena)
    first = reader.get("/leaderboard?format=json").json
    votes(arena, 2, best="B", worst="C")
    arena.sequence()
    waiting = reader.get("/leaderboard?format=json").json
    assert refit(arena)
    second = reader.get("/leaderboard?format=json").json

    assert first is not None
    assert second is not None
    assert waiting == first
    assert (first["votes"], second["votes"]) == (4, 6)
    assert second["rows"] != first["rows"]
    page = reader.get("/leaderboard")
    assert page.status_code == 200
    names = [arena.models()[row["model"]].name for row in second["rows"]]
    assert all(name in page.text for name in names)
    csv = reader.get("/leaderboard?format=csv").text.splitlines()
    assert len(csv) == 1 + len(names)


def test_a_board_is_the_engines_own_result(either_arena: ArenaSite) -> None:
    """Fitted anew from the votes' bodies, the engine gives the strengths that were published."""
    arena = either_arena
    votes(arena, 6)
    votes(arena, 2, best="C", worst="")
    arena.sequence()
    refit(arena)
    cast = [each.body for each in arena.events("vote.cast")]
    models = tuple(sorted({model for body in cast for model in body["models"]}))
    number = {model: nth for nth, model in enumerate(models)}
    columns = {
        "sets": [[number[model] for model in body["models"]] for body in cast],
        "best": [number[body["best"]] for body in cast],
        "worst": [number[body["worst"]] if body["worst"] else NO_WORST for body in cast],
        "weight": [1_000_000] * len(cast),
        "cluster": list(range(len(cast))),
    }
    arrays = {name: np.array(column) for name, column in columns.items()}

    fit = lobster.fit(Choices(models=models, **arrays))

    board = latest(arena)
    assert board is not None
    made = {row.model: row.theta for row in lobster.board(fit, basket=None).models}
    published = {row.model: row.theta for row in board.rows}
    assert published == pytest.approx(made, abs=2e-6)


def test_votes_of_weight_0_are_left_out_and_counted(either_arena: ArenaSite) -> None:
    """V-079: they are in the log, and the board says how many and why."""
    arena = either_arena
    votes(arena, 2)
    for _ in range(3):
        arena.voter().read_and_vote(seconds=1)
    arena.voter().read_and_vote(scroll="x")
    arena.sequence()
    refit(arena)

    board = latest(arena)

    assert board is not None
    assert (board.votes, board.voters) == (2, 2)
    assert dict(board.excluded) == {"bad_client_value": 1, "too_fast": 3}
    assert sum(row.exposures for row in board.rows) == pytest.approx(8)


def test_votes_of_weight_0_alone_make_no_board(either_arena: ArenaSite) -> None:
    """With nothing that counts there is nothing to fit."""
    arena = either_arena
    arena.voter().read_and_vote(seconds=1)
    arena.sequence()

    assert not refit(arena)
    assert latest(arena) is None
    assert arena.voter().get("/leaderboard").status_code == 200


def test_a_fit_is_due_after_sixty_seconds(either_arena: ArenaSite) -> None:
    """V-050: with new votes the next board comes 60 s after the last and not before."""
    arena = either_arena
    votes(arena, 2)
    arena.sequence()
    assert refit(arena)
    votes(arena, 2)
    board = latest(arena)
    assert board is not None
    arena.sequence()
    ports = arena.services.ports
    due_us = board.computed_us + ranking_rules.current().refit_seconds * 1_000_000

    assert ranking_rules.current().refit_seconds == 60
    assert not refits.refit_if_due(ports, "speed", MONTH, due_us - 1, 1)
    assert not refits.refit_if_due(ports, "speed", MONTH, due_us, 3)
    assert refits.refit_if_due(ports, "speed", MONTH, due_us, 2)
    assert not refits.refit_if_due(ports, "speed", MONTH, due_us + 10**9, 1)


def test_a_fit_is_due_at_once_after_enough_votes(
    either_arena: ArenaSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """V-050: with as many votes as the rule says the clock does not matter."""
    assert ranking_rules.current().refit_votes == 100
    arena = either_arena
    fewer = replace(ranking_rules.current(), refit_votes=3)
    monkeypatch.setattr(ranking_rules, "current", lambda: fewer)
    votes(arena, 1)
    arena.sequence()
    assert refit(arena)
    board = latest(arena)
    assert board is not None
    votes(arena, 2)
    arena.sequence()
    ports = arena.services.ports
    assert not refits.refit_if_due(ports, "speed", MONTH, board.computed_us + 1, 2)
    votes(arena, 1)
    arena.sequence()

    assert refits.refit_if_due(ports, "speed", MONTH, board.computed_us + 1, 100)


def test_the_same_entries_are_fitted_once(either_arena: ArenaSite) -> None:
    """Two workers over the same log publish one board."""
    arena = either_arena
    votes(arena, 2)
    size = arena.sequence()
    ports = arena.services.ports

    assert refits.refit_now(ports, "speed", MONTH, arena.clock())
    assert not refits.refit_now(ports, "speed", MONTH, arena.clock() + 1)

    board = latest(arena)
    assert board is not None
    assert board.log_size == size
    assert arena.count("board") == 1


def test_the_modes_have_boards_of_their_own(either_arena: ArenaSite) -> None:
    """V-020: votes of one mode change no number of the other."""
    arena = either_arena
    votes(arena, 3)
    arena.sequence()
    refit(arena)
    before = latest(arena)
    votes(arena, 3, "expert", best="D", worst="A")
    arena.sequence()

    assert not refit(arena, "speed")
    assert refit(arena, "expert")

    after = latest(arena)
    expert = latest(arena, "expert")
    assert after == before
    assert expert is not None
    assert (expert.votes, expert.mode) == (3, "expert")


def test_points_are_the_sum_of_the_changes(either_arena: ArenaSite) -> None:
    """V-041: a model's points are what its votes of the month gave and took."""
    arena = either_arena
    votes(arena, 3)
    votes(arena, 2, verdict="same")
    votes(arena, 1, verdict="bad")
    arena.sequence()
    refit(arena)
    total: dict[str, float] = {}
    for each in arena.events("vote.cast"):
        for model, change in zip(each.body["models"], each.body["changes"], strict=True):
            total[model] = total.get(model, 0) + float(change)

    board = latest(arena)

    assert board is not None
    assert {row.model: row.points for row in board.rows} == pytest.approx(total, abs=0.005)
    assert dict(board.verdicts) == {"best_worst": 3, "same": 2, "bad": 1}


def test_the_published_rows_have_the_digest_that_is_published(either_arena: ArenaSite) -> None:
    """V-051: whoever computes the rows again can compare one digest."""
    arena = either_arena
    votes(arena, 2)
    arena.sequence()
    refit(arena)

    (published,) = arena.events("board.published")

    names = ("rows", "facts", "basket", "votes", "voters", "verdicts", "excluded")
    output = canonical({name: published.body[name] for name in names})
    assert published.body["output_sha256"] == hashlib.sha256(output).hexdigest()
    assert not any(isinstance(value, float) for row in published.body["rows"] for value in row)
