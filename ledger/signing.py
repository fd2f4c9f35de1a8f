"""Signed notes with Ed25519 (C2SP signed-note), verifier keys, and the log's own key file."""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from ledger.errors import InvalidNote, SigningKeyUnusable

__all__ = [
    "Signer",
    "Verifier",
    "key_line",
    "load_or_create_key",
    "new_signer",
    "open_note",
    "parse_key",
    "parse_vkey",
    "read_key_lines",
    "sign_note",
]

ED25519: Final = b"\x01"
KEY_ID_BYTES: Final = 4
KEY_BYTES: Final = 32
SIGNATURE_START: Final = "— "
KEY_FILE_START: Final = "PRIVATE+KEY"
KEY_FILE_PARTS: Final = 5
OTHERS_RIGHTS: Final = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class Verifier:
    """A public key with its name, as it stands in a note's signature line."""

    name: str
    public: bytes

    @property
    def key_id(self) -> bytes:
        """The four bytes that name the key in a signature line."""
        named = self.name.encode() + b"\n" + ED25519 + self.public
        return hashlib.sha256(named).digest()[:KEY_ID_BYTES]

    @property
    def vkey(self) -> str:
        """The verifier key text: name+key id in hex+base64 of type and key."""
        return f"{self.name}+{self.key_id.hex()}+{_to_base64(ED25519 + self.public)}"

    def accepts(self, text: str, signature: bytes) -> bool:
        """Tell whether the signature over the text was made by this key."""
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, text.encode())
        except InvalidSignature:
            return False
        return True


@dataclass(frozen=True, slots=True, repr=False)
class Signer:
    """A private key with its name; its text form never shows the key."""

    name: str
    seed: bytes

    def __post_init__(self) -> None:
        if not self.name or "+" in self.name or any(sign.isspace() for sign in self.name):
            raise SigningKeyUnusable(
                f"the key name {self.name!r} has a space or a plus, or is empty"
            )
        if len(self.seed) != KEY_BYTES:
            raise SigningKeyUnusable(f"an Ed25519 seed has {KEY_BYTES} bytes")

    def __repr__(self) -> str:
        return f"Signer({self.name!r})"

    @property
    def verifier(self) -> Verifier:
        """The public half."""
        return Verifier(self.name, self._private().public_key().public_bytes_raw())

    def line(self, text: str) -> str:
        """Return the signature line over the text."""
        signature = self.verifier.key_id + self._private().sign(text.encode())
        return f"{SIGNATURE_START}{self.name} {_to_base64(signature)}\n"

    def _private(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.seed)


def load_or_create_key(path: Path, name: str) -> Signer:
    """Return the log's signing key, made at the first start; the last one where keys changed.

    Args:
        path: the key's file; it belongs into the backup.
        name: of the key, by custom the log's origin.

    Raises:
        SigningKeyUnusable: when the file is malformed, of another name, or open to other users.
    """
    return parse_key(read_key_lines(path, name)[-1], path, name)


def read_key_lines(path: Path, name: str) -> list[str]:
    """Return the lines of the key's file, made at the first start.

    Raises:
        SigningKeyUnusable: when the file is open to other users or empty.
    """
    if not path.exists():
        _create_key(path, name)
    if path.stat().st_mode & OTHERS_RIGHTS:
        raise SigningKeyUnusable(f"other users can read {path}: run `chmod 600 {path}`")
    lines = path.read_text(encoding="utf-8").split("\n")
    found = [line for line in lines if line.strip()]
    if not found:
        raise SigningKeyUnusable(f"{path} holds no signing key: put it back from the backup")
    return found


