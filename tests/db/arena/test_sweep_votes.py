"""What a sweep reads of votes that the log shuffled among those of their minute (V-158)."""

from __future__ import annotations

import numpy as np

from antiabuse.detectors import rules
from arena.sweep_crowd import label_runs
from arena.sweep_votes import MonthVotes, read_votes
from tests.fixtures.arena_site import ArenaSite

PACE_S = 10  # the shortest pause between two votes, so that six share a minute


def read(site: ArenaSite) -> MonthVotes:
    """Read the month as a sweep does."""
    with site.database.read() as conn:
        return read_votes(site.services.ports, conn, "speed", "2026-11")


def vote_all(site: ArenaSite, labels: str) -> list[str]:
    """Let a new voter pick these labels one after another; return the votes' ids."""
    voter = site.voter()
    for label in labels:
        token = voter.ballot().token
        site.clock.advance(PACE_S)
        assert voter.vote(token, best=label, worst="D").status_code == 303
        site.services.sequencer().step(site.clock())
    site.sequence()
    return [event.id for event in site.events("vote.cast")][-len(labels) :]


def test_a_run_of_labels_is_found_however_the_log_shuffled_it(either_arena: ArenaSite) -> None:
    """Ten picks of A between others count as ten, though the log has the others among them."""
    cast = vote_all(either_arena, "BAAAAAAAAAAC")
    votes = read(either_arena)

    best = "".join("ABCD"[int(label)] for label in votes.cast.votes["best"])
    assert "A" * 10 not in best  # else the log's order would do
    rows = votes.as_cast(np.arange(len(votes.ids)))
    assert [votes.ids[row] for row in rows.tolist()] == cast
    (run,) = label_runs(votes, rules.current())
    assert run.votes == tuple(cast[1:-1])
