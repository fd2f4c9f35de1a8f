"""`arena models`: the models of the catalogue."""

from __future__ import annotations

import json
import os
from dataclasses import asdict

import click

from webapp.settings import read_settings

__all__ = ["models"]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def models(as_json: bool) -> None:  # noqa: FBT001 - as click passes it
    """List the models with the number of their showable answers in each mode."""
    from arena.catalogue import load_snapshot
    from webapp.prepare import prepared_services

    services = prepared_services(read_settings(os.environ))
    with services.database.read() as conn:
        snapshot = load_snapshot(conn)
    services.close()
    counts: dict[tuple[str, str], int] = {}
    for mode, questions in snapshot.by_mode.items():
        for question in questions:
            for answer in question.answers:
                counts[answer.model, mode] = counts.get((answer.model, mode), 0) + 1
    rows = [
        {
            **asdict(model),
            "speed": counts.get((slug, "speed"), 0),
            "expert": counts.get((slug, "expert"), 0),
        }
        for slug, model in sorted(snapshot.models.items())
    ]
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=1))
        return
    for row in rows:
        state = " (retired)" if row["retired_us"] else ""
        click.echo(
            f"{row['slug']:<32} {row['maker']:<20} speed {row['speed']:>5}"
            f"  expert {row['expert']:>5}{state}"
        )
