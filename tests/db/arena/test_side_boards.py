"""The boards beside the official one: when they come, from what, and that one failure is alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import structlog
from sqlalchemy import text

from arena import checks, fit_faults, publishing, refits, rules
from arena.boards import PublishedBoard, View
from arena.events import Mode
from arena.ports import Ports
from arena.side_boards import refit_side_boards_if_due
from arena.vote_columns import Columns, VoteColumns
from ranking import caps, influence, links, lobster, matrix, propensity, style, subsets
from ranking import rules as ranking_rules
from ranking.lobster import Fit
from ranking.markdown_style import FEATURES, features, measure
from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import MODELS, ArenaSite, at, write_pack
from tests.fixtures.arena_votes import (
    BY_NAME,
    published,
    read_columns,
    refit,
    upkeep_of_all,
    vote_by_order,
    votes_by_order,
)
from webapp import jobs

MONTH = "2026-11"
VIEWS: tuple[View, ...] = ("makers", "style", "extended", "head_to_head", "checks")
ALL = {*((view, "") for view in VIEWS), ("official", "Tests")}


def side_boards(arena: ArenaSite, month: str = MONTH) -> bool:
    """Make the boards beside the official one of speed, if they are due."""
    return refit_side_boards_if_due(arena.services.ports, "speed", month, arena.clock())


def faults(arena: ArenaSite) -> tuple[fit_faults.BoardFault, ...]:
    """Return the boards that are kept as failing."""
    with arena.database.read() as conn:
        return fit_faults.standing_boards(conn)


def out(arena: ArenaSite) -> list[tuple[str, str, int]]:
    """Return view, category and log size of every board but the official ones."""
    query = text(
        "SELECT view, category, log_size FROM board"
        " WHERE view <> 'official' OR category <> '' ORDER BY log_size, view"
    )
    with arena.database.read() as conn:
        return [tuple(row) for row in conn.execute(query)]


@pytest.fixture
def voted(either_arena: ArenaSite) -> ArenaSite:
    """A site with votes of every kind and an official board on a basket's zero."""
    arena = either_arena
    upkeep_of_all(arena.services.ports, arena.clock())
    for verdict in ("same", "same", "bad"):
        arena.voter().read_and_vote(verdict=verdict)
    arena.voter().read_and_vote(best="C", worst="")
    arena.voter().read_and_vote(seconds=1)
    two = arena.voter()
    for _ in range(2):
        vote_by_order(arena, BY_NAME[::-1], voter=two)
    votes_by_order(arena, 10)
    refit(arena)
    return arena


def read(arena: ArenaSite, tmp_path: Path, board: PublishedBoard) -> Columns:
    """Read the very votes that a board names, past the arena's cache."""
    cache = VoteColumns(tmp_path / "own")
    return read_columns(arena, cache, board.log_size, month=board.month)


def rows_of(fit: Fit, board: PublishedBoard) -> dict[str, str]:
    """Return the scores that a fit gives on a board's zero."""
    made = lobster.board(fit, basket=board.basket or None)
    return {row.model: f"{row.score:.2f}" for row in made.models}


def scores(board: PublishedBoard) -> dict[str, str]:
    """Return the scores that were published."""
    return {row.model: f"{row.score:.2f}" for row in board.rows}


def test_side_boards_come_once_per_interval(voted: ArenaSite) -> None:
    """All at once, over the official board's entries; again only after five minutes and votes."""
    arena = voted
    first = published(arena)
    assert side_boards(arena)
    assert not side_boards(arena)
    assert {(view, category) for view, category, _ in out(arena)} == ALL
    assert {size for *_, size in out(arena)} == {first.log_size}
    wait = rules.current().views_refit_s
    made_us = arena.clock()

    arena.clock.advance(wait + 1)
    assert not side_boards(arena), "nothing new was counted"
    arena.clock.now_us = made_us
    votes_by_order(arena, 2)
    second = refit(arena)
    arena.clock.now_us = made_us + wait * 1_000_000 - 1
    assert not side_boards(arena)
    arena.clock.now_us += 1
    assert side_boards(arena)

    assert len(out(arena)) == 2 * len(ALL)
    assert {size for *_, size in out(arena)} == {first.log_size, second.log_size}


def test_without_an_official_board_there_is_none_beside_it(either_arena: ArenaSite) -> None:
    """Nothing is made, and nothing fails, before the first board."""
    assert not side_boards(either_arena)
    assert out(either_arena) == []


