"""Tile paths and widths are those of C2SP tlog-tiles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.tiles import TileName, bundle, edge, parse_path, path, width_at


@pytest.mark.parametrize(
    "name, text",
    [
        (TileName(0, 0, 256), "0/000"),
        (TileName(0, 1_234_067, 256), "0/x001/x234/067"),
        (TileName(2, 5, 17), "2/005.p/17"),
        (TileName(None, 1_000, 1), "entries/x001/000.p/1"),
    ],
)
def test_known_paths(name: TileName, text: str) -> None:
    """The examples of the format are written and read."""
    assert path(name) == text
    assert parse_path(text) == name


@given(
    st.none() | st.integers(0, 7),
    st.integers(0, 2**40),
    st.integers(1, 256),
)
def test_paths_round_trip(level: int | None, index: int, width: int) -> None:
    """Every tile has one path, which leads back to it."""
    name = TileName(level, index, width)
    assert parse_path(path(name)) == name


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0/0",
        "0/x000/001",
        "0/001/001",
        "8/000",
        "0/000.p/0",
        "0/000.p/256",
        "0/000.p/01",
        "0/000/",
        "entries/../000",
        "0/000\n",
        "0/٠٠٠",
    ],
)
def test_other_paths_name_nothing(text: str) -> None:
    """A path in any other form is not found rather than guessed at."""
    assert parse_path(text) is None


def test_widths_of_the_published_example() -> None:
    """A tree of 70,000 has the tiles that the format's text counts."""
    size = 70_000
    assert [width_at(0, index, size) for index in (0, 272, 273, 274)] == [256, 256, 112, 0]
    assert [width_at(1, index, size) for index in (0, 1, 2)] == [256, 17, 0]
    assert [width_at(2, index, size) for index in (0, 1)] == [1, 0]
    assert edge(size) == [(0, 273), (1, 1), (2, 0)]


def test_no_empty_partial_tile() -> None:
    """A tree of 256 has one full tile at level 0 and a partial one of width 1 above it."""
    assert edge(256) == [(1, 0)]
    assert edge(0) == []


def test_bundle_writes_lengths() -> None:
    """Each entry stands after its length in two bytes."""
    assert bundle([b"ab", b""]) == b"\x00\x02ab\x00\x00"
