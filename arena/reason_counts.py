"""How often voters gave each reason for or against a model, after votes that count (V-170)."""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, text

from arena import rules
from arena.events import Mode

__all__ = ["reason_counts"]

# A reason for speaks of the answer picked best, a reason against of the one picked worst.
_COUNTS = text(
    """
    SELECT r.reason, count(*) AS votes
    FROM ballot_slot s
    JOIN vote v ON v.ballot_id = s.ballot_id
    JOIN vote_reason r ON r.ballot_id = s.ballot_id
    WHERE s.model = :model AND v.mode = :mode AND v.weight_micro > 0
      AND NOT EXISTS (SELECT 1 FROM vote_strike x WHERE x.vote_id = v.id)
      AND ((r.reason IN :in_favour AND s.position = v.best)
           OR (r.reason IN :against AND s.position = v.worst))
    GROUP BY r.reason
    """
).bindparams(bindparam("in_favour", expanding=True), bindparam("against", expanding=True))


def reason_counts(conn: Connection, model: str, mode: Mode) -> dict[str, int]:
    """Return the number of votes that gave each reason, in the rules' order; 0 for none."""
    known = rules.current()
    values = {
        "model": model,
        "mode": mode,
        "in_favour": list(known.reasons_for),
        "against": list(known.reasons_against),
    }
    found = {row.reason: row.votes for row in conn.execute(_COUNTS, values)}
    return {reason: found.get(reason, 0) for reason in known.vote_reasons}
