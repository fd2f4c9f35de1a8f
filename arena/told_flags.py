"""What flags tell already, so that no finding is told twice and none is lost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import replace
from itertools import chain
from typing import Final

from sqlalchemy import Connection, select

from antiabuse.detectors.finding import Detector, Finding
from arena.events import Mode
from arena.review_tables import flag, flag_vote
from arena.tables import vote

__all__ = ["ToldFlags"]

_SEPARATOR: Final = " "
_GROUPS_OF_A_DAY: Final = frozenset({Detector.SHARED_DEVICE, Detector.SHARED_ADDRESS})
_GROWING: Final = frozenset(
    {
        Detector.REPETITIVE_LABELS,
        Detector.FAVOURITE_MODEL,
        Detector.IDENTICAL_BALLOTS,
        Detector.CAMPAIGN,
    }
)


class ToldFlags:
    """The flags of a detector about votes of a mode and month."""

    def __init__(self, conn: Connection, mode: Mode, month: str, detector: Detector) -> None:
        """Read them in the transaction that may raise more."""
        query = select(flag.c.id, flag.c.subject, flag.c.look, flag.c.state).where(
            flag.c.detector == detector.value, flag.c.mode == mode, flag.c.month == month
        )
        self._conn = conn
        self._flags = {row.id: row for row in conn.execute(query)}
        self._looks = {(row.subject, row.look) for row in self._flags.values()}
        self._open = {row.subject for row in self._flags.values() if row.state == "open"}

    def news_of(self, finding: Finding) -> Finding | None:
        """Return what of a finding is to have a flag of its own.

        Evidence that grows adds nothing to a case that is open, unless it takes weight. Of a group
        that shared a place on one day, the voters are left whom no flag about it names.
        """
        subject = _subject(finding)
        if (subject, finding.look) in self._looks:
            return None
        if finding.detector in _GROWING and subject in self._open and not finding.discounts:
            return None
        return self._unnamed(finding) if finding.detector in _GROUPS_OF_A_DAY else finding

    def add(self, finding: Finding) -> None:
        """Take note of a flag that was raised."""
        self._looks.add((_subject(finding), finding.look))
        self._open.add(_subject(finding))

    def named_on(self, days: Collection[int]) -> frozenset[str]:
        """Return the voters whom flags about some days of the month name."""
        rows = (row for row in self._flags.values() if row.look in days)
        return frozenset(name for row in rows for name in row.subject.split(_SEPARATOR))

    def named(self, finding: Finding) -> frozenset[str]:
        """Return the voters whom flags of the same look name that share a vote with a finding."""
        same_look = [each for each, row in self._flags.items() if row.look == finding.look]
        votes: dict[str, set[str]] = defaultdict(set)
        for row in self._conn.execute(select(flag_vote).where(flag_vote.c.flag_id.in_(same_look))):
            votes[row.flag_id].add(row.vote_id)
        sharing = [each for each, theirs in votes.items() if not theirs.isdisjoint(finding.votes)]
        names = (self._flags[each].subject.split(_SEPARATOR) for each in sharing)
        return frozenset(chain.from_iterable(names))

    def _unnamed(self, finding: Finding) -> Finding | None:
        named = self.named(finding)
        left = tuple(name for name in finding.subjects if name not in named)
        if not named or not left:
            return None if named else finding
        theirs = select(vote.c.id).where(vote.c.id.in_(finding.votes), vote.c.voter.in_(left))
        votes = tuple(self._conn.execute(theirs).scalars())
        return replace(finding, subjects=left, votes=votes) if votes else None


def _subject(finding: Finding) -> str:
    return _SEPARATOR.join(sorted(finding.subjects))
