"""A month of many votes with flags, reports, decisions and disputes, for timing pages on it.

Ballots and votes are laid straight into a prepared SQLite database, as the arena stores them; what
moderators did goes through the arena's own services.
"""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sqlalchemy import func, select

from antiabuse.detectors.finding import Detector, Finding
from antiabuse.identity import pseudonym
from antiabuse.utc import SECOND_US, hour_of, month_of
from arena import disputes, flags, review, review_tables
from arena.moderation import Actor
from arena.visitor import Visitor
from ranking.exposure import SET_SIZE
from webapp.wiring import Services

__all__ = ["BusyMonth", "lay_month"]

VOTES_PER_VOTER: Final = 13
KEEN_VOTES: Final = 1_000  # of one voter: 50 a day on twenty days
BATCH: Final = 10_000
STEP_US: Final = 10 * SECOND_US
DIGEST: Final = "0" * 64
EVEN: Final = json.dumps(["0.250000"] * 4)
PARTS: Final = json.dumps({"dwell_weight": "1", "scroll_factor": "1", "anomaly_factor": "1"})
ZEROS: Final = json.dumps(["0.000000"] * 4)
MODERATOR: Final = Actor("bench", "M-0000")
EVENT: Final = (
    "INSERT INTO event (id, kind, version, stream, ruleset, disclosure, shuffled, body, body_salt,"
    " body_sha256, private_sha256) VALUES (?, ?, 1, ?, 'arena.2026.1', 'archive', 1, ?, ?, ?, ?)"
)


@dataclass(frozen=True, slots=True)
class BusyMonth:
    """What pages are asked for: the keen voter, their flag and a vote, and a decision."""

    voter: str
    flag: str
    pseudonym: str
    vote: str
    decision: str


@dataclass(frozen=True, slots=True)
class _Vote:
    number: int
    id: str
    ballot: str
    voter: str
    name: str
    at_us: int
    question: str
    answers: tuple[tuple[str, str], ...]
    best: int
    worst: int


def lay_month(services: Services, votes: int, flagged: int) -> BusyMonth:
    """Store so many votes of the month at hand, then flag so many voters and judge a third."""
    rng = random.Random(1)
    path = Path(services.settings.database_url.removeprefix("sqlite:///"))
    with closing(sqlite3.connect(path)) as base:
        base.execute("PRAGMA synchronous=OFF")
        laid = list(_votes(base, rng, votes, services.ports.keys, services.clock()))
        for low in range(0, votes, BATCH):
            _store(base, laid[low : low + BATCH], services.clock())
        base.commit()
    return _judge(services, laid, flagged)


