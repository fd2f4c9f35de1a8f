"""Attacks that only the web layer can stop, over HTTP: headers, replays, reports, an outage."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Final

from flask import Flask
from sqlalchemy import func, select
from werkzeug.test import TestResponse

from antiabuse import unrun_checks
from antiabuse.detectors.finding import Detector
from antiabuse.identity import pseudonym
from arena import moderation, refits, standing, sweep
from arena.ballot_projection import WEIGHT_UNIT
from arena.moderation import Actor
from arena.review_tables import flag
from arena.standing_reasons import JoinReason
from arena.tables import answer, report, vote
from bench.attacks.application import MODE, Application
from ledger import store
from webapp.app import create_app
from webapp.unrun import UnrunCounter

__all__ = [
    "Browser",
    "Flood",
    "Joined",
    "Outage",
    "Replays",
    "Reports",
    "flood",
    "joined",
    "outage",
    "replays",
    "reports",
]

TOKEN: Final = re.compile(r'name="ballot" value="([^"]+)"')
ADDRESS: Final = "198.51.100.7"
PROXY: Final = "192.0.2.1"
READ_S: Final = 30
OK: Final = 200
REFUSED_FROM: Final = 400
MINUTE_S: Final = 60
DAY_S: Final = 86_400


class Browser:
    """A browser with a cookie jar and an address of its own."""

    def __init__(self, app: Flask, address: str) -> None:
        self._client = app.test_client()
        self._address = address

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> TestResponse:
        """Ask for a page."""
        return self._open("GET", path, headers, {})

    def post(
        self, path: str, form: Mapping[str, str], headers: Mapping[str, str] | None = None
    ) -> TestResponse:
        """Send a form as the page's script does."""
        return self._open("POST", path, {"HX-Request": "true", **(headers or {})}, form)

    def _open(
        self, method: str, path: str, headers: Mapping[str, str] | None, form: Mapping[str, str]
    ) -> TestResponse:
        return self._client.open(
            path,
            method=method,
            data=dict(form),
            headers=dict(headers or {}),
            environ_overrides={"REMOTE_ADDR": self._address},
            buffered=True,
        )

    def token(self) -> str:
        """Open the ballot page and return its token."""
        found = TOKEN.search(self.get(f"/?mode={MODE}").text)
        assert found is not None
        return found[1]

    def new_voter(self) -> None:
        """Clear the cookies."""
        self._client.delete_cookie("voter")

    def voter(self, app: Application) -> str:
        """Return the id in the cookie."""
        cookie = self._client.get_cookie("voter")
        assert cookie is not None
        return app.services.cookies.read(cookie.value)


def browsers(app: Application) -> Callable[[str], Browser]:
    """Return a maker of browsers by address."""
    flask = create_app(app.services)
    return lambda address: Browser(flask, address)


def vote_form(token: str, **changed: str) -> dict[str, str]:
    """Return the form of a vote of somebody who has read everything."""
    usual = {"ballot": token, "verdict": "best_worst", "best": "A", "worst": "D"}
    return {**usual, "dwell_ms": str(READ_S * 1000), "scroll": "1", **changed}


def stored(app: Application) -> int:
    """Return how many votes there are."""
    with app.services.database.read() as conn:
        number: int = conn.execute(select(func.count()).select_from(vote)).scalar_one()
    return number


@dataclass(frozen=True, slots=True)
class Flood:
    """B13: requests of one connection with a forged address in each; how many got through."""

    sent: int
    passed: int
    allowed: int


def flood(app: Application, *, sent: int) -> Flood:
    """Send requests within a minute, each with headers of its own.

    Where the application trusts a proxy, the requests come through one, which adds the address of
    the connection as proxies do.
    """
    trusted = app.services.settings.trusted_proxies
    rng, browser = random.Random(1), browsers(app)(PROXY if trusted else ADDRESS)
    passed = 0
    for _ in range(sent):
        made = ".".join(str(rng.randrange(1, 255)) for _ in range(4))
        headers = dict.fromkeys(("X-Real-IP", "CF-Connecting-IP", "True-Client-IP"), made)
        headers["Forwarded"] = f"for={made}"
        headers["X-Forwarded-For"] = f"{made}, {ADDRESS}" if trusted else made
        passed += browser.get(f"/?mode={MODE}", headers).status_code == OK
    return Flood(sent, passed, app.services.settings.rate_limit)


@dataclass(frozen=True, slots=True)
class Replays:
    """B18: forged, doubled and old forms; `accepted` are those that became votes."""

    tried: int
    accepted: int
    statuses: tuple[int, ...]


