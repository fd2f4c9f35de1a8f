"""`arena log`: read the log again from the ground, check a receipt, change the signing key."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import NoReturn

import click
from tqdm import tqdm

from webapp.settings import read_settings

__all__ = ["log"]


@click.group()
def log() -> None:
    """Check the public log."""


@log.command()
@click.option(
    "--receipt",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Check this .tlog-proof file offline instead of the whole log.",
)
@click.option(
    "--key", "keys", multiple=True, help="Verifier key; this installation's own if absent."
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def verify(receipt: Path | None, keys: tuple[str, ...], as_json: bool) -> None:  # noqa: FBT001 - as click passes it
    """Recompute every digest, entry, tile and signature, and name the first fault."""
    if receipt is not None:
        _verify_receipt(receipt, keys or _own_keys(), as_json=as_json)
    else:
        _verify_log(keys, as_json=as_json)


def _own_keys() -> tuple[str, ...]:
    from ledger.key_ring import KeyFile

    settings = read_settings(os.environ)
    path = settings.data_dir / "log-key"
    if not path.exists():
        raise click.UsageError("no key here: give the log's verifier key with --key")
    return tuple(key.vkey for key in KeyFile(path, settings.log_origin).ring().verifiers)


def _verify_receipt(path: Path, keys: tuple[str, ...], *, as_json: bool) -> None:
    from ledger.receipt_check import Refused, check

    try:
        good = check(path.read_bytes(), keys)
    except Refused as error:
        if as_json:
            click.echo(json.dumps({"ok": False, "fault": str(error)}))
        click.echo(f"arena: {path.name} proves nothing: {error}", err=True)
        sys.exit(1)
    if as_json:
        click.echo(
            json.dumps(
                {
                    "ok": True,
                    "origin": good.origin,
                    "index": good.index,
                    "size": good.size,
                    "body": good.body,
                }
            )
        )
    else:
        click.echo(
            f"Good: {good.kind} is entry {good.index:,} of {good.origin}, "
            f"under a signature over {good.size:,} entries."
        )


def _verify_log(keys: tuple[str, ...], *, as_json: bool) -> None:
    from ledger.signing import parse_vkey
    from ledger.verify import verify_log
    from webapp.prepare import prepared_services

    services = prepared_services(read_settings(os.environ))
    verifiers = [parse_vkey(key) for key in keys] or services.log_keys.ring().verifiers
    kept = services.checkpoint_path
    with tqdm(unit=" entries", disable=None) as bar, services.database.read() as conn:
        report = verify_log(
            conn,
            origin=services.settings.log_origin,
            verifiers=verifiers,
            kept=[kept.read_text(encoding="utf-8")] if kept.exists() else [],
            progress=lambda count: _advance(bar, count),
        )
    services.close()
    fault = report.fault
    if as_json:
        click.echo(
            json.dumps(
                {
                    "ok": report.ok,
                    "size": report.size,
                    "checkpoints": report.checkpoints,
                    "pending": report.pending,
                    "erased": report.erased,
                    "fault": None
                    if fault is None
                    else {"index": fault.index, "event": fault.event_id, "what": fault.what},
                }
            )
        )
    if fault is not None:
        place = "" if fault.index is None else f" at entry {fault.index:,}"
        click.echo(f"arena: the log is not whole{place}: {fault.what}", err=True)
        sys.exit(1)
    if not as_json:
        click.echo(
            f"The log is whole: {report.size:,} entries, {report.checkpoints:,} checkpoints, "
            f"{report.pending:,} events waiting."
        )


@log.command()
def checkpoint() -> None:
    """Print the newest signed checkpoint."""
    from ledger import store
    from webapp.prepare import prepared_services

    services = prepared_services(read_settings(os.environ))
    with services.database.read() as conn:
        note = store.checkpoint_text(conn)
    services.close()
    if note is None:
        click.echo("arena: nothing is signed yet: start the worker", err=True)
        sys.exit(1)
    click.echo(note, nl=False)


@log.command("rotate-key")
def rotate_key() -> None:
    """Make a new signing key; the one before signs along for 90 days."""
    from ledger import rules
    from webapp.prepare import prepared_services

    services = prepared_services(read_settings(os.environ))
    try:
        ring = services.log_keys.rotate(services.clock())
        # So that whoever knows only the new key can check the newest checkpoint at once.
        services.sequencer().sign_anew(services.clock())
    finally:
        services.close()
    click.echo(f"The log is signed by {ring.current.verifier.vkey}")
    click.echo(
        f"The key before it signs along for {rules.current().key_overlap_days} days. "
        "Back up the file log-key now, and tell those who check the log: /log/key names both keys."
    )


def _advance(bar: tqdm[NoReturn], count: int) -> None:
    """Move a progress bar to a count."""
    bar.update(count - bar.n)
