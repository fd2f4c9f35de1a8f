"""The month's cut: the last votes are fitted, the last look is taken, then the next month opens."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from arena import boards, fit_faults, headers, refits
from arena.ports import Ports
from arena.side_boards import refit_side_boards_if_due
from ranking.lobster import NotConvergedError
from tests.fixtures.arena_site import ArenaSite, at
from tests.fixtures.arena_votes import BY_NAME, refit, upkeep_of_all, vote_by_order
from webapp import jobs

WEAK = "fenwhistle"


def upkeep(arena: ArenaSite, moment: str) -> None:
    """Do what the worker does each minute, at a moment of 2026."""
    arena.clock.now_us = at(f"2026-{moment}+00:00")
    upkeep_of_all(arena.services.ports, arena.clock())


def counted_votes(arena: ArenaSite, month: str) -> int | None:
    """Return the votes of a month's last board in speed."""
    with arena.database.read() as conn:
        board = boards.latest(conn, "speed", month)
    return None if board is None else board.votes


def looks(arena: ArenaSite) -> list[tuple[str, int, bool]]:
    """Return the looks of speed: day, moment, and whether there was a board."""
    query = text("SELECT day, at_us, board_id FROM lifecycle_look WHERE mode = 'speed' ORDER BY 2")
    with arena.database.read() as conn:
        return [(row.day, row.at_us, row.board_id is not None) for row in conn.execute(query)]


def opened(arena: ArenaSite, month: str) -> bool:
    """Say whether a month has its header."""
    with arena.database.read() as conn:
        return headers.latest(conn, "speed", month) is not None


def votes(arena: ArenaSite, count: int) -> None:
    """Let models win in turn, without sequencing."""
    order = list(BY_NAME)
    for nth in range(count):
        turn = nth % len(order)
        vote_by_order(arena, (*order[turn:], *order[:turn]))


def test_votes_of_the_last_minute_reach_the_months_last_board(either_arena: ArenaSite) -> None:
    """Votes cast before midnight and sequenced after it are in the board of their month."""
    upkeep(either_arena, "11-29T12:00:00")
    votes(either_arena, 3)
    either_arena.sequence()
    refit(either_arena)
    assert counted_votes(either_arena, "2026-11") == 3

    either_arena.clock.now_us = at("2026-11-30T23:58:00+00:00")
    votes(either_arena, 2)
    assert either_arena.clock.now_us < at("2026-12-01T00:00:00+00:00")
    either_arena.clock.now_us = at("2026-12-01T00:00:30+00:00")
    either_arena.sequence()
    upkeep(either_arena, "12-01T00:05:00")

    assert counted_votes(either_arena, "2026-11") == 5
    assert counted_votes(either_arena, "2026-12") is None


def test_the_cut_waits_for_the_log(either_arena: ArenaSite) -> None:
    """As long as a vote of the month is not sequenced, nothing is cut and no month opens."""
    upkeep(either_arena, "11-30T12:00:00")
    either_arena.clock.now_us = at("2026-11-30T23:50:00+00:00")
    votes(either_arena, 2)
    upkeep(either_arena, "12-01T00:06:00")
    assert not opened(either_arena, "2026-12")
    assert "2026-11" not in [day for day, _, _ in looks(either_arena)]

    either_arena.sequence()
    upkeep(either_arena, "12-01T00:07:00")
    assert opened(either_arena, "2026-12")
    assert counted_votes(either_arena, "2026-11") == 2


def test_the_cut_is_looked_at_once_and_before_the_new_months_first_look(
    either_arena: ArenaSite,
) -> None:
    """The look at the cut is dated at the month's last microsecond, and comes once."""
    upkeep(either_arena, "11-30T12:00:00")
    for minute in ("00:01:00", "00:05:00", "00:06:00", "09:00:00"):
        upkeep(either_arena, f"12-01T{minute}")

    end = at("2026-12-01T00:00:00+00:00")
    assert [(day, moment) for day, moment, _ in looks(either_arena)] == [
        ("2026-11-30", at("2026-11-30T12:00:00+00:00")),
        ("2026-11", end - 1),
        ("2026-12-01", at("2026-12-01T00:05:00+00:00")),
    ]


def test_a_month_does_not_open_before_the_cut(either_arena: ArenaSite) -> None:
    """Between midnight and the cut the old month's states stand; then they are carried over."""
    upkeep(either_arena, "11-30T12:00:00")
    either_arena.execute(
        "UPDATE model_state SET state = 'eliminated' WHERE model = :model AND mode = 'speed'",
        model=WEAK,
    )
    upkeep(either_arena, "12-01T00:01:00")
    assert not opened(either_arena, "2026-12")

    upkeep(either_arena, "12-01T00:05:00")
    assert opened(either_arena, "2026-12")
    causes = [
        (event.body["cause"], event.body["after"])
        for event in either_arena.events("model.state")
        if event.body["model"] == WEAK and event.body["mode"] == "speed"
    ]
    assert causes[-1] == ("month", "probation")


def test_months_missed_are_cut_in_order(either_arena: ArenaSite) -> None:
    """After a standstill over two month ends the old month is cut late, then the present opens."""
    upkeep(either_arena, "10-30T12:00:00")
    votes(either_arena, 2)
    either_arena.sequence()
    upkeep(either_arena, "12-24T12:00:00")

    assert counted_votes(either_arena, "2026-10") == 2
    assert [day for day, _, _ in looks(either_arena)] == ["2026-10-30", "2026-10", "2026-12-24"]
    assert opened(either_arena, "2026-12")
    assert not opened(either_arena, "2026-11")


def test_the_boards_beside_follow_the_last_one(either_arena: ArenaSite) -> None:
    """The boards beside the official one are made of the cut's votes as well, after their rest."""
    upkeep(either_arena, "11-30T12:00:00")
    votes(either_arena, 4)
    either_arena.sequence()
    upkeep(either_arena, "12-01T00:05:00")
    later = at("2026-12-01T02:00:00+00:00")
    assert refit_side_boards_if_due(either_arena.services.ports, "speed", "2026-11", later)
    with either_arena.database.read() as conn:
        official = boards.latest(conn, "speed", "2026-11")
        makers = boards.latest(conn, "speed", "2026-11", view="makers")
    assert official is not None
    assert makers is not None
    assert makers.log_size == official.log_size


def test_a_cut_that_fails_is_told_and_holds_nobody_else_back(
    either_arena: ArenaSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One mode's failing cut is a fault until it succeeds; the other mode's month goes on."""
    arena = either_arena
    upkeep(arena, "11-30T12:00:00")
    votes(arena, 2)
    arena.sequence()
    right = refits.refit_now

    def wrong(ports: Ports, mode: str, month: str, now_us: int) -> bool:
        if (mode, month) == ("speed", "2026-11"):
            raise NotConvergedError("no convergence")
        return right(ports, mode, month, now_us)

    arena.clock.now_us = at("2026-12-01T00:05:00+00:00")
    with monkeypatch.context() as patched:
        patched.setattr(refits, "refit_now", wrong)
        for _ in range(2):
            jobs.every_minute(arena.services)
            with arena.database.read() as conn:
                assert set(fit_faults.standing(conn)) == {"speed"}
                assert headers.latest(conn, "expert", "2026-12") is not None
            assert not opened(arena, "2026-12")

    jobs.every_minute(arena.services)
    with arena.database.read() as conn:
        assert fit_faults.standing(conn) == {}
    assert opened(arena, "2026-12")
    assert counted_votes(arena, "2026-11") == 2
