"""The nightly sweep: every detector over a mode's month, flags and looks in one transaction.

Killed half way it has written nothing, and run twice it raises nothing twice. Nights that were
missed are made up by the next one: looks are taken at the numbers of votes they belong to, and days
one by one. Days that a clock ran ahead of are swept again when they are over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from sqlalchemy import Connection, func, select

from antiabuse.detectors import rules as detector_rules
from antiabuse.utc import MINUTE_US, day_of, day_start_us, hour_of, month_of, previous_month
from arena import closed_months, flags, moderation
from arena.boards import MODES
from arena.events import Mode
from arena.ports import Ports
from arena.sweep_days import days_of, days_swept, standing_looks
from arena.sweep_night import Night
from arena.sweep_report import last_sweep
from arena.sweep_votes import MonthVotes, cast_before, read_votes

__all__ = ["Swept", "sweep", "sweep_if_due"]


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep did: flags it raised, and faults of detectors that could not run."""

    mode: Mode
    month: str
    flags: int
    faults: Mapping[str, Exception]


def sweep_if_due(ports: Ports, now_us: int) -> list[Swept]:
    """Sweep the open month and the one before it where a day is over that no sweep went over.

    Raises:
        ExceptionGroup: some sweeps failed, after all others were made; a note of each says which.
    """
    if now_us < day_start_us(now_us) + detector_rules.current().sweep_minute * MINUTE_US:
        return []
    made: list[Swept] = []
    errors: list[Exception] = []
    for mode, month in product(MODES, (previous_month(now_us), month_of(now_us))):
        try:
            with ports.database.read() as conn:
                due = _due(conn, mode, month, now_us)
            swept = sweep(ports, mode, month, now_us) if due else None
        except Exception as error:  # noqa: BLE001 - one month's fault must not stop the others
            error.add_note(f"the sweep of {mode}, {month}")
            errors.append(error)
        else:
            made += [swept] if swept else []
    if errors:
        raise ExceptionGroup("sweeps failed", errors)
    return made


def sweep(ports: Ports, mode: Mode, month: str, now_us: int) -> Swept | None:
    """Run all detectors over a mode's month and write what they find.

    Args:
        ports: the arena's means.
        mode: of the votes.
        month: of the votes.
        now_us: when; days that are over by then are looked at.

    Returns:
        None while votes of those days still wait for their place in the log.
    """
    with ports.database.read() as conn:
        votes = read_votes(ports, conn, mode, month)
        today = day_of(now_us)
        if not _all_sequenced(conn, mode, month, today, votes):
            return None
        night = Night(conn, mode, month, now_us, votes)
        night.run()
    with ports.database.write() as conn:
        raised = _raise(conn, ports, night, now_us)
        if not raised and standing_looks(conn, mode, month, now_us).issuperset(night.looks):
            return Swept(mode, month, 0, night.faults)  # another worker was here first
        flags.finish_sweep(
            conn,
            ports,
            mode,
            month,
            looks=night.looks,
            flags=raised,
            unrun={name: type(error).__name__ for name, error in night.faults.items()},
            now_us=now_us,
        )
    return Swept(mode, month, raised, night.faults)


def _raise(conn: Connection, ports: Ports, night: Night, now_us: int) -> int:
    """Raise a night's flags, and take weight where the rules let a detector do so by itself."""
    open_ = closed_months.is_open(conn, night.month, now_us)
    findings = [
        # A closed month's votes are settled: there, people decide what becomes of a flag.
        replace(finding, discounts=finding.discounts and open_)
        for finding in night.findings
    ]
    raised = flags.raise_flags(conn, ports, night.mode, night.month, hour_of(now_us), findings)
    for flag, finding in zip(raised, findings, strict=True):
        if flag is not None and finding.discounts:
            moderation.discount(
                conn,
                ports,
                flag=flag,
                detector=finding.detector.value,
                vote_ids=finding.votes,
                now_us=now_us,
            )
    return sum(flag is not None for flag in raised)


def _due(conn: Connection, mode: Mode, month: str, now_us: int) -> bool:
    """Say whether a month has votes of days gone by, and the last such day no sweep yet.

    What could not run in an open month is made up by the next night; a month that is over has no
    next night of its own, so it is tried again once a day until all of it ran (V-168).
    """
    today = day_of(now_us)
    last = max((day for day in days_of(month) if day < today), default=None)
    if last is None:
        return False
    if days_swept(conn, mode, month, now_us) >= int(last[-2:]):
        latest = None if month == month_of(now_us) else last_sweep(conn, mode, month, now_us)
        return latest is not None and bool(latest.unrun) and day_of(latest.at_us) != today
    return conn.execute(cast_before(mode, month, today).limit(1)).first() is not None


def _all_sequenced(conn: Connection, mode: Mode, month: str, today: str, votes: MonthVotes) -> bool:
    """Say whether all votes of days gone by were read, so that none waits for its place."""
    waiting = cast_before(mode, month, today).subquery()
    cast = conn.execute(select(func.count()).select_from(waiting)).scalar_one()
    gone = sum(day < today for day in days_of(month))
    return int((votes.days(np.arange(len(votes.ids))) <= gone).sum()) == cast
