"""Who gives a verdict without a pick whenever one model is missing: "same" as a way of waiting.

Fisher's exact test of the voter's own votes, model shown or not against best pick or not. A voter's
own share of "About the same" cancels out, so no rate of other voters is needed (a rigging bot that
only touches its target: Min et al. 2025).
"""

from __future__ import annotations

import numpy as np

from antiabuse.detectors.evidence import NO_PICK, VoterPicks
from antiabuse.detectors.finding import Detector, Finding, number_text
from antiabuse.detectors.rules import DetectorRules
from antiabuse.detectors.tails import overlap_tail

__all__ = ["deciding_for_one"]


def deciding_for_one(picks: VoterPicks, look: int, rules: DetectorRules) -> Finding | None:
    """Report a voter who picks a best answer where one model is shown, and hardly elsewhere.

    Args:
        picks: the voter's votes of all verdicts, exactly those of the look.
        look: as in `Finding`.
        rules: thresholds; the level is shared among the models tested.
    """
    decided = picks.best != NO_PICK
    total, picked = len(decided), int(decided.sum())
    shown = np.array([(picks.sets == model).any(axis=1) for model in range(len(picks.models))])
    seen = shown.sum(axis=1, dtype=np.int64)
    tested = np.flatnonzero((seen >= rules.agenda_appearances) & (seen < total)).tolist()
    if not tested:
        return None
    both = {model: int((shown[model] & decided).sum()) for model in tested}
    tails = {model: overlap_tail(int(seen[model]), picked, total, both[model]) for model in tested}
    model = min(tested, key=lambda place: tails[place])
    level = float(rules.agenda_level) / len(tested)
    if tails[model] > level:
        return None
    strict = tails[model] <= float(rules.agenda_level_discount) / len(tested)
    return Finding(
        detector=Detector.MODEL_AGENDA,
        subjects=(picks.voter,),
        votes=picks.votes,
        statistic=number_text(tails[model]),
        threshold=number_text(level),
        p_value=number_text(tails[model]),
        look=look,
        numbers={"kind": "decided", "model": picks.models[model], "tests": str(len(tested))}
        | _numbers(picks.models, tested, seen.tolist(), both, picked / total),
        discounts=strict and Detector.MODEL_AGENDA in rules.discounting,
    )


def _numbers(
    models: tuple[str, ...], tested: list[int], seen: list[int], both: dict[int, int], share: float
) -> dict[str, str]:
    """Lay out how often the voter decided where a model was shown, against all the votes' share."""
    made = {}
    for model in tested:
        name, n = f"decided:{models[model]}", seen[model]
        made[f"seen:{name}"] = str(n)
        made[f"picked:{name}"] = str(both[model])
        made[f"expected:{name}"] = number_text(n * share)
        made[f"sd:{name}"] = number_text(float(np.sqrt(n * share * (1 - share))))
    return made
