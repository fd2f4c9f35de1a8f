"""Why a vote stops counting or counts again, why voters are joined or parted: closed lists.

Each code has one plain sentence, for the voter and for the public record.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

__all__ = [
    "JOIN_REASONS",
    "PART_REASONS",
    "RESTORE_REASONS",
    "STRIKE_REASONS",
    "JoinReason",
    "PartReason",
    "RestoreReason",
    "StrikeReason",
]


class StrikeReason(StrEnum):
    """Why a vote weighs nothing any more (V-052)."""

    IDENTITY_LEAK = "identity_leak"
    SAME_PERSON = "same_person"
    ONE_SIDED = "one_sided"
    CARELESS = "careless"
    COORDINATED = "coordinated"
    AUTOMATED = "automated"
    DETECTOR = "detector"


class RestoreReason(StrEnum):
    """Why a struck vote counts again."""

    DISPUTE_UPHELD = "dispute_upheld"
    FLAG_DISMISSED = "flag_dismissed"
    ANSWER_CLEARED = "answer_cleared"
    NEW_EVIDENCE = "new_evidence"
    MISTAKE = "mistake"


class JoinReason(StrEnum):
    """Why several voters are taken as one."""

    SAME_DEVICE = "same_device"
    SAME_NETWORK = "same_network"
    SAME_PATTERN = "same_pattern"
    ADMITTED = "admitted"


class PartReason(StrEnum):
    """Why voters who were taken as one stand alone again."""

    DIFFERENT_PEOPLE = "different_people"
    NEW_EVIDENCE = "new_evidence"
    MISTAKE = "mistake"


STRIKE_REASONS: Final[dict[StrikeReason, str]] = {
    StrikeReason.IDENTITY_LEAK: "An answer on the ballot said which model wrote it.",
    StrikeReason.SAME_PERSON: "One person voted under several voter ids.",
    StrikeReason.ONE_SIDED: "The votes favour or hurt one model far more than chance allows.",
    StrikeReason.CARELESS: "The choices cannot be told from random ones.",
    StrikeReason.COORDINATED: "The vote belongs to a group cast together to move a model.",
    StrikeReason.AUTOMATED: "The vote was cast by a program.",
    StrikeReason.DETECTOR: "A detector that the rules let strike votes by itself found it.",
}
RESTORE_REASONS: Final[dict[RestoreReason, str]] = {
    RestoreReason.DISPUTE_UPHELD: "The voter contested it and was right.",
    RestoreReason.FLAG_DISMISSED: "The flag behind it did not hold.",
    RestoreReason.ANSWER_CLEARED: "The answer on the ballot does not say which model wrote it.",
    RestoreReason.NEW_EVIDENCE: "New evidence speaks for the vote.",
    RestoreReason.MISTAKE: "It was struck by mistake.",
}
JOIN_REASONS: Final[dict[JoinReason, str]] = {
    JoinReason.SAME_DEVICE: "They voted from one device.",
    JoinReason.SAME_NETWORK: "They voted from one network at matching times.",
    JoinReason.SAME_PATTERN: "Their votes agree more than those of different people do.",
    JoinReason.ADMITTED: "The voter said so.",
}
PART_REASONS: Final[dict[PartReason, str]] = {
    PartReason.DIFFERENT_PEOPLE: "They are different people who share a device or a network.",
    PartReason.NEW_EVIDENCE: "New evidence speaks against one person.",
    PartReason.MISTAKE: "They were joined by mistake.",
}
