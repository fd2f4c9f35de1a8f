"""`arena board`: the open month's board in the terminal."""

from __future__ import annotations

import json
import os
from dataclasses import asdict

import click

from webapp.settings import read_settings

__all__ = ["board"]


@click.command()
@click.option("--mode", type=click.Choice(["speed", "expert"]), default="speed", show_default=True)
@click.option("--refit", is_flag=True, help="Fit the votes that wait before printing.")
@click.option("--json", "as_json", is_flag=True, help="Print the board as JSON.")
def board(mode: str, refit: bool, as_json: bool) -> None:  # noqa: FBT001 - as click passes it
    """Print the board of the open month."""
    from antiabuse.utc import month_of
    from arena import boards, fit_faults, refits
    from webapp.prepare import prepared_services

    services = prepared_services(read_settings(os.environ))
    now = services.clock()
    if refit:
        refits.refit_now(services.ports, mode, month_of(now), now)
        fit_faults.clear(services.database, mode)
    with services.database.read() as conn:
        published = boards.latest(conn, mode, month_of(now))
    services.close()
    if published is None:
        click.echo("null" if as_json else "No board yet: no counted vote is in the log this month.")
        return
    if as_json:
        click.echo(json.dumps(asdict(published), indent=1))
        return
    click.echo(f"{_counted(published.votes, 'vote')} of {_counted(published.voters, 'voter')}")
    for row in published.rows:
        place = "–" if row.best_place is None else f"{row.best_place}–{row.worst_place}"
        click.echo(
            f"{place:>7}  {row.model:<32} {row.score:8.2f} ± {(row.high - row.low) / 2:6.2f}"
            f"  {row.exposures:8.2f} exposures"
        )


def _counted(count: int, name: str) -> str:
    return f"{count:,} {name}" if count == 1 else f"{count:,} {name}s"
