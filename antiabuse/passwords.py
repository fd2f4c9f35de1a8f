"""Passwords as Argon2id digests (RFC 9106), made anew when the parameters have changed.

Pure but for the time it takes: the salt is handed in.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.low_level import Type

from antiabuse.account_errors import UnusablePassword
from antiabuse.account_rules import AccountRules, current

SALT_BYTES: Final = 16
_DECOY_PASSWORD: Final = "no account has this password"  # noqa: S105 - nothing is behind it


def checked_password(name: str, password: str) -> str:
    """Return a new password in the form that is digested.

    Raises:
        UnusablePassword: too short, too long, or holding little but the name.
    """
    rules = current()
    normal = _normal(password)
    if len(normal) < rules.password_characters:
        raise UnusablePassword(f"use a password of {rules.password_characters} characters or more")
    # Sign-in counts what was typed, before it gets its one spelling; both must fit.
    if max(len(password), len(normal)) > rules.password_limit:
        raise UnusablePassword(f"use a password of at most {rules.password_limit} characters")
    if len(set(normal.casefold().replace(name, ""))) < rules.password_variety:
        raise UnusablePassword("use a password that is not made of the name or of few characters")
    return normal


def new_digest(name: str, password: str, salt: bytes) -> str:
    """Return the digest to store for a new password. Takes a tenth of a second: no transaction.

    Args:
        name: of the account.
        password: as typed.
        salt: `SALT_BYTES` random bytes.

    Returns:
        The digest with its parameters and salt (PHC string).

    Raises:
        UnusablePassword: see `checked_password`.
    """
    return _hasher(current()).hash(checked_password(name, password), salt=salt)


def renewed_digest(password: str, salt: bytes) -> str:
    """Return the digest of a password that was found right, under the parameters in force."""
    return _hasher(current()).hash(_normal(password), salt=salt)


def matches(stored: str, password: str) -> bool:
    """Tell whether a password belongs to a stored digest."""
    if len(password) > current().password_limit:
        return False
    try:
        return _hasher(current()).verify(stored, _normal(password))
    except (VerificationError, InvalidHashError):
        return False


def is_outdated(stored: str) -> bool:
    """Tell whether a digest was made with other parameters than those in force."""
    return _hasher(current()).check_needs_rehash(stored)


def decoy_digest() -> str:
    """Return a digest that nobody's password has: checking it takes as long as a real one."""
    return _decoy(current())


@lru_cache(maxsize=4)
def _decoy(rules: AccountRules) -> str:
    return _hasher(rules).hash(_DECOY_PASSWORD, salt=bytes(SALT_BYTES))


@lru_cache(maxsize=4)
def _hasher(rules: AccountRules) -> PasswordHasher:
    return PasswordHasher(
        time_cost=rules.argon2_passes,
        memory_cost=rules.argon2_memory_kib,
        parallelism=rules.argon2_lanes,
        type=Type.ID,
    )


def _normal(password: str) -> str:
    """Return one spelling for what keyboards write in several (NIST SP 800-63B)."""
    return unicodedata.normalize("NFKC", password)
