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
    """The installation as the page frame shows it.

    `log` is None before the first signature, `demo_retired_us` unless demo models were retired.
    """

    name: str
    operator: str
    public_url: str
    demo: bool
    build: str
    demo_retired_us: int | None
    log: SignedCheckpoint | None


def current_site() -> Site:
    """Read the state once per request; a failing database must not break the page that says so."""
    if "site" not in g:
        settings = services().settings
        try:
            with services().database.read() as conn:
                log = store.latest_checkpoint(conn)
                snapshot = services().ports.catalogue.current(conn)
                demos = [m.retired_us for m in snapshot.models.values() if m.demo]
                demo = None in demos
                retired_us = max((us for us in demos if us is not None), default=None)
        except LedgerError:
            log, demo, retired_us = None, False, None
        g.site = Site(
            name=settings.name,
            operator=settings.operator,
            public_url=settings.public_url,
            demo=demo,
            build=code_version(),
            demo_retired_us=retired_us,
            log=log,
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
