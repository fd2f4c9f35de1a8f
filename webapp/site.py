"""What every page says of the installation: name, operator, demo mark, state of the log."""

from __future__ import annotations

from dataclasses import dataclass
from gettext import NullTranslations
from typing import Any

from flask import Flask, g, request

from ledger import store
from ledger.errors import LedgerError
from ledger.store import SignedCheckpoint
from webapp.translations import init_translations
from webapp.wiring import code_version, services

__all__ = ["Site", "init_site"]


@dataclass(frozen=True, slots=True)
class Site:
    """The installation as the page frame shows it; `log` is None before the first signature."""

    name: str
    operator: str
    public_url: str
    demo: bool
    build: str
    log: SignedCheckpoint | None


def current_site() -> Site:
    """Read the state once per request; a failing database must not break the page that says so."""
    if "site" not in g:
        settings = services().settings
        try:
            with services().database.read() as conn:
                log = store.latest_checkpoint(conn)
                snapshot = services().ports.catalogue.current(conn)
                demo = any(m.demo and m.retired_us is None for m in snapshot.models.values())
        except LedgerError:
            log, demo = None, False
        g.site = Site(
            settings.name, settings.operator, settings.public_url, demo, code_version(), log
        )
    site: Site = g.site
    return site


def init_site(app: Flask) -> None:
    """Offer `site` and `mode` to templates, and texts through one catalogue."""
    init_translations(app, NullTranslations())

    @app.context_processor
    def _shared() -> dict[str, Any]:
        asked = request.args.get("mode")
        return {"site": current_site(), "mode": asked if asked == "expert" else "speed"}
