"""A shared device is never sole ground for a ban: what has to stand on record beside it.

Equal machines make equal codes, and whoever wants to forges one. So neither a flag of a shared
device nor a joining for one stops a voter's votes by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, Literal

from sqlalchemy import ColumnElement, Connection, and_, or_, select

from antiabuse.detectors.finding import Detector
from antiabuse.tables import voter as voter_table
from antiabuse.utc import month_of
from arena.clusters import members_with
from arena.errors import DeviceAlone
from arena.joining_history import joining_history
from arena.review_events import AnswerDecided
from arena.review_tables import decision, flag, vote_strike
from arena.standing_events import AccountParted
from arena.standing_reasons import JoinReason, StrikeReason
from arena.tables import ballot, report, vote
from arena.voter_names import held_names, names_of

__all__ = ["BanRefusal", "ban_refusal", "check_ban", "check_joining"]

_OWN_DEEDS: Final = (
    StrikeReason.ONE_SIDED,
    StrikeReason.CARELESS,
    StrikeReason.COORDINATED,
    StrikeReason.AUTOMATED,
)
"""Of a strike by hand those reasons that neither a device nor somebody else's answer gives."""

_DEVICE_FLAG: Final = (
    "only a shared device stands on record against this voter, which is never ground enough for a "
    "ban: dismiss its flag, or first put on record what else speaks against them, such as votes "
    "struck for what is wrong with them"
)
_DEVICE_LINK: Final = (
    "the ban would reach voters who were joined for their device alone: part them first, and join "
    "them again where there is another reason"
)

BanRefusal = Literal["flag", "joining"]
"""Only a device speaks against the voter, or for another's being one with them."""

Groups = Sequence[Collection[str]]
"""Voters of a month, by who is one with whom."""


def check_ban(conn: Connection, voter_id: str, now_us: int) -> None:
    """Refuse a ban that nothing but a shared device bears out.

    Args:
        conn: the decision's transaction, which no joining overtakes.
        voter_id: who is to be banned.
        now_us: when.

    Raises:
        DeviceAlone: only a device speaks against them, or for their being one with another whom
            the ban would reach.
    """
    refusal = ban_refusal(conn, voter_id, now_us)
    if refusal is not None:
        raise DeviceAlone(_DEVICE_FLAG if refusal == "flag" else _DEVICE_LINK)


def ban_refusal(conn: Connection, voter_id: str, now_us: int) -> BanRefusal | None:
    """Return why `check_ban` refuses a voter's ban at present; None where a moderator may decide.

    Who is joined for another reason than the device has that against them.
    """
    month, own = month_of(now_us), names_of(conn, voter_id)
    members = members_with(conn, month, [name for of_month, name in own if of_month == month])
    if members:
        return "joining" if _rests_on_device(conn, month, [set(members)]) else None
    return "flag" if _flagged(conn, own, device=True) and not _other_ground(conn, own) else None


def check_joining(conn: Connection, month: str, groups: Groups, reason: JoinReason) -> None:
    """Refuse a joining by which a ban would reach a voter for their device alone.

    Args:
        conn: the decision's transaction.
        month: of the pseudonyms.
        groups: what is made one.
        reason: of the joining.

    Raises:
        DeviceAlone: one of them is banned, and this joining or an earlier one of theirs is for the
            device.
    """
    if reason != JoinReason.SAME_DEVICE and not _rests_on_device(conn, month, groups):
        return
    held = held_names(month, {voter for group in groups for voter in group})
    banned = (
        select(voter_table.c.id)
        .join(held, held.c.voter_id == voter_table.c.id)
        .where(voter_table.c.banned_us.is_not(None))
    )
    if conn.execute(banned.limit(1)).first() is not None:
        raise DeviceAlone(
            "one of these voters is banned, and a ban does not go on to others for a shared device "
            "alone: leave the banned one out, or join for another reason that stands"
        )


def _rests_on_device(conn: Connection, month: str, groups: Groups) -> bool:
    """Say whether a link that holds one of these clusters together was made for a device."""
    return any(_device_links(conn, month, set(group)) for group in groups if len(group) > 1)


def _device_links(conn: Connection, month: str, members: set[str]) -> bool:
    """Replay who was joined for a device and not parted since."""
    block = {voter: frozenset({voter}) for voter in members}
    links: list[list[frozenset[str]]] = []
    for _, event in joining_history(conn, month, members):
        named = members.intersection(event.members)
        if isinstance(event, AccountParted):
            block |= {voter: frozenset({voter}) for voter in named}
            rest = frozenset(members.intersection(event.rest))
            block |= dict.fromkeys(rest, rest)
            links = [[side - named for side in link] for link in links]
            continue
        sides = list({block[voter] for voter in named})
        if event.reason == JoinReason.SAME_DEVICE:
            links.append(sides)
        whole = frozenset().union(*sides)
        block |= dict.fromkeys(whole, whole)
    return any(sum(bool(side) for side in link) > 1 for link in links)


def _other_ground(conn: Connection, own: Sequence[tuple[str, str]]) -> bool:
    """Say whether something else than a device stands against the bearer of some names."""
    return (
        _flagged(conn, own, device=False) or _struck_by_hand(conn, own) or _false_report(conn, own)
    )


def _flagged(conn: Connection, own: Sequence[tuple[str, str]], *, device: bool) -> bool:
    """Say whether a flag that nobody dismissed names one of them, of a device or of others."""
    is_device = flag.c.detector == Detector.SHARED_DEVICE.value
    named = or_(
        *(and_(flag.c.month == month, flag.c.subject.contains(name)) for month, name in own)
    )
    query = select(flag.c.id).where(
        flag.c.state != "dismissed", is_device if device else ~is_device, named
    )
    return conn.execute(query.limit(1)).first() is not None


def _struck_by_hand(conn: Connection, own: Sequence[tuple[str, str]]) -> bool:
    query = (
        select(vote.c.id)
        .join(vote_strike, vote_strike.c.vote_id == vote.c.id)
        .join(decision, decision.c.id == vote_strike.c.event_id)
        .where(
            vote_strike.c.reason.in_([reason.value for reason in _OWN_DEEDS]),
            ~decision.c.subject.startswith("flag:"),
            _of(own, vote.c.month, vote.c.voter),
        )
    )
    return conn.execute(query.limit(1)).first() is not None


def _false_report(conn: Connection, own: Sequence[tuple[str, str]]) -> bool:
    query = (
        select(report.c.id)
        .join(ballot, ballot.c.id == report.c.ballot_id)
        .join(decision, decision.c.subject == "answer:" + report.c.answer_id)
        .where(
            decision.c.kind == AnswerDecided.KIND,
            decision.c.reason == "report_unfounded",
            _of(own, ballot.c.month, ballot.c.voter),
        )
    )
    return conn.execute(query.limit(1)).first() is not None


def _of(
    own: Sequence[tuple[str, str]], month: ColumnElement[str], voter: ColumnElement[str]
) -> ColumnElement[bool]:
    return or_(*(and_(month == of_month, voter == name) for of_month, name in own))
