"""Background work: a job carries no data and says "bring this up to date"; doubles do no harm."""

from __future__ import annotations

import structlog
from huey import RedisHuey, SqliteHuey, crontab
from huey.api import Huey

from antiabuse.events import refusals_folded
from antiabuse.quotas import take_tallies
from antiabuse.utc import month_of
from arena import fit_faults, lifecycle, refits
from arena.ballot_events import arena_stream
from arena.boards import MODES
from arena.events import Mode
from arena.side_boards import refit_side_boards_if_due
from arena.votes import ANY_MODE
from ledger.errors import LedgerError
from ledger.ids import uuid4
from ranking.lobster import LobsterError
from webapp.settings import Settings
from webapp.wiring import Services

__all__ = ["MODES", "fold_refusals", "make_queue", "refit", "refit_side_boards", "register_jobs"]

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
        fold_refusals(services)
        lifecycle.upkeep(services.ports, services.clock())
        for mode in MODES:
            refit(services, mode)
            refit_side_boards(services, mode)


def refit(services: Services, mode: str) -> bool:
    """Publish a new board of the open month if one is due; return whether it was.

    A fit that fails keeps the last board; pages and health say so until one succeeds (V-050).
    """
    now = services.clock()
    try:
        published = refits.refit_if_due(
            services.ports, mode, month_of(now), now, services.settings.refit_min_votes
        )
    except LedgerError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever stops a fit is told to readers too
        _log.exception("fit_failed", mode=mode)
        text = str(error) or type(error).__name__
        fit_faults.record(services.database, mode, now, text)
        return False
    if published:
        fit_faults.clear(services.database, mode)
        _log.info("board_published", mode=mode)
    return published


def refit_side_boards(services: Services, mode: Mode) -> bool:
    """Publish the boards beside the official one if they are due; return whether they were."""
    now = services.clock()
    try:
        return refit_side_boards_if_due(services.ports, mode, month_of(now), now)
    except LobsterError:
        # The official board does not hang on them: the other mode goes on, they are tried again.
        _log.exception("side_boards_failed", mode=mode)
        return False


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
