"""Results of pieces of a run in a folder, so that a part can be run alone and the page be written.

What is kept stays as it is, whatever has changed in the code since, save where the fields of a
result are others: then it counts as not kept.
"""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

__all__ = ["Kept", "Key", "Pairs", "Piece"]

Key = tuple[str, ...]
Pairs = list[tuple[Key, Any]]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a run with one seed."""

    part: str
    seed: int


@dataclass(frozen=True, slots=True)
class Kept:
    """A folder with a file for each piece; only a folder that this class has written is safe."""

    folder: Path

    def load(self, piece: Piece) -> Pairs | None:
        """Return a piece's results, None if it was never run to its end or has other fields."""
        path = self._path(piece)
        if not path.exists():
            return None
        with path.open("rb") as file:
            shapes: dict[str, tuple[str, ...]] = pickle.load(file)  # noqa: S301 - our own file
            # Results are read by the order of their fields, so others would come out mixed up.
            if any(_fields(resolve_name(name)) != shape for name, shape in shapes.items()):
                return None
            found: Pairs = pickle.load(file)  # noqa: S301 - our own file
        return found

    def store(self, piece: Piece, pairs: Pairs) -> None:
        """Write a piece's results in one go, so that a file is whole or not there."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self._path(piece)
        begun = path.with_suffix(".part")
        shapes = {f"{cls.__module__}:{cls.__qualname__}": _fields(cls) for cls in _classes(pairs)}
        begun.write_bytes(pickle.dumps(shapes) + pickle.dumps(pairs))
        begun.replace(path)

    def _path(self, piece: Piece) -> Path:
        return self.folder / f"{piece.part}-{piece.seed}.pickle"


def _fields(cls: Any) -> tuple[str, ...]:  # noqa: ANN401 - any dataclass
    return tuple(one.name for one in dataclasses.fields(cls))


def _classes(value: Any) -> Iterator[type]:  # noqa: ANN401 - whatever a result holds
    """Yield the dataclasses of a value and of all that is in it, some more than once."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield type(value)
        for one in dataclasses.fields(value):
            yield from _classes(getattr(value, one.name))
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _classes(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _classes(part)
