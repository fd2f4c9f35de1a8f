"""Merkle trees as in RFC 6962 and RFC 9162: hashing, proofs and their verification. Pure.

Proofs are made from perfect subtrees that the caller looks up, never from the whole log.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Final

from ledger.errors import InvalidProof

__all__ = [
    "EMPTY_ROOT",
    "NodeReader",
    "consistency_proof",
    "hash_leaf",
    "hash_node",
    "inclusion_proof",
    "range_root",
    "root_of",
    "verify_consistency",
    "verify_inclusion",
]

EMPTY_ROOT: Final = hashlib.sha256(b"").digest()
HASH_BYTES: Final = 32

NodeReader = Callable[[int, int], bytes]
"""(height, index) → hash of the perfect subtree over leaves index·2^height onwards."""

Range = tuple[int, int]


def hash_leaf(entry: bytes) -> bytes:
    """Return the hash of a leaf (RFC 9162, section 2.1.1)."""
    return hashlib.sha256(b"\x00" + entry).digest()


def hash_node(left: bytes, right: bytes) -> bytes:
    """Return the hash of an inner node (RFC 9162, section 2.1.1)."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def root_of(hashes: Sequence[bytes]) -> bytes:
    """Return the root over the given leaf hashes, in order."""
    if not hashes:
        return EMPTY_ROOT
    row = list(hashes)
    while len(row) > 1:
        paired = [hash_node(row[at], row[at + 1]) for at in range(0, len(row) - 1, 2)]
        # Lifting a lone last node unchanged is the same as splitting at the largest power of two.
        row = paired + row[2 * len(paired) :]
    return row[0]


def range_root(start: int, end: int, node: NodeReader) -> bytes:
    """Return the root over the leaves from start to before end.

    Args:
        start: a multiple of the largest power of two not above end - start.
        end: after the last leaf.
        node: looks up perfect subtrees.
    """
    subtrees = []
    while start < end:
        height = (end - start).bit_length() - 1
        subtrees.append(node(height, start >> height))
        start += 1 << height
    if not subtrees:
        return EMPTY_ROOT
    root = subtrees.pop()
    while subtrees:
        root = hash_node(subtrees.pop(), root)
    return root


def inclusion_proof(index: int, size: int, node: NodeReader) -> list[bytes]:
    """Return the audit path of a leaf, from its sibling up (RFC 9162, section 2.1.3.1)."""
    if not 0 <= index < size:
        raise InvalidProof(f"a tree of {size} leaves has no leaf {index}")
    ranges: list[Range] = []
    start, end = 0, size
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            ranges.append((middle, end))
            end = middle
        else:
            ranges.append((start, middle))
            start = middle
    return [range_root(*span, node) for span in reversed(ranges)]


def consistency_proof(old: int, new: int, node: NodeReader) -> list[bytes]:
    """Return the proof that the tree of size old begins that of size new (section 2.1.4.1)."""
    if not 0 <= old <= new:
        raise InvalidProof(f"a tree of {old} leaves does not begin one of {new}")
    if old in {0, new}:
        return []
    ranges: list[Range] = []
    start, end = 0, new
    while end != old:
        middle = start + _split(end - start)
        if old <= middle:
            ranges.append((middle, end))
            end = middle
        else:
            ranges.append((start, middle))
            start = middle
    if start > 0:  # otherwise this subtree is the old tree itself, whose root the reader has
        ranges.append((start, end))
    return [range_root(*span, node) for span in reversed(ranges)]


def verify_inclusion(
    leaf_hash: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes
) -> None:
    """Check an audit path (RFC 9162, section 2.1.3.2).

    Raises:
        InvalidProof: when it does not lead from the leaf to the root.
    """
    if not 0 <= index < size:
        raise InvalidProof(f"a tree of {size} leaves has no leaf {index}")
    if len(leaf_hash) != HASH_BYTES:
        raise InvalidProof("the leaf's hash has a wrong length")
    place, last, found = index, size - 1, leaf_hash
    for step in proof:
        if last == 0 or len(step) != HASH_BYTES:
            raise InvalidProof("the inclusion proof has a hash too many or of a wrong length")
        if place & 1 or place == last:
            found = hash_node(step, found)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            found = hash_node(found, step)
        place, last = place >> 1, last >> 1
    if last != 0 or found != root:
        raise InvalidProof("the inclusion proof does not lead to the root")


def verify_consistency(
    old: int, new: int, old_root: bytes, new_root: bytes, proof: Sequence[bytes]
) -> None:
    """Check that one tree begins another (RFC 9162, section 2.1.4.2).

    Raises:
        InvalidProof: when it does not, or when the older one is empty, which proves nothing.
    """
    if not 0 < old <= new:
        raise InvalidProof(f"nothing can prove that {old} leaves begin {new}")
    if old == new:
        if proof or old_root != new_root:
            raise InvalidProof("two trees of one size differ")
        return
    path = [old_root, *proof] if old & (old - 1) == 0 else list(proof)
    if len(path) < 1 or any(len(step) != HASH_BYTES for step in path):
        raise InvalidProof("the consistency proof is empty or has a hash of a wrong length")
    _walk_consistency(old - 1, new - 1, path, old_root, new_root)


def _walk_consistency(
    place: int, last: int, path: Sequence[bytes], old_root: bytes, new_root: bytes
) -> None:
    while place & 1:
        place, last = place >> 1, last >> 1
    old_found = new_found = path[0]
    for step in path[1:]:
        if last == 0:
            raise InvalidProof("the consistency proof has a hash too many")
        if place & 1 or place == last:
            old_found, new_found = hash_node(step, old_found), hash_node(step, new_found)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            new_found = hash_node(new_found, step)
        place, last = place >> 1, last >> 1
    if last != 0 or old_found != old_root or new_found != new_root:
        raise InvalidProof("the consistency proof does not lead to both roots")


def _split(size: int) -> int:
    """Return the largest power of two below size (size ≥ 2)."""
    return 1 << (size - 1).bit_length() - 1
