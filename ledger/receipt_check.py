"""Checks a vote's receipt (`.tlog-proof`) offline. This one file is the whole checker.

    python receipt_check.py FILE --key VERIFIER_KEY

Needs Python 3.11 and the package `cryptography`, nothing of the arena. Formats: C2SP tlog-proof,
tlog-checkpoint and signed-note; RFC 9162 for the hashes.
"""

from __future__ import annotations

import argparse
import base64
import binascii
import hashlib
import json
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

__all__ = ["Receipt", "Refused", "check", "main"]

VERSION = "c2sp.org/tlog-proof@v1"
FIELDS = {"id", "kind", "version", "stream", "ruleset", "salt", "body", "private_sha256"}
HEAD = ("id", "kind", "version", "stream", "ruleset", "private_sha256")
DECIMAL = re.compile(r"0|[1-9][0-9]*")
SALT = re.compile(r"[0-9a-f]{64}")
HASH_BYTES = 32
KEY_ID_BYTES = 4
ED25519 = b"\x01"


class Refused(Exception):
    """The receipt does not prove what it claims; the message says why."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a good receipt proves: this event stands at this index of this log.

    Attributes:
        origin: the log's name.
        size: leaves under the checkpoint.
        index: of the event in the log.
        kind: what happened.
        id: the event's.
        body: what was written about it.
    """

    origin: str
    size: int
    index: int
    kind: str
    id: str
    body: dict[str, Any]


def check(content: bytes, keys: Sequence[str], origin: str | None = None) -> Receipt:
    """Check a receipt.

    Args:
        content: the file's bytes.
        keys: verifier keys of the log; one of them must have signed.
        origin: the log's name; by default the name of the key that signed.

    Raises:
        Refused: when anything in it does not hold.
    """
    try:
        top, gap, note = content.decode("utf-8").partition("\n\n")
    except UnicodeDecodeError as error:
        raise Refused("the file is not UTF-8 text") from error
    lines = top.split("\n")
    if not gap or lines[0] != VERSION or len(lines) < 3:  # noqa: PLR2004 - version, extra, index
        raise Refused(f"this is no {VERSION} file")
    extra = _extra(_field(lines[1], "extra"))
    index = _number(_field(lines[2], "index"))
    path = [_base64(line) for line in lines[3:]]
    signed_origin, size, root = _checkpoint(note, keys, origin)
    _follow(_leaf_hash(extra), index, size, path, root)
    return Receipt(signed_origin, size, index, extra["kind"], extra["id"], extra["body"])


def _field(line: str, name: str) -> str:
    start, gap, value = line.partition(" ")
    if start != name or not gap:
        raise Refused(f"the line of {name} is missing")
    return value


def _extra(text: str) -> dict[str, Any]:
    """Return what rebuilds the leaf; not signed itself, but the leaf's digests bind all of it."""
    data = _base64(text)
    try:
        extra = json.loads(data.decode("utf-8"), parse_float=_no_float, parse_constant=_no_float)
    except (UnicodeDecodeError, ValueError) as error:
        raise Refused("the extra line is no JSON") from error
    if not isinstance(extra, dict) or set(extra) != FIELDS or _canonical(extra) != data:
        raise Refused("the extra line is not in its one form")
    if not isinstance(extra["salt"], str) or not SALT.fullmatch(extra["salt"]):
        raise Refused("the salt is not 32 bytes in hex")
    return extra


def _no_float(text: str) -> NoReturn:
    raise ValueError(f"{text} is no integer")


def _canonical(value: object) -> bytes:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Refused("a text holds a lone surrogate") from error


def _leaf_hash(extra: dict[str, Any]) -> bytes:
    body = hashlib.sha256(bytes.fromhex(extra["salt"]) + _canonical(extra["body"])).hexdigest()
    entry = _canonical({name: extra[name] for name in HEAD} | {"body_sha256": body})
    return hashlib.sha256(b"\x00" + entry).digest()


