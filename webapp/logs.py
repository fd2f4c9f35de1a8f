"""Log lines: key=value on standard error, never an address and never an answer's text."""

from __future__ import annotations

import logging
import sys
import time
from typing import Final

import structlog
from redis.exceptions import RedisError

from ledger.errors import LedgerError

__all__ = ["Outages", "init_logs"]


_REPEAT_AFTER_S: Final = 60.0


class Outages(logging.Filter):
    """Tells an outage of database or Redis in one line, and the same line once a minute."""

    def __init__(self) -> None:
        super().__init__()
        self._told: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Shorten what tells of an outage; let it through when it was not told lately."""
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, RedisError | LedgerError):
            return True
        # Only the kind of error: its text may hold an address.
        line = f"{str(record.msg).partition('%')[0].strip()} ({type(error).__name__})"
        record.msg, record.args, record.exc_info, record.exc_text = line, None, None, None
        now = time.monotonic()
        if now - self._told.get(line, -_REPEAT_AFTER_S) < _REPEAT_AFTER_S:
            return False
        self._told[line] = now
        return True


def init_logs() -> None:
    """Set up structured lines for our own loggers, and warnings only from libraries."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(message)s")
    for handler in logging.getLogger().handlers:
        handler.addFilter(Outages())
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.LogfmtRenderer(key_order=["timestamp", "level", "event"]),
        ],
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=True,
    )
