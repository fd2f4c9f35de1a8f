"""The hourly job that erases what is over and destroys old keys; killed anywhere, it goes on."""

from __future__ import annotations

import time
from typing import Final

import structlog
from huey import crontab
from huey.api import Huey

from antiabuse import retention_clock
from antiabuse.errors import ClockAhead
from antiabuse.retention import kept_at
from arena import retention
from ledger.database import Database
from ledger.errors import LedgerError
from webapp.wiring import Services

__all__ = ["drop_old_pages", "erase_old", "register_retention"]

_MOST_BATCHES: Final = 2_000
_PAUSE_S: Final = 0.1  # so that voters get their turn between two batches
_HOURLY_TRIES: Final = 50  # at the write-ahead file, each between two requests

_log = structlog.get_logger("webapp.retention")


def register_retention(queue: Huey, services: Services) -> None:
    """Put the job on a queue, once an hour."""

    @queue.periodic_task(crontab(minute="17"), name="erase_old")  # type: ignore[untyped-decorator] # as the library ships it
    def _erase_old() -> None:
        try:
            _log.info("retention", rows=erase_old(services))
        except ClockAhead as error:
            _log.warning("retention_waits", detail=str(error))
        except Exception as error:  # noqa: BLE001 - whatever stopped it, the next hour goes on
            _log.error("retention_failed", exc_info=error)


def erase_old(
    services: Services, *, pause_s: float = _PAUSE_S, clock_is_right: bool = False
) -> int:
    """Destroy old keys, then erase old rows until none is left or an hour's share is done.

    Args:
        services: of this process.
        pause_s: between two batches.
        clock_is_right: a person has looked at the clock.

    Returns:
        How many rows were erased.

    Raises:
        ClockAhead: nobody has, and it stands far ahead of the last time; nothing is erased.
    """
    now_us = services.clock()
    with services.database.write() as conn:
        retention_clock.begin(conn, now_us, clock_is_right=clock_is_right)
    kept = kept_at(now_us)
    gone = services.digest_keys.destroy_before(day=kept.key_day, month=kept.key_month)
    gone_signers = services.log_keys.drop_expired(now_us)
    if gone or gone_signers:
        _log.info("keys_destroyed", digest_keys=len(gone), log_keys=gone_signers)
    erased = 0
    for number, taken in enumerate(retention.erase_old(services.ports, now_us), start=1):
        erased += taken
        if number == _MOST_BATCHES:
            break
        if taken:
            time.sleep(pause_s)
    if not drop_old_pages(services.database, tries=_HOURLY_TRIES, pause_s=pause_s):
        _log.warning("old_pages_left", detail="the write-ahead file was in use; the next hour")
    return erased


def drop_old_pages(database: Database, *, tries: int, pause_s: float) -> bool:
    """Drop what was erased from SQLite's write-ahead file too; the erasing itself is done.

    Args:
        database: of this process.
        tries: how often, for it takes a moment in which nobody reads or writes.
        pause_s: between two tries.

    Returns:
        Whether it is done.
    """
    for left in reversed(range(tries)):
        try:
            if database.drop_old_pages():
                return True
        except LedgerError as error:
            _log.warning("old_pages_left", detail=str(error))
            return False
        if left:
            time.sleep(pause_s)
    return False
