"""Health for operators: alive, ready (one ping per service), and metrics."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, make_response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from arena import fit_faults
from ledger import store
from ledger.errors import LedgerError
from webapp.limit_store import REDIS_WAIT_S
from webapp.limits import limiter
from webapp.wiring import services

health = Blueprint("health", __name__)


@health.get("/healthz")
@limiter.exempt
def alive() -> Response:
    """Answer while the process lives."""
    return jsonify(status="ok")


@health.get("/readyz")
@limiter.exempt
def ready() -> Response:
    """Ping each service; 503 names those that do not answer.

    A fit that fails is named too, but the last board is still served: the answer stays 200.
    """
    checks = {"database": _database(), "log": _log()}
    if services().settings.redis_url:
        checks["redis"] = _redis()
    failed = [name for name, state in checks.items() if state != "ok"]
    faults = _fit_faults() if not failed else {}
    status = "failing" if failed else "degraded" if faults else "ok"
    response = jsonify(status=status, checks=checks, failed_fits=faults)
    response.status_code = 503 if failed else 200
    return response


def _database() -> str:
    try:
        services().database.ping()
    except LedgerError as error:
        return type(error).__name__
    return "ok"


def _log() -> str:
    try:
        with services().database.read() as conn:
            store.head(conn)
    except LedgerError as error:
        return type(error).__name__
    return "ok"


def _fit_faults() -> dict[str, dict[str, str | int]]:
    """Return the modes whose boards stand still because their fits fail."""
    with services().database.read() as conn:
        found = fit_faults.standing(conn)
    return {
        mode: {"since_us": fault.since_us, "error": fault.text} for mode, fault in found.items()
    }


def _redis() -> str:
    url = services().settings.redis_url or ""
    try:
        with Redis.from_url(
            url,
            socket_timeout=REDIS_WAIT_S,
            socket_connect_timeout=REDIS_WAIT_S,
            retry=Retry(NoBackoff(), 0),
        ) as client:
            client.ping()
    except RedisError as error:
        return type(error).__name__
    return "ok"


@health.get("/metrics")
@limiter.exempt
def metrics() -> Response:
    """Return counters in Prometheus's text format."""
    response = make_response(generate_latest())
    response.headers["Content-Type"] = CONTENT_TYPE_LATEST
    return response
