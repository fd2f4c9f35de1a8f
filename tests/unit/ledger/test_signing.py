"""Notes are signed and opened as C2SP says, and the key file is kept safe."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from ledger.errors import InvalidNote, SigningKeyUnusable
from ledger.signing import Signer, load_or_create_key, open_note, parse_vkey, sign_note

OLD = Signer("example.org/log", bytes(range(32)))
NEW = Signer("example.org/log", bytes(range(1, 33)))
TEXT = "example.org/log\n1\nbase64\n"


def test_signed_note_opens() -> None:
    """A note opens with its signer's key and gives its text."""
    assert open_note(sign_note(TEXT, [OLD]), [OLD.verifier]) == TEXT


def test_either_key_opens_a_note_of_a_rotation() -> None:
    """While keys change, readers with the old key and readers with the new one are both served."""
    note = sign_note(TEXT, [OLD, NEW])
    assert open_note(note, [OLD.verifier]) == open_note(note, [NEW.verifier]) == TEXT


@pytest.mark.parametrize("place", range(len(sign_note(TEXT, [OLD]))))
def test_any_changed_character_is_refused(place: int) -> None:
    """A note with one character changed does not open."""
    note = sign_note(TEXT, [OLD])
    changed = note[:place] + chr(ord(note[place]) ^ 1) + note[place + 1 :]
    with pytest.raises(InvalidNote):
        open_note(changed, [OLD.verifier])


def test_wrong_signature_by_a_known_key_is_refused_beside_a_good_one() -> None:
    """A second, wrong signature by a known key is not passed over."""
    wrong = sign_note("other\n", [NEW]).rpartition("\n\n")[2]
    with pytest.raises(InvalidNote, match="wrong"):
        open_note(sign_note(TEXT, [OLD]) + wrong, [OLD.verifier, NEW.verifier])


def test_note_by_others_only_is_refused() -> None:
    """A note that no known key signed does not open."""
    with pytest.raises(InvalidNote, match="no known key"):
        open_note(sign_note(TEXT, [OLD]), [NEW.verifier])


@pytest.mark.parametrize("text", ["no newline", "a\n\nb\n"])
def test_text_that_is_no_note_is_not_signed(text: str) -> None:
    """Only a text that ends with a newline and has no empty line is signed."""
    with pytest.raises(InvalidNote):
        sign_note(text, [OLD])


def test_verifier_key_text() -> None:
    """The verifier key is name, key id and base64, and reads back."""
    vkey = OLD.verifier.vkey
    name, key_id, _key = vkey.split("+", 2)
    assert (name, key_id) == ("example.org/log", OLD.verifier.key_id.hex())
    assert parse_vkey(vkey) == OLD.verifier


@pytest.mark.parametrize(
    "vkey",
    ["", "a+b", "example.org/log+00000000+" + OLD.verifier.vkey.split("+", 2)[2], "a+b+AAAA"],
)
def test_malformed_verifier_keys_are_refused(vkey: str) -> None:
    """A verifier key whose id or key is wrong raises."""
    with pytest.raises(InvalidNote):
        parse_vkey(vkey)


def test_key_is_made_once(tmp_path: Path) -> None:
    """The first start makes a key for the owner alone, the next one reads it."""
    path = tmp_path / "data" / "log.key"
    made = load_or_create_key(path, "example.org/log")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load_or_create_key(path, "example.org/log") == made
    assert [file.name for file in path.parent.iterdir()] == ["log.key"]


def test_key_open_to_others_is_refused(tmp_path: Path) -> None:
    """A key that other users can read is refused, with the command that mends it."""
    path = tmp_path / "log.key"
    load_or_create_key(path, "example.org/log")
    path.chmod(0o644)
    with pytest.raises(SigningKeyUnusable, match="chmod 600"):
        load_or_create_key(path, "example.org/log")


@pytest.mark.parametrize("content", ["", "PRIVATE+KEY+x", "nothing of the kind"])
def test_damaged_key_is_refused(tmp_path: Path, content: str) -> None:
    """A file that holds no key raises instead of being replaced."""
    path = tmp_path / "log.key"
    path.write_text(content, encoding="utf-8")
    path.chmod(0o600)
    with pytest.raises(SigningKeyUnusable):
        load_or_create_key(path, "example.org/log")


def test_key_of_another_log_is_refused(tmp_path: Path) -> None:
    """A key belongs to one log's name."""
    path = tmp_path / "log.key"
    load_or_create_key(path, "example.org/log")
    with pytest.raises(SigningKeyUnusable, match=r"ARENA_LOG_ORIGIN=example\.org/log"):
        load_or_create_key(path, "example.com/log")


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\nb"])
def test_key_names_without_spaces_and_plus(name: str) -> None:
    """A name that would break the signature line is refused."""
    with pytest.raises(SigningKeyUnusable):
        Signer(name, bytes(32))


def test_seed_of_wrong_length_is_refused() -> None:
    """A key is made of 32 bytes."""
    with pytest.raises(SigningKeyUnusable):
        Signer("example.org/log", bytes(31))


def test_the_first_of_two_processes_makes_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When two processes start at once, both end up with the key that was there first."""
    path = tmp_path / "log.key"
    first = load_or_create_key(path, "example.org/log")
    monkeypatch.setattr(Path, "exists", lambda _path: False)
    assert load_or_create_key(path, "example.org/log") == first
    assert [file.name for file in tmp_path.iterdir()] == ["log.key"]


def test_key_is_never_printed() -> None:
    """The text form of a signer shows its name only."""
    assert repr(OLD) == "Signer('example.org/log')"
