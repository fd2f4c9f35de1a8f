"""The audit log: complete for moderators, filtered, paged; counts and archived months in public."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter

import pytest

from antiabuse.utc import hour_of
from arena import audit, review
from arena.audit import AuditPage, Order
from arena.audit_files import csv_lines, json_lines, safe_cell
from arena.audit_filter import AuditFilter
from arena.audit_rows import AuditRow
from arena.closed_months import is_archived
from arena.errors import NotArchived, UnknownCode
from arena.refits import refit_now
from ledger import store
from tests.fixtures.arena_site import ArenaSite
from tests.fixtures.review_cases import ADA, close_month, raise_flag, report, vote

MONTH = "2026-11"


class Lived:
    """A site with two voters' doings, a skip, a report, refusals, a flag, its decision, a fit."""

    def __init__(self, arena: ArenaSite) -> None:
        self.arena = arena
        self.voters = [arena.voter() for _ in range(2)]
        self.votes = [vote(arena, each) for each in self.voters]
        page = self.voters[0].ballot()
        self.voters[0].ballot()  # shown once more
        self.voters[0].post("/skip", {"ballot": page.token})
        self.report = report(arena, self.voters[1])
        self.voters[1].vote(page.token)  # another's ballot
        self.flag = raise_flag(arena, self.votes[:1])
        arena.clock.advance(3600)
        review.decide_flag(
            arena.services.ports,
            ADA,
            self.flag,
            seen="open",
            verdict="upheld",
            reason="careless",
            now_us=arena.clock(),
        )
        arena.sequence()
        assert refit_now(arena.services.ports, "speed", MONTH, arena.clock())
        arena.sequence()

    def kinds(self, **wanted: object) -> list[str]:
        """Return the kinds of the rows that a filter keeps for moderators."""
        return [row.kind for row in self.rows(**wanted)]

    def rows(self, **wanted: object) -> list[AuditRow]:
        """Return those rows."""
        kept = AuditFilter(**wanted)  # type: ignore[arg-type]
        return list(audit.every_row_for_moderators(self.arena.database.read, kept))


@pytest.fixture
def lived(either_arena: ArenaSite) -> Lived:
    """The site."""
    return Lived(either_arena)


def name_of(lived: Lived, nth: int) -> str:
    """Return the pseudonym of a voter."""
    return str(lived.votes[nth].body["voter"])


def test_every_voting_action_is_there_in_true_order(lived: Lived) -> None:
    """V-127: issue, view, vote, refuse, flag, void, fit: all of the log in true order."""
    with lived.arena.database.read() as conn:
        logged = [each.id for each in store.replay(conn) if each.stream.startswith("arena/")]
    rows = lived.rows()
    assert [row.event for row in rows] == logged
    kinds = {row.kind for row in rows}
    assert kinds >= {
        "ballot.issued",
        "ballot.shown",
        "ballot.skipped",
        "ballot.reported",
        "vote.cast",
        "vote.refused",
        "vote.voided",
        "flag.raised",
        "flag.decided",
        "board.published",
    }


@pytest.mark.parametrize("order", ["oldest", "newest"])
def test_pages_hold_every_row_once(lived: Lived, order: Order) -> None:
    """X-017: page by page in a stable order, also while new events come in."""
    seen: list[AuditRow] = []
    page = AuditPage((), None)
    wanted = AuditFilter(month=MONTH)
    before = lived.kinds(month=MONTH)
    with lived.arena.database.read() as conn:
        while True:
            page = audit.rows_for_moderators(conn, wanted, page.next, limit=3, order=order)
            assert len(page.rows) <= 3
            seen.extend(page.rows)
            if page.next is None:
                break
            if len(seen) == 3:
                lived.voters[0].ballot("expert")
    places = [row.place for row in seen]
    assert places == sorted(places, reverse=order == "newest")
    assert len(set(places)) == len(places)
    assert len(seen) in (len(before), len(before) + 1)


