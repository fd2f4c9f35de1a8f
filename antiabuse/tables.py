"""Operational tables of this room: never rebuilt from the log, and holding no address."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Column, Table, Text

from ledger.schema import BigInt, Microseconds, closed_set, metadata

voter: Final = Table(
    "voter",
    metadata,
    Column("id", Text, primary_key=True),
    Column("created_us", Microseconds, nullable=False),
    Column("day", Text, nullable=False),
    Column("votes", BigInt, nullable=False),
    Column("ballots", BigInt, nullable=False),
    Column("skips", BigInt, nullable=False),
    Column("last_vote_us", Microseconds),
    Column("banned_us", Microseconds),
    Column("consent", Text),
    closed_set("consent", "yes", "no"),
)
"""One row per voter id; votes, ballots and skips were counted on the UTC date `day`."""

refusal_tally: Final = Table(
    "refusal_tally",
    metadata,
    Column("address", Text, primary_key=True),
    Column("minute_us", Microseconds, primary_key=True),
    Column("scope", Text, primary_key=True),
    Column("refusals", BigInt, nullable=False),
    closed_set("scope", "ballots", "reading"),
)
"""Refusals by rate that wait for the end of their minute; `address` is a keyed digest."""
