"""Whether a request that changes something comes from our own pages (V-130). Pure."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN_SITES: Final = frozenset({"same-origin", "none"})
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


def same_origin(method: str, sec_fetch_site: str | None, origin: str | None, host_url: str) -> bool:
    """Tell whether the request may change something.

    Neither header present is no browser, and allowed: the ballot token still binds the vote to its
    voter. `Origin: null` is what browsers send for our own forms under a no-referrer policy, and
    also for foreign sandboxed ones; it is allowed only where Sec-Fetch-Site vouches for it.

    Args:
        method: the request's method; safe ones are always allowed.
        sec_fetch_site: the header's value, None when absent.
        origin: the header's value, None when absent.
        host_url: scheme and host that the request was sent to, such as `https://arena.example/`.
    """
    if method.upper() in _SAFE_METHODS:
        return True
    if sec_fetch_site is not None and sec_fetch_site not in _OWN_SITES:
        return False
    if origin is None or (origin == "null" and sec_fetch_site is not None):
        return True
    ours = _origin_of(host_url)
    return ours is not None and _origin_of(origin) == ours


def _origin_of(url: str) -> tuple[str, str, int] | None:
    """Return scheme, host and port (RFC 6454); None for what is no web address."""
    try:
        parts = urlsplit(url)
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
    if port is None or parts.hostname is None or parts.scheme not in _DEFAULT_PORTS:
        return None
    return parts.scheme, parts.hostname, port