def _votes(
    base: sqlite3.Connection, rng: random.Random, count: int, keys: Sequence[str], now_us: int
) -> Iterator[_Vote]:
    pools: dict[str, list[tuple[str, str]]] = {}
    for question, answer, model in base.execute(
        "SELECT question_id, id, model FROM answer WHERE mode = 'speed' AND state = 'showable'"
        " ORDER BY question_id, id"
    ):
        pools.setdefault(question, []).append((answer, model))
    questions = sorted(question for question, pool in pools.items() if len(pool) >= SET_SIZE)
    voters = [f"{rng.getrandbits(128):032x}" for _ in range(count // VOTES_PER_VOTER)]
    names = [pseudonym(keys, month_of(now_us), voter) for voter in voters]
    for number in range(count):
        voter = 0 if number % (count // KEEN_VOTES) == 0 else rng.randrange(len(voters))
        question = rng.choice(questions)
        best, worst = rng.sample(range(4), 2)
        yield _Vote(
            number, _uuid4(rng), _uuid4(rng), voters[voter], names[voter],
            now_us - (count - number) * STEP_US, question,
            tuple(rng.sample(pools[question], 4)), best, worst,
        )  # fmt: skip


def _uuid4(rng: random.Random) -> str:
    digits = f"{rng.getrandbits(128):032x}"
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"


def _store(base: sqlite3.Connection, votes: Sequence[_Vote], now_us: int) -> None:
    month, hours = month_of(now_us), {vote.id: hour_of(vote.at_us) for vote in votes}
    stream = f"arena/speed/{month}"
    size = base.execute("SELECT size FROM log_head").fetchone()[0]
    events = [event for vote in votes for event in _events(vote, month, hours[vote.id])]
    base.executemany(
        EVENT,
        ((id_, kind, stream, body, DIGEST, DIGEST, DIGEST) for id_, kind, body, _, _ in events),
    )
    base.executemany(
        "INSERT INTO event_private VALUES (?, ?, ?, ?)",
        ((id_, DIGEST, part, voter) for id_, _, _, part, voter in events),
    )
    base.executemany(
        "INSERT INTO log_entry VALUES (?, ?)", ((size + n, e[0]) for n, e in enumerate(events))
    )
    base.execute("UPDATE log_head SET size = ?", (size + len(events),))
    base.executemany(
        "INSERT OR IGNORE INTO voter VALUES (?, ?, '', 0, 0, 0, NULL, NULL, NULL)",
        ((voter, now_us) for voter in {vote.voter for vote in votes}),
    )
    base.executemany(
        "INSERT INTO ballot (id, mode, month, hour, question_id, voter, state, set_probability)"
        " VALUES (?, 'speed', ?, ?, ?, ?, 'voted', '0.01')",
        ((v.ballot, month, hours[v.id], v.question, v.name) for v in votes),
    )
    base.executemany(
        "INSERT INTO ballot_holder VALUES (?, ?, ?, ?)",
        ((v.ballot, v.voter, f"r{v.ballot}", v.at_us) for v in votes),
    )
    base.executemany(
        "INSERT INTO ballot_slot VALUES (?, ?, ?, ?, ?)",
        (
            (v.ballot, place, f"{v.ballot}{place}", answer, model)
            for v in votes
            for place, (answer, model) in enumerate(v.answers)
        ),
    )
    base.executemany(
        "INSERT INTO vote (id, ballot_id, mode, month, hour, question_id, voter, cluster, models,"
        " verdict, best, worst, weight_micro, weight_parts, reasons, p_win, changes) VALUES"
        " (?, ?, 'speed', ?, ?, ?, ?, ?, ?, 'best_worst', ?, ?, 1000000, ?, '[]', ?, ?)",
        (
            (v.id, v.ballot, month, hours[v.id], v.question, v.name, v.name,
             json.dumps([model for _, model in v.answers]), v.best, v.worst, PARTS, EVEN, ZEROS)
            for v in votes
        ),
    )  # fmt: skip
    base.executemany(
        "INSERT INTO sighting VALUES (?, ?, ?, ?, ?, 12000000, ?, ?, NULL)",
        (
            (v.id, v.voter, month, hours[v.id][:10], v.at_us, f"a{v.name}", f"n{v.name[:-1]}")
            for v in votes
        ),
    )


def _events(vote: _Vote, month: str, hour: str) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield id, kind, body, private part and voter of a vote's two events."""
    part = json.dumps({"at_us": vote.at_us, "voter": vote.voter}, separators=(",", ":"))
    common: dict[str, Any] = {
        "hour": hour, "mode": "speed", "month": month, "question": vote.question,
        "voter": vote.name, "board": None,
    }  # fmt: skip
    slots = [
        {"answer": answer, "model": model, "slot": f"{vote.ballot}{place}"}
        for place, (answer, model) in enumerate(vote.answers)
    ]
    models = [model for _, model in vote.answers]
    cast = {
        "ballot": vote.ballot, "best": models[vote.best], "worst": models[vote.worst],
        "changes": ["0.000000"] * 4, "cluster": vote.name, "models": models,
        "p_win": ["0.250000"] * 4, "reasons": [], "verdict": "best_worst", "weight": "1.000000",
        "weight_parts": {},
    }  # fmt: skip
    yield (
        vote.ballot,
        "ballot.issued",
        _text(common | {"slots": slots, "draw": {}}),
        part,
        vote.voter,
    )
    yield vote.id, "vote.cast", _text(common | cast), part, vote.voter


def _text(body: dict[str, Any]) -> str:
    return json.dumps(body, sort_keys=True, separators=(",", ":"))


def _judge(services: Services, votes: Sequence[_Vote], flagged: int) -> BusyMonth:
    ports, now_us = services.ports, services.clock()
    by_voter: dict[str, list[_Vote]] = {}
    for vote in votes:
        by_voter.setdefault(vote.name, []).append(vote)
    chosen = sorted(by_voter, key=lambda name: (-len(by_voter[name]), name))[:flagged]
    findings = [_finding(name, [vote.id for vote in by_voter[name]]) for name in chosen]
    month, hour = month_of(now_us), hour_of(now_us)
    with ports.database.write() as conn:
        raised = flags.raise_flags(conn, ports, "speed", month, hour, findings)
    for place in range(2, flagged, 3):
        review.decide_flag(
            ports,
            MODERATOR,
            str(raised[place]),
            seen="open",
            verdict="upheld",
            reason="careless",
            now_us=now_us,
        )
        if place % 2:
            struck = by_voter[chosen[place]][0]
            disputes.open_dispute(ports, Visitor(struck.voter, now_us), struck.id, "I did read.")
    with ports.database.read() as conn:
        newest = select(func.max(review_tables.decision.c.id))
        decision = conn.execute(
            newest.where(review_tables.decision.c.kind == "vote.voided")
        ).scalar_one()
    keen = by_voter[chosen[0]][-1]
    return BusyMonth(keen.voter, str(raised[0]), keen.name, keen.id, decision)


def _finding(name: str, votes: Sequence[str]) -> Finding:
    return Finding(
        detector=Detector.CARELESS, subjects=(name,), votes=tuple(votes), statistic="41.5",
        threshold="31.2", p_value="0.0004", look=20, numbers={"draws": "999"}, discounts=False,
    )  # fmt: skip
