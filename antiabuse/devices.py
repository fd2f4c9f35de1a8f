"""Device fingerprints as keyed digests of the month: weak evidence, no identity (V-120)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from antiabuse.digest_keys import DigestKeys
from antiabuse.keys import keyed_digest
from antiabuse.rules import current
from antiabuse.statements import Statement

_VOTES: Final = Statement(
    "SELECT count(*) AS votes, count(device) AS votes_with FROM sighting WHERE month = :month"
)
_PER_DIGEST: Final = Statement(
    "SELECT count(DISTINCT voter_id) FROM sighting"
    " WHERE month = :month AND device IS NOT NULL GROUP BY device"
)
_PER_VOTER: Final = Statement(
    "SELECT count(DISTINCT device), count(DISTINCT day) FROM sighting"
    " WHERE month = :month AND device IS NOT NULL GROUP BY voter_id"
)
_DIGEST: Final = re.compile(r"[0-9a-f]{32,128}")


def device_digest(keys: DigestKeys, month: str, sent: str) -> str | None:
    """Return the keyed digest that is stored in place of what the browser sent.

    Args:
        keys: of the months.
        month: `2026-11`; digests join within one month only.
        sent: hexadecimal digest made in the browser.

    Returns:
        The keyed digest in hex, or None when `sent` is no hexadecimal digest.

    Raises:
        DigestKeyUnusable: the month's key cannot be read or made.
    """
    if not _DIGEST.fullmatch(sent):
        return None
    return keyed_digest(keys.of_month(month), f"device:{sent}").hex()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceNumbers:
    """How far device digests of a month can be trusted, for the operator.

    Attributes:
        month: `2026-11`.
        votes: all with a sighting, with a digest or not.
        votes_with: those with a digest, so whose voters agreed and whose browsers made one.
        digests: different ones.
        voters: with at least one digest.
        shared: digests of more voters than a household usually has; at home and in schools equal
            machines cannot be told apart, so a large share says that digests collide.
        voters_per_digest: how many digests were seen from so many voters, by that number.
        seen_again: voters with digests on two days or more.
        changed: those among them with more than one digest; WebKit and Brave make noise of their
            own, so a large share says that digests do not hold.
    """

    month: str
    votes: int
    votes_with: int
    digests: int
    voters: int
    shared: int
    voters_per_digest: Mapping[int, int]
    seen_again: int
    changed: int

    @property
    def collision_share(self) -> float | None:
        """Share of digests that are shared; None without any."""
        return self.shared / self.digests if self.digests else None

    @property
    def change_share(self) -> float | None:
        """Share of returning voters whose digest changed; None without any."""
        return self.changed / self.seen_again if self.seen_again else None


def device_numbers(conn: Connection, month: str) -> DeviceNumbers:
    """Count collisions and changes of device digests in a month (UTC)."""
    seen = _VOTES.run(conn, month=month).one()
    per_digest = Counter(_PER_DIGEST.run(conn, month=month).scalars())
    per_voter = [tuple(row) for row in _PER_VOTER.run(conn, month=month)]
    returning = [digests for digests, days in per_voter if days > 1]
    household = current().device_household
    return DeviceNumbers(
        month=month,
        votes=seen.votes,
        votes_with=seen.votes_with,
        digests=per_digest.total(),
        voters=len(per_voter),
        shared=sum(count for voters, count in per_digest.items() if voters > household),
        voters_per_digest=dict(sorted(per_digest.items())),
        seen_again=len(returning),
        changed=sum(1 for digests in returning if digests > 1),
    )
