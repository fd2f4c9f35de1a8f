"""Every route of the application as an address to try, so that a new one is tried unasked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from tests.fixtures.arena_site import ArenaSite, Voter, route_of

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_PLACEHOLDER = re.compile(r"<(?:[a-z]+(?:\([^)]*\))?:)?([a-z_]+)>")


@dataclass(frozen=True, slots=True)
class Route:
    """One rule of the address map."""

    rule: str
    methods: frozenset[str]

    def path(self, **values: str) -> str:
        """Return an address of this rule; what is not given is filled with `x`."""
        return _PLACEHOLDER.sub(lambda name: quote(values.get(name[1], "x")), self.rule)

    def path_of_all(self, text: str) -> str:
        """Return an address of this rule with the same text at each of its places."""
        return _PLACEHOLDER.sub(lambda _: quote(text), self.rule)

    @property
    def has_places(self) -> bool:
        """Whether the rule takes something from the address."""
        return bool(_PLACEHOLDER.search(self.rule))


def routes(arena: ArenaSite) -> list[Route]:
    """Return all routes of a site; those that end a visitor's identity come last."""
    found = [
        Route(rule.rule, frozenset(rule.methods or ())) for rule in arena.app.url_map.iter_rules()
    ]
    return sorted(found, key=lambda route: "erase" in route.rule)


def writes(arena: ArenaSite) -> Iterator[tuple[str, Route]]:
    """Yield each route that takes anything but reading, with each such method."""
    for route in routes(arena):
        for method in sorted(route.methods - SAFE):
            yield method, route


def settled(arena: ArenaSite) -> tuple[Voter, str, str]:
    """Return a voter, the route of a vote they cast, and the token of their next open ballot."""
    voter = arena.voter()
    route = route_of(voter.read_and_vote())
    arena.clock.advance(30)
    return voter, route, voter.ballot().token


class ManyAddresses:
    """A browser that calls from a new network address each time, so that no limit stops it."""

    def __init__(self, voter: Voter) -> None:
        self.voter = voter
        self._number = 0

    def next(self) -> Voter:
        """Return the voter at the next address."""
        self._number += 1
        number = self._number
        self.voter.address = f"198.18.{number // 250}.{number % 250 + 1}"
        return self.voter
