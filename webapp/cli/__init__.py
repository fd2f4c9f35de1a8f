"""The `arena` command: one group per area, errors in one line with what to do."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from antiabuse.errors import AntiabuseError
from arena.errors import ArenaError
from ledger.errors import LedgerError
from ranking.lobster import LobsterError
from webapp.cli.board import board
from webapp.cli.database import db
from webapp.cli.imports import import_
from webapp.cli.log import log
from webapp.cli.models import models
from webapp.cli.moderator import moderator
from webapp.cli.retention import retention
from webapp.cli.serve import serve, web, worker
from webapp.settings import SettingsError

__all__ = ["main"]

_EXPECTED = (AntiabuseError, ArenaError, LedgerError, LobsterError, SettingsError)


class _OneLine(click.Group):
    """Turns expected errors, and files that cannot be used, into one line and an exit code."""

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's own signature
        try:
            return super().invoke(ctx)
        except _EXPECTED as error:
            click.echo(f"arena: {error}", err=True)
            ctx.exit(2 if isinstance(error, SettingsError) else 1)
        except BrokenPipeError:
            # Whoever read our output has gone, as `head` does; what is left unread is no fault.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)
        except OSError as error:
            if error.filename is None:
                raise
            click.echo(f"arena: {error.strerror}: {error.filename}", err=True)
            ctx.exit(1)


@click.group(cls=_OneLine, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="arena", prog_name="arena")
def main() -> None:
    """Run and look after an Evidence Arena."""


for command in (serve, web, worker, db, import_, models, board, moderator, log, retention):
    main.add_command(command)
