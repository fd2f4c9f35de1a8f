"""The web application: services in, routes, limits, headers and errors around them."""

from __future__ import annotations

from flask import Flask

from webapp.assets import init_assets
from webapp.audit.count_cache import init_count_cache
from webapp.audit.views import audit
from webapp.board.caches import init_board_caches
from webapp.board.views import board
from webapp.charts.views import charts
from webapp.disputes.views import disputes
from webapp.errors import init_errors
from webapp.feed.views import feed
from webapp.filters import init_filters
from webapp.health.views import health
from webapp.health.writing import init_writing
from webapp.htmx import init_htmx
from webapp.limits import init_limits
from webapp.log.views import log
from webapp.me.views import me
from webapp.models.views import models
from webapp.moderation.influence import init_influence
from webapp.moderation.problems import init_moderation_problems
from webapp.moderation.rooms import MODERATION
from webapp.pages.views import pages
from webapp.paths import STATIC, TEMPLATES
from webapp.receipts.views import receipts
from webapp.rules.views import arena_rules
from webapp.security import init_input_check, init_security
from webapp.site import init_site
from webapp.unrun import init_unrun
from webapp.vote.consent import consent
from webapp.vote.views import vote
from webapp.wiring import Services, init_services

__all__ = ["create_app"]

_MAX_FORM_BYTES = 64 * 1024
_MAX_FORM_PARTS = 64


def create_app(services: Services) -> Flask:
    """Return the application over built services."""
    app = Flask("webapp", template_folder=str(TEMPLATES), static_folder=str(STATIC))
    app.config.update(
        MAX_CONTENT_LENGTH=_MAX_FORM_BYTES,
        MAX_FORM_MEMORY_SIZE=_MAX_FORM_BYTES,
        MAX_FORM_PARTS=_MAX_FORM_PARTS,
    )
    init_services(app, services)
    init_htmx(app)
    # The order is that of the checks (V-131): where a write comes from, then how often.
    init_security(app)
    init_limits(app, services)
    init_unrun(app, services.unrun)
    init_input_check(app)
    init_errors(app)
    init_moderation_problems(app)
    init_filters(app)
    init_assets(app)
    init_site(app)
    init_board_caches(app)
    init_count_cache(app)
    init_writing(app, services.database)
    init_influence(app)
    for blueprint in (
        vote,
        consent,
        board,
        charts,
        models,
        arena_rules,
        receipts,
        me,
        log,
        pages,
        feed,
        health,
        audit,
        disputes,
        *MODERATION,
    ):
        app.register_blueprint(blueprint)
    return app
