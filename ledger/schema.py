"""What all tables share: one MetaData, column types and closed sets for both databases."""

from __future__ import annotations

from sqlalchemy import BigInteger, CheckConstraint, Integer, MetaData

__all__ = ["BigInt", "Microseconds", "closed_set", "metadata"]

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)
"""Every room's tables hang here; constraints have names, so both databases can drop them."""

# SQLite numbers rows by itself only in a column whose type is exactly INTEGER.
BigInt = BigInteger().with_variant(Integer(), "sqlite")
"""A 64-bit integer on both databases."""

Microseconds = BigInt
"""A moment: microseconds since 1970-01-01 00:00 UTC."""


def closed_set(name: str, *values: str) -> CheckConstraint:
    """Return a CHECK that lets the text column `name` hold only the given values."""
    listed = ", ".join("'" + value.replace("'", "''") + "'" for value in values)
    return CheckConstraint(f"{name} IN ({listed})", name=name)
