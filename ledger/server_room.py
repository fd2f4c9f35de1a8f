"""How many connections a PostgreSQL server lets in, for the operator to compare with the budget."""

from __future__ import annotations

from sqlalchemy import Connection

from ledger.database import Database

__all__ = ["connections_allowed"]

# PostgreSQL manual, "Connections and Authentication": the reserved ones are for other roles only.
_SERVER = (
    "SELECT sum(CASE name WHEN 'max_connections' THEN setting::int ELSE -setting::int END)"
    " FROM pg_settings WHERE name IN"
    " ('max_connections', 'superuser_reserved_connections', 'reserved_connections')"
)
_OWN = (
    "SELECT datconnlimit FROM pg_database WHERE datname = current_database()"
    " UNION ALL SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user"
)


def connections_allowed(database: Database) -> int | None:
    """Return how many connections the arena's role may have at once; None on SQLite.

    It is the least of what the server, the database and the role allow. Others may use them too.

    Raises:
        DatabaseUnavailable: the server cannot be reached.
    """
    if database.dialect == "sqlite":
        return None
    with database.read() as conn:
        return min(_limits(conn))


def _limits(conn: Connection) -> list[int]:
    server = int(conn.exec_driver_sql(_SERVER).scalar_one())
    own = [int(limit) for limit in conn.exec_driver_sql(_OWN).scalars()]
    return [server, *(limit for limit in own if limit >= 0)]  # -1: no limit
