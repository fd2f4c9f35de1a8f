"""Published Merkle vectors: RFC 6962's hashes and all proofs of transparency-dev/merkle."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from ledger.errors import InvalidProof
from ledger.merkle import (
    EMPTY_ROOT,
    hash_leaf,
    hash_node,
    root_of,
    verify_consistency,
    verify_inclusion,
)

# The eight leaves of the certificate-transparency tests, and the roots over the first n of them.
LEAVES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657"]
LEAVES += ["606162636465666768696a6b6c6d6e6f"]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def decoded(text: str) -> bytes:
    """Return the bytes of base64."""
    return base64.b64decode(text)


def cases(shared_data: Path, name: str) -> list[dict[str, Any]]:
    """Return the published cases of one kind."""
    text = (shared_data / "reference" / "merkle" / f"{name}.json").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = json.loads(text)
    assert len(found) == 98
    return found


def test_hash_constants_of_rfc_6962() -> None:
    """The empty tree, the empty leaf and a node have their known hashes."""
    assert EMPTY_ROOT.hex() == ROOTS[0]
    assert hash_leaf(b"").hex() == ROOTS[1]
    assert hash_leaf(b"L123456").hex() == (
        "395aa064aa4c29f7010acfe3f25db9485bbd4b91897b6ad7ad547639252b4d56"
    )
    assert hash_node(b"N123", b"N456").hex() == (
        "aa217fe888e47007fa15edab33c2b492a722cb106c64667fc2b044444de66bbb"
    )


@pytest.mark.parametrize("size", range(len(ROOTS)))
def test_roots_over_the_known_leaves(size: int) -> None:
    """The root over the first n known leaves is the published one."""
    assert root_of([hash_leaf(bytes.fromhex(leaf)) for leaf in LEAVES[:size]]).hex() == ROOTS[size]


def test_inclusion_vectors(shared_data: Path) -> None:
    """All 98 inclusion cases are accepted or refused as published."""
    wrong = []
    for case in cases(shared_data, "inclusion"):
        proof = [decoded(step) for step in case["proof"] or []]
        try:
            verify_inclusion(
                decoded(case["leafHash"]),
                case["leafIdx"],
                case["treeSize"],
                proof,
                decoded(case["root"]),
            )
            refused = False
        except InvalidProof:
            refused = True
        if refused != case["wantErr"]:
            wrong.append(case["name"])
    assert wrong == []


def test_consistency_vectors(shared_data: Path) -> None:
    """All 98 consistency cases are accepted or refused as published."""
    wrong = []
    for case in cases(shared_data, "consistency"):
        proof = [decoded(step) for step in case["proof"] or []]
        try:
            verify_consistency(
                case["size1"],
                case["size2"],
                decoded(case["root1"]),
                decoded(case["root2"]),
                proof,
            )
            refused = False
        except InvalidProof:
            refused = True
        if refused != case["wantErr"]:
            wrong.append(case["name"])
    assert wrong == []
