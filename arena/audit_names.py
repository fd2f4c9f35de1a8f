"""Full names for what people type into the audit log's filter: beginnings of ids, names of models.

Pages print the first eight characters of a name; from these on a beginning is enough if it is one's
alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal

from sqlalchemy import ColumnElement, Connection, Select, func, or_, select

from arena.review_tables import flag
from arena.tables import ballot, model, question, vote

__all__ = ["Named", "names_beginning"]

Named = Literal["voter", "question", "flag", "vote", "model"]
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
    whole = conn.execute(_names(kind, typed, month, lambda name: name == typed)).scalars().all()
    if whole:
        return tuple(whole)

    def begins(name: ColumnElement[str]) -> ColumnElement[bool]:
        return name.startswith(typed, autoescape=True)

    return tuple(conn.execute(_names(kind, typed, month, begins)).scalars())


def _names(
    kind: Named,
    typed: str,
    month: str | None,
    fits: Callable[[ColumnElement[str]], ColumnElement[bool]],
) -> Select[str]:
    if kind == "model":
        slug, name = func.lower(model.c.slug), func.lower(model.c.name)
        query = select(model.c.slug).where(or_(slug == typed.lower(), name == typed.lower()))
        return query.order_by(model.c.slug).limit(_ENOUGH)
    column, of_month = _COLUMNS[kind]
    query = select(column).where(fits(column))
    if month is not None and of_month is not None:
        query = query.where(of_month == month)
    return query.distinct().order_by(column).limit(_ENOUGH)


_COLUMNS: Final[
    Mapping[
        Literal["voter", "question", "flag", "vote"],
        tuple[ColumnElement[str], ColumnElement[str] | None],
    ]
] = {
    "voter": (ballot.c.voter, ballot.c.month),
    "question": (question.c.id, None),
    "flag": (flag.c.id, flag.c.month),
    "vote": (vote.c.id, vote.c.month),
}
"""Kind -> where its names stand, and the month they belong to."""