def test_rows_are_found_by_voter(lived: Lived) -> None:
    """Also what only names the voter's ballot, and refusals, of which the body tells no voter."""
    rows = lived.rows(voter=name_of(lived, 1), month=MONTH)
    assert [row.kind for row in rows] == [
        "ballot.issued",
        "vote.cast",
        "ballot.issued",
        "ballot.reported",
        "vote.refused",
    ]
    assert {row.voter for row in rows if row.kind != "vote.refused"} == {name_of(lived, 1)}
    first = lived.kinds(voter=name_of(lived, 0))
    assert {"ballot.shown", "ballot.skipped", "flag.raised"} <= set(first)
    assert "ballot.reported" not in first


def test_an_erased_voter_is_still_found_by_their_ballots(lived: Lived) -> None:
    """After retention the private parts are gone; what ballots tell stays."""
    for event in lived.arena.events("ballot.shown", "ballot.skipped", "vote.refused"):
        with lived.arena.database.write() as conn:
            store.erase_private(conn, event.id, reason="retention", now_us=lived.arena.clock())
    kinds = lived.kinds(voter=name_of(lived, 0))
    assert "ballot.shown" in kinds
    assert "ballot.skipped" in kinds
    assert all(row.private is None for row in lived.rows(kinds=("ballot.shown",)))


def test_rows_are_found_by_question_and_model(lived: Lived) -> None:
    """A row about a ballot belongs to its question and to each model it showed."""
    cast = lived.votes[0].body
    rows = lived.rows(question=cast["question"], mode="speed", month=MONTH)
    assert {"ballot.issued", "vote.cast"} <= {row.kind for row in rows}
    assert {row.question for row in rows} == {cast["question"]}
    model = cast["models"][0]
    showing = lived.rows(model=model, kinds=("vote.cast", "ballot.shown"))
    assert {row.kind for row in showing} == {"vote.cast", "ballot.shown"}
    assert all(model in row.models for row in showing)
    assert lived.rows(model="no-such-model") == []


def test_rows_are_found_by_reason_flag_and_kind(lived: Lived) -> None:
    """Refusals, decisions and flags by their codes; a flag's rows by its id."""
    assert lived.kinds(reason="not_yours") == ["vote.refused"]
    assert lived.kinds(reason="careless") == ["flag.raised", "vote.voided", "flag.decided"]
    assert lived.kinds(reason="identity") == ["ballot.reported"]
    assert lived.kinds(flag=lived.flag) == ["flag.raised", "vote.voided", "flag.decided"]
    assert set(lived.kinds(kinds=("vote.cast", "vote.voided"))) == {"vote.cast", "vote.voided"}
    assert lived.kinds(reason='" OR 1=1 --%_') == []


def test_rows_are_found_by_time(lived: Lived) -> None:
    """By the hour in the body, or else by the time in the id; both ends belong to it."""
    raised, decided = (lived.arena.events(kind)[0] for kind in ("flag.raised", "flag.decided"))
    later = hour_of(decided.body["at_us"])
    assert lived.kinds(since=later, month=MONTH) == [
        "vote.voided",
        "flag.decided",
        "board.published",
    ]
    before = lived.kinds(until=raised.body["hour"], month=MONTH)
    assert "flag.raised" in before
    assert "flag.decided" not in before
    assert lived.kinds(since=later, until=raised.body["hour"]) == []
    with pytest.raises(UnknownCode):
        lived.kinds(since="yesterday")


def test_moderators_see_exact_times_and_the_public_does_not(lived: Lived) -> None:
    """Private parts and exact times are in moderators' rows alone, files included."""
    arena = lived.arena
    (row, *_) = lived.rows(kinds=("vote.cast",))
    assert row.private is not None
    assert row.private["voter"] == lived.voters[0].id
    assert row.at_us == row.private["at_us"]
    close_month(arena)
    public = list(audit.every_row_in_public(arena.database.read, AuditFilter(month=MONTH)))
    assert {each.private for each in public} == {None}
    text = "".join([*csv_lines(public), *json_lines(public)])
    for voter in lived.voters:
        assert voter.id not in text
    assert ADA.name not in text
    assert "private" not in text


