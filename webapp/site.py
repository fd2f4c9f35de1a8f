"""What every page says of the installation: name, operator, demo mark, state of the log."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from gettext import NullTranslations
from typing import Any, Final

from flask import Flask, g, request
from markupsafe import Markup

from ledger import store
from ledger.errors import LedgerError
from ledger.store import SignedCheckpoint
from webapp.translations import init_translations
from webapp.wiring import code_version, services

__all__ = ["Site", "init_site"]

_HEADERS_KEPT: Final = 256


@dataclass(frozen=True, slots=True)
class _Present:
    """What changes while the program runs, as of one request."""

    demo: bool
    demo_retired_us: int | None
    log: SignedCheckpoint | None


@dataclass(frozen=True, slots=True)
class Site:
    """The installation as the page frame shows it; what may change is read when it is shown."""

    name: str
    operator: str
    public_url: str
    build: str

    @property
    def demo(self) -> bool:
        """Whether demo models take part."""
        return _present().demo

    @property
    def demo_retired_us(self) -> int | None:
        """When demo models were retired; None unless they were."""
        return _present().demo_retired_us

    @property
    def log(self) -> SignedCheckpoint | None:
        """The newest signed state of the log; None before the first."""
        return _present().log


def _present() -> _Present:
    """Read the state once per request; a failing database must not break the page that says so."""
    if "present" not in g:
        try:
            with services().database.read() as conn:
                log = store.latest_checkpoint(conn)
                snapshot = services().ports.catalogue.current(conn)
            demos = [m.retired_us for m in snapshot.models.values() if m.demo]
            retired_us = max((us for us in demos if us is not None), default=None)
            g.present = _Present(None in demos, retired_us, log)
        except LedgerError:
            g.present = _Present(demo=False, demo_retired_us=None, log=None)
    present: _Present = g.present
    return present


def init_site(app: Flask) -> None:
    """Offer `site`, `mode` and `site_header` to templates, and texts through one catalogue."""
    init_translations(app, NullTranslations())

    @app.template_global()
    @lru_cache(maxsize=_HEADERS_KEPT)
    def site_header(nav: str, mode: str, mode_path: str) -> Markup:
        """Return the header of pages in one place of the site, written once."""
        template, name = app.jinja_env.get_template("site_header.html"), services().settings.name
        page = template.render(nav=nav, mode=mode, mode_path=mode_path, site_name=name)
        return Markup(page)  # noqa: S704 - the template escapes

    @app.context_processor
    def _shared() -> dict[str, Any]:
        settings, asked = services().settings, request.args.get("mode")
        site = Site(settings.name, settings.operator, settings.public_url, code_version())
        return {"site": site, "mode": asked if asked == "expert" else "speed"}
