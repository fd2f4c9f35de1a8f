"""`arena db`: schema, consistency, replay and backup."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import NoReturn

import click
from tqdm import tqdm

from webapp.settings import read_settings

__all__ = ["db"]


@click.group()
def db() -> None:
    """Look after the database."""


@db.command()
def upgrade() -> None:
    """Bring the schema to this program's version."""
    from ledger.migrate import upgrade as migrate
    from webapp.paths import MIGRATIONS

    settings = read_settings(os.environ)
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    migrate(settings.database_url, MIGRATIONS)
    click.echo("The database is up to date.")


@db.command()
def check() -> None:
    """Compare schema, triggers and connections with what this program expects."""
    from ledger.migrate import drift
    from webapp.paths import MIGRATIONS
    from webapp.prepare import connection_shortage

    settings = read_settings(os.environ)
    differences = drift(settings.database_url, MIGRATIONS)
    for difference in differences:
        click.echo(difference)
    if differences:
        click.echo(f"arena: the schema differs in {len(differences)} places", err=True)
        sys.exit(1)
    click.echo("The schema is as expected.")
    short = connection_shortage(settings)
    if short:
        click.echo(f"arena: {short}", err=True)
        sys.exit(1)


@db.command()
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def rebuild(as_json: bool) -> None:  # noqa: FBT001 - click passes flags by position of their name
    """Replay the log into empty tables and compare with what was there; stop the arena first."""
    from arena.catalogue import render_missing
    from arena.rebuild import rebuild as replay
    from webapp.wiring import build_services

    services = build_services(read_settings(os.environ))
    with tqdm(unit=" events", disable=None) as bar:
        done = replay(services.database, progress=lambda count: _advance(bar, count))
    render_missing(services.database)
    services.close()
    if as_json:
        click.echo(
            json.dumps({"events": done.events, "rows": done.rows, "differing": done.differing})
        )
    else:
        click.echo(f"Replayed {done.events:,} events into {sum(done.rows.values()):,} rows.")
    if done.differing:
        click.echo(
            "arena: these tables were not what the log says, and are now: "
            + ", ".join(done.differing),
            err=True,
        )
        sys.exit(1)


@db.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def backup(folder: Path) -> None:
    """Copy database, key and last checkpoint into a new FOLDER."""
    from webapp.backup import back_up

    click.echo(back_up(read_settings(os.environ), folder))


def _advance(bar: tqdm[NoReturn], count: int) -> None:
    """Move a progress bar to a count."""
    bar.update(count - bar.n)
