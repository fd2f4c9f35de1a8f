"""Privacy: whom a private part is about, erased voter ids, checks that could not run."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
GUARD = "event_private_no_update"


def upgrade() -> None:
    """Add the columns and the table, and say of the private parts there are whom they are about."""
    op.add_column("event_private", sa.Column("subject", sa.Text))
    _name_subjects()
    op.create_index("ix_event_private_subject", "event_private", ["subject"])
    op.create_table(
        "erased_voter",
        sa.Column("id_sha256", sa.Text, primary_key=True),
        sa.Column("erased_us", BIG, nullable=False),
    )
    op.create_table(
        "unrun_check",
        sa.Column("hour", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("requests", BIG, nullable=False),
        sa.CheckConstraint("name IN ('request_limit', 'address', 'device')", name="name"),
    )


def _name_subjects() -> None:
    """Fill the new column; the trigger that refuses every update is lifted for this statement."""
    bind = op.get_bind()
    if bind.dialect.name == "sqlite":
        found = f"SELECT sql FROM sqlite_master WHERE name = '{GUARD}'"  # noqa: S608 - a constant
        made = bind.exec_driver_sql(found).scalar_one()
        bind.exec_driver_sql(f"DROP TRIGGER {GUARD}")
        bind.exec_driver_sql("UPDATE event_private SET subject = json_extract(part, '$.voter')")
        bind.exec_driver_sql(made)
        return
    bind.exec_driver_sql(f"ALTER TABLE event_private DISABLE TRIGGER {GUARD}")
    bind.exec_driver_sql("UPDATE event_private SET subject = part::jsonb ->> 'voter'")
    bind.exec_driver_sql(f"ALTER TABLE event_private ENABLE ALWAYS TRIGGER {GUARD}")
