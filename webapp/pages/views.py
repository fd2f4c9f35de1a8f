"""Standing pages: rules printed from the rulesets, about, privacy, verify; files robots read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from flask import Blueprint, Response, make_response, render_template

from antiabuse import account_rules
from antiabuse import rules as antiabuse_rules
from antiabuse.detectors import rules as detector_rules
from arena import review_rules
from arena import rules as arena_rules
from ledger import receipt_check, store
from ledger import rules as ledger_rules
from ranking import lobster
from ranking import rules as ranking_rules
from webapp.htmx import wants_fragment
from webapp.limits import limiter, reading_limit
from webapp.rules.numbers import RuleText
from webapp.wiring import services

pages = Blueprint("pages", __name__)

# The front with and without a mode: each request of it would issue a ballot.
_CLOSED: Final = ("/$", "/?", "/ballots", "/receipts", "/me")


@dataclass(frozen=True, slots=True)
class RuleGroup:
    """One room's numbers."""

    id: str
    title: str
    book: RuleText


@pages.get("/rules")
@reading_limit
def show_rules() -> Response:
    """Print every number in force with its unit and reason."""
    groups = (
        _group("votes", "Votes and voters", antiabuse_rules.current()),
        _group("detectors", "Review of votes", detector_rules.current()),
        _group("ranking", "Ranking", ranking_rules.current()),
        _group("arena", "Questions and answers", arena_rules.current()),
        _group("moderation", "Moderation", review_rules.current()),
        _group("accounts", "Accounts of moderators", account_rules.current()),
        _group("log", "Public log", ledger_rules.current()),
    )
    return _page("rules/rules.html", nav="rules", rules=groups)


def _group(room: str, title: str, ruleset: Any) -> RuleGroup:  # noqa: ANN401 - any of the rulesets
    return RuleGroup(id=ruleset.id, title=title, book=RuleText(room, ruleset, services().settings))


@pages.get("/about")
@reading_limit
def show_about() -> Response:
    """Say who runs the arena, with what money, and how to cite it."""
    return _page("pages/about.html", nav="about")


@pages.get("/privacy")
@reading_limit
def show_privacy() -> Response:
    """Say what is kept, why and how long."""
    return _page(
        "pages/privacy.html",
        nav="privacy",
        fingerprint=services().settings.fingerprint,
        rules=antiabuse_rules.current(),
    )


@pages.get("/verify")
@reading_limit
def show_verify() -> Response:
    """Say how anyone checks the log and a receipt."""
    keys = services().log_keys.ring().verifiers
    with services().database.read() as conn:
        note = store.checkpoint_text(conn)
    return _page(
        "pages/verify.html",
        nav="verify",
        verifier_key=keys[0].vkey,
        older_keys=[key.vkey for key in keys[1:]],
        origin=services().settings.log_origin,
        checkpoint=note,
    )


@pages.get("/verify/receipt_check.py")
@limiter.exempt
def receipt_checker() -> Response:
    """Offer the stand-alone receipt checker."""
    return _source(receipt_check.__file__)


@pages.get("/rules/lobster.py")
@limiter.exempt
def ranking_engine() -> Response:
    """Offer the ranking engine (V-053)."""
    return _source(lobster.__file__)


def _source(path: str) -> Response:
    file = Path(path)
    response = make_response(file.read_text(encoding="utf-8"))
    response.mimetype = "text/x-python"
    response.headers["Content-Disposition"] = f'attachment; filename="{file.name}"'
    return response


@pages.get("/robots.txt")
@limiter.exempt
def robots() -> Response:
    """Keep crawlers off ballots (V-171)."""
    return _text("\n".join(["User-agent: *", *(f"Disallow: {path}" for path in _CLOSED), ""]))


@pages.get("/.well-known/security.txt")
@limiter.exempt
def security() -> Response:
    """Say where to report a weakness (RFC 9116)."""
    url = services().settings.public_url
    year = datetime.fromtimestamp(services().clock() // 1_000_000, tz=UTC).year
    return _text(
        f"Contact: {url}/about#contact\n"
        f"Expires: {year + 1}-12-31T00:00:00Z\n"
        f"Policy: {url}/about#security\n"
    )


def _text(text: str) -> Response:
    response = make_response(text)
    response.mimetype = "text/plain"
    return response


def _page(template: str, *, nav: str, **values: Any) -> Response:  # noqa: ANN401 - template values
    return make_response(render_template(template, nav=nav, fragment=wants_fragment(), **values))
