"""Checks that could not run, counted by hour for the operator; none ever costs a voter (V-168)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from sqlalchemy import Connection

from antiabuse.statements import Statement


class Check(StrEnum):
    """What could not run."""

    REQUEST_LIMIT = "request_limit"
    """The shared store was away: each process counted its own requests."""
    ADDRESS = "address"
    """The connection had no address, or no digest of it could be made: it joined nobody, and where
    there was none no limit held it back."""
    DEVICE = "device"
    """No digest of the device could be made, though its voter had agreed."""
    CLOCK = "clock"
    """The clock was set back since the ballot was shown, so it told no reading time."""


@dataclass(frozen=True, slots=True)
class Unrun:
    """How many requests of an hour, `2026-11-30T13:00Z`, went without a check."""

    hour: str
    check: Check
    requests: int


_ADD: Final = Statement(
    "INSERT INTO unrun_check (hour, name, requests) VALUES (:hour, :name, :requests)"
    " ON CONFLICT (hour, name) DO UPDATE SET requests = unrun_check.requests + :requests"
)
_SINCE: Final = Statement(
    "SELECT hour, name, requests FROM unrun_check WHERE hour >= :hour ORDER BY hour DESC, name"
)
_DROP: Final = Statement("DELETE FROM unrun_check WHERE hour < :hour")


def add(conn: Connection, hour: str, requests: Mapping[Check, int]) -> None:
    """Add to an hour's counts."""
    for check, count in sorted(requests.items()):
        _ADD.run(conn, hour=hour, name=check.value, requests=count)


def since(conn: Connection, hour: str) -> list[Unrun]:
    """Return the counts from an hour on, the newest first."""
    return [Unrun(row.hour, Check(row.name), row.requests) for row in _SINCE.run(conn, hour=hour)]


def drop_before(conn: Connection, hour: str) -> int:
    """Forget the counts before an hour; return how many rows went."""
    return _DROP.run(conn, hour=hour).rowcount
