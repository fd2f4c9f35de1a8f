"""What a voter is told of being taken for one person with others; for the cookie's holder alone."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from arena import closed_months
from arena.clusters import members_with
from arena.joining_disputes import contestable_route
from arena.joining_history import joining_history
from arena.standing_events import AccountJoined
from arena.voter_names import names_of

__all__ = ["OwnJoining", "own_joinings"]


@dataclass(frozen=True, slots=True)
class OwnJoining:
    """A joining as its voter may know it; the others' names are theirs.

    Attributes:
        month: to which it belongs, and with whose end it ends.
        name: the voter's own name of that month, by which moderators find them.
        others: how many others they count as one with.
        since_us: when it was decided, microseconds UTC; the first of several decisions.
        reasons: codes of `JoinReason`, each once, in the order of the decisions.
        month_open: whether moderators can still part them.
        contest: where they may contest it: the address of the reveal of a vote that a rule gave
            weight 0; None where there is none, or no further dispute about it is possible.
    """

    month: str
    name: str
    others: int
    since_us: int
    reasons: tuple[str, ...]
    month_open: bool
    contest: str | None


def own_joinings(conn: Connection, voter_id: str, now_us: int) -> tuple[OwnJoining, ...]:
    """Return the joinings of a voter that nobody took back, the newest month first."""
    found = []
    for month, name in names_of(conn, voter_id):
        others = members_with(conn, month, (name,)).keys() - {name}
        if not others:
            continue
        held = _since_alone(conn, month, name)
        found.append(
            OwnJoining(
                month=month,
                name=name,
                others=len(others),
                since_us=held[0].at_us,
                reasons=tuple(dict.fromkeys(event.reason for event in held)),
                month_open=closed_months.is_open(conn, month, now_us),
                contest=contestable_route(conn, voter_id, month, name, now_us),
            )
        )
    return tuple(found)


def _since_alone(conn: Connection, month: str, name: str) -> list[AccountJoined]:
    """Return the joinings that name a voter since they last stood alone."""
    held: list[AccountJoined] = []
    for _, event in joining_history(conn, month, (name,)):
        if isinstance(event, AccountJoined):
            held.append(event)
        elif name in event.members:
            held.clear()
    return held
