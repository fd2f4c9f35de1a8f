"""`arena retention`: erase what is over now, and say that a clock far ahead is right."""

from __future__ import annotations

import os

import click

from webapp.settings import read_settings

__all__ = ["retention"]


@click.command()
@click.option(
    "--clock-is-right",
    is_flag=True,
    help="Erase although the clock stands far ahead of the last time; look at the clock first.",
)
def retention(*, clock_is_right: bool) -> None:
    """Erase now what is over, as the worker does every hour."""
    from webapp.prepare import prepared_services
    from webapp.retention import erase_old

    services = prepared_services(read_settings(os.environ))
    try:
        erased = erase_old(services, clock_is_right=clock_is_right)
    finally:
        services.close()
    click.echo(f"Erased {erased:,} rows.")
