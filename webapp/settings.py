"""Settings: one frozen value read from `ARENA_*` variables; unusable ones are refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

import platformdirs

from antiabuse import rules as antiabuse_rules
from ranking import rules as ranking_rules
from webapp.connections import DEFAULT_BUDGET, least_budget

__all__ = ["Settings", "SettingsError", "read_settings"]

_MIN_SECRET = 16


class SettingsError(Exception):
    """A setting is missing or unusable; the message says which and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What an operator may choose; the defaults run one machine without any set-up.

    Attributes:
        data_dir: folder of the database, the log's key, the last checkpoint and the job queue.
        database_url: SQLAlchemy address; SQLite in `data_dir` unless given.
        key_dir: folder of the digest keys, shared by all machines of the arena.
        database_connections: the most that all processes of this machine take from PostgreSQL.
        redis_url: Redis or Valkey for limits and jobs; None keeps both in this machine.
        secret_keys: keys of cookies, tokens and pseudonyms, oldest first.
        production: whether the checks for a public installation apply.
        public_url: how browsers reach the arena, without a trailing slash.
        log_origin: the log's name in checkpoints and keys; it never changes in a log's life.
        name: what the arena calls itself.
        operator: who runs it, shown on every page.
        trusted_proxies: how many proxies in front may speak for the client's address.
        demo: whether an empty database gets the demo packs.
        fingerprint: whether voters are asked for consent to a device fingerprint.
        rate_limit: ballots, votes and skips an address may ask for in the rule's window.
        refit_min_votes: how many votes must wait before the clock alone starts a fit.
        host: address to listen on.
        port: port to listen on.
        workers: web processes.
        threads: threads of each web process.
    """

    data_dir: Path
    key_dir: Path
    database_url: str
    database_connections: int
    redis_url: str | None
    secret_keys: tuple[str, ...] = field(repr=False)
    production: bool
    public_url: str
    log_origin: str
    name: str
    operator: str
    trusted_proxies: int
    demo: bool
    fingerprint: bool
    rate_limit: int
    refit_min_votes: int
    host: str
    port: int
    workers: int
    threads: int

    @property
    def secure(self) -> bool:
        """Whether browsers reach the arena over HTTPS, so that cookies must say so."""
        return self.public_url.startswith("https://")


def read_settings(environ: Mapping[str, str]) -> Settings:
    """Read the settings from environment variables.

    Raises:
        SettingsError: naming the variable and what to set.
    """
    production = _one_of(environ, "ARENA_ENV", "development", ("development", "production"))
    data_dir = Path(environ.get("ARENA_DATA_DIR") or platformdirs.user_data_path("evidence-arena"))
    host = environ.get("ARENA_HOST") or "127.0.0.1"
    port = _whole(environ, "ARENA_PORT", 8000, low=1, high=65_535)
    public_url = _public_url(environ, host, port)
    settings = Settings(
        data_dir=data_dir.resolve(),
        key_dir=Path(environ.get("ARENA_KEY_DIR") or data_dir / "digest-keys").resolve(),
        database_url=_database_url(environ, data_dir.resolve()),
        database_connections=_whole(
            environ, "ARENA_DATABASE_CONNECTIONS", DEFAULT_BUDGET, low=1, high=10_000
        ),
        redis_url=_redis_url(environ),
        secret_keys=_secret_keys(environ),
        production=production == "production",
        public_url=public_url,
        log_origin=environ.get("ARENA_LOG_ORIGIN") or f"{urlsplit(public_url).hostname}/log",
        name=environ.get("ARENA_NAME") or "Evidence Arena",
        operator=environ.get("ARENA_OPERATOR", ""),
        trusted_proxies=_whole(environ, "ARENA_TRUSTED_PROXIES", 0, low=0, high=16),
        demo=_one_of(environ, "ARENA_DEMO", "on", ("on", "off")) == "on",
        fingerprint=_one_of(environ, "ARENA_FINGERPRINT", "off", ("consent", "off")) == "consent",
        rate_limit=_whole(
            environ, "ARENA_RATE_LIMIT", antiabuse_rules.current().ballot_requests, low=1
        ),
        refit_min_votes=_whole(
            environ, "ARENA_REFIT_MIN_VOTES", ranking_rules.current().refit_min_votes, low=1
        ),
        host=host,
        port=port,
        workers=_whole(environ, "ARENA_WORKERS", 1, low=1, high=64),
        threads=_whole(environ, "ARENA_THREADS", 64, low=1, high=512),
    )
    _check(settings)
    return settings


def _check(settings: Settings) -> None:
    """Refuse combinations that would be unsafe or would not count exactly."""
    if settings.production and not settings.secret_keys:
        message = (
            "ARENA_SECRET_KEYS is not set: give one or more random keys of 16 characters or more, "
            "separated by commas, oldest first"
        )
        raise SettingsError(message)
    if settings.production and not settings.operator:
        message = "ARENA_OPERATOR is not set: name who runs this arena; it is shown on every page"
        raise SettingsError(message)
    if not settings.production and not _is_loopback(settings.host):
        message = (
            f"ARENA_HOST is {settings.host}: a development server listens on this machine only; "
            "set ARENA_ENV=production to open it"
        )
        raise SettingsError(message)
    if settings.workers > 1 and settings.redis_url is None:
        message = (
            "ARENA_WORKERS is above 1 without ARENA_REDIS_URL: limits would be counted per "
            "process; set ARENA_REDIS_URL or use one worker"
        )
        raise SettingsError(message)
    least = least_budget(settings.workers)
    if settings.database_connections < least and settings.database_url.startswith("postgresql"):
        message = (
            f"ARENA_DATABASE_CONNECTIONS is {settings.database_connections}: with ARENA_WORKERS at "
            f"{settings.workers} use at least {least}"
        )
        raise SettingsError(message)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _one_of(environ: Mapping[str, str], name: str, default: str, allowed: tuple[str, ...]) -> str:
    value = environ.get(name) or default
    if value not in allowed:
        message = f"{name} is {value!r}: use one of {', '.join(allowed)}"
        raise SettingsError(message)
    return value


def _whole(
    environ: Mapping[str, str], name: str, default: int, *, low: int, high: int | None = None
) -> int:
    text = environ.get(name) or str(default)
    if not text.isascii() or not text.isdigit():
        message = f"{name} is {text!r}: use a whole number"
        raise SettingsError(message)
    value = int(text)
    if value < low or (high is not None and value > high):
        message = f"{name} is {value}: use a number of at least {low}" + (
            f" and at most {high}" if high is not None else ""
        )
        raise SettingsError(message)
    return value


def _database_url(environ: Mapping[str, str], data_dir: Path) -> str:
    url = environ.get("ARENA_DATABASE_URL") or f"sqlite:///{data_dir / 'arena.sqlite3'}"
    if url.startswith("postgres://"):
        url = "postgresql://" + url.removeprefix("postgres://")
    if url.startswith("postgresql://"):
        url = "postgresql+psycopg://" + url.removeprefix("postgresql://")
    if not url.startswith(("sqlite:///", "postgresql+psycopg://")):
        message = "ARENA_DATABASE_URL must begin with sqlite:/// or postgresql://"
        raise SettingsError(message)
    return url


def _redis_url(environ: Mapping[str, str]) -> str | None:
    url = environ.get("ARENA_REDIS_URL") or None
    # The address is not repeated: it may hold a password.
    if url is not None and (
        not url.startswith(("redis://", "rediss://")) or not urlsplit(url).hostname
    ):
        message = "ARENA_REDIS_URL is unusable: use redis://HOST:PORT or rediss://HOST:PORT"
        raise SettingsError(message)
    return url


def _secret_keys(environ: Mapping[str, str]) -> tuple[str, ...]:
    keys = tuple(k.strip() for k in environ.get("ARENA_SECRET_KEYS", "").split(",") if k.strip())
    if any(len(key) < _MIN_SECRET for key in keys):
        message = (
            f"ARENA_SECRET_KEYS holds a key shorter than {_MIN_SECRET} characters: "
            "use longer random keys"
        )
        raise SettingsError(message)
    return keys


def _public_url(environ: Mapping[str, str], host: str, port: int) -> str:
    url = (environ.get("ARENA_PUBLIC_URL") or f"http://{_in_url(host)}:{port}").rstrip("/")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.path or parts.query:
        message = (
            f"ARENA_PUBLIC_URL is {url!r}: use https://HOST or http://HOST:PORT without a path"
        )
        raise SettingsError(message)
    return url


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
