"""One vote for a moderator who decides on it: what was asked and picked, why it was struck."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from arena.audit_rows import AuditRow
from arena.reveals import Reveal, load_reveal
from arena.vote_life import BoardSpan, VoteLife, vote_life_for_moderators

__all__ = ["VoteStory", "vote_story"]

_STRIKES: Final = ("vote.voided", "vote.discounted")


@dataclass(frozen=True, slots=True)
class VoteStory:
    """A vote with its ballot.

    Attributes:
        life: all that happened to it.
        cast: its own event.
        reveal: question, answers and picks as its voter saw them.
        strike: the event that struck it last, even where that was taken back; None without one.
    """

    life: VoteLife
    cast: AuditRow
    reveal: Reveal | None
    strike: AuditRow | None

    @property
    def told(self) -> list[AuditRow | BoardSpan]:
        """Events and rows of boards in one order: boards stand before what came after them."""
        boards, told = list(self.life.boards), list[AuditRow | BoardSpan]()
        for step in self.life.steps:
            while boards and step.at_us is not None and boards[0].first_us < step.at_us:
                told.append(boards.pop(0))
            told.append(step)
        return told + boards


def vote_story(conn: Connection, vote_id: str) -> VoteStory:
    """Return what a moderator should know of a vote.

    Raises:
        UnknownVote: there is no such vote.
    """
    life = vote_life_for_moderators(conn, vote_id)
    cast = next(step for step in life.steps if step.event == vote_id)
    strikes = [step for step in life.steps if step.kind in _STRIKES]
    return VoteStory(
        life=life,
        cast=cast,
        reveal=load_reveal(conn, cast.ballot or ""),
        strike=strikes[-1] if strikes else None,
    )
