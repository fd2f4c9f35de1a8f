"""Operations: what an operator has to know of the running arena, on one page (V-151, V-168)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final, Literal

from flask import Blueprint, make_response, render_template
from sqlalchemy import Connection
from werkzeug.wrappers import Response as AnyResponse

from antiabuse import rules as antiabuse_rules
from antiabuse import unrun_checks
from antiabuse.detectors import rules as detector_rules
from antiabuse.devices import DeviceNumbers, device_numbers
from antiabuse.retention import kept_at
from antiabuse.retention_clock import waits_since
from antiabuse.sign_in_limits import Failures, failures_since
from antiabuse.unrun_checks import Check
from antiabuse.utc import DAY_US, MINUTE_US, hour_of, month_of, previous_month
from arena import boards, fit_faults, refits
from arena.boards import MODES, PublishedBoard
from arena.countable import some_vote_counts
from arena.events import Mode
from arena.fit_faults import BoardFault, FitFault
from arena.freshness import NEARLY_STALE, Freshness, pool_freshness
from arena.review_queue import Waiting, waiting_for_moderators
from arena.sweep_report import LastSweep, OverdueSweep, last_sweep, overdue_sweeps
from ledger import sequencer, store
from ledger.checkpoint import SignedCheckpoint
from ledger.private_parts import Erased, erased_since
from webapp.limits import limiter
from webapp.moderation.guard import MODERATORS, moderators_only, session_now
from webapp.visitors import request_time_us
from webapp.wiring import services

__all__ = ["operation_pages"]

operation_pages = Blueprint("moderation_operations", __name__, url_prefix="/moderation")

_WEEK_US: Final = 7 * DAY_US
_LOG_LATE_US: Final = 5 * MINUTE_US  # a waiting event is in the log within about a minute

LimitState = Literal["one_process", "shared", "alone"]
Concern = Literal[
    "log", "fits", "boards", "limits", "checks", "overdue", "detectors", "pool", "retention"
]


@dataclass(frozen=True, slots=True)
class UnrunCheck:
    """A check that could not run, with the requests that went without it."""

    check: Check
    day: int
    week: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeWork:
    """What was done last for a mode.

    `waiting` votes are in the log and on no board yet; `none_counts` says that no board can be made
    of them, since the month has none yet and each of its votes weighs 0.
    """

    mode: Mode
    pool: Freshness
    sweep: LastSweep | None
    overdue: OverdueSweep | None
    board: PublishedBoard | None
    waiting: int
    none_counts: bool
    fault: FitFault | None
    board_faults: tuple[BoardFault, ...]


@dataclass(frozen=True, slots=True)
class LogState:
    """The public log: its size, the newest checkpoint, the events that wait for a place."""

    size: int
    checkpoint: SignedCheckpoint | None
    waiting: int
    late: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Operations:
    """Everything on the page.

    `devices` is None where no fingerprint is asked for; `erasing_waits_us` is when anything was
    last erased, where that is so long ago that a person must look at the clock.
    """

    unrun: tuple[UnrunCheck, ...]
    modes: tuple[ModeWork, ...]
    log: LogState
    limits: LimitState
    devices: DeviceNumbers | None
    erased: tuple[Erased, ...]
    kept_from: str
    erasing_waits_us: int | None
    cases: Waiting
    failures: Failures

    @property
    def concerns(self) -> list[Concern]:
        """What the operator should look at, the most pressing first."""
        told: dict[Concern, bool] = {
            "log": self.log.late,
            "fits": any(each.fault for each in self.modes),
            "boards": any(each.board_faults for each in self.modes),
            "limits": self.limits == "alone",
            "checks": any(each.day for each in self.unrun),
            "overdue": any(each.overdue for each in self.modes),
            "detectors": any(each.sweep and each.sweep.unrun for each in self.modes),
            "pool": any(2 * m.pool.fresh_questions < m.pool.questions for m in self.modes),
            "retention": self.erasing_waits_us is not None,
        }
        return [concern for concern, holds in told.items() if holds]


@operation_pages.get("/operations")
@moderators_only(*MODERATORS)
def show() -> AnyResponse:
    """Show how the arena runs."""
    now_us = request_time_us()
    services().unrun.write()  # this process's last ones, of which this request may be one
    with services().database.read() as conn:
        found = _operations(conn, now_us)
    fresh = antiabuse_rules.current().fresh_reveals
    page = render_template(
        "moderation/operations.html",
        session=session_now(),
        found=found,
        now_us=now_us,
        fresh_reveals=fresh,
        near_reveals=round(fresh * NEARLY_STALE),
        sweep_late_hours=detector_rules.current().sweep_late_hours,
        household=antiabuse_rules.current().device_household,
        nav="moderation",
        room="operations",
    )
    return make_response(page)


def _operations(conn: Connection, now_us: int) -> Operations:
    fingerprint = services().settings.fingerprint
    return Operations(
        unrun=_unrun(conn, now_us),
        modes=_modes(conn, now_us),
        log=_log(conn, now_us),
        limits=_limits(),
        devices=device_numbers(conn, month_of(now_us)) if fingerprint else None,
        erased=erased_since(conn, now_us - _WEEK_US),
        kept_from=kept_at(now_us).month,
        erasing_waits_us=waits_since(conn, now_us),
        cases=waiting_for_moderators(conn),
        failures=failures_since(conn, now_us - DAY_US),
    )


def _unrun(conn: Connection, now_us: int) -> tuple[UnrunCheck, ...]:
    week: Counter[Check] = Counter()
    day: Counter[Check] = Counter()
    last_day = hour_of(now_us - DAY_US)
    for each in unrun_checks.since(conn, hour_of(now_us - _WEEK_US)):
        week[each.check] += each.requests
        if each.hour >= last_day:
            day[each.check] += each.requests
    return tuple(UnrunCheck(check, day[check], count) for check, count in week.most_common())


def _modes(conn: Connection, now_us: int) -> tuple[ModeWork, ...]:
    pools = {pool.mode: pool for pool in pool_freshness(conn)}
    faults, failed = fit_faults.standing(conn), fit_faults.standing_boards(conn)
    overdue = {each.mode: each for each in overdue_sweeps(conn, now_us)}
    month = month_of(now_us)
    found = []
    for mode in MODES:
        months = (month, previous_month(now_us))
        sweeps = (last_sweep(conn, mode, each, now_us) for each in months)
        swept = next((each for each in sweeps if each is not None), None)
        known = boards.months(conn, mode)
        board = boards.latest(conn, mode, known[0]) if known else None
        of_month = board if board and board.month == month else None
        waiting = refits.waiting(conn, mode, month, of_month)
        missed = tuple(each for each in failed if each.mode == mode)
        found.append(
            ModeWork(
                mode=mode,
                pool=pools[mode],
                sweep=swept,
                overdue=overdue.get(mode),
                board=board,
                waiting=waiting,
                none_counts=of_month is None and not some_vote_counts(conn, mode, month),
                fault=faults.get(mode),
                board_faults=missed,
            )
        )
    return tuple(found)


def _log(conn: Connection, now_us: int) -> LogState:
    newest, waiting = store.latest_checkpoint(conn), sequencer.waiting(conn)
    signed_us = 0 if newest is None else newest.signed_us
    # A signature from the future, of a clock since set back, vouches for nothing.
    late = waiting > 0 and abs(now_us - signed_us) > _LOG_LATE_US
    return LogState(store.head(conn).size, newest, waiting, late)


def _limits() -> LimitState:
    if services().settings.redis_url is None:
        return "one_process"
    return "shared" if limiter.storage.check() else "alone"
