"""Whether the clock can be trusted with erasing: it must not stand far ahead of the last time.

A small jump ahead passes unseen and erases that much too early, a large one waits for a person.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection

from antiabuse.errors import ClockAhead
from antiabuse.rules import current
from antiabuse.statements import Statement
from antiabuse.utc import DAY_US, day_of
from ledger import store

__all__ = ["begin", "waits_since"]

_LAST: Final = Statement("SELECT at_us FROM retention_run WHERE job = 'erase_old'")
_BEGIN: Final = Statement(
    "INSERT INTO retention_run (job, at_us) VALUES ('erase_old', :now)"
    " ON CONFLICT (job) DO UPDATE SET at_us = :now"
)


def waits_since(conn: Connection, now_us: int) -> int | None:
    """Return when anything was last erased if that is too long ago for the clock to be trusted.

    Before the first time the last signature of the log stands in. It is no witness afterwards, for
    the log is signed again within seconds of a jump.

    Args:
        conn: to read with.
        now_us: what the clock says.

    Returns:
        Microseconds UTC; None if erasing may go on.
    """
    last_us = _LAST.run(conn).scalar()
    if last_us is None:
        newest = store.latest_checkpoint(conn)
        last_us = None if newest is None else newest.signed_us
    if last_us is None or now_us - last_us <= current().retention_gap_days * DAY_US:
        return None
    return int(last_us)


def begin(conn: Connection, now_us: int, *, clock_is_right: bool) -> None:
    """Note that erasing begins.

    Args:
        conn: a write transaction.
        now_us: what the clock says.
        clock_is_right: a person has looked at the clock.

    Raises:
        ClockAhead: nobody has, and it stands too far ahead; nothing may be erased.
    """
    since_us = waits_since(conn, now_us)
    if since_us is not None and not clock_is_right:
        raise ClockAhead(
            f"the clock says {day_of(now_us)}, but erasing was last known on {day_of(since_us)}: "
            "nothing is erased. If the clock is right, run `arena retention --clock-is-right`"
        )
    _BEGIN.run(conn, now=now_us)