def test_makers_and_categories_are_fits_of_the_columns(voted: ArenaSite, tmp_path: Path) -> None:
    """V-166: one model a maker; and a category holds its own votes."""
    arena = voted
    assert side_boards(arena)
    makers = published(arena, view="makers")
    columns, _ = refits.counted(read(arena, tmp_path, makers))
    choices = columns.choices()
    fit = lobster.fit(choices)
    exposures = dict(zip(fit.models, fit.exposures.tolist(), strict=True))
    maker = {slug: model.maker_key for slug, model in arena.models().items()}
    kept = subsets.one_per_maker([m for m in fit.models if exposures[m] > 0], exposures, maker)

    assert makers.facts["kept"] == list(kept)
    assert len(kept) == len({maker[model] for model in kept}) == len(BY_NAME) - 1
    assert scores(makers) == rows_of(lobster.fit(subsets.restrict(choices, kept)), makers)
    category = published(arena, category="Tests")
    assert scores(category) == rows_of(fit, category)
    assert category.votes == published(arena).votes


def test_the_style_board_is_a_fit_of_the_columns(voted: ArenaSite, tmp_path: Path) -> None:
    """V-165: strengths and coefficients from the votes and the texts of their answers."""
    arena = voted
    assert side_boards(arena)
    board = published(arena, view="style")
    columns, _ = refits.counted(read(arena, tmp_path, board))
    with arena.database.read() as conn:
        found = conn.execute(text("SELECT id, text FROM answer")).all()
    texts = {row.id: row.text for row in found}
    values = np.array([features(measure(texts[name])) for name in columns.names["answers"]])
    fitted = style.fit(columns.choices(), values[columns.votes["answers"]], FEATURES)

    assert scores(board) == rows_of(fitted.strengths, board)
    coefficients = board.facts["coefficients"]
    assert [each["feature"] for each in coefficients] == list(FEATURES)
    assert [float(each["beta"]) for each in coefficients] == pytest.approx(
        [each.beta for each in fitted.coefficients], abs=2e-6
    )


def test_the_extended_board_is_a_fit_of_the_columns(voted: ArenaSite, tmp_path: Path) -> None:
    """V-044: ties and "both bad" enter here, with their weights and the test of one scale."""
    arena = voted
    assert side_boards(arena)
    board = published(arena, view="extended")
    choices = refits.counted(read(arena, tmp_path, board))[0].choices()
    fit = lobster.fit_extended(choices)
    scale = lobster.one_scale(choices, fit)
    made = lobster.board(fit, basket=board.basket or None)

    assert scale is not None
    assert scores(board) == rows_of(fit, board)
    assert scores(board) != scores(published(arena))
    assert [each["verdict"] for each in board.facts["weights"]] == ["same", "bad"]
    for said, extra in zip(board.facts["weights"], made.extra, strict=True):
        assert said["weight"] == f"{extra.weight:.6f}"
        assert said["log_weight"] == f"{extra.log_weight:.6f}"
        assert said["se"] == f"{extra.se:.6f}"
    assert board.facts["one_scale"] == {
        "statistic": f"{scale.statistic:.6f}",
        "df": scale.df,
        "p": f"{scale.p:.6g}",
    }
    assert (board.verdicts["same"], board.verdicts["bad"]) == (2, 1)


def test_head_to_head_is_counted_from_the_columns(voted: ArenaSite, tmp_path: Path) -> None:
    """Chances of the official fit beside what was observed."""
    arena = voted
    assert side_boards(arena)
    board = published(arena, view="head_to_head")
    choices = refits.counted(read(arena, tmp_path, board))[0].choices()
    table = matrix.head_to_head(choices, lobster.fit(choices))

    assert board.facts["models"] == list(table.models)
    for name in ("chance", "won", "shown"):
        said = np.array(board.facts[name], dtype=float)
        assert said == pytest.approx(getattr(table, name), abs=0.006)
    assert board.rows == ()


