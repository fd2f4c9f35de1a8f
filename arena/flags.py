"""Findings of detectors into the log: each opens one case, however often the sweep runs (V-126)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import Connection, select

from antiabuse import rules as antiabuse_rules
from antiabuse.detectors.finding import Finding
from arena.events import Mode
from arena.ports import Ports
from arena.projection import project
from arena.publishing import one_worker_at_a_time
from arena.review_events import FlagRaised, SweepFinished, review_event
from arena.review_tables import sweep_look
from arena.told_flags import ToldFlags
from ledger.ids import uuid4, uuid7

__all__ = ["Look", "finish_sweep", "raise_flag", "raise_flags", "taken_looks"]

Look = tuple[str, str, int]
"""Detector, pseudonym, look."""


def raise_flags(
    conn: Connection,
    ports: Ports,
    mode: Mode,
    month: str,
    hour: str,
    findings: Sequence[Finding],
) -> list[str | None]:
    """Raise a flag for what no flag of the same detector tells yet.

    Args:
        conn: a write transaction.
        ports: the arena's means.
        mode: of the votes looked at.
        month: of the votes looked at.
        hour: of the sweep, as bodies show it.
        findings: with subjects by their pseudonyms of the month.

    Returns:
        For each finding the id of its flag; None where nothing of it was new.
    """
    one_worker_at_a_time(conn)
    told = {
        detector: ToldFlags(conn, mode, month, detector)
        for detector in {finding.detector for finding in findings}
    }
    raised: list[str | None] = []
    for each in findings:
        finding = told[each.detector].news_of(each)
        if finding is None:
            raised.append(None)
            continue
        raised.append(raise_flag(conn, ports, mode, month, hour, finding))
        told[each.detector].add(finding)
    return raised


def raise_flag(
    conn: Connection, ports: Ports, mode: Mode, month: str, hour: str, finding: Finding
) -> str:
    """Raise a flag, and return its id.

    Raises:
        IntegrityError: the same finding has a flag.
    """
    event = FlagRaised(
        detector=finding.detector.value,
        mode=mode,
        month=month,
        hour=hour,
        subjects=tuple(sorted(finding.subjects)),
        votes=tuple(sorted(set(finding.votes))),
        statistic=finding.statistic,
        threshold=finding.threshold,
        p_value=finding.p_value,
        look=finding.look,
        numbers=dict(finding.numbers),
        discounts=finding.discounts,
    )
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
