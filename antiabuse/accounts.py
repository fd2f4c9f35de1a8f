"""Accounts of the moderators' rooms: add, look up, disable, and change password and code.

Each change is an event in the caller's transaction; whoever changes a proof of identity ends the
account's sessions.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import Final, Literal, Protocol, get_args

from sqlalchemy import Connection, Row, delete, insert, select, update

from antiabuse import totp
from antiabuse.account_errors import UnknownAccount, UnusableName
from antiabuse.account_events import AccountChange, account_changed
from antiabuse.account_rules import current
from antiabuse.tables import moderator, moderator_session
from ledger.ids import uuid4
from ledger.store import Log

Role = Literal["moderator", "master", "operator"]

ROLES: Final[tuple[Role, ...]] = get_args(Role)
OPERATOR: Final = "operator"
"""Who acts at the command line."""

_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,30}[a-z0-9])?")
_HANDLE_BITS: Final = 16


class AccountPorts(Protocol):
    """What accounts need from outside: the log, a source of random bits, and the secret keys."""

    @property
    def log(self) -> Log:
        """Appends events."""
        ...

    @property
    def rng(self) -> random.Random:
        """A system source in production."""
        ...

    @property
    def keys(self) -> tuple[str, ...]:
        """Secrets, oldest first."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """An account without its secrets; `handle` stands in public for the name."""

    name: str
    handle: str
    role: Role
    has_code: bool
    created_us: int
    disabled_us: int | None


@dataclass(frozen=True, slots=True)
class Credentials:
    """An account with the digest of its password and the secret of its codes, for sign-in alone."""

    account: Account
    password_hash: str
    totp_secret: str | None


def normal_name(typed: str) -> str:
    """Return a name as accounts are kept under it: small letters, no space around."""
    return typed.strip().casefold()


def add(
    conn: Connection,
    ports: AccountPorts,
    *,
    name: str,
    role: Role,
    password_hash: str,
    totp_secret: str | None,
    now_us: int,
) -> Account:
    """Store a new account; `password_hash` is a `passwords.new_digest`.

    Raises:
        UnusableName: not 1 to 32 of a-z, 0-9, dot, dash, underscore; or taken.
    """
    if not _NAME.fullmatch(name):
        raise UnusableName("a name has 1 to 32 of a-z, 0-9, dot, dash and underscore")
    if find(conn, name) is not None:
        raise UnusableName(f"there is an account {name} already; names are never used again")
    conn.execute(
        insert(moderator),
        {
            "name": name,
            "handle": _new_handle(conn, ports.rng),
            "role": role,
            "password_hash": password_hash,
            "totp_secret": totp_secret,
            "totp_last_step": None,
            "created_us": now_us,
            "disabled_us": None,
        },
    )
    return _record(conn, ports, name, "added", OPERATOR, now_us)


def find(conn: Connection, name: str) -> Credentials | None:
    """Return an account with its secrets, disabled ones too; None if there is none."""
    row = conn.execute(select(moderator).where(moderator.c.name == name)).one_or_none()
    return None if row is None else Credentials(_account(row), row.password_hash, row.totp_secret)


def everyone(conn: Connection) -> list[Account]:
    """Return all accounts by name."""
    return [_account(row) for row in conn.execute(select(moderator).order_by(moderator.c.name))]


def disable(conn: Connection, ports: AccountPorts, name: str, now_us: int) -> Account:
    """Close an account for good and end its sessions; its handle stays in the log.

    Raises:
        UnknownAccount: none of this name that is open.
    """
    closed = conn.execute(
        update(moderator)
        .where(moderator.c.name == name, moderator.c.disabled_us.is_(None))
        .values(disabled_us=now_us)
    )
    if closed.rowcount == 0:
        raise UnknownAccount(f"there is no open account {name}")
    end_sessions(conn, name)
    return _record(conn, ports, name, "disabled", OPERATOR, now_us)


def set_password(
    conn: Connection, ports: AccountPorts, *, name: str, password_hash: str, by: str, now_us: int
) -> Account:
    """Replace an account's password by a `passwords.new_digest` and end its sessions.

    Raises:
        UnknownAccount: none of this name that is open.
    """
    store_digest(conn, name, password_hash)
    end_sessions(conn, name)
    return _record(conn, ports, name, "password_set", by, now_us)


def store_digest(conn: Connection, name: str, digest: str) -> None:
    """Store a password's digest, also the same password's under new parameters.

    Raises:
        UnknownAccount: none of this name that is open.
    """
    _change(conn, name, password_hash=digest)


def set_code(
    conn: Connection, ports: AccountPorts, *, name: str, secret: str | None, by: str, now_us: int
) -> Account:
    """Ask for one-time codes at sign-in from now on, or no more, and end the sessions.

    Raises:
        UnknownAccount: none of this name that is open.
        ValueError: a secret of another form than `totp.new_secret`.
    """
    if secret is not None and not totp.is_secret(secret):
        raise ValueError("the secret is not of the form that is made here")
    _change(conn, name, totp_secret=secret, totp_last_step=None)
    end_sessions(conn, name)
    change: AccountChange = "code_turned_off" if secret is None else "code_turned_on"
    return _record(conn, ports, name, change, by, now_us)


def use_code_step(conn: Connection, name: str, step: int) -> bool:
    """Use up a step of an account's codes; False if it, or a later one, was used before.

    A step so far ahead that this one cannot follow it within the slack was used by a clock since
    set back. It is forgotten, or right codes would be refused until its time comes; a code in force
    is used once all the same.
    """
    rules, last = current(), moderator.c.totp_last_step
    # A code in force may be a window behind the clock, and the last one was a window ahead of it.
    ahead = step + 2 * rules.code_window + rules.clock_slack_s // totp.STEP_S
    used = conn.execute(
        update(moderator)
        .where(moderator.c.name == name, last.is_(None) | (last < step) | (last > ahead))
        .values(totp_last_step=step)
    )
    return used.rowcount == 1


def end_sessions(conn: Connection, name: str) -> int:
    """Sign an account out everywhere; return how many sessions that ended."""
    return conn.execute(delete(moderator_session).where(moderator_session.c.name == name)).rowcount


def sign_out_everywhere(conn: Connection, ports: AccountPorts, name: str, now_us: int) -> int:
    """End all sessions at the account's own wish, as an event; return how many.

    Raises:
        UnknownAccount: none of this name.
    """
    known = find(conn, name)
    if known is None:
        raise UnknownAccount(f"there is no account {name}")
    ended = end_sessions(conn, name)
    _record(conn, ports, name, "signed_out_everywhere", known.account.handle, now_us)
    return ended


def _change(conn: Connection, name: str, **values: str | int | None) -> None:
    changed = conn.execute(
        update(moderator)
        .where(moderator.c.name == name, moderator.c.disabled_us.is_(None))
        .values(**values)
    )
    if changed.rowcount == 0:
        raise UnknownAccount(f"there is no open account {name}")


def _record(
    conn: Connection, ports: AccountPorts, name: str, change: AccountChange, by: str, now_us: int
) -> Account:
    known = find(conn, name)
    if known is None:
        raise UnknownAccount(f"there is no account {name}")
    account = known.account
    event = account_changed(
        event_id=uuid4(ports.rng),
        now_us=now_us,
        name=account.name,
        handle=account.handle,
        role=account.role,
        change=change,
        by=by,
    )
    ports.log.append(conn, event)
    return account


def _new_handle(conn: Connection, rng: random.Random) -> str:
    taken = set(conn.execute(select(moderator.c.handle)).scalars())
    while True:
        handle = f"M-{rng.getrandbits(_HANDLE_BITS):04x}"
        if handle not in taken:
            return handle


def _account(row: Row[tuple[object, ...]]) -> Account:
    return Account(
        name=row.name,
        handle=row.handle,
        role=row.role,
        has_code=row.totp_secret is not None,
        created_us=row.created_us,
        disabled_us=row.disabled_us,
    )