def _checkpoint(note: str, keys: Sequence[str], origin: str | None) -> tuple[str, int, bytes]:
    text, gap, signatures = note.partition("\n\n")
    text += "\n"
    lines = text.split("\n")
    if not gap or not signatures.endswith("\n") or len(lines) != 4:  # noqa: PLR2004 - and one empty
        raise Refused("the checkpoint is malformed")
    signer = _signer(text, signatures.removesuffix("\n").split("\n"), keys)
    if lines[0] != (signer if origin is None else origin):
        raise Refused(f"the checkpoint is of another log: {lines[0]}")
    return lines[0], _number(lines[1]), _base64(lines[2])


def _signer(text: str, lines: Sequence[str], keys: Sequence[str]) -> str:
    """Return the name of the first known key that signed; unknown signatures are ignored."""
    known = {_key_place(key): _base64(key.split("+", 2)[2])[1:] for key in keys}
    signer = None
    for line in lines:
        parts = line.split(" ")
        if len(parts) != 3 or parts[0] != "—":  # noqa: PLR2004 - dash, name, signature
            raise Refused("a signature line is malformed")
        signature = _base64(parts[2])
        public = known.get((parts[1], signature[:KEY_ID_BYTES]))
        if public is None:
            continue
        try:
            Ed25519PublicKey.from_public_bytes(public).verify(
                signature[KEY_ID_BYTES:], text.encode()
            )
        except InvalidSignature as error:
            raise Refused(f"the signature by {parts[1]} is wrong") from error
        signer = signer or parts[1]
    if signer is None:
        raise Refused("no known key signed the checkpoint")
    return signer


def _key_place(key: str) -> tuple[str, bytes]:
    parts = key.split("+", 2)
    data = _base64(parts[-1])
    if len(parts) != 3 or len(data) != 1 + HASH_BYTES or data[:1] != ED25519:  # noqa: PLR2004
        raise Refused("the key is no Ed25519 verifier key (name+id+base64)")
    key_id = hashlib.sha256(parts[0].encode() + b"\n" + data).digest()[:KEY_ID_BYTES]
    if key_id.hex() != parts[1]:
        raise Refused("the verifier key's id is not that of its name and key")
    return parts[0], key_id


def _follow(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> None:
    """Climb from the leaf to the root (RFC 9162, section 2.1.3.2)."""
    if index >= size:
        raise Refused(f"a tree of {size} entries has no entry {index}")
    place, last, found = index, size - 1, leaf
    for step in path:
        if last == 0 or len(step) != HASH_BYTES:
            raise Refused("the path has a hash too many or of a wrong length")
        if place & 1 or place == last:
            found = hashlib.sha256(b"\x01" + step + found).digest()
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            found = hashlib.sha256(b"\x01" + found + step).digest()
        place, last = place >> 1, last >> 1
    if last != 0 or found != root:
        raise Refused("the entry is not in the signed tree")


def _number(text: str) -> int:
    if not DECIMAL.fullmatch(text):
        raise Refused(f"{text!r} is no decimal number")
    return int(text)


def _base64(text: str) -> bytes:
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise Refused(f"{text!r} is no base64") from error
    if base64.b64encode(data).decode("ascii") != text:
        raise Refused(f"{text!r} is not in the one base64 form")
    return data


def main(arguments: Sequence[str] | None = None, say: Callable[[str], object] = print) -> int:
    """Run as a program: 0 when the receipt holds, 1 when it does not, 2 for wrong use."""
    parser = argparse.ArgumentParser(description="Check a receipt (.tlog-proof) offline.")
    parser.add_argument("file", type=Path, help="the receipt")
    parser.add_argument("--key", action="append", required=True, help="the log's verifier key")
    parser.add_argument("--origin", help="the log's name, when it is not the key's")
    given = parser.parse_args(arguments)
    try:
        receipt = check(given.file.read_bytes(), given.key, given.origin)
    except (Refused, OSError) as error:
        sys.stderr.write(f"refused: {error}\n")
        return 1
    say(f"good: {receipt.kind} {receipt.id} is entry {receipt.index} of {receipt.origin}")
    say(f"(signed with {receipt.size} entries)")
    say(json.dumps(receipt.body, ensure_ascii=False, indent=2, sort_keys=True))
    return 0


if __name__ == "__main__":
    sys.exit(main())
