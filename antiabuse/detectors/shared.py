"""Several voters on one device or address within a UTC day (V-122, V-125, O-11).

Weak evidence: families, schools and equal phones share both. It opens a review, joins
nobody and never takes weight by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from antiabuse.detectors.finding import Detector, Finding
from antiabuse.detectors.rules import DetectorRules

__all__ = ["Sighting", "shared_addresses", "shared_devices"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """Where a vote came from: keyed digests, None where unknown, loopback or private."""

    vote: str
    voter: str
    day: str
    address: str | None
    device: str | None


def shared_devices(
    sightings: Iterable[Sighting], joined: Mapping[str, int], rules: DetectorRules
) -> list[Finding]:
    """Report the newest voters of a fingerprint on which more than the limit voted in a day.

    Args:
        sightings: in any order.
        joined: when each voter came, in any unit; the first ones up to the limit are not reported.
        rules: thresholds.
    """
    findings = []
    for (_, day), seen in _together(sightings, lambda at: at.device):
        voters = sorted({at.voter for at in seen}, key=lambda voter: (joined[voter], voter))
        if len(voters) > rules.device_voters:
            newest = voters[rules.device_voters :]
            findings.append(_finding(Detector.SHARED_DEVICE, day, seen, newest, len(voters), rules))
    return findings


def shared_addresses(sightings: Iterable[Sighting], rules: DetectorRules) -> list[Finding]:
    """Report all voters of an address from which more than the limit voted in a day."""
    findings = []
    for (_, day), seen in _together(sightings, lambda at: at.address):
        voters = sorted({at.voter for at in seen})
        if len(voters) > rules.address_voters:
            findings.append(
                _finding(Detector.SHARED_ADDRESS, day, seen, voters, len(voters), rules)
            )
    return findings


def _together(
    sightings: Iterable[Sighting], digest: Callable[[Sighting], str | None]
) -> list[tuple[tuple[str, str], list[Sighting]]]:
    """Gather sightings by digest and day; those without a digest are together with nobody."""
    groups: dict[tuple[str, str], list[Sighting]] = {}
    for sighting in sightings:
        key = digest(sighting)
        if key is not None:
            groups.setdefault((key, sighting.day), []).append(sighting)
    return sorted(groups.items())


def _finding(
    detector: Detector,
    day: str,
    seen: list[Sighting],
    subjects: list[str],
    voters: int,
    rules: DetectorRules,
) -> Finding:
    limit = rules.device_voters if detector is Detector.SHARED_DEVICE else rules.address_voters
    return Finding(
        detector=detector,
        subjects=tuple(sorted(subjects)),
        votes=tuple(sorted(at.vote for at in seen if at.voter in subjects)),
        statistic=str(voters),
        threshold=str(limit + 1),
        p_value=None,
        look=int(day[-2:]),
        numbers={"voters": str(voters), "votes": str(len(seen))},
        discounts=False,
    )
