"""The numbers of moderators' accounts: passwords, codes, sessions and limits on guessing.

They protect the rooms of the operator and weigh no vote, so they stand apart from the rulebook.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountRules:
    """How moderators prove who they are, and how long that holds (V-170, X-013)."""

    id: str

    password_characters: int = field(
        default=15,
        metadata={
            "unit": "characters at least",
            "reason": "NIST SP 800-63B asks for 15 where a password may be the only factor.",
        },
    )
    password_limit: int = field(
        default=256,
        metadata={
            "unit": "characters at most",
            "reason": "Room for any sentence; longer input would only cost time to digest.",
        },
    )
    password_variety: int = field(
        default=5,
        metadata={
            "unit": "different characters beside the name, at least",
            "reason": "Fewer are one key held down, or the name written again and again.",
        },
    )
    argon2_memory_kib: int = field(
        default=65_536,
        metadata={
            "unit": "KiB",
            "reason": "The second choice of RFC 9106, section 4, for machines with little memory.",
        },
    )
    argon2_passes: int = field(
        default=3,
        metadata={"unit": "passes", "reason": "Belongs to that choice of RFC 9106."},
    )
    argon2_lanes: int = field(
        default=4,
        metadata={"unit": "lanes", "reason": "Belongs to that choice of RFC 9106."},
    )
    digests_waiting: int = field(
        default=2,
        metadata={
            "unit": "requests that wait while a digest is computed, for each of the two queues",
            "reason": "Each holds a thread of the web process, and those belong to voters.",
        },
    )
    digest_wait_ms: int = field(
        default=1_000,
        metadata={
            "unit": "milliseconds at most",
            "reason": "A few digests of a tenth of a second each, on a machine that is busy.",
        },
    )
    digest_retry_s: int = field(
        default=5,
        metadata={
            "unit": "seconds, told to who found no room in the queue",
            "reason": "A full queue is empty by then; the attempt was not counted.",
        },
    )
    code_window: int = field(
        default=1,
        metadata={
            "unit": "steps of 30 s before and after",
            "reason": "RFC 6238, section 5.2, allows one step for slow hands and clocks.",
        },
    )
    idle_s: int = field(
        default=3_600,
        metadata={
            "unit": "seconds without a request",
            "reason": "Long enough to think over a case, short enough for a forgotten screen.",
        },
    )
    session_s: int = field(
        default=43_200,
        metadata={"unit": "seconds since sign-in", "reason": "One working day at most."},
    )
    touch_s: int = field(
        default=60,
        metadata={
            "unit": "seconds",
            "reason": "A session's last use is written down once a minute, not at every page.",
        },
    )
    known_browser_days: int = field(
        default=365,
        metadata={
            "unit": "days since the last sign-in",
            "reason": "So long may a moderator stay away and still get past strangers' failures.",
        },
    )
    failure_window_s: int = field(
        default=900,
        metadata={
            "unit": "seconds, moving",
            "reason": "Someone who mistyped waits a quarter of an hour at most.",
        },
    )
    failures_per_name_and_address: int = field(
        default=5,
        metadata={
            "unit": "failures of a name from an address in the window",
            "reason": "People need three attempts; a guesser gets twenty an hour.",
        },
    )
    failures_per_address: int = field(
        default=20,
        metadata={
            "unit": "failures of an address in the window",
            "reason": "One address tries many names; a shared office must not be shut out at once.",
        },
    )
    name_window_s: int = field(
        default=86_400,
        metadata={"unit": "seconds, moving", "reason": "Slow guessing shows over a day only."},
    )
    failures_per_name: int = field(
        default=100,
        metadata={
            "unit": "failures of a name from anywhere in its window",
            "reason": "Many addresses together guess no faster; a browser that has signed in "
            "before is not held up, so strangers cannot lock anybody out.",
        },
    )
    clock_slack_s: int = field(
        default=300,
        metadata={
            "unit": "seconds ahead of the clock, at most",
            "reason": "What lies further ahead was written while the clock ran ahead, and holds no "
            "more; servers that keep time differ by less.",
        },
    )


RULESETS: Final[dict[str, AccountRules]] = {
    rules.id: rules for rules in (AccountRules(id="accounts.2026.1"),)
}


def current() -> AccountRules:
    """Return the numbers in force."""
    return RULESETS["accounts.2026.1"]
