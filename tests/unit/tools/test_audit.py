"""The dependency audit never passes silently: what was not looked up is said, with its own code."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture(scope="module")
def audit(project_root: Path) -> ModuleType:
    """The script tools/audit.py as a module."""
    spec = importlib.util.spec_from_file_location("audit", project_root / "tools" / "audit.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["audit"] = module
    spec.loader.exec_module(module)
    return module


SOUND = {"name": "flask", "version": "3.1.3", "vulns": []}
HOLE = {"id": "PYSEC-1", "fix_versions": ["2.0"]}
HOLED = {"name": "old", "version": "1.0", "vulns": [HOLE]}
SKIPPED = {"name": "flask", "skip_reason": "Dependency not found on PyPI"}


@pytest.mark.parametrize(
    "packages, code",
    [
        ([SOUND], 0),
        ([HOLED], 1),
        ([SOUND, HOLED], 1),
        ([SKIPPED], 3),
        ([SOUND, SKIPPED], 3),
        ([HOLED, SKIPPED], 1),
        ([], 3),
    ],
)
def test_python_packages(audit: ModuleType, packages: list[dict[str, Any]], code: int) -> None:
    """Skipped packages and a report about none are no success, whatever pip-audit calls them."""
    outcome = audit.read_pip_audit(json.dumps({"dependencies": packages, "fixes": []}))
    assert audit.exit_code([outcome]) == code
    assert ("COULD NOT RUN" in audit.told("x", outcome)) == (SKIPPED in packages or not packages)
    assert ("PYSEC-1, mended in 2.0" in audit.told("x", outcome)) == (HOLED in packages)


def npm_report(holes: dict[str, Any], total: int = 3) -> dict[str, Any]:
    """Return a report as npm prints it."""
    return {
        "auditReportVersion": 2,
        "vulnerabilities": holes,
        "metadata": {"dependencies": {"prod": 3, "dev": 1, "total": total}},
    }


@pytest.mark.parametrize(
    "report, code",
    [
        (npm_report({}), 0),
        (npm_report({"htmx.org": {"severity": "high"}}), 1),
        ({"message": "405 Method Not Allowed", "statusCode": 405, "error": {}}, 3),
        ({"error": {"code": "ENOTFOUND"}}, 3),
        ([], 3),
    ],
)
def test_browser_packages(audit: ModuleType, report: object, code: int) -> None:
    """A registry that answers no audit, or none at all, is not success."""
    assert audit.exit_code([audit.read_npm_audit(json.dumps(report))]) == code


@pytest.mark.parametrize(
    "printed", ["", "ConnectionError: no route", "{", "null", "the auditor could not be installed"]
)
def test_what_is_no_report_is_not_success(audit: ModuleType, printed: str) -> None:
    """Whatever else is printed, also by an auditor that did not start, counts as not run."""
    for read in (audit.read_pip_audit, audit.read_npm_audit):
        assert audit.exit_code([read(printed)]) == 3
        assert "COULD NOT RUN" in audit.told("x", read(printed))


def test_one_that_ran_does_not_stand_for_the_other(audit: ModuleType) -> None:
    """Code 3 as long as either is unknown, 1 as soon as either knows a hole."""
    sound, hole, unknown = (
        audit.Outcome(5),
        audit.Outcome(5, holes=("x",)),
        audit.Outcome(0, unknown=("offline",)),
    )
    assert audit.exit_code([sound, sound]) == 0
    assert audit.exit_code([sound, unknown]) == 3
    assert audit.exit_code([hole, unknown]) == 1


def test_without_a_network_it_says_so(
    audit: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where nothing can be installed the exit code is 3, and the words are plain."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")

    assert audit.main() == 3
    assert capsys.readouterr().out.count("COULD NOT RUN") == 2
