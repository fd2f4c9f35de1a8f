"""The layout of C2SP tlog-tiles: paths, widths, growing tiles and reading nodes from them. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ledger.errors import InvalidProof
from ledger.merkle import HASH_BYTES, NodeReader, root_of

__all__ = [
    "TILE_WIDTH",
    "Tile",
    "TileName",
    "bundle",
    "edge",
    "extend",
    "node_reader",
    "parse_path",
    "path",
    "width_at",
]

TILE_HEIGHT: Final = 8
TILE_WIDTH: Final = 1 << TILE_HEIGHT
TILE_BYTES: Final = TILE_WIDTH * HASH_BYTES
HIGHEST_LEVEL: Final = 7
"""Level 7 covers 2^64 leaves, more than the log can ever hold."""

DIGITS: Final = 3
GROUP: Final = 10**DIGITS
PATH: Final = re.compile(r"(entries|[0-7])/((?:x[0-9]{3}/)*[0-9]{3})(?:\.p/([1-9][0-9]{0,2}))?")


@dataclass(frozen=True, slots=True)
class TileName:
    """What a tile's path names; level None is an entry bundle, width 256 a full tile."""

    level: int | None
    index: int
    width: int


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile's content; `grown` tells that a shorter version of it is stored already."""

    level: int
    index: int
    hashes: bytes
    grown: bool


def path(name: TileName) -> str:
    """Return the path of a tile or bundle below /log/tile/, such as "0/x001/067.p/8"."""
    groups = [f"{name.index % GROUP:03d}"]
    rest = name.index // GROUP
    while rest:
        groups.insert(0, f"x{rest % GROUP:03d}")
        rest //= GROUP
    level = "entries" if name.level is None else str(name.level)
    partial = "" if name.width == TILE_WIDTH else f".p/{name.width}"
    return f"{level}/{'/'.join(groups)}{partial}"


def parse_path(text: str) -> TileName | None:
    """Return what a path below /log/tile/ names; None when it is not the one form of a path."""
    found = PATH.fullmatch(text)
    if found is None:
        return None
    level, index, width = found.groups()
    name = TileName(
        None if level == "entries" else int(level),
        int(index.replace("x", "").replace("/", "")),
        TILE_WIDTH if width is None else int(width),
    )
    return name if path(name) == text else None


def width_at(level: int, index: int, size: int) -> int:
    """Return how many hashes (0 to 256) a tile holds in a tree of the given size."""
    in_level = size >> (TILE_HEIGHT * level)
    return max(0, min(TILE_WIDTH, in_level - index * TILE_WIDTH))


def edge(size: int) -> list[tuple[int, int]]:
    """Return (level, index) of the partial tiles of a tree of the given size."""
    return [
        (level, (size >> (TILE_HEIGHT * level)) // TILE_WIDTH)
        for level in range(HIGHEST_LEVEL + 1)
        if (size >> (TILE_HEIGHT * level)) % TILE_WIDTH
    ]


def extend(
    size: int, partial: Mapping[tuple[int, int], bytes], leaf_hashes: Sequence[bytes]
) -> list[Tile]:
    """Return the tiles that change when leaves are added to a tree.

    Args:
        size: of the tree before.
        partial: content of the tiles named by `edge(size)`.
        leaf_hashes: of the new leaves, in order.
    """
    tiles: list[Tile] = []
    level, hashes = 0, list(leaf_hashes)
    while hashes:
        index, width = divmod(size >> (TILE_HEIGHT * level), TILE_WIDTH)
        before = partial[level, index][: width * HASH_BYTES] if width else b""
        content = before + b"".join(hashes)
        hashes = []
        for at in range(0, len(content), TILE_BYTES):
            chunk = content[at : at + TILE_BYTES]
            tiles.append(Tile(level, index, chunk, grown=at == 0 and width > 0))
            index += 1
            if len(chunk) == TILE_BYTES:  # a partial tile's hash never goes into the level above
                hashes.append(root_of(split(chunk)))
        level += 1
    return tiles


def node_reader(fetch: Callable[[int, int], bytes]) -> NodeReader:
    """Return a look-up of perfect subtrees in tiles, each tile fetched once.

    Args:
        fetch: (level, index) → the tile's hashes, b"" when there is none.
    """
    seen: dict[tuple[int, int], bytes] = {}

    def node(height: int, index: int) -> bytes:
        level, rest = divmod(height, TILE_HEIGHT)
        count = 1 << rest
        tile, place = divmod(index * count, TILE_WIDTH)
        if (level, tile) not in seen:
            seen[level, tile] = fetch(level, tile)
        hashes = seen[level, tile][place * HASH_BYTES : (place + count) * HASH_BYTES]
        if len(hashes) != count * HASH_BYTES:
            raise InvalidProof(f"tile {level}/{tile} does not reach hash {place + count - 1}")
        return root_of(split(hashes))

    return node


def split(hashes: bytes) -> list[bytes]:
    """Return the single hashes of a tile."""
    return [hashes[at : at + HASH_BYTES] for at in range(0, len(hashes), HASH_BYTES)]


def bundle(entries: Iterable[bytes]) -> bytes:
    """Return an entry bundle: each entry after its length as two big-endian bytes."""
    return b"".join(len(entry).to_bytes(2, "big") + entry for entry in entries)
