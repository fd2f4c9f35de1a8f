"""Request limits per address (V-113): a moving window in Redis or Valkey, in memory without."""

from __future__ import annotations

from flask import Flask, request
from flask_limiter import Limiter
from limits import parse

from antiabuse import rules
from antiabuse.addresses import Address, client_address
from antiabuse.errors import BadAddress
from ledger.ids import Clock
from webapp import limit_memory
from webapp.settings import Settings
from webapp.wiring import services

__all__ = [
    "REDIS_WAIT_S",
    "ballot_limit",
    "init_limits",
    "limiter",
    "reading_limit",
    "visitor_address",
]

REDIS_WAIT_S = 0.3


def visitor_address() -> Address | None:
    """Return the visitor's address as far as the configured proxies may be believed.

    None where even the connection has none, as behind a Unix socket without a trusted proxy.
    """
    trusted = services().settings.trusted_proxies
    forwarded = ", ".join(request.headers.getlist("X-Forwarded-For")) or None
    try:
        return client_address(request.remote_addr or "", forwarded, trusted)
    except BadAddress:
        return None


def _key() -> str:
    """Return the limiter's key: a keyed hash, so that no store ever holds an address."""
    address = visitor_address()
    return "unknown" if address is None else services().addresses.limit_key(address)


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


limiter = Limiter(_key, strategy="moving-window")
ballot_limit = limiter.shared_limit(_ballot_rate, scope="ballots")
reading_limit = limiter.shared_limit(_reading_rate, scope="reading")


def init_limits(app: Flask, settings: Settings, clock: Clock) -> None:
    """Bind the limiter to an application and its store."""
    redis_url = settings.redis_url
    app.config["RATELIMIT_STORAGE_URI"] = redis_url or f"{limit_memory.SCHEME}://"
    if redis_url:
        app.config["RATELIMIT_STORAGE_OPTIONS"] = {
            "socket_timeout": REDIS_WAIT_S,
            "socket_connect_timeout": REDIS_WAIT_S,
        }
        app.config["RATELIMIT_IN_MEMORY_FALLBACK_ENABLED"] = True
    else:
        app.config["RATELIMIT_STORAGE_OPTIONS"] = {"clock": clock}
    limiter.init_app(app)
