"""What moderators' accounts write to the log: the handle in public, name and address in private."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from antiabuse.addresses import AddressHashes
from antiabuse.rules import current
from antiabuse.utc import hour_of, month_of
from ledger.event import Disclosure, NewEvent

AccountChange = Literal[
    "added",
    "disabled",
    "password_set",
    "code_turned_on",
    "code_turned_off",
    "signed_out_everywhere",
]

_STREAM: Final = "arena/any/"


def signed_in(
    *, event_id: str, now_us: int, name: str, handle: str, addresses: AddressHashes | None
) -> NewEvent:
    """Return `moderator.signed_in`."""
    private = {"time_us": now_us, "name": name, **_where(addresses)}
    return _event(event_id, "moderator.signed_in", now_us, {"handle": handle}, private)


def sign_in_failed(
    *,
    event_id: str,
    now_us: int,
    name: str | None,
    handle: str | None,
    addresses: AddressHashes | None,
) -> NewEvent:
    """Return `moderator.sign_in_failed`.

    Args:
        event_id: UUIDv4.
        now_us: microseconds UTC.
        name: of an account; None when the name typed is none, for that may be a password.
        handle: of that account; kept out of the body, which would tell that the name is known.
        addresses: keyed digests of the day.
    """
    private = {"time_us": now_us, "name": name, "handle": handle, **_where(addresses)}
    return _event(event_id, "moderator.sign_in_failed", now_us, {}, private)


def account_changed(
    *, event_id: str, now_us: int, name: str, handle: str, role: str, change: AccountChange, by: str
) -> NewEvent:
    """Return `moderator.changed`; `by` is a handle, or "operator" for the command line."""
    body = {"handle": handle, "role": role, "change": change, "by": by}
    return _event(event_id, "moderator.changed", now_us, body, {"time_us": now_us, "name": name})


def _where(addresses: AddressHashes | None) -> dict[str, object]:
    if addresses is None:
        return {"address": None, "prefix": None}
    return {"address": addresses.address, "prefix": addresses.prefix}


def _event(
    event_id: str,
    kind: str,
    now_us: int,
    body: Mapping[str, object],
    private: Mapping[str, object],
) -> NewEvent:
    return NewEvent(
        id=event_id,
        kind=kind,
        version=1,
        stream=_STREAM + month_of(now_us),
        ruleset=current().id,
        body={**body, "hour": hour_of(now_us)},
        private=private,
        disclosure=Disclosure.ARCHIVE,
    )
