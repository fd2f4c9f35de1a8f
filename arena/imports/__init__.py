"""Imports: one parser per format, one plan for all, applied whole or not at all.

`plan` reads files and stores nothing; `preview` compares a plan with the catalogue; `apply` stores.
"""

from __future__ import annotations

from arena.imports.comparing import Difference, HeldAnswer, preview
from arena.imports.findings import Code, Finding, Place, Report, Severity
from arena.imports.planning import Format, ImportPlan, Turns, detect, plan
from arena.imports.storing import ImportResult, apply

__all__ = [
    "Code",
    "Difference",
    "Finding",
    "Format",
    "HeldAnswer",
    "ImportPlan",
    "ImportResult",
    "Place",
    "Report",
    "Severity",
    "Turns",
    "apply",
    "detect",
    "plan",
    "preview",
]
