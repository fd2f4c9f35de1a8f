"""Health for operators: alive, ready (a ping per service, a write now and then), and metrics."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, make_response
from prometheus_client import CONTENT_TYPE_LATEST
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from arena import fit_faults
from arena.sweep_report import overdue_sweeps
from ledger import store
from ledger.errors import DatabaseBusy, LedgerError
from webapp.health.metrics import metrics_text
from webapp.health.writing import UNCHECKED, writing_states
from webapp.limit_store import ANSWER_WAIT_S
from webapp.limits import limiter
from webapp.wiring import services

health = Blueprint("health", __name__)

_Fault = dict[str, str | int]


@health.get("/healthz")
@limiter.exempt
def alive() -> Response:
    """Answer while the process lives."""
    return jsonify(status="ok")


@health.get("/readyz")
@limiter.exempt
def ready() -> Response:
    """Ping each service, try to write, and name what does not do its work.

    503 without the database or the log, or when writes are refused, for then no vote is taken; what
    could not be tried, as in a crowd, is `unchecked` and refuses nothing (V-168). What votes go on
    without leaves the answer at 200, `degraded`: the shared store, for each process counts requests
    by itself, fits and boards that fail, for the last ones are served, and sweeps that do not come.
    """
    database = _database()
    # Who waited in vain for a connection does not wait again.
    checks = {"database": database, "log": UNCHECKED if database == UNCHECKED else _log()}
    checks |= writing_states()
    failing = any(state not in ("ok", UNCHECKED) for state in checks.values())
    if services().settings.redis_url:
        checks["redis"] = _redis()
    try:
        unread = failing or checks["log"] == UNCHECKED
        fits, boards, sweeps = ({}, [], {}) if unread else _upkeep()
    except DatabaseBusy:
        fits, boards, sweeps = {}, [], {}
        checks["database"] = UNCHECKED
    parts = {
        "redis": checks.get("redis", "ok") != "ok",
        "fits": fits,
        "boards": boards,
        "sweeps": sweeps,
    }
    degraded = [name for name, fault in parts.items() if fault]
    response = jsonify(
        status="failing" if failing else "degraded" if degraded else "ok",
        checks=checks,
        degraded=degraded,
        failed_fits=fits,
        failed_boards=boards,
        overdue_sweeps=sweeps,
    )
    response.status_code = 503 if failing else 200
    return response


def _upkeep() -> tuple[dict[str, _Fault], list[_Fault], dict[str, str]]:
    """Return what fails of fits, of boards and of sweeps."""
    return _failed_fits(), _failed_boards(), _overdue_sweeps()


def _database() -> str:
    try:
        services().database.ping()
    except DatabaseBusy:
        return UNCHECKED
    except LedgerError as error:
        return type(error).__name__
    return "ok"


def _log() -> str:
    try:
        with services().database.read() as conn:
            store.head(conn)
    except DatabaseBusy:
        return UNCHECKED
    except LedgerError as error:
        return type(error).__name__
    return "ok"


def _failed_fits() -> dict[str, _Fault]:
    """Return the modes whose boards stand still because their fits fail."""
    with services().database.read() as conn:
        found = fit_faults.standing(conn)
    return {
        mode: {"since_us": fault.since_us, "error": fault.text} for mode, fault in found.items()
    }


def _failed_boards() -> list[_Fault]:
    """Return the boards beside the official ones that cannot be made."""
    with services().database.read() as conn:
        found = fit_faults.standing_boards(conn)
    return [
        {
            "mode": fault.mode,
            "month": fault.month,
            "view": fault.view,
            "category": fault.category,
            "since_us": fault.since_us,
            "error": fault.text,
        }
        for fault in found
    ]


def _overdue_sweeps() -> dict[str, str]:
    """Return the modes whose votes the detectors do not get to see, with the first day of these."""
    with services().database.read() as conn:
        return {each.mode: each.day for each in overdue_sweeps(conn, services().clock())}


def _redis() -> str:
    url = services().settings.redis_url or ""
    try:
        with Redis.from_url(
            url,
            socket_timeout=ANSWER_WAIT_S,
            socket_connect_timeout=ANSWER_WAIT_S,
            retry=Retry(NoBackoff(), 0),
        ) as client:
            client.ping()
    except RedisError as error:
        return type(error).__name__
    return "ok"


@health.get("/metrics")
@limiter.exempt
def metrics() -> Response:
    """Return numbers of the arena and of this process in Prometheus's text format."""
    response = make_response(metrics_text(services().database, services().clock()))
    response.headers["Content-Type"] = CONTENT_TYPE_LATEST
    return response
