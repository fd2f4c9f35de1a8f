"""The month's end: last fit and look at the cut, then the next month's opening (V-050, V-091).

A vote belongs to the month of its acceptance (V-103) but is sequenced up to a minute later, so the
cut is taken some minutes after midnight, and never before every vote of the month is in the log.
Where a clock ran ahead into the next month and was set back, cut and opening are made again.
"""

from __future__ import annotations

from sqlalchemy import Connection, exists, func, select

from antiabuse.utc import month_end_us, month_of, month_start_us
from arena import lifecycle, month_cut, refits
from arena.events import Mode
from arena.ports import Ports
from arena.tables import lifecycle_look, month_header, vote
from ledger import store

__all__ = ["cut_if_due", "upkeep"]


def upkeep(ports: Ports, mode: Mode, now_us: int) -> None:
    """Do whatever is due to a mode: newcomers, a month's cut, the next one's opening, looks.

    Raises:
        LobsterError: a month's last fit failed; its cut is tried again at the next call, and the
            next month opens after it.
    """
    lifecycle.admit(ports, mode, now_us)
    if cut_if_due(ports, mode, now_us):
        lifecycle.open_month(ports, mode, now_us)
    lifecycle.look_if_due(ports, mode, now_us)


def cut_if_due(ports: Ports, mode: Mode, now_us: int) -> bool:
    """Fit and look at each month gone by for the last time; return whether none waits any more.

    What the look decides is dated at the month's last microsecond, so that the states which the
    next month carries over are those of the cut.
    """
    began_us = month_start_us(now_us)
    with ports.database.read() as conn:
        months = _uncut(conn, mode, month_of(now_us))
    if not months:
        return True
    if now_us < began_us + lifecycle.look_delay_us():
        return False
    for month, end_us in months:
        with ports.database.read() as conn:
            if not _all_sequenced(conn, ports, mode, month):
                return False
        refits.refit_now(ports, mode, month, now_us)
        lifecycle.look(ports, mode, month, month, end_us - 1)
    return True


def _uncut(conn: Connection, mode: Mode, month: str) -> list[tuple[str, int]]:
    """Return the opened months before this one whose cut waits, and where each ends.

    Of the last one, votes may have come after its cut.
    """
    header, look = month_header.c, lifecycle_look.c
    is_cut = exists().where(look.mode == mode, look.day == header.month)
    query = select(header.month, is_cut.label("is_cut"))
    query = query.where(header.mode == mode, header.month < month).order_by(header.month)
    known = conn.execute(query).all()
    waiting = [row.month for row in known if not row.is_cut]
    if known and known[-1].is_cut and not month_cut.holds(conn, mode, known[-1].month):
        waiting.append(known[-1].month)
    return [(found, month_end_us(found)) for found in waiting]


def _all_sequenced(conn: Connection, ports: Ports, mode: Mode, month: str) -> bool:
    """Say whether every vote of a month is among the log's entries."""
    cast = conn.execute(
        select(func.count()).where(vote.c.mode == mode, vote.c.month == month)
    ).scalar_one()
    return len(ports.columns.read(conn, mode, month, store.head(conn).size).votes) == cast
