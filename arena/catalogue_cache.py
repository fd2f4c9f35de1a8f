"""The showable answers, kept per process and read again when the catalogue's version has moved."""

from __future__ import annotations

import threading

from sqlalchemy import Connection

from arena import catalogue
from arena.catalogue import CatalogueSnapshot

__all__ = ["CatalogueCache"]


class CatalogueCache:
    """Hands out the catalogue as of now, at the price of one tiny query."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._snapshot: CatalogueSnapshot | None = None

    def current(self, conn: Connection) -> CatalogueSnapshot:
        """Return the snapshot of the catalogue's present version."""
        version = catalogue.version(conn)
        held = self._snapshot
        if held is not None and held.version == version:
            return held
        with self._lock:
            if self._snapshot is None or self._snapshot.version != version:
                self._snapshot = catalogue.load_snapshot(conn)
            return self._snapshot
