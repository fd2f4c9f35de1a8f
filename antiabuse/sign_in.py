"""Sign-in of a moderator: limits first, then password and code, then a session.

Names without an account cost the same time and get the same answer as a wrong password.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from antiabuse import accounts, totp
from antiabuse.account_errors import SignInFailed
from antiabuse.account_events import sign_in_failed, signed_in
from antiabuse.accounts import Account, AccountPorts, Credentials
from antiabuse.addresses import AddressHashes
from antiabuse.passwords import SALT_BYTES, decoy_digest, is_outdated, matches, renewed_digest
from antiabuse.sessions import close_session, open_session
from antiabuse.sign_in_limits import (
    Attempt,
    attempt_of,
    begin_attempt,
    check_limits,
    forgive,
)
from ledger.database import Database
from ledger.ids import uuid4

__all__ = ["Proof", "SignedIn", "check_password", "refuse_early", "sign_in"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What someone sends to sign in.

    Attributes:
        name: as typed.
        password: as typed.
        code: one-time code as typed; empty without one.
        limit_keys: keyed digests of the address for the limits, see `sign_in_limits.Attempt`.
        addresses: keyed digests of the day for the log.
        known_browser: the browser has signed in to this account before.
        old_token: the session that the browser still has; it ends.
    """

    name: str
    password: str
    code: str
    limit_keys: tuple[str, ...]
    addresses: AddressHashes | None
    known_browser: bool
    old_token: str | None


@dataclass(frozen=True, slots=True)
class SignedIn:
    """An account and the token of its new session."""

    account: Account
    token: str


def refuse_early(database: Database, ports: AccountPorts, proof: Proof, now_us: int) -> None:
    """Refuse who is held up anyway, by a mere look: nothing is counted, locked or digested.

    Raises:
        TooManyFailures: with the wait.
    """
    with database.read() as conn:
        check_limits(conn, _attempt(ports, proof), now_us)


def sign_in(database: Database, ports: AccountPorts, proof: Proof, now_us: int) -> SignedIn:
    """Open a session for someone who proves to be a moderator.

    The digest is computed outside any transaction: it takes a tenth of a second.

    Raises:
        TooManyFailures: before anything is checked.
        SignInFailed: name, password or code is wrong, or the account is disabled.
    """
    attempt, known = _begin(database, ports, proof, now_us)
    fits = matches(decoy_digest() if known is None else known.password_hash, proof.password)
    renewed = _renewed(ports, known, proof) if fits else None
    with database.write() as conn:
        if known is not None and fits and _may_enter(conn, known, proof, now_us):
            token = _open(conn, ports, known.account, proof, now_us)
            forgive(conn, attempt)
            if renewed is not None:
                accounts.store_digest(conn, known.account.name, renewed)
            return SignedIn(known.account, token)
        _record_failure(conn, ports, known, proof, now_us)
    raise SignInFailed("name, password and code do not belong together")


def check_password(database: Database, ports: AccountPorts, proof: Proof, now_us: int) -> None:
    """Make sure once more who is there, before an account is changed; the same limits hold.

    Raises:
        TooManyFailures: before anything is checked.
        SignInFailed: the password is wrong, or the account is disabled.
    """
    attempt, known = _begin(database, ports, proof, now_us)
    fits = matches(decoy_digest() if known is None else known.password_hash, proof.password)
    with database.write() as conn:
        if known is not None and fits:
            forgive(conn, attempt)
            return
        _record_failure(conn, ports, known, proof, now_us)
    raise SignInFailed("the password is wrong")


def _attempt(ports: AccountPorts, proof: Proof) -> Attempt:
    return attempt_of(
        ports.rng,
        ports.keys,
        name=accounts.normal_name(proof.name),
        addresses=proof.limit_keys,
        known_browser=proof.known_browser,
    )


def _begin(
    database: Database, ports: AccountPorts, proof: Proof, now_us: int
) -> tuple[Attempt, Credentials | None]:
    attempt = _attempt(ports, proof)
    with database.write() as conn:
        begin_attempt(conn, attempt, now_us)
        known = accounts.find(conn, accounts.normal_name(proof.name))
    usable = known is not None and known.account.disabled_us is None
    return attempt, known if usable else None


def _renewed(ports: AccountPorts, known: Credentials | None, proof: Proof) -> str | None:
    """Return the password's digest under new parameters, or None where the stored one has them."""
    if known is None or not is_outdated(known.password_hash):
        return None
    return renewed_digest(proof.password, ports.rng.randbytes(SALT_BYTES))


def _may_enter(conn: Connection, known: Credentials, proof: Proof, now_us: int) -> bool:
    """Tell whether the account is still as it was when the password was checked, and the code."""
    if accounts.find(conn, known.account.name) != known:
        return False
    if known.totp_secret is None:
        return True
    step = totp.matching_step(known.totp_secret, proof.code, now_us)
    return step is not None and accounts.use_code_step(conn, known.account.name, step)


def _open(
    conn: Connection, ports: AccountPorts, account: Account, proof: Proof, now_us: int
) -> str:
    if proof.old_token is not None:
        close_session(conn, proof.old_token)
    event = signed_in(
        event_id=uuid4(ports.rng),
        now_us=now_us,
        name=account.name,
        handle=account.handle,
        addresses=proof.addresses,
    )
    ports.log.append(conn, event)
    return open_session(conn, ports.rng, account.name, now_us)


def _record_failure(
    conn: Connection,
    ports: AccountPorts,
    known: Credentials | None,
    proof: Proof,
    now_us: int,
) -> None:
    event = sign_in_failed(
        event_id=uuid4(ports.rng),
        now_us=now_us,
        name=None if known is None else known.account.name,
        handle=None if known is None else known.account.handle,
        addresses=proof.addresses,
    )
    ports.log.append(conn, event)
