"""Findings of detectors into the log: each opens one case, however often the sweep runs (V-126)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from sqlalchemy import Connection, select

from antiabuse import rules as antiabuse_rules
from antiabuse.detectors.finding import Finding
from arena.events import Mode
from arena.ports import Ports
from arena.projection import project
from arena.publishing import one_worker_at_a_time
from arena.review_events import FlagRaised, SweepFinished, review_event
from arena.review_tables import flag, sweep_look
from ledger.ids import uuid4, uuid7

__all__ = ["Look", "finish_sweep", "raise_flags", "taken_looks"]

Look = tuple[str, str, int]
"""Detector, pseudonym, look."""

_SEPARATOR: Final = " "


def raise_flags(
    conn: Connection,
    ports: Ports,
    mode: Mode,
    month: str,
    hour: str,
    findings: Sequence[Finding],
) -> list[str | None]:
    """Raise a flag for each finding whose detector, voters and look have none yet.

    Args:
        conn: a write transaction.
        ports: the arena's means.
        mode: of the votes looked at.
        month: of the votes looked at.
        hour: of the sweep, as bodies show it.
        findings: with subjects by their pseudonyms of the month.

    Returns:
        For each finding the id of its flag; None where the flag was there already.
    """
    one_worker_at_a_time(conn)
    known = conn.execute(
        select(flag.c.detector, flag.c.subject, flag.c.look).where(
            flag.c.mode == mode, flag.c.month == month
        )
    )
    taken = {(row.detector, row.subject, row.look) for row in known}
    raised: list[str | None] = []
    for finding in findings:
        subjects = tuple(sorted(finding.subjects))
        key = (finding.detector.value, _SEPARATOR.join(subjects), finding.look)
        if key in taken:
            raised.append(None)
            continue
        taken.add(key)
        raised.append(_raise(conn, ports, _event(mode, month, hour, subjects, finding)))
    return raised


def _event(
    mode: Mode, month: str, hour: str, subjects: tuple[str, ...], finding: Finding
) -> FlagRaised:
    return FlagRaised(
        detector=finding.detector.value,
        mode=mode,
        month=month,
        hour=hour,
        subjects=subjects,
        votes=tuple(sorted(set(finding.votes))),
        statistic=finding.statistic,
        threshold=finding.threshold,
        p_value=finding.p_value,
        look=finding.look,
        numbers=dict(finding.numbers),
        discounts=finding.discounts,
    )


def _raise(conn: Connection, ports: Ports, event: FlagRaised) -> str:
    made = review_event(
        event,
        event_id=uuid4(ports.rng),
        ruleset=antiabuse_rules.current().id,
        shuffled=True,
    )
    project(conn, ports.log.append(conn, made))
    return made.id


def taken_looks(conn: Connection, mode: Mode, month: str) -> frozenset[Look]:
    """Return the looks that finished sweeps took at the voters of a mode and month."""
    query = select(sweep_look.c.detector, sweep_look.c.voter, sweep_look.c.look).where(
        sweep_look.c.mode == mode, sweep_look.c.month == month
    )
    return frozenset((row.detector, row.voter, row.look) for row in conn.execute(query))


def finish_sweep(
    conn: Connection,
    ports: Ports,
    mode: Mode,
    month: str,
    *,
    looks: Iterable[Look],
    flags: int,
    unrun: Mapping[str, str],
    now_us: int,
) -> str:
    """Write down that a sweep went over a mode's month, and return the event's id.

    Args:
        conn: a write transaction.
        ports: the arena's means.
        mode: of the votes looked at.
        month: of the votes looked at.
        looks: that it took, each of which is never taken again.
        flags: raised by it.
        unrun: detectors that could not run, and why (V-168).
        now_us: when.
    """
    event = SweepFinished(
        mode=mode,
        month=month,
        at_us=now_us,
        looks=tuple(sorted(set(looks))),
        flags=flags,
        unrun=dict(unrun),
    )
    made = review_event(
        event,
        event_id=uuid7(now_us, ports.rng),
        ruleset=antiabuse_rules.current().id,
    )
    project(conn, ports.log.append(conn, made))
    return made.id
