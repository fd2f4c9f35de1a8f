"""Which requests may change something."""

from __future__ import annotations

import pytest

from antiabuse.origin import same_origin

HOST = "https://arena.example/"


@pytest.mark.parametrize(
    "site, origin, allowed",
    [
        (None, None, True),
        ("same-origin", "https://arena.example", True),
        ("same-origin", None, True),
        ("none", None, True),
        (None, "https://arena.example", True),
        (None, "https://arena.example:443", True),
        (None, "https://ARENA.example", True),
        ("same-origin", "null", True),
        (None, "null", False),
        ("cross-site", None, False),
        ("cross-site", "https://arena.example", False),
        ("same-site", None, False),
        ("anything", None, False),
        ("", None, False),
        ("same-origin", "https://evil.example", False),
        (None, "https://evil.example", False),
        (None, "http://arena.example", False),
        (None, "https://arena.example:8443", False),
        (None, "https://arena.example.evil.example", False),
        (None, "https://arena.example@evil.example", False),
        (None, "https://arena.example:port", False),
        (None, "https://[", False),
        (None, "file://arena.example", False),
        (None, "", False),
        ("cross-site", "null", False),
    ],
)
def test_only_our_own_pages_may_post(site: str | None, origin: str | None, allowed: bool) -> None:
    """Foreign sites are refused; a client that sends neither header is no browser, and passes."""
    assert same_origin("POST", site, origin, HOST) is allowed


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "get"])
def test_reading_is_free(method: str) -> None:
    """A link from any site may lead here."""
    assert same_origin(method, "cross-site", "https://evil.example", HOST)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "ANYTHING"])
def test_every_other_method_is_checked(method: str) -> None:
    """A method nobody thought of is no way around the check."""
    assert not same_origin(method, "cross-site", None, HOST)


def test_ports_count_on_a_plain_address() -> None:
    """A development server on a port accepts its own pages only."""
    host = "http://127.0.0.1:8000/"

    assert same_origin("POST", None, "http://127.0.0.1:8000", host)
    assert not same_origin("POST", None, "http://127.0.0.1:9000", host)


def test_an_unusable_host_matches_nothing() -> None:
    """When the own address is unknown, no Origin equals it."""
    assert not same_origin("POST", None, "nonsense", "nonsense")