def replays(app: Application, *, rounds: int) -> Replays:
    """Vote honestly once a round, and send every wrong form around it."""
    browser = browsers(app)
    bot, other = browser("198.51.100.7"), browser("203.0.113.9")
    statuses: list[int] = []
    honest = 0
    for _ in range(rounds):
        mine, foreign = bot.token(), other.token()
        app.clock.advance(READ_S)
        wrong = [
            (bot, vote_form(foreign)),
            (other, vote_form(mine)),
            (bot, vote_form(mine[:-2])),
            (bot, vote_form("")),
            (bot, vote_form(mine, best="A", worst="A")),
        ]
        statuses += [who.post("/vote", form).status_code for who, form in wrong]
        assert bot.post("/vote", vote_form(mine)).status_code == OK
        honest += 1
        doubled = [vote_form(mine), vote_form(mine, best="B", worst="C"), vote_form(mine)]
        statuses += [bot.post("/vote", form).status_code for form in doubled]
        app.clock.advance(READ_S)
        statuses.append(bot.post("/vote", vote_form(mine)).status_code)
        statuses.append(bot.post("/skip", {"ballot": mine}).status_code)
        other.post("/skip", {"ballot": foreign})
        statuses.append(other.post("/vote", vote_form(foreign)).status_code)
    return Replays(len(statuses), stored(app) - honest, tuple(sorted(set(statuses))))


@dataclass(frozen=True, slots=True)
class Reports:
    """B20: reports against every answer of one slot, by ids that come and go."""

    sent: int
    kept: int
    hidden: int


def reports(app: Application, *, ids: int, each: int) -> Reports:
    """Report answers as often as it goes, for every reason there is."""
    browser, sent = browsers(app), 0
    for number in range(ids):
        bot = browser(f"198.51.100.{number + 1}")
        for _ in range(each):
            token = bot.token()
            form = {"ballot": token, "slot": "A", "reason": "identity"}
            sent += bot.post("/report", form).status_code < REFUSED_FROM
            bot.post("/skip", {"ballot": token})
            app.clock.advance(READ_S)
    with app.services.database.read() as conn:
        kept: int = conn.execute(select(func.count()).select_from(report)).scalar_one()
        states = conn.execute(select(answer.c.state)).scalars().all()
    return Reports(sent, kept, sum(state != "showable" for state in states))


@dataclass(frozen=True, slots=True)
class Outage:
    """B21: honest votes while the shared store of limits is away, and requests counted apart."""

    sent: int
    lost: int
    unchecked: int
    slowest_s: float


def outage(app: Application, *, voters: int, timer: Callable[[], float]) -> Outage:
    """Let honest voters vote, one a minute, while nothing answers at the address of the store.

    Args:
        app: with a store that is away.
        voters: how many, a vote each.
        timer: seconds.
    """
    ticks = count(0, MINUTE_S)  # so that each count is written at once
    counter = UnrunCounter(app.services.database, app.clock, lambda: float(next(ticks)))
    ill = replace(app, services=replace(app.services, unrun=counter))
    browser, lost, slowest = browsers(ill), 0, 0.0
    for number in range(voters):
        person, began = browser(f"203.0.113.{number + 1}"), timer()
        token = person.token()
        slowest = max(slowest, timer() - began)
        app.clock.advance(READ_S)
        lost += person.post("/vote", vote_form(token)).status_code != OK
        app.clock.advance(MINUTE_S - READ_S)
    hour = "2026-01-01T00:00Z"
    with app.services.database.read() as conn:
        unchecked = sum(row.requests for row in unrun_checks.since(conn, hour))
    return Outage(voters, lost, unchecked, slowest)


@dataclass(frozen=True, slots=True)
class Joined:
    """B10 over HTTP: ids of one browser that clears its cookies.

    `flagged` are the ids that the sweep names; the weights are those of their votes on the board
    before and after a moderator joins them, in votes.
    """

    ids: int
    flagged: int
    weight_before: float
    weight_after: float


def joined(app: Application, *, ids: int) -> Joined:
    """Vote once with each of many ids from one address, sweep the next day, and join them."""
    bot, ports = browsers(app)(ADDRESS), app.services.ports
    voters: list[str] = []
    for _ in range(ids):
        bot.new_voter()
        token = bot.token()
        app.clock.advance(READ_S)
        assert bot.post("/vote", vote_form(token)).status_code == OK
        voters.append(pseudonym(ports.keys, app.month, bot.voter(app)))
    app.publish()
    before = _weight(app, voters)
    app.clock.advance(DAY_S)
    swept = sweep.sweep(ports, MODE, app.month, app.clock())
    assert swept is not None
    with app.services.database.read() as conn:
        flags = conn.execute(
            select(flag.c.subject).where(flag.c.detector == Detector.SHARED_ADDRESS.value)
        ).scalars()
        named = set(" ".join(flags).split())
    actor = Actor("bench", "M-0000")
    moderation.join(ports, actor, app.month, voters, JoinReason.SAME_NETWORK, app.clock())
    app.publish()
    return Joined(ids, len(named & set(voters)), before, _weight(app, voters))


def _weight(app: Application, voters: Sequence[str]) -> float:
    """Return what the votes of some voters weigh on the board, in votes."""
    ports = app.services.ports
    with app.services.database.read() as conn:
        size = store.head(conn).size
        columns = standing.columns_at(ports, conn, MODE, app.month, size)
        rows = conn.execute(select(vote.c.id, vote.c.voter)).all()
        theirs = {store.index_of(conn, row.id) for row in rows if row.voter in voters}
    kept, _ = refits.counted(columns)
    mine = [index in theirs for index in kept.votes["idx"].tolist()]
    return int(kept.votes["weight"][mine].sum()) / WEIGHT_UNIT
