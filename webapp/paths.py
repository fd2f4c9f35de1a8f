"""Where templates, static files and migrations lie: in the wheel, else beside the packages."""

from __future__ import annotations

from pathlib import Path

__all__ = ["MIGRATIONS", "STATIC", "TEMPLATES"]

_PACKAGE = Path(__file__).resolve().parent
_BUNDLED = _PACKAGE / "_assets"
_ROOT = _BUNDLED if _BUNDLED.is_dir() else _PACKAGE.parent

TEMPLATES = _ROOT / "templates"
STATIC = _ROOT / "static"
MIGRATIONS = _ROOT / "migrations"
