"""Proofs made from tiles agree with RFC 9162's definitions, written out slowly here."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger import merkle, tiles
from ledger.errors import InvalidProof

HASHES = [merkle.hash_leaf(str(number).encode()) for number in range(300)]


def slow_root(hashes: Sequence[bytes]) -> bytes:
    """MTH of RFC 9162, section 2.1.1, over leaf hashes."""
    if not hashes:
        return hashlib.sha256(b"").digest()
    if len(hashes) == 1:
        return hashes[0]
    k = largest_power_below(len(hashes))
    return hashlib.sha256(b"\x01" + slow_root(hashes[:k]) + slow_root(hashes[k:])).digest()


def slow_path(m: int, hashes: Sequence[bytes]) -> list[bytes]:
    """PATH of RFC 9162, section 2.1.3.1."""
    if len(hashes) == 1:
        return []
    k = largest_power_below(len(hashes))
    if m < k:
        return [*slow_path(m, hashes[:k]), slow_root(hashes[k:])]
    return [*slow_path(m - k, hashes[k:]), slow_root(hashes[:k])]


def slow_subproof(m: int, hashes: Sequence[bytes], *, known: bool) -> list[bytes]:
    """SUBPROOF of RFC 9162, section 2.1.4.1."""
    if m == len(hashes):
        return [] if known else [slow_root(hashes)]
    k = largest_power_below(len(hashes))
    if m <= k:
        return [*slow_subproof(m, hashes[:k], known=known), slow_root(hashes[k:])]
    return [*slow_subproof(m - k, hashes[k:], known=False), slow_root(hashes[:k])]


def largest_power_below(size: int) -> int:
    """Return the largest power of two below size."""
    k = 1
    while k * 2 < size:
        k *= 2
    return k


def grown(sizes: Sequence[int]) -> dict[tuple[int, int], bytes]:
    """Return the tiles of a tree that grew through the given sizes."""
    stored: dict[tuple[int, int], bytes] = {}
    size = 0
    for larger in sizes:
        partial = {at: stored[at] for at in tiles.edge(size)}
        for tile in tiles.extend(size, partial, HASHES[size:larger]):
            assert tile.grown == ((tile.level, tile.index) in stored)
            stored[tile.level, tile.index] = tile.hashes
        size = larger
    return stored


def reader(stored: dict[tuple[int, int], bytes]) -> merkle.NodeReader:
    """Return a look-up of nodes in the tiles."""
    return tiles.node_reader(lambda level, index: stored.get((level, index), b""))


ALL = reader(grown([300]))


@given(st.integers(0, 300))
def test_roots_from_tiles(size: int) -> None:
    """The root from the tiles of a larger tree, and by pairing, is the defined one."""
    defined = slow_root(HASHES[:size])
    assert merkle.range_root(0, size, ALL) == defined
    assert merkle.root_of(HASHES[:size]) == defined


@given(st.lists(st.integers(0, 300), max_size=6).map(sorted))
def test_tiles_do_not_depend_on_the_batches(sizes: list[int]) -> None:
    """A tree grown in any batches has the tiles of one grown leaf by leaf at its end."""
    final = max(sizes, default=0)
    stored = grown(sizes)
    assert stored == grown([final])
    level_0 = b"".join(stored[at] for at in sorted(stored) if at[0] == 0)
    assert level_0 == b"".join(HASHES[:final])
    assert stored.get((1, 0), b"") == (slow_root(HASHES[:256]) if final >= 256 else b"")


@given(st.data())
@settings(max_examples=200)
def test_inclusion(data: st.DataObject) -> None:
    """Every audit path is the defined one, verifies, and fails for another leaf, place or size."""
    size = data.draw(st.integers(1, 300))
    index = data.draw(st.integers(0, size - 1))
    root = slow_root(HASHES[:size])
    proof = merkle.inclusion_proof(index, size, ALL)
    assert proof == slow_path(index, HASHES[:size])
    merkle.verify_inclusion(HASHES[index], index, size, proof, root)
    other = data.draw(st.integers(0, 299).filter(lambda number: number != index))
    with pytest.raises(InvalidProof):
        merkle.verify_inclusion(HASHES[other], index, size, proof, root)
    with pytest.raises(InvalidProof):
        merkle.verify_inclusion(HASHES[index], other, size, proof, root)
    with pytest.raises(InvalidProof):
        merkle.verify_inclusion(HASHES[index], index, size, [*proof, root], root)


@given(st.data())
@settings(max_examples=200)
def test_consistency(data: st.DataObject) -> None:
    """Every consistency proof is the defined one, verifies, and fails for changed roots."""
    new = data.draw(st.integers(1, 300))
    old = data.draw(st.integers(1, new))
    roots = slow_root(HASHES[:old]), slow_root(HASHES[:new])
    proof = merkle.consistency_proof(old, new, ALL)
    assert proof == slow_subproof(old, HASHES[:new], known=True)
    merkle.verify_consistency(old, new, *roots, proof)
    with pytest.raises(InvalidProof):
        merkle.verify_consistency(old, new, HASHES[0][::-1], roots[1], proof)
    with pytest.raises(InvalidProof):
        merkle.verify_consistency(old, new, roots[0], HASHES[0][::-1], proof)
    with pytest.raises(InvalidProof):
        merkle.verify_consistency(old, new, *roots, [*proof, roots[0]])


@pytest.mark.parametrize("index, size", [(0, 0), (3, 3), (-1, 3)])
def test_no_path_outside_the_tree(index: int, size: int) -> None:
    """A leaf that the tree lacks has no proof."""
    with pytest.raises(InvalidProof):
        merkle.inclusion_proof(index, size, ALL)


def test_no_consistency_with_a_larger_tree() -> None:
    """A larger tree does not begin a smaller one; the empty one begins all with no proof."""
    with pytest.raises(InvalidProof):
        merkle.consistency_proof(5, 4, ALL)
    assert merkle.consistency_proof(0, 4, ALL) == []


def test_missing_tile_is_named() -> None:
    """A node beyond the stored tiles raises instead of giving a short hash."""
    with pytest.raises(InvalidProof, match="tile 0/1"):
        merkle.range_root(0, 301, ALL)
