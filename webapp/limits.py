"""Request limits per address (V-113): a moving window in Redis or Valkey, in memory without."""

from __future__ import annotations

import math
import time
from typing import Final

from flask import Flask, g, has_request_context, request
from flask_limiter import Limiter
from limits import parse

from antiabuse import rules
from antiabuse.addresses import Address, client_address
from antiabuse.errors import BadAddress
from antiabuse.unrun_checks import Check
from antiabuse.utc import SECOND_US
from webapp import limit_memory, limit_store
from webapp.limit_memory import WindowMemory
from webapp.wiring import Services, services

__all__ = [
    "ballot_limit",
    "init_limits",
    "limiter",
    "reading_limit",
    "retry_after_s",
    "visitor_address",
    "within_foreign_limit",
]

# What a voter has begun: the vote, and the page that it leads to.
_BEGUN: Final = frozenset({"vote.cast_vote", "vote.show_reveal"})


def visitor_address() -> Address | None:
    """Return the visitor's address as far as the configured proxies may be believed.

    None where even the connection has none, as behind a Unix socket without a trusted proxy; that
    is counted, once a request (V-168).
    """
    if "address" not in g:
        g.address = _read_address()
    address: Address | None = g.address
    return address


def _read_address() -> Address | None:
    trusted = services().settings.trusted_proxies
    forwarded = ", ".join(request.headers.getlist("X-Forwarded-For")) or None
    try:
        return client_address(request.remote_addr or "", forwarded, trusted)
    except BadAddress:
        services().unrun.count(Check.ADDRESS)
        return None


def _key() -> str:
    """Return the limiter's key: a keyed hash, so that no store ever holds an address."""
    address = visitor_address()
    return "unknown" if address is None else services().addresses.limit_key(address)


def _without_address() -> bool:
    """Say if no limit can hold: one for all such visitors would refuse honest ones (V-168)."""
    return visitor_address() is None


def _ballot_rate() -> str:
    window = rules.current().request_window_s
    return f"{services().settings.rate_limit} per {window} seconds"


def _reading_rate() -> str:
    numbers = rules.current()
    return f"{numbers.reading_requests} per {numbers.request_window_s} seconds"


def within_foreign_limit() -> bool:
    """Count a write from another site; say if the address may still have an event for each.

    Such writes are refused before the rate is looked at (V-131), so they need their own window.
    """
    return limiter.limiter.hit(parse(_ballot_rate()), "foreign-origin", _key())


def retry_after_s() -> int:
    """Return the whole seconds that a request refused by its rate has to wait, 1 at least.

    Where its window has room, it was refused for its process's share while the shared store was in
    doubt, which passes within a second.
    """
    current = limiter.current_limit
    if current is None or current.window.remaining > 0:
        return 1
    # Not `reset_at`, which is rounded up already and would add a second to the wait.
    return max(1, math.ceil(current.window.reset_time - services().clock() / SECOND_US))


def _must_not_be_lost() -> bool:
    return has_request_context() and request.endpoint in _BEGUN


limiter = Limiter(_key, strategy="moving-window")
ballot_limit = limiter.shared_limit(_ballot_rate, scope="ballots", exempt_when=_without_address)
reading_limit = limiter.shared_limit(_reading_rate, scope="reading", exempt_when=_without_address)


def init_limits(app: Flask, built: Services) -> None:
    """Bind the limiter to an application and its store."""
    redis_url = built.settings.redis_url
    if redis_url:
        app.config["RATELIMIT_STORAGE_URI"] = f"{limit_store.SCHEME}://"
        app.config["RATELIMIT_STORAGE_OPTIONS"] = {
            "redis_url": redis_url,
            "memory": WindowMemory(clock=built.clock),
            "processes": built.settings.workers,
            "whole": _must_not_be_lost,
            "missed": lambda: built.unrun.count(Check.REQUEST_LIMIT),
            "elapsed": time.monotonic,
        }
    else:
        app.config["RATELIMIT_STORAGE_URI"] = f"{limit_memory.SCHEME}://"
        app.config["RATELIMIT_STORAGE_OPTIONS"] = {"clock": built.clock}
    limiter.init_app(app)
