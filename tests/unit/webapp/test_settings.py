"""Settings: what each variable gives, and which values are refused with what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from antiabuse import rules as antiabuse_rules
from ranking import rules as ranking_rules
from webapp.settings import Settings, SettingsError, read_settings

KEY = "sixteen-letters-"
PRODUCTION = {"ARENA_ENV": "production", "ARENA_SECRET_KEYS": KEY, "ARENA_OPERATOR": "A club"}


def read(**variables: str) -> Settings:
    """Read settings from variables named without their prefix."""
    return read_settings({f"ARENA_{name}": value for name, value in variables.items()})


def test_nothing_set_runs_one_machine() -> None:
    """Without any variable: this machine only, SQLite in the data folder, rules' own numbers."""
    settings = read_settings({})

    assert settings.host == "127.0.0.1"
    assert settings.port == 8000
    assert settings.public_url == "http://127.0.0.1:8000"
    assert settings.database_url == f"sqlite:///{settings.data_dir / 'arena.sqlite3'}"
    assert settings.data_dir.is_absolute()
    assert settings.key_dir == settings.data_dir / "digest-keys"
    assert settings.log_origin == "127.0.0.1/log"
    assert settings.rate_limit == antiabuse_rules.current().ballot_requests
    assert settings.refit_min_votes == ranking_rules.current().refit_min_votes
    assert (settings.demo, settings.fingerprint, settings.production) == (True, False, False)
    assert (settings.redis_url, settings.secret_keys, settings.operator) == (None, (), "")
    assert (settings.workers, settings.threads, settings.trusted_proxies) == (1, 64, 0)
    assert settings.database_connections == 80
    assert not settings.secure


def test_empty_variables_count_as_unset() -> None:
    """An empty value is what shells and compose files leave behind."""
    names = (
        "ENV", "DATA_DIR", "KEY_DIR", "DATABASE_URL", "REDIS_URL", "SECRET_KEYS", "PUBLIC_URL",
        "LOG_ORIGIN", "TRUSTED_PROXIES", "DEMO", "FINGERPRINT", "RATE_LIMIT", "REFIT_MIN_VOTES",
        "PORT", "WORKERS", "THREADS", "HOST", "NAME", "OPERATOR", "DATABASE_CONNECTIONS",
    )  # fmt: skip
    assert read(**dict.fromkeys(names, "")) == read_settings({})


def test_every_variable_is_taken(tmp_path: Path) -> None:
    """Each choice of the operator arrives."""
    settings = read(
        ENV="production", DATA_DIR=str(tmp_path), KEY_DIR=str(tmp_path / "keys"),
        DATABASE_URL="postgresql://u@h/n",
        REDIS_URL="redis://h/1", SECRET_KEYS=f" {KEY}1 , {KEY}2,", PUBLIC_URL="https://a.example/",
        LOG_ORIGIN="a.example/votes", NAME="Our Arena", OPERATOR="A club", TRUSTED_PROXIES="2",
        DEMO="off", FINGERPRINT="consent", RATE_LIMIT="33", REFIT_MIN_VOTES="7",
        HOST="192.0.2.1", PORT="81", WORKERS="4", THREADS="16", DATABASE_CONNECTIONS="300",
    )  # fmt: skip

    assert settings == Settings(
        data_dir=tmp_path, key_dir=tmp_path / "keys",
        database_url="postgresql+psycopg://u@h/n", redis_url="redis://h/1",
        secret_keys=(f"{KEY}1", f"{KEY}2"), production=True, public_url="https://a.example",
        log_origin="a.example/votes", name="Our Arena", operator="A club", trusted_proxies=2,
        demo=False, fingerprint=True, rate_limit=33, refit_min_votes=7, host="192.0.2.1", port=81,
        workers=4, threads=16, database_connections=300,
    )  # fmt: skip
    assert settings.secure


@pytest.mark.parametrize(
    "given, used",
    [
        ("postgres://u:p@h/n", "postgresql+psycopg://u:p@h/n"),
        ("postgresql://h/n", "postgresql+psycopg://h/n"),
        ("postgresql+psycopg://h/n", "postgresql+psycopg://h/n"),
        ("sqlite:////data/a.sqlite3", "sqlite:////data/a.sqlite3"),
    ],
)
def test_database_addresses_as_providers_write_them(given: str, used: str) -> None:
    """Every usual spelling of a PostgreSQL address leads to our driver."""
    assert read(DATABASE_URL=given).database_url == used


