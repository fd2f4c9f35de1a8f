"""Raw SQL for the hot path, written once and run without a compiler on SQLite and PostgreSQL."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, CursorResult


class Statement:
    """One SQL statement with `:name` parameters.

    Args:
        sql: what both databases understand; a colon stands only before a parameter's name.
        lock_rows: on PostgreSQL, hold the rows found until the transaction ends. On SQLite the
            transaction holds the whole database anyway.
    """

    __slots__ = ("_sql",)

    def __init__(self, sql: str, *, lock_rows: bool = False) -> None:
        named = re.sub(r":(\w+)", r"%(\1)s", sql.replace("%", "%%"))
        self._sql = {"sqlite": sql, "postgresql": named + (" FOR UPDATE" if lock_rows else "")}

    def run(self, conn: Connection, **values: str | int | None) -> CursorResult[Any]:
        """Run the statement with these parameters inside the connection's transaction."""
        return conn.exec_driver_sql(self._sql[conn.dialect.name], values)

    def run_many(self, conn: Connection, rows: Sequence[Mapping[str, str | int | None]]) -> None:
        """Run the statement once for each row of parameters, in their order."""
        conn.exec_driver_sql(self._sql[conn.dialect.name], [dict(row) for row in rows])
