"""What this room writes to the log. Ids and times are handed in.

None of these tells in public who, from where or in which minute (V-158): that is private, and the
events are sequenced shuffled.
"""

from __future__ import annotations

from collections.abc import Mapping

from antiabuse.addresses import AddressHashes
from antiabuse.admission import Refusal
from antiabuse.quotas import RefusalTally
from antiabuse.rules import current
from antiabuse.utc import hour_of
from antiabuse.voter import Consent
from ledger.event import Disclosure, NewEvent


def consent_given(
    *, event_id: str, stream: str, now_us: int, voter_id: str, consent: Consent
) -> NewEvent:
    """Return `voter.consent`: a voter said yes or no to the fingerprint (V-173)."""
    return _event(
        event_id,
        "voter.consent",
        stream,
        body={"consent": consent, "hour": hour_of(now_us)},
        private={"time_us": now_us, "voter": voter_id},
    )


def refusals_folded(*, event_id: str, stream: str, tally: RefusalTally) -> NewEvent:
    """Return `refusals.folded`: one address's refusals by rate in one finished minute (V-114)."""
    return _event(
        event_id,
        "refusals.folded",
        stream,
        body={
            "reason": Refusal.RATE_LIMITED.value,
            "count": tally.count,
            "scopes": {scope.value: count for scope, count in tally.scopes},
            "hour": hour_of(tally.minute_us),
        },
        private={"minute_us": tally.minute_us, "address": tally.address},
    )


def vote_refused(
    *,
    event_id: str,
    stream: str,
    now_us: int,
    refusal: Refusal,
    action: str,
    voter_id: str | None,
    ballot_id: str | None,
    addresses: AddressHashes | None,
) -> NewEvent:
    """Return `vote.refused`: a vote, skip or ballot was not admitted.

    Args:
        event_id: UUIDv4.
        stream: such as `arena/speed/2026-11`.
        now_us: time of the request, microseconds UTC.
        refusal: the reason.
        action: what was asked for, such as `vote` or `skip`.
        voter_id: from the cookie; None when it was missing or bad.
        ballot_id: from the token; None when it was missing or bad.
        addresses: keyed digests of the day; None when the address is unknown.
    """
    return _event(
        event_id,
        "vote.refused",
        stream,
        body={"reason": refusal.value, "action": action, "hour": hour_of(now_us)},
        private={
            "time_us": now_us,
            "voter": voter_id,
            "ballot": ballot_id,
            "address": addresses.address if addresses else None,
            "prefix": addresses.prefix if addresses else None,
        },
    )


def _event(
    event_id: str,
    kind: str,
    stream: str,
    *,
    body: Mapping[str, object],
    private: Mapping[str, object],
) -> NewEvent:
    return NewEvent(
        id=event_id,
        kind=kind,
        version=1,
        stream=stream,
        ruleset=current().id,
        body=body,
        private=private,
        disclosure=Disclosure.ARCHIVE,
        shuffled=True,
    )
