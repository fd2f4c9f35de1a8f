"""Log lines: key=value on standard error, never an address and never an answer's text."""

from __future__ import annotations

import logging
import sys

import structlog

__all__ = ["init_logs"]


def init_logs() -> None:
    """Set up structured lines for our own loggers, and warnings only from libraries."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(message)s")
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
