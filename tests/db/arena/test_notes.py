"""Whose a note is: its text goes when the one voter it is about erases, and only then."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from antiabuse.utc import month_of
from arena import own_data
from arena.case_subject import CaseKind, Subject
from arena.notes import notes_for_moderators
from arena.own_data import Kept
from tests.fixtures.arena_site import ArenaSite
from tests.fixtures.moderation_cases import OneSided, dispute_of, flag_of, one_sided_voter, strike
from tests.fixtures.review_cases import finding, note_on, raise_findings, report

TEXT = "The same hour every day."


def text_on(arena: ArenaSite, subject: Subject) -> str | None:
    """Return the text of a case's only note."""
    with arena.database.read() as conn:
        (note,) = notes_for_moderators(conn, subject)
    return note.text


def kept_on(arena: ArenaSite, seen: OneSided) -> Kept:
    """Return what is kept on a voter."""
    with arena.database.read() as conn:
        return own_data.kept_on(conn, seen.voter.id, arena.clock())


def disputed(arena: ArenaSite, seen: OneSided) -> str:
    """Let a voter dispute a strike."""
    strike(arena, seen.votes[0])
    return dispute_of(arena, seen)


OF_ONE_VOTER: dict[CaseKind, Callable[[ArenaSite, OneSided], Subject]] = {
    "voter": lambda arena, seen: Subject("voter", seen.name, month_of(arena.clock())),
    "vote": lambda _, seen: Subject("vote", seen.votes[0]),
    "flag": lambda arena, seen: Subject("flag", flag_of(arena, seen)),
    "dispute": lambda arena, seen: Subject("dispute", disputed(arena, seen)),
}


@pytest.mark.parametrize("kind", OF_ONE_VOTER)
def test_a_note_on_a_voter_goes_with_them(either_arena: ArenaSite, kind: CaseKind) -> None:
    """The voter is told that there is a note and not what it says; erasing drops its text."""
    arena = either_arena
    seen, other = one_sided_voter(arena, 1), one_sided_voter(arena, 1)
    subject, others = OF_ONE_VOTER[kind](arena, seen), Subject("vote", other.votes[0])
    note_on(arena, subject, TEXT)
    note_on(arena, others, "Slow reader.")

    kept = kept_on(arena, seen)
    (part,) = [each for each in kept.private_parts if each["kind"] == "note.written"]
    assert (part["withheld"], part["salt"]) == (["name", "text"], None)
    assert part["fields"] == {"voter": seen.voter.id}
    assert TEXT not in json.dumps(kept.body())
    assert text_on(arena, subject) == TEXT

    own_data.erase(arena.services.ports, seen.voter.id, arena.clock())

    assert text_on(arena, subject) is None
    assert text_on(arena, others) == "Slow reader."
    assert arena.count("event_private", "part LIKE :text", text=f"%{TEXT}%") == 0


def test_a_note_on_several_voters_is_nobodys(either_arena: ArenaSite) -> None:
    """One of them does not take away what was written on the others, nor on an answer."""
    arena = either_arena
    seen, other = one_sided_voter(arena, 1), one_sided_voter(arena, 1)
    both = finding(sorted([seen.name, other.name]), [seen.votes[0], other.votes[0]])
    (raised,) = raise_findings(arena, [both])
    subjects = (Subject("flag", raised), Subject("answer", report(arena).body["answer"]))
    for subject in subjects:
        note_on(arena, subject, TEXT)

    own_data.erase(arena.services.ports, seen.voter.id, arena.clock())

    assert [text_on(arena, subject) for subject in subjects] == [TEXT, TEXT]


def test_a_note_on_an_erased_voter_names_nobody(either_arena: ArenaSite) -> None:
    """The name of the month stays, and a note on it is written without an id."""
    arena = either_arena
    seen = one_sided_voter(arena, 1)
    gone = seen.voter.id
    own_data.erase(arena.services.ports, gone, arena.clock())
    subject = Subject("voter", seen.name, month_of(arena.clock()))

    note_on(arena, subject, TEXT)

    assert text_on(arena, subject) == TEXT
    assert arena.count("event_private", "part LIKE :id", id=f"%{gone}%") == 0