def test_an_open_month_gives_no_rows_in_public(lived: Lived) -> None:
    """V-143: no rows before the archive, neither by month nor without one."""
    with lived.arena.database.read() as conn:
        for wanted in (AuditFilter(month=MONTH), AuditFilter(), AuditFilter(kinds=("vote.cast",))):
            with pytest.raises(NotArchived):
                audit.public_rows(conn, wanted)
    close_month(lived.arena, "speed")
    with lived.arena.database.read() as conn:
        assert not is_archived(conn, MONTH)
    close_month(lived.arena, "expert")
    with lived.arena.database.read() as conn:
        assert is_archived(conn, MONTH)
        assert not is_archived(conn, "2026-12")


def test_an_archived_month_is_public_by_log_index(lived: Lived) -> None:
    """Rows come in the order of the public log, which does not tell the minute of a vote."""
    close_month(lived.arena)
    lived.arena.sequence()
    seen: list[AuditRow] = []
    after = None
    with lived.arena.database.read() as conn:
        while True:
            page = audit.public_rows(conn, AuditFilter(month=MONTH), after, limit=4)
            seen.extend(page.rows)
            after = page.next
            if after is None:
                break
    assert [row.place for row in seen] == [row.index for row in seen]
    assert [row.place for row in seen] == sorted(row.place for row in seen)
    assert len(seen) == len(lived.rows(month=MONTH))
    assert lived.votes[0].id in {row.event for row in seen}


def counts(arena: ArenaSite) -> dict[tuple[str, str | None], int]:
    """Return the public counts by kind and reason, of all hours."""
    with arena.database.read() as conn:
        found = audit.logged_counts(conn, MONTH, 0, store.head(conn).size)
    summed: Counter[tuple[str, str | None]] = Counter()
    for each in audit.told_counts(found, arena.clock()):
        summed[each.kind, each.reason] += each.count
    return summed


def test_the_open_month_is_public_as_counts(lived: Lived) -> None:
    """V-143: by kind, hour and reason, of what is in the log, in hours that are over."""
    arena = lived.arena
    assert ("flag.decided", "careless") not in counts(arena)  # this hour's
    arena.clock.advance(3600)
    found = counts(arena)
    assert found["vote.cast", None] == 2
    assert found["flag.raised", "careless"] == 1
    assert found["flag.decided", "careless"] == 1
    assert found["vote.refused", "not_yours"] == 1
    assert found["ballot.reported", "identity"] == 1
    vote(arena)
    arena.clock.advance(3600)
    assert counts(arena)["vote.cast", None] == 2  # not sequenced yet
    arena.sequence()
    assert counts(arena)["vote.cast", None] == 3


def test_counts_tell_no_name(lived: Lived) -> None:
    """Nothing in a count names a voter, a vote, a model or a question."""
    lived.arena.clock.advance(3600)
    with lived.arena.database.read() as conn:
        logged = audit.logged_counts(conn, MONTH, 0, store.head(conn).size)
    told = repr(audit.told_counts(logged, lived.arena.clock()))
    for event in lived.votes:
        for secret in (event.id, event.body["voter"], event.body["question"], event.body["ballot"]):
            assert secret not in told
        assert not any(model in told for model in event.body["models"])


def test_files_hold_the_rows(lived: Lived) -> None:
    """CSV and JSON lines tell the same rows in the same order, one line each, lazily."""
    rows = lived.rows(month=MONTH)
    table = list(csv.DictReader(io.StringIO("".join(csv_lines(rows, private=True)))))
    records = [json.loads(line) for line in json_lines(rows, private=True)]
    assert [each["event"] for each in table] == [row.event for row in rows]
    assert [each["event"] for each in records] == [row.event for row in rows]
    assert [json.loads(each["body"]) for each in table] == [each["body"] for each in records]
    endless = csv_lines(iter(rows * 10_000))
    assert next(endless).startswith("index,event,kind")
    assert next(endless)


@pytest.mark.parametrize(
    "text, cell",
    [
        ("=1+1", "'=1+1"),
        ("+A1", "'+A1"),
        ("-A1", "'-A1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\r=1"),
        ("＝1", "'＝1"),
        ("-3.25", "-3.25"),
        ("12", "12"),
        ("careless", "careless"),
        (None, ""),
        (7, "7"),
    ],
)
def test_no_cell_is_a_formula(text: object, cell: str) -> None:
    """A cell that a spreadsheet would calculate is text; numbers stay numbers."""
    assert safe_cell(text) == cell
