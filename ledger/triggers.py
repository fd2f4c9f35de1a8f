"""The triggers that keep the log append-only, as SQL for both databases.

Migration 0001 makes them and the drift check compares them with what the database has. They never
change: a change is a new list beside this one and a new migration. The owner of the database can
still drop them, which `verify` then shows only by its effects.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["LOG_TRIGGERS", "Trigger", "statements"]

Dialect = Literal["sqlite", "postgresql"]


@dataclass(frozen=True, slots=True)
class Trigger:
    """A rule on one table.

    Attributes:
        name: of the trigger, and of its function on PostgreSQL.
        table: that it guards.
        act: the statement it looks at.
        refused_if: an SQL condition over OLD and NEW, valid on both databases.
        reason: the message of the refusal.
    """

    name: str
    table: str
    act: Literal["INSERT", "UPDATE", "DELETE", "TRUNCATE"]
    refused_if: str
    reason: str


def _closed(table: str, act: Literal["UPDATE", "DELETE", "TRUNCATE"]) -> Trigger:
    reason = f"{table} is append-only: {act} is refused"
    return Trigger(f"{table}_no_{act.lower()}", table, act, "1 = 1", reason)


def _fresh(table: str, same: str) -> Trigger:
    # INSERT OR REPLACE on SQLite deletes without asking a DELETE trigger unless a pragma is set.
    reason = f"{table} is append-only: a row is not replaced"
    condition = f"EXISTS (SELECT 1 FROM {table} WHERE {same})"  # noqa: S608 - both are written in this file
    return Trigger(f"{table}_no_replace", table, "INSERT", condition, reason)


LOG_TRIGGERS: tuple[Trigger, ...] = (
    _closed("event", "UPDATE"),
    _closed("event", "DELETE"),
    _closed("event", "TRUNCATE"),
    _fresh("event", "id = NEW.id OR seq = NEW.seq"),
    _closed("event_private", "UPDATE"),
    Trigger(
        "event_private_no_delete",
        "event_private",
        "DELETE",
        "NOT EXISTS (SELECT 1 FROM event_erasure WHERE event_id = OLD.event_id)",
        "event_private: DELETE is refused before event_erasure names the event",
    ),
    _closed("event_private", "TRUNCATE"),
    _fresh("event_private", "event_id = NEW.event_id"),
    Trigger(
        "event_private_no_return",
        "event_private",
        "INSERT",
        "EXISTS (SELECT 1 FROM event_erasure WHERE event_id = NEW.event_id)",
        "event_private: an erased part does not come back",
    ),
    _closed("event_erasure", "UPDATE"),
    _closed("event_erasure", "DELETE"),
    _closed("event_erasure", "TRUNCATE"),
    _fresh("event_erasure", "event_id = NEW.event_id"),
    _closed("event_pending", "UPDATE"),
    Trigger(
        "event_pending_no_delete",
        "event_pending",
        "DELETE",
        "NOT EXISTS (SELECT 1 FROM log_entry WHERE event_id = OLD.event_id)",
        "event_pending: DELETE is refused before the event is sequenced",
    ),
    _closed("event_pending", "TRUNCATE"),
    _fresh("event_pending", "seq = NEW.seq OR event_id = NEW.event_id"),
    _closed("log_entry", "UPDATE"),
    _closed("log_entry", "DELETE"),
    _closed("log_entry", "TRUNCATE"),
    _fresh("log_entry", "idx = NEW.idx OR event_id = NEW.event_id"),
    Trigger(
        "log_tile_only_grows",
        "log_tile",
        "UPDATE",
        "NEW.level <> OLD.level OR NEW.idx <> OLD.idx"
        " OR length(NEW.hashes) < length(OLD.hashes)"
        " OR substr(NEW.hashes, 1, length(OLD.hashes)) <> OLD.hashes",
        "log_tile is append-only: a tile only grows",
    ),
    _closed("log_tile", "DELETE"),
    _closed("log_tile", "TRUNCATE"),
    _fresh("log_tile", "level = NEW.level AND idx = NEW.idx"),
    Trigger(
        "log_head_only_grows",
        "log_head",
        "UPDATE",
        "NEW.id <> OLD.id OR NEW.size < OLD.size OR (NEW.size = OLD.size AND NEW.root <> OLD.root)",
        "log_head: the tree only grows",
    ),
    _closed("log_head", "DELETE"),
    _closed("log_head", "TRUNCATE"),
    _fresh("log_head", "id = NEW.id"),
    _closed("log_checkpoint", "UPDATE"),
    _closed("log_checkpoint", "DELETE"),
    _closed("log_checkpoint", "TRUNCATE"),
    _fresh("log_checkpoint", "size = NEW.size AND signed_us = NEW.signed_us"),
)


def statements(dialect: Dialect) -> list[str]:
    """Return the SQL statements that make all triggers of the log."""
    if dialect == "sqlite":
        return [sqlite_sql(trigger) for trigger in LOG_TRIGGERS if trigger.act != "TRUNCATE"]
    return [sql for trigger in LOG_TRIGGERS for sql in postgresql_sql(trigger)]


def sqlite_sql(trigger: Trigger) -> str:
    """Return the CREATE TRIGGER of SQLite, exactly as its catalogue keeps it."""
    return (
        f"CREATE TRIGGER {trigger.name} BEFORE {trigger.act} ON {trigger.table}"
        f" WHEN {trigger.refused_if}"
        f" BEGIN SELECT RAISE(ABORT, '{trigger.reason}'); END"
    )


def postgresql_sql(trigger: Trigger) -> list[str]:
    """Return the function, the trigger and its switch to ALWAYS for PostgreSQL."""
    scope = "STATEMENT" if trigger.act == "TRUNCATE" else "ROW"
    return [
        (
            f"CREATE FUNCTION {trigger.name}() RETURNS trigger LANGUAGE plpgsql"
            f" AS $${postgresql_body(trigger)}$$"
        ),
        (
            f"CREATE TRIGGER {trigger.name} BEFORE {trigger.act} ON {trigger.table}"
            f" FOR EACH {scope} EXECUTE FUNCTION {trigger.name}()"
        ),
        # Plain triggers stay silent under session_replication_role = replica.
        f"ALTER TABLE {trigger.table} ENABLE ALWAYS TRIGGER {trigger.name}",
    ]


def postgresql_body(trigger: Trigger) -> str:
    """Return the body of the trigger's function, exactly as PostgreSQL's catalogue keeps it."""
    row = {"INSERT": "NEW", "UPDATE": "NEW", "DELETE": "OLD", "TRUNCATE": "NULL"}[trigger.act]
    return (
        f"BEGIN IF {trigger.refused_if} THEN RAISE EXCEPTION '{trigger.reason}'"
        f" USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN {row}; END"
    )
