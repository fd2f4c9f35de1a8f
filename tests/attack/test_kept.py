"""Results of a run that are kept in a folder."""

from __future__ import annotations

from dataclasses import make_dataclass
from pathlib import Path

import pytest

from bench.attacks import attack
from bench.attacks.attack import Spent
from bench.attacks.kept import Kept, Pairs, Piece

PIECE = Piece("alone", 3)
PAIRS: Pairs = [(("cost", "B1"), {1: Spent(20, 25, 1), 3: None})]


def test_what_is_kept_is_found_again(tmp_path: Path) -> None:
    """A piece comes back as it was stored, and no other piece with it."""
    kept = Kept(tmp_path / "new")

    kept.store(PIECE, PAIRS)

    assert kept.load(PIECE) == PAIRS
    assert kept.load(Piece("alone", 4)) is None
    assert kept.load(Piece("pools", 3)) is None


def test_results_with_other_fields_are_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a result has got another field since, its piece counts as not kept."""
    kept = Kept(tmp_path)
    kept.store(PIECE, PAIRS)
    other = make_dataclass("Spent", ["votes", "new", "impressions", "account_days"], slots=True)

    monkeypatch.setattr(attack, "Spent", other)

    assert kept.load(PIECE) is None
