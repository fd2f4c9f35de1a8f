"""The name a board gives the program that made it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from webapp import wiring


def test_a_changed_source_is_another_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two programs that could judge differently never go by one name; a face may differ."""
    root = Path(wiring.__file__).parent.parent
    for room in ("antiabuse", "arena", "ledger", "ranking"):
        shutil.copytree(root / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "webapp").mkdir()
    monkeypatch.setattr(wiring, "__file__", str(tmp_path / "webapp" / "wiring.py"))

    def version() -> str:
        wiring.code_version.cache_clear()
        return wiring.code_version()

    try:
        first = version()
        (tmp_path / "webapp" / "pages.py").write_text("# a page\n")
        assert version() == first
        (tmp_path / "ranking" / "rules.py").write_text("K = 33\n")
        assert version() != first
        assert re.fullmatch(r"[0-9.]+\+[0-9a-f]{12}", first)
    finally:
        wiring.code_version.cache_clear()
