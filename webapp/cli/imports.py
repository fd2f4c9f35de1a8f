"""`arena import`: bring in questions and answers, all or nothing, and report what was found."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any, get_args

import click
from tqdm import tqdm

from arena.imports import Difference, Format, ImportPlan, ImportResult, Report, apply, plan, preview
from webapp.settings import read_settings
from webapp.wiring import Services, build_services

__all__ = ["import_"]

_SHOWN = 20


@click.command("import")
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--format", "format_", type=click.Choice(get_args(Format)), help="Told from PATH if absent."
)
@click.option(
    "--mode", type=click.Choice(["speed", "expert"]), help="Required unless a pack states it."
)
@click.option("--origin", help="Where the content comes from; required unless a pack states it.")
@click.option("--licence", help="SPDX or plain words; required unless a pack states it.")
@click.option(
    "--language", help="Language of questions whose rows name none; en unless a pack says."
)
@click.option(
    "--redistribute/--no-redistribute", default=None, help="May question texts stand in archives."
)
@click.option(
    "--models",
    "models_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="TOML file of [[models]]: slug, name, maker, licence, link.",
)
@click.option(
    "--turns",
    type=click.Choice(["first", "all"]),
    default="first",
    show_default=True,
    help="MT-bench: first turn or whole dialogue.",
)
@click.option("--dry-run", is_flag=True, help="Report what would happen and store nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def import_(
    path: Path,
    *,
    dry_run: bool,
    as_json: bool,
    format_: Format | None,
    **options: Any,  # noqa: ANN401 - passed on as click read them
) -> None:
    """Import from PATH: AlpacaEval, MT-bench, Arena-Hard, CSV, JSONL or our pack."""
    read = plan(path, format=format_, **options)
    _tell_findings(read.report)
    services = build_services(read_settings(os.environ))
    try:
        result = _preview(services, read) if dry_run else _apply(services, read)
    finally:
        services.close()
    if as_json:
        click.echo(json.dumps(_numbers(read, result), ensure_ascii=False, indent=1))
    else:
        click.echo(_summary(read, result))


def _preview(services: Services, read: ImportPlan) -> Difference:
    with services.database.read() as conn:
        return preview(conn, read)


def _apply(services: Services, read: ImportPlan) -> ImportResult:
    with tqdm(total=2 * len(read.answers), unit=" steps", disable=None) as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        return apply(
            services.database,
            services.ports.log,
            read,
            clock=services.clock,
            rng=services.rng,
            progress=progress,
        )


def _tell_findings(report: Report) -> None:
    """Print errors and warnings with their places; many of one kind are counted after the first."""
    told: Counter[str] = Counter()
    for finding in (*report.errors, *report.warnings):
        told[finding.code.value] += 1
        if told[finding.code.value] <= _SHOWN:
            click.echo(str(finding), err=True)
    for code, count in told.items():
        if count > _SHOWN:
            click.echo(f"… and {count - _SHOWN} more of {code}", err=True)


def _numbers(read: ImportPlan, result: Difference | ImportResult) -> dict[str, Any]:
    if isinstance(result, Difference):
        counts: dict[str, Any] = {
            "stored": False,
            "models": len(result.models),
            "questions": len(result.questions),
            "answers": len(result.answers),
            "held": len(result.held),
            "already_there": result.already_there,
            "changed": len(result.changed),
        }
    else:
        counts = {
            "stored": not result.nothing_new,
            "models": result.models,
            "questions": result.questions,
            "answers": result.answers,
            "held": result.held,
            "already_there": result.already_there,
            "changed": result.changed,
            "demo_retired": result.demo_retired is not None,
        }
    findings = Counter(f.code.value for f in (*read.report.errors, *read.report.warnings))
    return {
        "name": read.name,
        "format": read.format,
        "mode": read.mode,
        **counts,
        "findings": findings,
    }


def _summary(read: ImportPlan, result: Difference | ImportResult) -> str:
    numbers = _numbers(read, result)
    if not numbers["answers"]:
        return f"{read.name}: everything is already there ({numbers['already_there']:,} answers)."
    verb = "Imported" if numbers["stored"] else "Would import"
    text = (
        f"{verb} {read.name} into {read.mode}: {numbers['models']} new models, "
        f"{numbers['questions']} questions, {numbers['answers']} answers"
    )
    if numbers["held"]:
        text += f" ({numbers['held']} held back: they may say who wrote them)"
    if numbers.get("demo_retired"):
        text += ". The demo questions and models are retired"
    return text + "."