def parse_key(line: str, path: Path, name: str) -> Signer:
    """Return the key written in a line of the key's file.

    Raises:
        SigningKeyUnusable: when the line is malformed or of another name.
    """
    parts = line.strip().split("+", KEY_FILE_PARTS - 1)
    if len(parts) != KEY_FILE_PARTS or "+".join(parts[:2]) != KEY_FILE_START:
        raise SigningKeyUnusable(f"{path} holds no signing key: put it back from the backup")
    if parts[2] != name:
        raise SigningKeyUnusable(
            f"the key in {path} is that of the log {parts[2]}, not of {name}: a log keeps its name,"
            f" so set ARENA_LOG_ORIGIN={parts[2]}, or begin a new log in another data folder"
        )
    return Signer(name, _from_base64(parts[4])[1:])


def new_signer(name: str) -> Signer:
    """Return a new random key."""
    return Signer(name, Ed25519PrivateKey.generate().private_bytes_raw())


def key_line(signer: Signer) -> str:
    """Return a key as its file holds it; secret."""
    key = _to_base64(ED25519 + signer.seed)
    return f"{KEY_FILE_START}+{signer.name}+{signer.verifier.key_id.hex()}+{key}"


def _create_key(path: Path, name: str) -> None:
    content = key_line(new_signer(name))
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(content + "\n")
        file.flush()
        os.fsync(handle)
    try:
        path.hardlink_to(draft)  # fails when another process was first, whose key then counts
    except FileExistsError:
        pass
    finally:
        draft.unlink()


def sign_note(text: str, signers: Sequence[Signer]) -> str:
    """Return the signed note over a text that ends with a newline."""
    if not text.endswith("\n") or "\n\n" in text:
        raise InvalidNote("a note's text ends with one newline and has no empty line here")
    return text + "\n" + "".join(signer.line(text) for signer in signers)


def open_note(note: str, verifiers: Sequence[Verifier]) -> str:
    """Return the text of a signed note after checking its signatures by known keys.

    Raises:
        InvalidNote: when the note is malformed, a known key's signature is wrong, or no known key
            signed it. Signatures by other keys are ignored.
    """
    text, gap, block = note.rpartition("\n\n")
    text += "\n"
    if not gap or not block.endswith("\n") or _has_control(note):
        raise InvalidNote("this is no signed note")
    known = {(verifier.name, verifier.key_id): verifier for verifier in verifiers}
    accepted = 0
    for line in block.removesuffix("\n").split("\n"):
        name, key_id, signature = _parse_line(line)
        verifier = known.get((name, key_id))
        if verifier is not None:
            if not verifier.accepts(text, signature):
                raise InvalidNote(f"the signature by {name} is wrong")
            accepted += 1
    if not accepted:
        raise InvalidNote("no known key signed this note")
    return text


def parse_vkey(vkey: str) -> Verifier:
    """Return the verifier key written as name+key id+base64.

    Raises:
        InvalidNote: when it is malformed or its key id is not that of its key.
    """
    parts = vkey.strip().split("+", 2)
    if len(parts) != 3:  # noqa: PLR2004 - the three parts named above
        raise InvalidNote("a verifier key reads name+key id+base64")
    key = _from_base64(parts[2])
    if len(key) != 1 + KEY_BYTES or key[:1] != ED25519:
        raise InvalidNote("the verifier key is no Ed25519 key")
    verifier = Verifier(parts[0], key[1:])
    if verifier.vkey != vkey.strip():
        raise InvalidNote("the verifier key's id is not that of its name and key")
    return verifier


def _parse_line(line: str) -> tuple[str, bytes, bytes]:
    parts = line.split(" ")
    if len(parts) != 3 or parts[0] != SIGNATURE_START.strip():  # noqa: PLR2004 - dash, name, base64
        raise InvalidNote(f"this is no signature line: {line!r}")
    signature = _from_base64(parts[2])
    return parts[1], signature[:KEY_ID_BYTES], signature[KEY_ID_BYTES:]


def _has_control(text: str) -> bool:
    return any(sign < " " and sign != "\n" for sign in text)


def _to_base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _from_base64(text: str) -> bytes:
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidNote(f"this is no base64: {text!r}") from error
    if _to_base64(data) != text:  # spare bits that are set would give one note two forms
        raise InvalidNote(f"this is not the one base64 form: {text!r}")
    return data
