"""What is kept on a voter, laid out for its page: fields of the rows, and groups of records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from antiabuse.utc import SECOND_US
from arena.own_data import Kept

__all__ = ["Field", "KeptView", "Records", "kept_view"]

# Long values that stand in the file only: a page cannot show them to any use.
_IN_FILE_ONLY: Final = frozenset({"body", "body_salt", "body_sha256", "salt", "sha256"})
_MOMENT: Final = "_us"


@dataclass(frozen=True, slots=True)
class Field:
    """One field as stored, by the name it has there."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Records:
    """Records of one kind: how many there are, and the newest one's fields."""

    kind: str
    count: int
    newest: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class KeptView:
    """What the page shows: the voter's own row, then everything else by kind."""

    voter: tuple[Field, ...]
    records: tuple[Records, ...]


def kept_view(kept: Kept) -> KeptView:
    """Lay out what is kept; kinds in the order in which they first came."""
    private: dict[str, list[Mapping[str, Any]]] = {}
    for part in kept.private_parts:
        withheld = {"withheld": part["withheld"]} if part["withheld"] else {}
        private.setdefault(f"private {part['kind']}", []).append({**part["fields"], **withheld})
    groups: dict[str, Sequence[Mapping[str, Any]]] = {
        "ballot": kept.ballots,
        "vote": kept.votes,
        **private,
        "sighting": kept.sightings,
    }
    return KeptView(
        voter=_fields(kept.voter or {}),
        records=tuple(
            Records(kind, len(found), _fields(found[-1])) for kind, found in groups.items() if found
        ),
    )


def _fields(record: Mapping[str, Any]) -> tuple[Field, ...]:
    return tuple(
        Field(name, _written(name, value))
        for name, value in record.items()
        if name not in _IN_FILE_ONLY
    )


def _written(name: str, value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and name.endswith(_MOMENT) and name != "dwell_us":
        seconds, rest = divmod(value, SECOND_US)
        moment = datetime.fromtimestamp(seconds, tz=UTC)
        return f"{moment:%Y-%m-%d %H:%M:%S}.{rest:06d} UTC"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "–"
    return str(value)
