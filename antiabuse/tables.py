"""Operational tables of this room: never rebuilt from the log, and holding no address."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Column, ForeignKey, Index, Table, Text

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

erased_voter: Final = Table(
    "erased_voter",
    metadata,
    Column("id_sha256", Text, primary_key=True),
    Column("erased_us", Microseconds, nullable=False),
)
"""Ids whose voters had all erased: a kept copy of the cookie opens nothing new. The digest needs no
key, for an id is 128 random bits that nobody can try out."""

retention_run: Final = Table(
    "retention_run",
    metadata,
    Column("job", Text, primary_key=True),
    Column("at_us", Microseconds, nullable=False),
    closed_set("job", "erase_old"),
)
"""One row: when erasing last began, by its own clock."""

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

unrun_check: Final = Table(
    "unrun_check",
    metadata,
    Column("hour", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("requests", BigInt, nullable=False),
    closed_set("name", "request_limit", "address", "device", "clock"),
)
"""Requests for which a check could not run, by UTC hour; it never costs the voter (V-168)."""

sighting: Final = Table(
    "sighting",
    metadata,
    Column("vote_id", Text, primary_key=True),
    Column("voter_id", Text, nullable=False),
    Column("month", Text, nullable=False),
    Column("day", Text, nullable=False),
    Column("at_us", Microseconds, nullable=False),
    Column("dwell_us", Microseconds),
    Column("address", Text),
    Column("network", Text),
    Column("device", Text),
    Index("ix_sighting_month_day", "month", "day"),
    Index("ix_sighting_voter", "voter_id"),
    Index("ix_sighting_address", "address"),
    Index("ix_sighting_network", "network"),
    Index("ix_sighting_device", "device"),
)
"""Where each vote came from, as keyed digests: address of the day, network (/24, /64) and device of
the month; empty for loopback and private addresses, and without consent. Erased after retention."""

reveal_network: Final = Table(
    "reveal_network",
    metadata,
    Column("answer_id", Text, primary_key=True),
    Column("network", Text, primary_key=True),
    Column("month", Text, nullable=False),
    Index("ix_reveal_network_month", "month"),
)
"""Networks, as digests of the month, that an answer was revealed to. Erased with the sightings."""

moderator: Final = Table(
    "moderator",
    metadata,
    Column("name", Text, primary_key=True),
    Column("handle", Text, nullable=False, unique=True),
    Column("role", Text, nullable=False),
    Column("password_hash", Text, nullable=False),
    Column("totp_secret", Text),
    Column("totp_last_step", BigInt),
    Column("created_us", Microseconds, nullable=False),
    Column("disabled_us", Microseconds),
    closed_set("role", "moderator", "master", "operator"),
)
"""Accounts of the moderators' rooms; `handle` stands in public for the name."""

moderator_session: Final = Table(
    "moderator_session",
    metadata,
    Column("token_sha256", Text, primary_key=True),
    Column("name", Text, ForeignKey("moderator.name"), nullable=False),
    Column("csrf", Text, nullable=False),
    Column("opened_us", Microseconds, nullable=False),
    Column("seen_us", Microseconds, nullable=False),
    Index("ix_moderator_session_name", "name"),
)
"""Who is signed in; the cookie's token is stored as its digest only."""

sign_in_failure: Final = Table(
    "sign_in_failure",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("address", Text),
    Column("at_us", Microseconds, nullable=False),
    Index("ix_sign_in_failure_name", "name", "at_us"),
    Index("ix_sign_in_failure_address", "address", "at_us"),
)
"""Failed sign-ins of the last hours, for the limits on guessing."""
