"""Passwords: what is accepted, what a digest holds, and when it is made anew."""

from __future__ import annotations

from dataclasses import replace

import pytest

from antiabuse import account_rules, passwords
from antiabuse.account_errors import UnusablePassword

PASSWORD = "four calm rivers run"
SALT = bytes(range(passwords.SALT_BYTES))


def test_a_digest_is_argon2id_with_the_rules_numbers() -> None:
    """The stored text names algorithm, version and parameters, and not the password."""
    digest = passwords.new_digest("rosa", PASSWORD, SALT)

    assert digest.startswith("$argon2id$v=19$m=65536,t=3,p=4$")
    assert PASSWORD not in digest


def test_only_the_same_password_matches() -> None:
    """The password matches its digest, another one or none does not."""
    digest = passwords.new_digest("rosa", PASSWORD, SALT)

    assert passwords.matches(digest, PASSWORD)
    for other in (PASSWORD + " ", PASSWORD.upper(), "", PASSWORD * 50):
        assert not passwords.matches(digest, other)
    assert not passwords.matches("no digest", PASSWORD)


def test_a_password_may_be_typed_in_either_unicode_form() -> None:
    """Composed and decomposed letters are the same password."""
    digest = passwords.new_digest("rosa", "vier ruhige fl\u00fcsse", SALT)

    assert passwords.matches(digest, "vier ruhige flu\u0308sse")


def test_whatever_may_be_set_signs_in() -> None:
    """The bound on characters is the same for setting a password and for typing it."""
    for characters in (256, 257):
        password = ("u\u0308" * 129 + "four calm rivers")[-characters:]
        try:
            digest = passwords.new_digest("rosa", password, SALT)
        except UnusablePassword:
            assert characters == 257
        else:
            assert characters == 256
            assert passwords.matches(digest, password)


@pytest.mark.parametrize(
    "password", ["", "too short here", "x" * 257, "a" * 20, "rosarosarosarosarosa"]
)
def test_weak_passwords_are_refused(password: str) -> None:
    """Too short, too long, of few characters or made of the name."""
    with pytest.raises(UnusablePassword):
        passwords.checked_password("rosa", password)


def test_a_digest_is_outdated_when_the_parameters_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under new parameters the old digest still matches and is to be renewed."""
    digest = passwords.new_digest("rosa", PASSWORD, SALT)
    assert not passwords.is_outdated(digest)
    more = replace(account_rules.current(), argon2_passes=4)
    monkeypatch.setattr(passwords, "current", lambda: more)

    assert passwords.is_outdated(digest)
    assert passwords.matches(digest, PASSWORD)
    assert not passwords.is_outdated(passwords.renewed_digest(PASSWORD, SALT))


def test_nobody_has_the_decoy() -> None:
    """The decoy has the parameters in force, and common passwords do not match it."""
    assert not passwords.is_outdated(passwords.decoy_digest())
    assert not passwords.matches(passwords.decoy_digest(), PASSWORD)
    assert not passwords.matches(passwords.decoy_digest(), "")
