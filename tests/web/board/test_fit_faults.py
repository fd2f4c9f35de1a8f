"""A fit that fails keeps the last board, and everybody is told until one succeeds (V-050)."""

from __future__ import annotations

import json

import pytest

from ranking import lobster
from tests.fixtures.arena_site import ArenaSite
from webapp import jobs


def broken(*_: object, **__: object) -> lobster.Fit:
    """Stand in for a fit that does not converge."""
    raise lobster.NotConvergedError("no convergence within 200 steps")


def health(site: ArenaSite) -> dict[str, object]:
    """Return what health says beside the pings; a standing board is still served."""
    response = site.voter().get("/readyz")
    assert response.status_code == 200
    found = json.loads(response.text)
    return {name: found[name] for name in ("status", "failed_fits")}


def test_a_failed_fit_is_told_and_forgotten(
    month: ArenaSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The board stays, page and health name the failure with its first moment; success ends it."""
    before = json.loads(month.voter().get("/leaderboard?format=json").text)
    month.voter().read_and_vote()
    month.sequence(after_s=120)
    began = month.clock()
    with monkeypatch.context() as patched:
        patched.setattr(lobster, "fit", broken)
        assert not jobs.refit(month.services, "speed")
        month.clock.advance(60)
        assert not jobs.refit(month.services, "speed")
    html = month.voter().get("/leaderboard").text
    assert 'data-reason="fit_failed"' in html
    assert json.loads(month.voter().get("/leaderboard?format=json").text) == before
    assert health(month) == {
        "status": "degraded",
        "failed_fits": {
            "speed": {"since_us": began, "error": "no convergence within 200 steps"},
        },
    }
    assert 'data-reason="fit_failed"' not in month.voter().get("/leaderboard?mode=expert").text
    assert jobs.refit(month.services, "speed")
    assert 'data-reason="fit_failed"' not in month.voter().get("/leaderboard").text
    assert health(month) == {"status": "ok", "failed_fits": {}}


def test_a_failed_side_board_hides_nothing(
    month: ArenaSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The official board goes on when a board beside it cannot be made."""
    month.voter().read_and_vote()
    month.sequence(after_s=400)
    assert jobs.refit(month.services, "speed")
    with monkeypatch.context() as patched:
        patched.setattr(lobster, "fit", broken)
        assert not jobs.refit_side_boards(month.services, "speed")
    assert health(month) == {"status": "ok", "failed_fits": {}}
    assert jobs.refit_side_boards(month.services, "speed")
