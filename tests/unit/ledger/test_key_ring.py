"""The log's keys in one file: changed whole, overlapping for 90 days, then no longer secret."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ledger.errors import SigningKeyUnusable
from ledger.key_ring import KeyFile
from ledger.signing import load_or_create_key

NAME = "example.org/log"
DAY = 86_400_000_000
START = 20_000 * DAY


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the keys stand."""
    return tmp_path / "log-key"


def test_a_file_of_one_key_is_a_ring_of_one(path: Path) -> None:
    """The key that the first start made signs alone."""
    made = load_or_create_key(path, NAME)
    ring = KeyFile(path, NAME).ring()
    assert ring.signers(START) == (made,)
    assert ring.verifiers == (made.verifier,)


def test_both_keys_sign_for_90_days(path: Path) -> None:
    """After a change the new key stands first, and the old one leaves to the microsecond."""
    keys = KeyFile(path, NAME)
    old = keys.ring().current
    new = keys.rotate(START).current

    assert new != old
    assert load_or_create_key(path, NAME) == new
    assert keys.ring().signers(START) == (new, old)
    assert keys.ring().signers(START + 90 * DAY - 1) == (new, old)
    assert keys.ring().signers(START + 90 * DAY) == (new,)
    assert keys.ring().verifiers == (new.verifier, old.verifier)


def test_the_old_secret_is_dropped_and_still_verifies(path: Path) -> None:
    """Once its time is over nothing of the secret half is left in the folder."""
    keys = KeyFile(path, NAME)
    old = keys.ring().current
    secret = path.read_text(encoding="utf-8").strip().rsplit("+", 1)[1]
    new = keys.rotate(START).current

    assert keys.drop_expired(START + 90 * DAY - 1) == 0
    assert secret in path.read_text(encoding="utf-8")
    assert keys.drop_expired(START + 90 * DAY) == 1
    assert keys.drop_expired(START + 91 * DAY) == 0

    assert not any(secret in file.read_text(encoding="utf-8") for file in path.parent.iterdir())
    again = KeyFile(path, NAME).ring()
    assert again.verifiers == (new.verifier, old.verifier)
    assert again.signers(START) == (new,)
    assert path.stat().st_mode & 0o077 == 0


def test_several_changes_within_the_overlap(path: Path) -> None:
    """Each older key keeps its own end, and all are listed from the newest on."""
    keys = KeyFile(path, NAME)
    first = keys.ring().current
    second = keys.rotate(START).current
    third = keys.rotate(START + 10 * DAY).current

    assert keys.ring().signers(START + 20 * DAY) == (third, second, first)
    assert keys.ring().signers(START + 95 * DAY) == (third, second)
    keys.drop_expired(START + 95 * DAY)
    verifiers = (third.verifier, second.verifier, first.verifier)
    assert KeyFile(path, NAME).ring().verifiers == verifiers
    keys.drop_expired(START + 200 * DAY)
    assert KeyFile(path, NAME).ring().verifiers == verifiers


def test_another_process_sees_the_change(path: Path) -> None:
    """A ring that was read before is read again once the file was replaced."""
    running = KeyFile(path, NAME)
    before = running.ring()
    KeyFile(path, NAME).rotate(START)
    assert running.ring().current != before.current
    assert running.ring().leaving[0].signer == before.current


def test_changes_at_once_lose_no_key(path: Path) -> None:
    """Eight changes at the same moment leave nine keys."""
    KeyFile(path, NAME).ring()
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: KeyFile(path, NAME).rotate(START), range(8)))
    assert len(KeyFile(path, NAME).ring().verifiers) == 9


@pytest.mark.parametrize("line", ["nonsense", "a+b+c", "PRIVATE+KEY+x until=1"])
def test_a_damaged_older_key_is_told(path: Path, line: str) -> None:
    """A line that is no key raises instead of being passed over."""
    load_or_create_key(path, NAME)
    path.write_text(f"{line}\n{path.read_text(encoding='utf-8')}", encoding="utf-8")
    path.chmod(0o600)
    with pytest.raises(SigningKeyUnusable):
        KeyFile(path, NAME).ring()


def test_an_older_secret_without_an_end_is_told(path: Path) -> None:
    """Two keys that would both sign for ever are no state of ours."""
    load_or_create_key(path, NAME)
    path.write_text(path.read_text(encoding="utf-8") * 2, encoding="utf-8")
    with pytest.raises(SigningKeyUnusable):
        KeyFile(path, NAME).ring()


def test_a_key_open_to_others_is_told_also_later(path: Path) -> None:
    """A file whose rights were opened while the arena ran is refused at the next look."""
    keys = KeyFile(path, NAME)
    keys.ring()
    path.chmod(0o644)
    with pytest.raises(SigningKeyUnusable, match="chmod 600"):
        keys.ring()
