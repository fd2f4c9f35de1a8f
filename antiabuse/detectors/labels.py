"""The same label picked best again and again: whoever always takes A does not read (V-124, O-12).

Labels are drawn afresh for each ballot, so an honest voter's next best pick has any of L labels
with chance 1/L, whatever the answers; a run of r has chance L^(1-r). All runs that are long enough
are evidence together, and the longest of them is what is measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from antiabuse.detectors.evidence import NO_PICK
from antiabuse.detectors.finding import Detector, Finding, number_text
from antiabuse.detectors.rules import DetectorRules
from antiabuse.detectors.steps import step

__all__ = ["repetitive_labels"]


def repetitive_labels(
    voter: str, votes: Sequence[str], best: Sequence[int], labels: int, rules: DetectorRules
) -> Finding | None:
    """Report a voter's runs of best picks on one label that are long enough.

    Args:
        voter: the name.
        votes: ids in the order of casting.
        best: the label picked best in each, or NO_PICK, which neither breaks nor lengthens
            a run.
        labels: labels on a ballot.
        rules: thresholds.
    """
    picks = [pick for pick in zip(best, votes, strict=True) if pick[0] != NO_PICK]
    runs = [list(run) for _, run in groupby(picks, key=lambda pick: pick[0])]
    longest = max(runs, key=len, default=[])
    if len(longest) < rules.label_run:
        return None
    found = [vote for run in runs if len(run) >= rules.label_run for _, vote in run]
    strict = len(longest) >= rules.label_run_discount
    return Finding(
        detector=Detector.REPETITIVE_LABELS,
        subjects=(voter,),
        votes=tuple(found),
        statistic=str(len(longest)),
        threshold=str(rules.label_run),
        p_value=number_text(labels ** (1.0 - len(longest))),
        look=step(len(found), rules.label_run, strict=strict),
        numbers={"label": str(longest[0][0]), "picks": str(len(picks))},
        discounts=strict and Detector.REPETITIVE_LABELS in rules.discounting,
    )