@pytest.mark.parametrize(
    "variables, words",
    [
        ({"ENV": "prod"}, "ARENA_ENV"),
        ({"PORT": "0"}, "ARENA_PORT"),
        ({"PORT": "65536"}, "ARENA_PORT"),
        ({"PORT": "80a"}, "ARENA_PORT"),
        ({"PORT": "-1"}, "ARENA_PORT"),
        ({"PORT": "٨٠"}, "ARENA_PORT"),
        ({"DATABASE_URL": "mysql://h/n"}, "ARENA_DATABASE_URL"),
        ({"DATABASE_URL": "sqlite://"}, "ARENA_DATABASE_URL"),
        ({"SECRET_KEYS": "short"}, "ARENA_SECRET_KEYS"),
        ({"SECRET_KEYS": f"{KEY},short"}, "ARENA_SECRET_KEYS"),
        ({"PUBLIC_URL": "arena.example"}, "ARENA_PUBLIC_URL"),
        ({"PUBLIC_URL": "ftp://arena.example"}, "ARENA_PUBLIC_URL"),
        ({"PUBLIC_URL": "https://arena.example/path"}, "ARENA_PUBLIC_URL"),
        ({"PUBLIC_URL": "https://arena.example?x=1"}, "ARENA_PUBLIC_URL"),
        ({"TRUSTED_PROXIES": "17"}, "ARENA_TRUSTED_PROXIES"),
        ({"TRUSTED_PROXIES": "one"}, "ARENA_TRUSTED_PROXIES"),
        ({"DEMO": "yes"}, "ARENA_DEMO"),
        ({"FINGERPRINT": "on"}, "ARENA_FINGERPRINT"),
        ({"RATE_LIMIT": "0"}, "ARENA_RATE_LIMIT"),
        ({"REFIT_MIN_VOTES": "0"}, "ARENA_REFIT_MIN_VOTES"),
        ({"WORKERS": "0"}, "ARENA_WORKERS"),
        ({"WORKERS": "65", "REDIS_URL": "redis://h"}, "ARENA_WORKERS"),
        ({"THREADS": "513"}, "ARENA_THREADS"),
        ({"WORKERS": "2"}, "ARENA_REDIS_URL"),
        ({"DATABASE_CONNECTIONS": "0"}, "ARENA_DATABASE_CONNECTIONS"),
        (
            {"DATABASE_URL": "postgresql://h/n", "DATABASE_CONNECTIONS": "13"},
            "ARENA_DATABASE_CONNECTIONS is 13: with ARENA_WORKERS at 1 use at least 14",
        ),
        ({"REDIS_URL": "cache.example:6379"}, "ARENA_REDIS_URL"),
        ({"REDIS_URL": "redis://"}, "ARENA_REDIS_URL"),
        ({"REDIS_URL": "http://h/1"}, "ARENA_REDIS_URL"),
        ({"HOST": "192.0.2.1"}, "ARENA_ENV=production"),
        ({"HOST": "arena.example"}, "ARENA_ENV=production"),
    ],
)
def test_an_unusable_value_is_refused_by_name(variables: dict[str, str], words: str) -> None:
    """The message says which variable, and what to set."""
    with pytest.raises(SettingsError, match=words):
        read(**variables)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.8.8.8"])
def test_a_development_server_may_listen_on_this_machine(host: str) -> None:
    """Loopback addresses need no production."""
    assert read(HOST=host).host == host


def test_an_ipv6_host_stands_in_brackets_in_the_address() -> None:
    """`::1` makes `http://[::1]:8000`."""
    assert read(HOST="::1").public_url == "http://[::1]:8000"


@pytest.mark.parametrize("missing", ["ARENA_SECRET_KEYS", "ARENA_OPERATOR"])
def test_production_needs_keys_and_an_operator(missing: str) -> None:
    """X-013, X-021: without its own keys, or nobody named, a public arena does not start."""
    assert read_settings(PRODUCTION).production
    with pytest.raises(SettingsError, match=missing):
        read_settings({name: value for name, value in PRODUCTION.items() if name != missing})


def test_keys_are_not_printed() -> None:
    """Settings in a log line or traceback tell no key."""
    assert KEY not in repr(read(SECRET_KEYS=KEY))
