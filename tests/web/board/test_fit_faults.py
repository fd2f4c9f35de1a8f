"""A fit or board that fails keeps the last one, and all are told until it succeeds (V-050)."""

from __future__ import annotations

import json
from types import ModuleType

import pytest

from arena import fit_faults
from ranking import lobster, matrix, propensity, style
from tests.fixtures.arena_site import ArenaSite, at
from webapp import jobs

VIEWS = ("makers", "style", "extended", "head_to_head", "checks")


@pytest.fixture(autouse=True)
def no_sweep_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    """No sweep is made here, which is not what these tests are about."""
    monkeypatch.setattr("webapp.health.views.overdue_sweeps", lambda _conn, _now: ())


def broken(*_: object, **__: object) -> lobster.Fit:
    """Stand in for a fit that does not converge."""
    raise lobster.NotConvergedError("no convergence within 200 steps")


def health(site: ArenaSite) -> dict[str, object]:
    """Return what health says beside the pings; a standing board is still served."""
    response = site.voter().get("/readyz")
    assert response.status_code == 200
    found = json.loads(response.text)
    return {name: found[name] for name in ("status", "failed_fits")}


def failed_boards(site: ArenaSite) -> list[dict[str, object]]:
    """Return the failed boards that health names; then it is degraded and says so, with 200."""
    response = site.voter().get("/readyz")
    found = json.loads(response.text)
    failed: list[dict[str, object]] = found["failed_boards"]
    expected = (200, "degraded", ["boards"]) if failed else (200, "ok", [])
    assert (response.status_code, found["status"], found["degraded"]) == expected
    return failed


def page(site: ArenaSite, query: str) -> str:
    """Return a page of the board with the official board's votes read anew."""
    response = site.voter().get(f"/leaderboard?{query}")
    assert response.status_code == 200
    return response.text


def new_vote(site: ArenaSite) -> None:
    """Bring an official board that the boards beside it do not follow yet."""
    site.voter().read_and_vote()
    site.sequence(after_s=400)
    assert jobs.tend(site.services, "speed")


def test_a_failed_fit_is_told_and_forgotten(
    month: ArenaSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The board stays, page and health name the failure with its first moment; success ends it."""
    jobs.tend(month.services, "speed")  # the day's look may move a state
    before = json.loads(month.voter().get("/leaderboard?format=json").text)
    month.voter().read_and_vote()
    month.sequence(after_s=120)
    began = month.clock()
    with monkeypatch.context() as patched:
        patched.setattr(lobster, "fit", broken)
        assert not jobs.tend(month.services, "speed")
        month.clock.advance(60)
        assert not jobs.tend(month.services, "speed")
    html = month.voter().get("/leaderboard").text
    assert 'data-reason="fit_failed"' in html
    after = json.loads(month.voter().get("/leaderboard?format=json").text)
    for row in (*before["rows"], *after["rows"]):
        del row["state"]  # the day's look is taken all the same
    assert after == before
    assert health(month) == {
        "status": "degraded",
        "failed_fits": {
            "speed": {"since_us": began, "error": "no convergence within 200 steps"},
        },
    }
    assert 'data-reason="fit_failed"' not in month.voter().get("/leaderboard?mode=expert").text
    assert jobs.tend(month.services, "speed")
    assert 'data-reason="fit_failed"' not in month.voter().get("/leaderboard").text
    assert health(month) == {"status": "ok", "failed_fits": {}}


def test_a_failed_side_board_hides_nothing(
    month: ArenaSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The official board goes on when none beside it can be made, and each of those is told."""
    new_vote(month)
    with monkeypatch.context() as patched:
        patched.setattr(lobster, "fit", broken)
        assert not jobs.refit_side_boards(month.services, "speed")
    assert health(month) == {"status": "degraded", "failed_fits": {}}
    assert [each["view"] for each in failed_boards(month)] == sorted(VIEWS)
    assert 'data-reason="fit_failed"' not in page(month, "")
    assert jobs.refit_side_boards(month.services, "speed")
    assert failed_boards(month) == []


def test_failed_checks_are_told_beside_the_scores(
    month: ArenaSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Health and the scores say since when, only there, and no more after a success."""
    new_vote(month)
    began = month.clock()
    with monkeypatch.context() as patched:
        patched.setattr(propensity, "propensity_check", broken)
        assert not jobs.refit_side_boards(month.services, "speed")
        month.clock.advance(60)
        assert not jobs.refit_side_boards(month.services, "speed")

    assert failed_boards(month) == [
        {
            "mode": "speed",
            "month": "2026-11",
            "view": "checks",
            "category": "",
            "since_us": began,
            "error": "no convergence within 200 steps",
        }
    ]
    assert 'data-reason="checks_failed"' in page(month, "view=scores")
    for other in ("view=style", "view=head-to-head", "category=Tests", "mode=expert"):
        assert "failed" not in page(month, other), other
    assert jobs.refit_side_boards(month.services, "speed")
    assert failed_boards(month) == []
    assert "failed" not in page(month, "view=scores")


@pytest.mark.parametrize(
    "place,name,query",
    [(style, "fit", "view=style"), (matrix, "head_to_head", "view=head-to-head")],
)
def test_a_failed_board_is_told_on_its_own_page(
    month: ArenaSite, monkeypatch: pytest.MonkeyPatch, place: ModuleType, name: str, query: str
) -> None:
    """Its page says since when, its permanent address and the scores do not."""
    new_vote(month)
    with monkeypatch.context() as patched:
        patched.setattr(place, name, broken)
        assert not jobs.refit_side_boards(month.services, "speed")

    told = page(month, query)
    assert 'data-reason="board_failed"' in told
    assert "The scores are not touched" in told
    assert "board_failed" not in page(month, "view=scores")
    assert jobs.refit_side_boards(month.services, "speed")
    assert "board_failed" not in page(month, query)


def test_faults_of_a_month_that_is_over_are_forgotten(
    month: ArenaSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When nobody makes a month's boards any more, nobody is told to look after them."""
    new_vote(month)
    with monkeypatch.context() as patched:
        patched.setattr(matrix, "head_to_head", broken)
        assert not jobs.refit_side_boards(month.services, "speed")
        month.clock.now_us = at("2026-12-20T12:00:00+00:00")
        assert not jobs.refit_side_boards(month.services, "speed"), "still tried"
        assert len(failed_boards(month)) == 1
    month.clock.now_us = at("2027-01-02T12:00:00+00:00")

    assert jobs.refit_side_boards(month.services, "speed")

    assert failed_boards(month) == []


def test_a_failed_cut_is_told_on_its_months_board(month: ArenaSite) -> None:
    """The month before may still wait for its last fit; older ones do not."""
    fit_faults.record(month.database, "speed", month.clock(), "no convergence")

    month.clock.now_us = at("2026-12-01T00:06:00+00:00")
    assert 'data-reason="fit_failed"' in page(month, "month=2026-11")
    month.clock.now_us = at("2027-01-01T00:06:00+00:00")
    assert 'data-reason="fit_failed"' not in page(month, "month=2026-11")
