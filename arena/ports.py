"""What the arena's use cases need from outside: database, log, randomness, keys."""

from __future__ import annotations

import random
from dataclasses import dataclass

from arena.catalogue_cache import CatalogueCache
from arena.vote_columns import VoteColumns
from ledger.database import Database
from ledger.store import Log

__all__ = ["Ports"]


@dataclass(frozen=True, slots=True)
class Ports:
    """The means of the arena.

    Attributes:
        database: where rows and events live.
        log: appends events.
        rng: source of ids, slots and draws; a system source in production.
        keys: secrets for monthly pseudonyms, oldest first.
        catalogue: the showable answers, cached per process.
        columns: the months' votes as columns, cached in files.
        code_version: what boards say they were computed by.
    """

    database: Database
    log: Log
    rng: random.Random
    keys: tuple[str, ...]
    catalogue: CatalogueCache
    columns: VoteColumns
    code_version: str
