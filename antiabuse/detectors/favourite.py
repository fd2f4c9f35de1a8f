"""One model picked best far more often than its strength explains (V-124, O-12).

The plain rule of the rulebook: standard deviations, one-sided, without correction for the number of
models; the exact chance stands beside it. Votes without a best pick do not enter.
"""

from __future__ import annotations

import numpy as np

from antiabuse.detectors.evidence import Showings, VoterPicks
from antiabuse.detectors.finding import Detector, Finding, number_text
from antiabuse.detectors.rules import DetectorRules
from antiabuse.detectors.tails import count_tails
from antiabuse.detectors.tallies import Tally

__all__ = ["favourite_model"]


def favourite_model(picks: VoterPicks, look: int, rules: DetectorRules) -> Finding | None:
    """Report a voter's favourite: best picks above the sum of chances by so many deviations.

    Args:
        picks: the voter's votes, exactly those of the look.
        look: as in `Finding`.
        rules: thresholds.
    """
    decided = picks.decided()
    showings = Showings.of_picks(decided.sets, decided.best, decided.chances)
    tally = Tally.of(showings, len(picks.models))
    z = np.where(tally.seen >= rules.favourite_appearances, tally.z, 0.0)
    found = np.flatnonzero(z > float(rules.favourite_deviations)).tolist()
    if not found:
        return None
    first = int(z.argmax())
    shown = showings.expected[showings.model == first]
    strict = z[first] > float(rules.favourite_deviations_discount)
    return Finding(
        detector=Detector.FAVOURITE_MODEL,
        subjects=(picks.voter,),
        votes=decided.showing(found).votes,
        statistic=number_text(float(z[first])),
        threshold=str(rules.favourite_deviations),
        p_value=number_text(count_tails(shown, int(tally.picked[first]))[1]),
        look=look,
        numbers={"kind": "best", "model": picks.models[first]}
        | tally.numbers("best", picks.models, np.flatnonzero(tally.seen).tolist()),
        discounts=bool(strict) and Detector.FAVOURITE_MODEL in rules.discounting,
    )
