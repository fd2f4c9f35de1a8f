"""Brings an installation up to date before it serves: folder, schema, demo content, renderings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from arena.catalogue import render_missing
from arena.demo_pack import load_demo
from ledger.database import open_database
from ledger.migrate import require_current, upgrade
from ledger.server_room import connections_allowed
from webapp.connections import SPARE_CONNECTIONS
from webapp.paths import MIGRATIONS
from webapp.settings import Settings, SettingsError
from webapp.wiring import Services, build_services

__all__ = ["connection_shortage", "prepare", "prepared_services", "require_prepared"]


def prepare(settings: Settings, say: Callable[[str], None]) -> None:
    """Migrate, load the demo packs into an empty database, and render what has no HTML yet."""
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    say("Preparing the database.")
    upgrade(settings.database_url, MIGRATIONS)
    services = build_services(settings)
    try:
        if settings.demo and load_demo(
            services.database, services.ports.log, clock=services.clock, rng=services.rng
        ):
            say("The database is empty: loaded the demo questions and answers.")
        rendered = render_missing(services.database)
        if rendered:
            say(f"Rendered {rendered} answers anew.")
    finally:
        services.close()


def prepared_services(settings: Settings) -> Services:
    """Open an installation that is there already; looking at one must never make one.

    Raises:
        SettingsError: there is none where the settings say.
        DatabaseNotMigrated: it is not at this program's version.
    """
    file = Path(settings.database_url.removeprefix("sqlite:///"))
    if settings.database_url.startswith("sqlite:") and not file.exists():
        message = (
            f"there is no arena in {file.parent}: set ARENA_DATA_DIR to the folder of its data"
            " (`make run` names it), or run `arena serve` to make a new one there"
        )
        raise SettingsError(message)
    require_prepared(settings)
    return build_services(settings)


def require_prepared(settings: Settings) -> None:
    """Refuse to run on a database that is not at this program's version.

    Raises:
        DatabaseNotMigrated: naming both revisions and what to do.
        DatabaseUnavailable: it cannot be reached or opened.
    """
    require_current(settings.database_url, MIGRATIONS)


def connection_shortage(settings: Settings) -> str | None:
    """Say what to change where PostgreSQL lets in fewer connections than may be asked for.

    Returns:
        A sentence for the operator; None where there is room, and on SQLite.

    Raises:
        DatabaseUnavailable: it cannot be reached.
    """
    database, budget = open_database(settings.database_url), settings.database_connections
    try:
        allowed = connections_allowed(database)
    finally:
        database.close()
    if allowed is None or allowed >= budget + SPARE_CONNECTIONS:
        return None
    return (
        f"PostgreSQL lets this role in {allowed} times at once, and the arena takes up to {budget} "
        f"connections beside {SPARE_CONNECTIONS} for commands: raise max_connections there, or "
        "lower ARENA_DATABASE_CONNECTIONS"
    )
