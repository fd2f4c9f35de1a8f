"""The demo packs of the package: loaded into an empty catalogue by the same import as any other."""

from __future__ import annotations

import random
from pathlib import Path

from sqlalchemy import select

from arena.imports import ImportResult, apply, plan
from arena.tables import model
from ledger.database import Database
from ledger.ids import Clock
from ledger.store import Log

__all__ = ["demo_folders", "load_demo"]


def demo_folders() -> tuple[Path, ...]:
    """Return the folders of the demo packs, one per mode."""
    root = Path(__file__).parent / "demo"
    return tuple(sorted(path.parent for path in root.glob("*/pack.toml")))


def load_demo(
    database: Database, log: Log, *, clock: Clock, rng: random.Random
) -> tuple[ImportResult, ...]:
    """Load the demo packs when the catalogue has no model at all (V-174).

    Returns:
        What each pack brought; empty when the catalogue was not empty.
    """
    with database.read() as conn:
        if conn.execute(select(model.c.slug).limit(1)).first() is not None:
            return ()
    return tuple(
        apply(database, log, plan(folder), clock=clock, rng=rng) for folder in demo_folders()
    )
