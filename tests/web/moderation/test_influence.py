"""The page of influence: whose votes move which score, checked against fits without them."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest

from arena import moderation, review_rules, standing
from arena.boards import PublishedBoard
from arena.influential_voters import VoterEffect, influential_voters
from arena.refits import counted
from arena.standing_reasons import JoinReason
from arena.vote_columns import Columns
from ranking import lobster
from tests.fixtures.arena_site import ArenaSite
from tests.fixtures.arena_votes import published, refit, votes_by_order
from tests.fixtures.moderation_cases import one_sided_voter
from tests.fixtures.moderators import Moderator, moderator_of
from webapp.moderation import influence

PATH = "/moderation/influence"
MONTH = "2026-11"


def columns_of(site: ArenaSite, board: PublishedBoard) -> Columns:
    """Return the votes that a board counts."""
    with site.database.read() as conn:
        return counted(
            standing.columns_at(site.services.ports, conn, board.mode, board.month, board.log_size)
        )[0]


def scores_without(columns: Columns, board: PublishedBoard, voter: str) -> dict[str, float]:
    """Fit a board's votes again without one cluster, on the zero of its basket."""
    choices = columns.choices()
    own = choices.cluster == list(columns.names["clusters"]).index(voter)
    left = dataclasses.replace(choices, weight=np.where(own, 0, choices.weight))
    fitted = lobster.fit(choices)
    basket = lobster.basket_of(fitted, board.basket)
    theta = dict(zip(fitted.models, lobster.fit(left).theta.tolist(), strict=True))
    zero = np.mean([theta[model] for model in basket]) if basket else 0.0
    base = lobster.board(fitted, basket=basket).models
    start = {row.model: row.score for row in base}
    offset = {row.model: row.theta for row in base}
    return {
        model: start[model] + lobster.POINTS_PER_NAT * (theta[model] - zero - offset[model])
        for model in theta
    }


def test_the_changes_are_those_of_fits_without_the_voters(month: ArenaSite) -> None:
    """Each listed voter's change agrees with a full fit, and each model has its largest few."""
    board = published(month)
    effects = influential_voters(month.services.ports, board)
    columns = columns_of(month, board)

    assert {effect.model for effect in effects} == {row.model for row in board.rows}
    assert len(effects) == review_rules.current().influence_voters * len(board.rows)
    for effect in effects:
        row = board.row_of(effect.model)
        assert row is not None
        exact = scores_without(columns, board, effect.voter)[effect.model] - row.score
        # One Newton step for small effects, a real fit for large ones.
        assert effect.change == pytest.approx(exact, rel=0.05, abs=0.5)


def test_shares_are_of_the_weight_that_showed_the_model(month: ArenaSite) -> None:
    """A voter's share is the weight of their counted picks that showed it, over all such."""
    board = published(month)
    columns = columns_of(month, board)
    votes, names = columns.votes, list(columns.names["models"])
    for effect in influential_voters(month.services.ports, board):
        cluster = list(columns.names["clusters"]).index(effect.voter)
        counts = (votes["best"] >= 0) & (votes["weight"] > 0)
        showed = counts & (votes["models"] == names.index(effect.model)).any(axis=1)
        own = votes["cluster"] == cluster
        weight = votes["weight"].astype(float)
        assert effect.share == pytest.approx(weight[showed & own].sum() / weight[showed].sum())
        assert effect.votes == int((counts & own).sum())


def rows_of(html: str) -> list[str]:
    """Return the subjects of the cases that a page links to."""
    return re.findall(r'href="/moderation/cases/([^"]+)"', html)


def test_the_page_links_each_voter_to_their_case(month: ArenaSite) -> None:
    """Models stand in the board's order; a link leads to the voter's case of the month."""
    rosa = moderator_of(month)
    html = rosa.get(f"{PATH}?mode=speed").text
    effects = influential_voters(month.services.ports, published(month))

    assert rows_of(html) == [f"voter:{MONTH}:{effect.voter}" for effect in effects]
    assert rosa.get(f"/moderation/cases/{rows_of(html)[0]}").status_code == 200
    headings = re.findall(r'<th scope="rowgroup"[^>]*>([^<]+) <span>', html)
    names = {slug: model.name for slug, model in month.models().items()}
    assert headings == [names[row.model] for row in published(month).rows]


def test_a_board_is_computed_once(month: ArenaSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second look costs no fit, a new board does."""
    made: list[str] = []

    def counting(ports: object, official: PublishedBoard) -> tuple[VoterEffect, ...]:
        made.append(official.id)
        return ()

    monkeypatch.setattr(influence, "influential_voters", counting)
    rosa = moderator_of(month)
    first = published(month).id
    for _ in range(2):
        assert "nobody moves a score" in rosa.get(PATH).text
    votes_by_order(month, 1)
    second = refit(month).id
    rosa.get(PATH)

    assert made == [first, second]


def test_joined_accounts_are_one_voter(arena: ArenaSite) -> None:
    """They stand under one name with how many they are."""
    votes_by_order(arena, 6)
    seen = [one_sided_voter(arena, 3) for _ in range(2)]
    names = [each.name for each in seen]
    ports = arena.services.ports
    moderation.join(ports, None, MONTH, names, JoinReason.SAME_DEVICE, arena.clock())
    arena.sequence()
    refit(arena)

    effects = influential_voters(ports, published(arena))
    joined = [effect for effect in effects if effect.voter in names]

    assert {(effect.voter, effect.accounts, effect.votes) for effect in joined} == {
        (min(names), 2, 6)
    }
    assert "2 accounts joined" in moderator_of(arena).get(PATH).text


def test_an_erased_voter_has_no_case(arena: ArenaSite) -> None:
    """The votes still count, so the name stands there, but nothing leads to it."""
    seen = one_sided_voter(arena, 3)
    refit(arena)
    rosa: Moderator = moderator_of(arena)
    subject = f"voter:{MONTH}:{seen.name}"
    assert subject in rows_of(rosa.get(PATH).text)

    seen.voter.post("/me/erase")

    page = rosa.get(PATH).text
    assert rows_of(page) == []
    assert "erased, no case left" in page


def test_empty_states_and_wrong_modes(arena: ArenaSite) -> None:
    """Without a board the page says what will be here; other modes are no page."""
    rosa = moderator_of(arena)

    assert "There is no board of this mode yet" in rosa.get(PATH).text
    assert "There is no board of this mode yet" in rosa.get(f"{PATH}?mode=expert").text
    assert rosa.get(f"{PATH}?mode=slow").status_code == 404


def test_only_moderators_and_operators_see_it(arena: ArenaSite) -> None:
    """A voter is led to the form and learns no name; a master is told why not."""
    seen = one_sided_voter(arena, 2)
    refit(arena)
    closed = seen.voter.get(PATH)

    assert closed.status_code == 303
    assert seen.name not in closed.text
    assert moderator_of(arena, "max", "master").get(PATH).status_code == 403
    assert moderator_of(arena, "olga", "operator").get(PATH).status_code == 200
