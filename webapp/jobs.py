"""Background work: a job carries no data and says "bring this up to date"; doubles do no harm."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial

import structlog
from huey import RedisHuey, SqliteHuey, crontab
from huey.api import Huey

from antiabuse.events import refusals_folded
from antiabuse.quotas import take_tallies
from antiabuse.utc import month_of, previous_month
from arena import fit_faults, month_end, refits
from arena import sweep as sweeps
from arena.ballot_events import ANY_MODE, arena_stream
from arena.boards import MODES
from arena.events import Mode
from arena.side_boards import refit_side_boards_if_due
from ledger.errors import LedgerError
from ledger.ids import uuid4
from webapp.settings import Settings
from webapp.wiring import Services

__all__ = [
    "MODES",
    "every_minute",
    "fold_refusals",
    "make_queue",
    "refit_side_boards",
    "register_jobs",
    "sweep",
    "tend",
]

_log = structlog.get_logger("webapp.jobs")


def make_queue(settings: Settings) -> Huey:
    """Return the job queue: in Redis where there is one, else in a file of the data folder."""
    if settings.redis_url:
        return RedisHuey("evidence-arena", url=settings.redis_url)
    return SqliteHuey("evidence-arena", filename=str(settings.data_dir / "jobs.sqlite3"))


def register_jobs(queue: Huey, services: Services) -> None:
    """Put the jobs and their minute timetable on a queue."""

    @queue.periodic_task(crontab(minute="*"), name="every_minute")
    def _every_minute() -> None:
        every_minute(services)

    sweeping = threading.Lock()

    # Apart from the others, which must not wait while a large month is swept.
    @queue.periodic_task(crontab(minute="*"), name="sweep")
    def _sweep() -> None:
        if sweeping.acquire(blocking=False):
            try:
                _guarded("sweep", lambda: sweep(services))
            finally:
                sweeping.release()


def every_minute(services: Services) -> None:
    """Do what a minute brings; what fails is logged, keeps nothing else back, and comes again."""
    work: list[tuple[str, Callable[[], object]]] = [
        ("fold_refusals", lambda: fold_refusals(services)),
    ]
    for mode in MODES:
        work += [
            (f"tend {mode}", partial(tend, services, mode)),
            (f"side_boards {mode}", partial(refit_side_boards, services, mode)),
        ]
    for name, act in work:
        _guarded(name, act)


def _guarded(name: str, act: Callable[[], object]) -> None:
    """Do a job; what fails is logged."""
    try:
        act()
    except LedgerError as error:
        _log.error("job_failed", job=name, error=type(error).__name__, detail=str(error))
    except Exception as error:  # noqa: BLE001 - one job's fault must not stop the others
        _log.error("job_failed", job=name, exc_info=error)


def sweep(services: Services) -> int:
    """Let the detectors go over what is due, once a night; return how many flags they raised."""
    flags = 0
    for swept in sweeps.sweep_if_due(services.ports, services.clock()):
        for detector, error in swept.faults.items():
            _log.error(
                "detector_failed",
                detector=detector,
                mode=swept.mode,
                month=swept.month,
                exc_info=error,
            )
        _log.info("swept", mode=swept.mode, month=swept.month, flags=swept.flags)
        flags += swept.flags
    return flags


def tend(services: Services, mode: Mode) -> bool:
    """Cut, open, look and fit whatever is due to a mode; return whether a board was published.

    The month before is fitted again when a decision changed its votes. A fit that fails keeps the
    last board and holds none of the others back; pages and health say so until all succeed (V-050).
    """
    now, least = services.clock(), services.settings.refit_min_votes
    steps: tuple[Callable[[], object], ...] = (
        partial(month_end.upkeep, services.ports, mode, now),
        partial(refits.refit_if_due, services.ports, mode, previous_month(now), now, least),
        partial(refits.refit_if_due, services.ports, mode, month_of(now), now, least),
    )
    published, fault = False, None
    for step in steps:
        try:
            published |= step() is True
        except LedgerError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever stops a fit is told to readers too
            _log.exception("fit_failed", mode=mode)
            fault = fault or str(error) or type(error).__name__
    if fault is None:
        fit_faults.clear(services.database, mode)
    else:
        fit_faults.record(services.database, mode, now, fault)
    if published:
        _log.info("board_published", mode=mode)
    return published


def refit_side_boards(services: Services, mode: Mode) -> bool:
    """Publish what follows the official boards if it is due; what fails is logged, the rest is out.

    The month before is seen to as well, for its last board came out after its end. Pages and health
    tell of a board that fails until it succeeds, or until nobody makes its month's boards.

    Returns:
        Whether all that was due could be made.
    """
    now = services.clock()
    fit_faults.drop_boards_before(services.database, mode, previous_month(now))
    made = [
        _refit_side_boards(services, mode, month, now)
        for month in (previous_month(now), month_of(now))
    ]
    return all(made)


def _refit_side_boards(services: Services, mode: Mode, month: str, now_us: int) -> bool:
    try:
        refit_side_boards_if_due(services.ports, mode, month, now_us)
    except ExceptionGroup as failed:
        for error in failed.exceptions:
            _log.error("side_board_failed", mode=mode, month=month, exc_info=error)
        return False
    except LedgerError:
        raise
    except Exception as error:  # noqa: BLE001 - the other month is seen to all the same
        # What they share failed: none of them could be made, and all are tried again.
        _log.error("side_boards_failed", mode=mode, month=month, exc_info=error)
        return False
    return True


def fold_refusals(services: Services) -> int:
    """Write one event per address and finished minute of rate refusals; return how many (V-114)."""
    now = services.clock()
    ports = services.ports
    with ports.database.write() as conn:
        tallies = take_tallies(conn, now)
        for tally in tallies:
            event = refusals_folded(
                event_id=uuid4(ports.rng),
                stream=arena_stream(ANY_MODE, month_of(tally.minute_us)),
                tally=tally,
            )
            ports.log.append(conn, event)
    return len(tallies)
