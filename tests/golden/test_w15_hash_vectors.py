"""W-15: canonical JSON and digests give the published hashes."""

from __future__ import annotations

import hashlib
import unicodedata

import pytest

from ledger.canonical import canonical, digest

VECTORS = [
    (
        {"total": "75.00", "respondent": "Beta", "rulebook": "protocol.9.7", "id": "BAA-B1-C9-P1"},
        '{"id":"BAA-B1-C9-P1","respondent":"Beta","rulebook":"protocol.9.7","total":"75.00"}',
        "f858dcc6ada3058ee759ec9c33b5cde1b71eddadbdbfc8d4e2d8ce01b32f6661",
    ),
    (
        {"note": "Bịa Đặt", "b": 1, "a": [1, 2]},
        '{"a":[1,2],"b":1,"note":"Bịa Đặt"}',
        "f2007309782752226e890ce4fc6168eab036d520410f1758c56842a09a932d60",
    ),
]


@pytest.mark.parametrize("value, text, sha256", VECTORS)
def test_canonical_json_has_the_published_hash(
    value: dict[str, object], text: str, sha256: str
) -> None:
    """The canonical bytes and their SHA-256 are those of the table."""
    assert canonical(value) == text.encode()
    assert hashlib.sha256(canonical(value)).hexdigest() == sha256


def test_decomposed_text_has_the_same_hash() -> None:
    """A text in another normal form of Unicode gives the published hash too."""
    value = {"a": [1, 2], "b": 1, "note": unicodedata.normalize("NFD", "Bịa Đặt")}
    assert hashlib.sha256(canonical(value)).hexdigest() == VECTORS[1][2]


def test_canary_commitment() -> None:
    """A digest over salt, colon and canary is the published commitment."""
    commitment = digest(b"0" * 32 + b":", b"AWWE-3F2A9C1B7E4D5806A1")
    assert commitment == "86afaa6060d56e1485b7288bb62df111cf08f9d7b43e1fb62bf23012bd34972f"
