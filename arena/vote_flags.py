"""Cheap detectors in the transaction of a vote: labels, haste, shared devices and addresses.

One statement counts; only where a count passes its limit are votes read, and a flag raised as the
nightly sweep would. The sweep adds what comes later that day, and all that would take weight.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import Connection, Row, select
from sqlalchemy.exc import IntegrityError

from antiabuse.detectors import rules as detector_rules
from antiabuse.detectors.finding import Detector, Finding
from antiabuse.detectors.labels import repetitive_labels
from antiabuse.detectors.rules import DetectorRules
from antiabuse.statements import Statement
from antiabuse.tables import sighting
from antiabuse.utc import SECOND_US
from arena import sweep_crowd
from arena.boards import as_mode
from arena.flags import raise_flag
from arena.ports import Ports
from arena.sweep_votes import read_sightings
from arena.tables import question, vote
from arena.told_flags import ToldFlags

__all__ = ["flag_at_vote"]

# Each vote of a voter who erased all counts as a voter of its own: it is read more exactly then.
_COUNTED: Final = Statement(
    """
    WITH own AS (
        SELECT s.voter_id, s.day, s.device, s.address,
            v.id, v.mode, v.month, v.voter, v.hour, v.best
        FROM sighting s JOIN vote v ON v.id = s.vote_id WHERE s.vote_id = :vote
    )
    SELECT own.*,
        (SELECT count(*) FROM sighting s JOIN vote v ON v.id = s.vote_id
            WHERE s.voter_id = own.voter_id AND s.day = own.day AND v.mode = own.mode
            AND v.best = own.best) AS label_votes,
        (SELECT count(*) FROM sighting s WHERE s.voter_id = own.voter_id AND s.day = own.day
            AND s.dwell_us < :fast) AS fast_votes,
        (SELECT count(*) FROM sighting s WHERE s.voter_id = own.voter_id AND s.day = own.day
            AND s.device = own.device) AS on_device,
        (SELECT count(DISTINCT CASE s.voter_id WHEN '' THEN s.vote_id ELSE s.voter_id END)
            FROM sighting s WHERE s.device = own.device AND s.day = own.day) AS device_voters,
        (SELECT count(*) FROM sighting s WHERE s.voter_id = own.voter_id AND s.day = own.day
            AND s.address = own.address) AS at_address,
        (SELECT count(DISTINCT CASE s.voter_id WHEN '' THEN s.vote_id ELSE s.voter_id END)
            FROM sighting s WHERE s.address = own.address AND s.day = own.day) AS address_voters
    FROM own
    """
)
_LABELS: Final = 4


def flag_at_vote(ports: Ports, conn: Connection, vote_id: str) -> None:
    """Raise what a vote that was just stored makes its day pass, if no flag tells it.

    Args:
        ports: the arena's means.
        conn: the vote's transaction.
        vote_id: of the vote; its sighting is stored too.
    """
    rules = detector_rules.current()
    fast_us = int(rules.fast_dwell_s * SECOND_US)
    own = _COUNTED.run(conn, vote=vote_id, fast=fast_us).one()
    mode = as_mode(own.mode)
    for finding in _findings(conn, own, rules):
        told = ToldFlags(conn, mode, own.month, finding.detector)
        # What takes weight is left to the sweep, which strikes; others who come to a place that
        # was reported already are left to it too, for one flag tells of all of them.
        if finding.discounts or told.named(finding) or told.news_of(finding) is None:
            continue
        try:
            with conn.begin_nested():
                raise_flag(conn, ports, mode, own.month, own.hour, finding)
        except IntegrityError:
            continue  # another vote of this moment passed the same limit


def _findings(conn: Connection, own: Row[Any], rules: DetectorRules) -> Iterator[Finding]:
    if own.label_votes >= rules.label_run:
        found = _labels(conn, own, rules)
        if found is not None:
            yield found
    mode, where = as_mode(own.mode), sighting.c
    if own.fast_votes >= rules.fast_votes:
        seen = read_sightings(conn, own.month, [own.day], where.voter_id == own.voter_id)
        yield from sweep_crowd.fast_days(seen, mode, rules)
    # Whoever votes there for the first time that day makes the number of voters grow.
    if own.on_device == 1 and own.device_voters > rules.device_voters:
        seen = read_sightings(conn, own.month, [own.day], where.device == own.device)
        told = ToldFlags(conn, mode, own.month, Detector.SHARED_DEVICE)
        named = told.named_on([int(own.day[-2:])])
        yield from sweep_crowd.shared_devices_of(seen, mode, named, rules)
    if own.at_address == 1 and own.address_voters > rules.address_voters:
        seen = read_sightings(conn, own.month, [own.day], where.address == own.address)
        yield from sweep_crowd.shared_addresses_of(seen, mode, rules)


def _labels(conn: Connection, own: Row[Any], rules: DetectorRules) -> Finding | None:
    """Look at the labels that the voter picked on the same day, in the order of casting."""
    query = (
        select(vote.c.id, vote.c.best)
        .join(sighting, sighting.c.vote_id == vote.c.id)
        .join(question, question.c.id == vote.c.question_id)
        .where(
            sighting.c.voter_id == own.voter_id,
            sighting.c.day == own.day,
            vote.c.mode == own.mode,
            vote.c.best.is_not(None),
            question.c.demo.is_(False),
        )
        .order_by(sighting.c.at_us, vote.c.id)
    )
    rows = conn.execute(query).all()
    best = [row.best for row in rows]
    return repetitive_labels(own.voter, [row.id for row in rows], best, _LABELS, rules)