def test_the_checks_are_those_of_the_columns(
    voted: ArenaSite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """V-163, V-164: fragility, largest effects, and the fit by the logged 1 / P(S)."""
    monkeypatch.setattr(lobster, "PROVISIONAL_BELOW", 4)
    arena = voted
    assert side_boards(arena)
    board = published(arena, view="checks")
    columns, _ = refits.counted(read(arena, tmp_path, board))
    choices = columns.choices()
    fit = lobster.fit(choices)
    tipping = influence.tipping_voters(choices, fit)
    effects = influence.largest_effects(choices, fit)
    check = propensity.propensity_check(
        choices,
        columns.votes["probability"].astype(np.float64),
        fit,
        basket=None,
        rules=ranking_rules.current(),
    )

    assert tipping is not None
    assert board.facts["fragility"] == {
        "first": tipping.first,
        "instead": tipping.instead,
        "voters": len(tipping.clusters),
    }
    assert {each["model"]: float(each["points"]) for each in board.facts["effects"]} == (
        pytest.approx({model: found[0].points for model, found in effects.items()}, abs=0.006)
    )
    said = board.facts["propensity"]
    assert said["effective_votes"] == f"{check.effective_votes:.2f}"
    assert said["capped"] == check.capped
    assert [(row["model"], row["marked"]) for row in said["models"]] == [
        (row.model, row.marked) for row in check.models
    ]
    assert [float(row["reweighted"]) for row in said["models"]] == pytest.approx(
        [row.reweighted for row in check.models], abs=0.006
    )
    assert board.facts["link"] is None


def strings(value: object) -> set[str]:
    """Return every string and number in nested facts, as text."""
    if isinstance(value, Mapping):
        return set(value) | set().union(*map(strings, value.values()))
    if isinstance(value, list | tuple):
        return set().union(*map(strings, value))
    return {str(value)}


def test_no_board_names_a_voter(voted: ArenaSite) -> None:
    """Pseudonyms and clusters of voters stand in no board, in no form."""
    arena = voted
    assert side_boards(arena)
    bodies = [event.body for event in arena.events("board.published")]
    cast = [event.body for event in arena.events("vote.cast")]
    named = {body[name] for body in cast for name in ("voter", "cluster")}

    assert len(bodies) == 1 + len(ALL)
    for body in bodies:
        assert not named & strings(body)
        assert not any(name in json.dumps(body) for name in named)
    (effects,) = [body["facts"]["effects"] for body in bodies if body["view"] == "checks"]
    assert all(set(each) == {"model", "points"} for each in effects)


def test_a_failing_board_keeps_back_no_other(
    voted: ArenaSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest is published, the error is raised in the end, and only what failed is made again."""
    arena = voted
    right = style.fit

    def wrong(*_: object, **__: object) -> None:
        raise lobster.NotConvergedError("as told by the test")

    monkeypatch.setattr(style, "fit", wrong)
    with pytest.raises(ExceptionGroup) as raised:
        side_boards(arena)
    (error,) = raised.value.exceptions
    assert isinstance(error, lobster.NotConvergedError)
    assert error.__notes__ == ["board style of speed"]
    assert {(view, category) for view, category, _ in out(arena)} == ALL - {("style", "")}
    (fault,) = faults(arena)
    assert (fault.view, fault.category, fault.text) == ("style", "", "as told by the test")
    monkeypatch.setattr(style, "fit", right)

    arena.clock.advance(60)
    assert side_boards(arena)

    assert [view for view, *_ in out(arena)].count("style") == 1
    assert len(out(arena)) == len(ALL)
    assert not side_boards(arena)
    assert faults(arena) == ()


def test_a_failing_category_is_tried_again_and_told(
    voted: ArenaSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is kept as a fault with its first moment, and the next call makes it."""
    arena, began = voted, voted.clock()
    right = publishing.publish

    def wrong(ports: Ports, mode: Mode, month: str, now_us: int, fitted: publishing.Fitted) -> bool:
        if fitted.category:
            raise lobster.NotConvergedError("as told by the test")
        return right(ports, mode, month, now_us, fitted)

    with monkeypatch.context() as patched:
        patched.setattr("arena.side_boards.publish", wrong)
        for _ in range(2):
            with pytest.raises(ExceptionGroup):
                side_boards(arena)
            arena.clock.advance(60)
    (fault,) = faults(arena)
    assert (fault.view, fault.category, fault.since_us) == ("official", "Tests", began)

    assert side_boards(arena)

    assert {(view, category) for view, category, _ in out(arena)} == ALL
    assert faults(arena) == ()


@pytest.mark.parametrize("logged", [None, "1.0000000000000002"])
def test_a_pool_with_exactly_four_answers_has_checks(
    open_empty_arena: OpenArena, tmp_path: Path, logged: str | None
) -> None:
    """Where one set alone is possible P(S) is 1; ballots that hold it rounded up do no harm."""
    arena = open_empty_arena()
    arena.import_pack(write_pack(tmp_path / "four", "speed", questions=4, models=MODELS[:4]))
    votes_by_order(arena, 8)
    assert {e.body["draw"]["probability"] for e in arena.events("ballot.issued")} == {"1.0"}
    if logged is not None:
        arena.execute("UPDATE ballot SET set_probability = :logged", logged=logged)
    refit(arena)

    assert jobs.refit_side_boards(arena.services, "speed")

    assert faults(arena) == ()
    assert published(arena, view="checks").facts["propensity"]["median"] == "1.000000"


def test_the_job_logs_what_failed(arena: ArenaSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker's minute goes on: the log names the error, and the next minute tries again."""
    votes_by_order(arena, 2)
    refit(arena)

    def wrong(*_: object, **__: object) -> None:
        raise lobster.NotConvergedError("as told by the test")

    monkeypatch.setattr(matrix, "head_to_head", wrong)
    with structlog.testing.capture_logs() as lines:
        assert not jobs.refit_side_boards(arena.services, "speed")
    assert [line["event"] for line in lines] == ["side_board_failed"]
    assert lines[0]["mode"] == "speed"
    monkeypatch.undo()
    assert jobs.refit_side_boards(arena.services, "speed")
    assert {(view, category) for view, category, _ in out(arena)} == ALL


def test_votes_without_any_pick_make_all_boards(either_arena: ArenaSite) -> None:
    """Two "about the same" are enough for every view to be made, if with nothing to tell."""
    arena = either_arena
    for _ in range(2):
        arena.voter().read_and_vote(verdict="same")
    arena.sequence()
    refit(arena)

    assert side_boards(arena)

    assert {(view, category) for view, category, _ in out(arena)} == ALL
    assert published(arena, view="checks").facts["fragility"] is None
    assert published(arena, view="extended").facts["one_scale"] is None


def test_the_checks_hold_the_link_to_the_month_before(
    either_arena: ArenaSite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The link constant compares the models in both months' baskets, fitted from both columns."""
    monkeypatch.setattr(lobster, "BASKET_EXPOSURES", 3)
    arena = either_arena
    ports = arena.services.ports
    upkeep_of_all(ports, arena.clock())
    votes_by_order(arena, 10)
    arena.clock.now_us = at("2026-12-01T09:00:00+00:00")
    upkeep_of_all(ports, arena.clock())
    earlier = published(arena)  # of the cut
    votes_by_order(arena, 12, BY_NAME[::-1])
    later = refit(arena, month="2026-12")
    assert len(earlier.basket) >= 4
    assert len(later.basket) >= 4

    assert side_boards(arena, "2026-12")

    fits = [
        lobster.fit(refits.counted(read(arena, tmp_path, board))[0].choices())
        for board in (earlier, later)
    ]
    expected = links.link(fits[0], earlier.basket, fits[1], later.basket)
    link = published(arena, month="2026-12", view="checks").facts["link"]
    assert expected is not None
    assert (link["month"], link["board"]) == ("2026-11", earlier.id)
    assert float(link["constant"]) == pytest.approx(expected.constant, abs=0.006)
    assert float(link["se"]) == pytest.approx(expected.se, abs=2e-6)
    assert tuple(link["models"]) == expected.models


@pytest.mark.parametrize(
    "month,before", [("2026-12", "2026-11"), ("2026-01", "2025-12"), ("2024-03", "2024-02")]
)
def test_the_month_before(month: str, before: str) -> None:
    """By the calendar, over the turn of the year as well."""
    assert checks.month_before(month) == before


def test_demo_votes_are_excluded_after_the_first_real_vote(
    open_empty_arena: OpenArena, tmp_path: Path
) -> None:
    """V-174: no board beside the official one holds a demo model or counts a demo vote then."""
    arena = open_empty_arena()
    demo = [(f"demo-{m[0]}", m[1], m[2], m[3], m[4]) for m in MODELS]
    pack = write_pack(tmp_path / "demo", "speed", questions=9, models=demo, demo=True, topic="demo")
    arena.import_pack(pack)
    votes_by_order(arena, 5, [model[0] for model in demo])
    assert refit(arena).demo
    assert side_boards(arena)
    arena.import_pack(write_pack(tmp_path / "real", "speed", questions=9))
    arena.clock.advance(rules.current().views_refit_s)
    votes_by_order(arena, 2)
    refit(arena)

    assert side_boards(arena)

    for view in VIEWS:
        board = published(arena, view=view)
        assert not board.demo
        assert board.votes == 2
        assert not any("demo-" in each for each in strings(board.facts))
        assert {row.model for row in board.rows} <= set(BY_NAME)


def test_no_voter_supplies_too_much_of_a_models_evidence(
    either_arena: ArenaSite, tmp_path: Path
) -> None:
    """V-155: where ten others voted, somebody's many votes are lowered at the fit, and counted."""
    arena = either_arena
    busy = arena.voter()
    for _ in range(7):
        vote_by_order(arena, BY_NAME[::-1], voter=busy)
    votes_by_order(arena, 24)

    board = refit(arena)

    columns = read(arena, tmp_path, board)
    choices = columns.choices()
    factors = caps.cap_factors(choices, None, ranking_rules.current())
    lowered = factors < 1
    mine = columns.votes["cluster"] == np.bincount(columns.votes["cluster"]).argmax()
    assert lowered.any()
    assert (mine | ~lowered).all()
    assert sum(board.facts["cap"].values()) == int(lowered.sum())
    assert board.votes == 31
    exposures = sum(row.exposures for row in board.rows)
    assert exposures == pytest.approx(4 * factors.sum(), abs=1e-4)
    assert exposures < 4 * 31
    assert scores(board) == rows_of(lobster.fit(caps.capped(choices, factors)[0]), board)
    said: Any = sum(row.points for row in board.rows)
    assert said == pytest.approx(0, abs=0.05), "points go by the weight at the vote"
