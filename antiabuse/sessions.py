"""Sessions of signed-in moderators: a random token in the cookie, its digest in the database.

A session ends by sign-out, after a time without use, after a day's work at the latest, with its
account, and when a clock that ran ahead is set back: its times would keep it open for as long.
"""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass
from typing import Final

from sqlalchemy import ColumnElement, Connection, and_, delete, insert, not_, select, update

from antiabuse.account_rules import current
from antiabuse.accounts import Role
from antiabuse.tables import moderator, moderator_session
from antiabuse.utc import SECOND_US
from ledger.ids import token

_TOKEN_BYTES: Final = 32
_TOKEN_CHARACTERS: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """An open session and its account, as a request finds it.

    Attributes:
        key: digest of the token, which names the row.
        csrf: what each of its forms must send along.
        opened_us: sign-in, microseconds UTC.
        seen_us: last use, to the minute.
    """

    key: str
    name: str
    handle: str
    role: Role
    has_code: bool
    csrf: str
    opened_us: int
    seen_us: int

    def is_due(self, now_us: int) -> bool:
        """Tell whether this use is to be written down."""
        return now_us - self.seen_us >= current().touch_s * SECOND_US


def open_session(conn: Connection, rng: random.Random, name: str, now_us: int) -> str:
    """Open a session of an account and drop those that have ended; return the new token."""
    drop_ended(conn, now_us)
    made = token(rng, _TOKEN_BYTES)
    conn.execute(
        insert(moderator_session),
        {
            "token_sha256": _digest(made),
            "name": name,
            "csrf": token(rng, _TOKEN_BYTES),
            "opened_us": now_us,
            "seen_us": now_us,
        },
    )
    return made


def find_session(conn: Connection, presented: str, now_us: int) -> Session | None:
    """Return the session of a token if it is still open and so is its account."""
    if len(presented) > _TOKEN_CHARACTERS:
        return None
    found = _sessions(conn, moderator_session.c.token_sha256 == _digest(presented), now_us)
    return found[0] if found else None


def sessions_of(conn: Connection, name: str, now_us: int) -> list[Session]:
    """Return an account's open sessions, the newest first."""
    return _sessions(conn, moderator_session.c.name == name, now_us)


def touch(conn: Connection, session: Session, now_us: int) -> None:
    """Write down that a session is in use; the time only moves forward."""
    conn.execute(
        update(moderator_session)
        .where(moderator_session.c.token_sha256 == session.key)
        .where(moderator_session.c.seen_us < now_us)
        .values(seen_us=now_us)
    )


def close_session(conn: Connection, presented: str) -> None:
    """Sign out: the token opens nothing any more."""
    key = _digest(presented)
    conn.execute(delete(moderator_session).where(moderator_session.c.token_sha256 == key))


def drop_ended(conn: Connection, now_us: int) -> int:
    """Drop the sessions that have ended; return how many."""
    return conn.execute(delete(moderator_session).where(not_(_is_open(now_us)))).rowcount


def _is_open(now_us: int) -> ColumnElement[bool]:
    rules, session = current(), moderator_session.c
    latest_us = now_us + rules.clock_slack_s * SECOND_US
    return and_(
        session.opened_us > now_us - rules.session_s * SECOND_US,
        session.seen_us > now_us - rules.idle_s * SECOND_US,
        session.opened_us <= latest_us,
        session.seen_us <= latest_us,
    )


def _sessions(conn: Connection, which: ColumnElement[bool], now_us: int) -> list[Session]:
    rows = conn.execute(
        select(
            moderator_session,
            moderator.c.handle,
            moderator.c.role,
            moderator.c.totp_secret.is_not(None).label("has_code"),
        )
        .join(moderator, moderator.c.name == moderator_session.c.name)
        .where(which, moderator.c.disabled_us.is_(None))
        .where(_is_open(now_us))
        .order_by(moderator_session.c.opened_us.desc(), moderator_session.c.token_sha256)
    )
    return [
        Session(
            key=row.token_sha256,
            name=row.name,
            handle=row.handle,
            role=row.role,
            has_code=bool(row.has_code),
            csrf=row.csrf,
            opened_us=row.opened_us,
            seen_us=row.seen_us,
        )
        for row in rows
    ]


def _digest(presented: str) -> str:
    """Return the token's SHA-256; it is random, so nothing slower is needed."""
    return hashlib.sha256(presented.encode()).hexdigest()
