"""Builds everything a process needs, once; only here are clock, randomness and key files read."""

from __future__ import annotations

import hashlib
import os
import random
import secrets
import time
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import cast

from flask import Flask, current_app

from antiabuse.addresses import AddressHasher
from antiabuse.identity import BallotTokens, VoterCookies
from arena.catalogue_cache import CatalogueCache
from arena.ports import Ports
from arena.vote_columns import VoteColumns
from ledger.database import Database, open_database
from ledger.event import SALT_BYTES
from ledger.ids import Clock
from ledger.key_ring import KeyFile
from ledger.sequencer import Sequencer
from ledger.signing import Signer
from ledger.store import Log
from webapp.connections import web_pool
from webapp.digest_keys import KeyFolder
from webapp.settings import Settings
from webapp.unrun import UnrunCounter

__all__ = ["Services", "build_services", "code_version", "now_us", "services"]

_EXTENSION = "evidence_arena"
_SECRET_BYTES = 32
_ROOMS = ("antiabuse", "arena", "ledger", "ranking")
_DIGEST_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Services:
    """What views, jobs and commands work with; built once per process."""

    settings: Settings
    database: Database
    clock: Clock
    rng: random.Random
    ports: Ports
    cookies: VoterCookies
    tokens: BallotTokens
    addresses: AddressHasher
    digest_keys: KeyFolder
    unrun: UnrunCounter
    log_keys: KeyFile
    checkpoint_path: Path

    @property
    def log_key(self) -> Signer:
        """The key that signs the log."""
        return self.log_keys.ring().current

    def sequencer(self) -> Sequencer:
        """Return a sequencer over this process's database."""
        ring = self.log_keys.ring()
        return Sequencer(
            self.database,
            signers=ring.signers(self.clock()),
            origin=self.settings.log_origin,
            checkpoint_path=self.checkpoint_path,
            rng=self.rng,
            verifiers=ring.verifiers,
        )

    def close(self) -> None:
        """Write down what was counted, and give back the database's connections."""
        self.unrun.close()
        self.database.close()


def now_us() -> int:
    """Return the wall clock in microseconds since the epoch, UTC."""
    return time.time_ns() // 1000


@cache
def code_version() -> str:
    """Return what boards and pages name the program by: its version, and a digest of its sources.

    The sources are those of all rooms below the face, by name: two programs that could judge
    differently never go by one name.
    """
    root, digest = Path(__file__).parent.parent, hashlib.sha256()
    for room in _ROOMS:
        for path in sorted((root / room).rglob("*.py")):
            digest.update(path.relative_to(root).as_posix().encode() + b"\0")
            digest.update(path.read_bytes() + b"\0")
    return f"{metadata.version('arena')}+{digest.hexdigest()[:_DIGEST_DIGITS]}"


def build_services(
    settings: Settings,
    *,
    clock: Clock = now_us,
    rng: random.Random | None = None,
    pool_size: int | None = None,
) -> Services:
    """Open the database and read or make the keys.

    Args:
        settings: the operator's choices.
        pool_size: connections of each kind; a web process's share unless given.
        clock: microseconds since the epoch; tests pass their own.
        rng: source of ids and draws; the system's unless tests pass their own.
    """
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    source = rng or random.SystemRandom()
    keys = settings.secret_keys or (_local_secret(settings.data_dir / "secret-key"),)
    digest_keys = KeyFolder(settings.key_dir)
    database = open_database(settings.database_url, pool_size=pool_size or _web_pool_size(settings))
    return Services(
        settings=settings,
        database=database,
        clock=clock,
        rng=source,
        ports=Ports(
            database=database,
            log=Log(lambda: source.randbytes(SALT_BYTES)),
            rng=source,
            keys=keys,
            catalogue=CatalogueCache(),
            columns=VoteColumns(settings.data_dir / "cache"),
            code_version=code_version(),
        ),
        cookies=VoterCookies(keys),
        tokens=BallotTokens(keys),
        addresses=AddressHasher(keys, digest_keys),
        digest_keys=digest_keys,
        unrun=UnrunCounter(database, clock),
        log_keys=_log_keys(settings),
        checkpoint_path=settings.data_dir / "log-checkpoint",
    )


def _web_pool_size(settings: Settings) -> int:
    """Return a web process's connections of each kind: SQLite's are files and cost nothing."""
    if settings.database_url.startswith("sqlite:"):
        return settings.threads
    return web_pool(
        settings.database_connections, workers=settings.workers, threads=settings.threads
    )


def _log_keys(settings: Settings) -> KeyFile:
    """Return the log's keys, made at the first start; unusable ones are told at once."""
    keys = KeyFile(settings.data_dir / "log-key", settings.log_origin)
    keys.ring()
    return keys


def _local_secret(path: Path) -> str:
    """Return this installation's own secret, made at first start and readable by its owner only."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text(encoding="ascii").strip()
    with os.fdopen(handle, "w", encoding="ascii") as file:
        secret = secrets.token_urlsafe(_SECRET_BYTES)
        file.write(secret + "\n")
    return secret


def init_services(app: Flask, built: Services) -> None:
    """Attach the services to an application."""
    app.extensions[_EXTENSION] = built


def services() -> Services:
    """Return the services of the application at hand."""
    return cast("Services", current_app.extensions[_EXTENSION])
