"""Other flags of a case's voters: one abuser makes many cases, which are judged together."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from arena import review_rules
from arena.case_subject import Subject
from arena.review_tables import flag, flag_vote

__all__ = ["RelatedFlag", "RelatedFlags", "flags_of_voters"]


@dataclass(frozen=True, slots=True)
class RelatedFlag:
    """Another flag; `voters` are those that it has in common with the case.

    `model` is the one it is about, if any; `votes` is how many it names.
    """

    id: str
    detector: str
    mode: str
    hour: str
    state: str
    voters: tuple[str, ...]
    model: str | None
    votes: int


@dataclass(frozen=True, slots=True)
class RelatedFlags:
    """Flags, open ones first, then the newest; `left_out` are more than a case lists."""

    listed: tuple[RelatedFlag, ...]
    left_out: int


def flags_of_voters(
    conn: Connection, month: str, voters: Collection[str], *, besides: Subject
) -> RelatedFlags:
    """Return the flags of some voters in a month, in both modes.

    Args:
        conn: to read with.
        month: to which the pseudonyms belong.
        voters: pseudonyms.
        besides: the case itself, which is left out.
    """
    named = select(func.count()).where(flag_vote.c.flag_id == flag.c.id).scalar_subquery()
    of_month = select(flag, named.label("votes")).where(flag.c.month == month)
    newest_first = of_month.order_by(flag.c.hour.desc(), flag.c.id)
    own = frozenset(voters)
    found = []
    for row in conn.execute(newest_first):
        shared = tuple(name for name in row.subject.split() if name in own)
        if shared and str(besides) != f"flag:{row.id}":
            found.append(
                RelatedFlag(
                    id=row.id,
                    detector=row.detector,
                    mode=row.mode,
                    hour=row.hour,
                    state=row.state,
                    voters=shared,
                    model=json.loads(row.numbers).get("model"),
                    votes=row.votes,
                )
            )
    found.sort(key=lambda each: each.state != "open")
    most = review_rules.current().page_rows
    return RelatedFlags(tuple(found[:most]), max(0, len(found) - most))
