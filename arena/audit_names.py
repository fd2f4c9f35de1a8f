"""Full names for what people type into the audit log's filter: beginnings of ids, names of models.

Pages print the first eight characters of a name; from these on a beginning is enough if it is one's
alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal

from sqlalchemy import ColumnElement, Connection, Select, Text, case, func, or_, select, union

from arena.review_tables import decision, flag
from arena.tables import ballot, model, question, vote
from arena.voter_names import BANS

__all__ = ["Named", "names_beginning"]

Named = Literal["voter", "question", "flag", "vote", "model"]
_Begun = Literal["voter", "question", "flag", "vote"]
_ENOUGH: Final = 2  # one is the name meant, two already leave it open


def names_beginning(
    conn: Connection, kind: Named, typed: str, month: str | None
) -> tuple[str, ...]:
    """Return the full names that a typed text may mean; no more than two, for these are too many.

    Args:
        conn: to read with.
        kind: what is named; a model by its whole slug or name, in any case.
        typed: the beginning of the name, or all of it.
        month: to look in alone, of voters, flags and votes; None for all.
    """
    if kind == "model":
        return tuple(conn.execute(_models(typed)).scalars())
    whole = conn.execute(_names(kind, month, lambda name: name == typed)).scalars().all()
    if whole:
        return tuple(whole)

    def begins(name: ColumnElement[str]) -> ColumnElement[bool]:
        return name.startswith(typed, autoescape=True)

    return tuple(conn.execute(_names(kind, month, begins)).scalars())


def _models(typed: str) -> Select[str]:
    slug, name = func.lower(model.c.slug), func.lower(model.c.name)
    query = select(model.c.slug).where(or_(slug == typed.lower(), name == typed.lower()))
    return query.order_by(model.c.slug).limit(_ENOUGH)


def _names(
    kind: _Begun, month: str | None, fits: Callable[[ColumnElement[str]], ColumnElement[bool]]
) -> Select[str]:
    places = []
    for column, of_month in _PLACES[kind]:
        query = select(column.label("name")).where(fits(column))
        if month is not None and of_month is not None:
            query = query.where(of_month == month)
        places.append(query.distinct().order_by(column).limit(_ENOUGH).subquery())
    found = union(*(select(place.c.name) for place in places)).subquery()
    return select(found.c.name).order_by(found.c.name).limit(_ENOUGH)


# Of a ban's subject, `voter:2026-11:name`, the name.
_BANNED: Final = func.substr(decision.c.subject, len("voter:2026-11:") + 1, type_=Text())

_PLACES: Final[
    Mapping[_Begun, tuple[tuple[ColumnElement[str], ColumnElement[str] | None], ...]]
] = {
    "voter": (
        (ballot.c.voter, ballot.c.month),
        (vote.c.voter, vote.c.month),
        (case((decision.c.kind.in_(BANS), _BANNED)), decision.c.month),
    ),
    "question": ((question.c.id, None),),
    "flag": ((flag.c.id, flag.c.month),),
    "vote": ((vote.c.id, vote.c.month), (ballot.c.id, ballot.c.month)),
}
"""Kind -> where its names stand, each with their month; a vote has its ballot's name too."""
