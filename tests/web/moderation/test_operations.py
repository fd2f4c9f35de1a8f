"""The page of operations: what it tells when all is well, and what when something is not."""

from __future__ import annotations

import re
import socket

import pytest
from sqlalchemy import text

from antiabuse import rules as antiabuse_rules
from antiabuse import unrun_checks
from antiabuse.unrun_checks import Check
from antiabuse.utc import DAY_US, hour_of
from arena import fit_faults, flags, sweep
from arena.boards import View
from arena.sweep_days import EVERYBODY, NIGHT
from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import ArenaSite, at
from tests.fixtures.arena_votes import refit, votes_by_order
from tests.fixtures.moderation_cases import flag_of, one_sided_voter, report_of
from tests.fixtures.moderators import Moderator, moderator_of
from webapp.retention import erase_old

PATH = "/moderation/operations"


def told(browser: Moderator, section: str) -> str:
    """Return the words of a section, or of the notice on top, one space between them."""
    html = browser.get(PATH).text
    part = html.partition(f'<h2 id="{section}">')[2].partition("</section>")[0]
    if section == "notice":
        part = ">" + html.partition('class="notice')[2].partition('class="facts-of"')[0]
    part = part.partition("</h2>" if section != "notice" else '">')[2]
    return " ".join(re.sub(r"<[^>]+>", " ", part).split())


def test_strangers_and_masters_do_not_see_it(arena: ArenaSite) -> None:
    """Moderators and operators do; a voter is led to the form, a master is told why not."""
    assert moderator_of(arena, "olga", "operator").get(PATH).status_code == 200
    assert moderator_of(arena, "max", "master").get(PATH).status_code == 403
    closed = arena.voter().get(PATH)
    assert (closed.status_code, closed.headers["Location"][:19]) == (303, "/moderation/sign-in")


def test_a_quiet_arena_says_that_all_is_well(arena: ArenaSite, rosa: Moderator) -> None:
    """Every section says in words that there is nothing, and nothing needs a look."""
    arena.sequence()

    assert told(rosa, "notice").startswith("Nothing needs a look")
    for section, words in (
        ("log", "No event waits"),
        ("fits", "There is no board yet."),
        ("limits", "memory of this one process"),
        ("checks", "every check ran in the last seven days"),
        ("detectors", "has been swept"),
        ("pool", "All 60 answers are fresh, none near the limit (from 270 reveals on)."),
        ("cases", "None waits for a moderator."),
        ("sign-ins", "None in the last day"),
        ("devices", "Off: no voter is asked"),
        ("retention", "kept from October 2026 on"),
    ):
        assert words in told(rosa, section), section


def test_unrun_checks_are_counted_by_day_and_week(arena: ArenaSite, rosa: Moderator) -> None:
    """What is older than a week is not told, and only the last day needs a look."""
    now = arena.clock()
    with arena.database.write() as conn:
        for days, count in ((0, 1_200), (3, 30), (8, 5_000)):
            hour = hour_of(now - days * DAY_US)
            unrun_checks.add(conn, hour, {Check.REQUEST_LIMIT: count})
        unrun_checks.add(conn, hour_of(now - 2 * DAY_US), {Check.DEVICE: 7})

    assert "for all processes together 1,200 1,230 Digest of the device 0 7" in told(rosa, "checks")
    assert "went without a check" in told(rosa, "notice")


def test_a_worn_pool_is_told(arena: ArenaSite, rosa: Moderator) -> None:
    """Answers near and over the limit by mode; under half the questions it needs a look."""
    limit = antiabuse_rules.current().fresh_reveals
    arena.execute("UPDATE answer SET reveals = :most WHERE mode = 'expert'", most=limit)
    arena.execute(
        "UPDATE answer SET reveals = :near WHERE mode = 'speed' AND model = 'fenwhistle'",
        near=limit - 1,
    )

    pool = told(rosa, "pool")

    assert "Speed. Of 60 answers, 10 are near the limit (from 270 reveals on) and 0 have" in pool
    assert "0 are near the limit (from 270 reveals on) and 24 have passed it." in pool
    assert "0 of 4 questions have four fresh answers." in pool
    assert "Fewer than half of a mode" in told(rosa, "notice")


def test_boards_waiting_votes_and_failing_fits_are_told(arena: ArenaSite, rosa: Moderator) -> None:
    """How old the last board is, how many votes it lacks, and what a fit said when it failed."""
    votes_by_order(arena, 5)
    refit(arena)
    votes_by_order(arena, 2)
    arena.clock.advance(900)
    fit_faults.record(arena.database, "expert", arena.clock(), "no <finite> maximum")

    fits = told(rosa, "fits")

    assert "of November 2026, is from 17 min ago and holds 5 votes. 2 votes wait" in fits
    assert "No fit fails." in fits
    assert "Fits fail since 2026-11-30" in fits
    assert "no &lt;finite&gt; maximum" in rosa.get(PATH).text
    assert "A fit fails" in told(rosa, "notice")


@pytest.mark.parametrize("votes", [1, 3])
def test_votes_that_weigh_nothing_make_no_board(
    arena: ArenaSite, rosa: Moderator, votes: int
) -> None:
    """Without a board it is said that none of them counts; with one that counts, that it waits."""
    for _ in range(votes):
        arena.voter().read_and_vote(seconds=1, dwell_ms="1000")
    arena.sequence()

    fits = told(rosa, "fits")

    waits = "1 vote of this month is logged and does not" if votes == 1 else "none of them counts"
    assert waits in fits
    assert "cast with weight 0 or struck. No board is made of such votes" in fits
    assert "for the next one" not in fits.partition("Expert")[0]
    arena.voter().read_and_vote()
    arena.sequence()
    assert f"{votes + 1} votes wait for the next one." in told(rosa, "fits")
    arena.execute(
        "INSERT INTO vote_strike (vote_id, reason, source, event_id)"
        " SELECT id, 'automated', 'moderator', 'x' FROM vote WHERE weight_micro > 0"
    )
    assert f"{votes + 1} votes of this month are logged and none" in told(rosa, "fits")


def test_boards_that_fail_beside_the_scores_are_told(arena: ArenaSite, rosa: Moderator) -> None:
    """Which, of which mode and month, since when and why; gone when it succeeds."""
    arena.sequence()
    failed: dict[tuple[View, str], str] = {("checks", ""): "above <1>", ("official", "Tests"): "no"}
    assert told(rosa, "fits").endswith("Boards beside the scores None fails.")
    fit_faults.keep_boards(arena.database, "speed", "2026-11", arena.clock(), failed)

    fits = told(rosa, "fits")

    assert "The checks of the board, November 2026, since 2026-11-30" in fits
    assert "Scores of the category “Tests”, November 2026, since 2026-11-30" in fits
    assert "above &lt;1&gt;" in rosa.get(PATH).text
    assert "A board beside the scores fails" in told(rosa, "notice")
    fit_faults.keep_boards(arena.database, "speed", "2026-11", arena.clock(), {})
    assert "Nothing needs a look" in told(rosa, "notice")


def test_the_log_is_late_when_its_worker_stands(arena: ArenaSite, rosa: Moderator) -> None:
    """Events that wait are no concern within minutes of the last checkpoint, but after that."""
    arena.sequence()
    one_sided_voter(arena, 1)
    arena.voter().read_and_vote()

    assert "events wait for their place" in told(rosa, "log")
    assert "Nothing needs a look" in told(rosa, "notice")
    arena.clock.advance(301)
    assert "does the worker run?" in told(rosa, "notice")


def test_a_signature_from_the_future_hides_no_late_log(arena: ArenaSite) -> None:
    """Signed while the clock ran a day ahead, a log that stands still is told all the same."""
    arena.clock.advance(86_400)
    arena.sequence()
    arena.clock.advance(-86_400)
    arena.voter().read_and_vote()

    assert "does the worker run?" in told(moderator_of(arena), "notice")


def test_the_last_sweep_tells_what_did_not_run(arena: ArenaSite, rosa: Moderator) -> None:
    """The newest of both months, with its flags and the detectors that failed."""
    votes_by_order(arena, 3)
    arena.clock.advance(86_400 / 2 + 1_500)
    assert sweep.sweep_if_due(arena.services.ports, arena.clock())
    rosa = moderator_of(arena, "otto")

    assert "up to day 30 of November 2026" in told(rosa, "detectors")
    assert "Expert. Neither this month nor the one before has been swept." in told(
        rosa, "detectors"
    )
    with arena.database.write() as conn:
        flags.finish_sweep(
            conn,
            arena.services.ports,
            "speed",
            "2026-12",
            looks=[(NIGHT, EVERYBODY, 1)],
            flags=2,
            unrun={"burst": "MemoryError"},
            now_us=arena.clock(),
        )

    seen = told(rosa, "detectors")
    assert "up to day 1 of December 2026. It raised 2 flags." in seen
    assert "A wave for one model ( MemoryError )" in seen
    assert "A detector could not run" in told(rosa, "notice")


def test_an_overdue_sweep_is_told(either_arena: ArenaSite) -> None:
    """Three hours after the night's sweep was due, by mode and first day, until it comes."""
    arena = either_arena
    votes_by_order(arena, 3)
    start = arena.clock.now_us = at("2026-12-01T03:19:59+00:00")
    rosa = moderator_of(arena)

    assert "Votes wait for a sweep" not in told(rosa, "notice")
    assert arena.voter().get("/readyz").json["overdue_sweeps"] == {}  # type: ignore[index]
    arena.clock.now_us = start + 1_000_000
    assert "Votes wait for a sweep that was due hours ago" in told(rosa, "notice")
    assert "More than 3 hours" in told(rosa, "detectors")
    assert "Speed , votes from 2026-11-30 on." in told(rosa, "detectors")
    assert "Expert , votes from" not in told(rosa, "detectors")
    ready = arena.voter().get("/readyz")
    assert ready.status_code == 200
    assert ready.json is not None
    assert (ready.json["status"], ready.json["degraded"]) == ("degraded", ["sweeps"])
    assert ready.json["overdue_sweeps"] == {"speed": "2026-11-30"}

    assert sweep.sweep_if_due(arena.services.ports, arena.clock())

    assert arena.voter().get("/readyz").json["status"] == "ok"  # type: ignore[index]
    assert "Votes wait for a sweep" not in told(rosa, "notice")


def test_days_without_votes_need_no_sweep(arena: ArenaSite) -> None:
    """After the last sweep nothing is overdue however long nobody votes; the next vote's day is."""
    votes_by_order(arena, 3)
    arena.clock.now_us = at("2026-12-01T00:25:00+00:00")
    assert sweep.sweep_if_due(arena.services.ports, arena.clock())
    arena.clock.now_us = at("2026-12-09T12:00:00+00:00")
    assert arena.voter().get("/readyz").json["overdue_sweeps"] == {}  # type: ignore[index]
    arena.voter().read_and_vote()
    arena.sequence()
    arena.clock.now_us = at("2026-12-12T12:00:00+00:00")
    assert arena.voter().get("/readyz").json["overdue_sweeps"] == {  # type: ignore[index]
        "speed": "2026-12-09"
    }


def test_waiting_cases_are_counted_by_kind(arena: ArenaSite, rosa: Moderator) -> None:
    """Each kind with its number, and since when the oldest waits."""
    seen = one_sided_voter(arena, 2)
    flag_of(arena, seen)
    report_of(arena)

    cases = told(rosa, "cases")

    assert "1 flag" in cases
    assert "1 answer" in cases
    assert "The oldest waits since 2026-11-30, 12–13 h UTC." in cases


def test_answers_held_since_their_import_are_the_oldest(arena: ArenaSite, rosa: Moderator) -> None:
    """They bear no hour, and are told apart from the others."""
    one_sided_voter(arena, 1)
    report_of(arena)
    held = "(SELECT id FROM answer WHERE id NOT IN (SELECT answer_id FROM report) LIMIT 1)"
    arena.execute(
        f"UPDATE answer SET state = 'held', held_for = 'i am orion' WHERE id = {held}"  # noqa: S608
    )

    cases = told(rosa, "cases")

    assert "2 answers" in cases
    assert "1 held answer waits since its import." in cases
    assert "Of the others the oldest waits since 2026-11-30, 12–13 h UTC." in cases


def test_failed_sign_ins_of_the_last_day_are_counted(arena: ArenaSite) -> None:
    """Tries of any name count, a success makes its own forgotten, a day later all are gone."""
    stranger = moderator_of(arena, "rosa", signed_in=False)
    for name in ("nobody", "nobody", "admin", "rosa"):
        stranger.sign_in(name, "a wrong password")
    otto = moderator_of(arena, "otto")

    assert told(otto, "sign-ins").startswith("4 in the last day")
    assert "names: 3, addresses: 1." in told(otto, "sign-ins")
    stranger.sign_in("rosa")
    assert told(otto, "sign-ins").startswith("3 in the last day")
    arena.clock.advance(86_401)
    erase_old(arena.services, pause_s=0, clock_is_right=True)
    assert arena.count("sign_in_failure") == 0


def test_fingerprints_are_told_where_they_are_asked_for(open_arena: OpenArena) -> None:
    """Without any the page says so; then how many voters share one and how many changed theirs."""
    arena = open_arena(fingerprint="consent")
    rosa = moderator_of(arena)
    assert "No vote of this month bears one." in told(rosa, "devices")

    household = antiabuse_rules.current().device_household
    seen = [(f"v{number}", "29", "shared") for number in range(household + 1)]
    seen += [("v0", "30", "other"), ("v1", "30", "shared")]
    with arena.database.write() as conn:
        for number, (voter, day, device) in enumerate(seen):
            conn.execute(
                text(
                    "INSERT INTO sighting (vote_id, voter_id, month, day, at_us, device)"
                    " VALUES (:id, :voter, '2026-11', :day, 0, :device)"
                ),
                {"id": str(number), "voter": voter, "day": f"2026-11-{day}", "device": device},
            )

    devices = told(rosa, "devices")
    assert f"Of {len(seen)} votes of this month {len(seen)} came with one." in devices
    assert f"There are 2 different ones, of {household + 1} voters." in devices
    assert f"1 belongs to more than {household} voters (50 %)" in devices
    assert "Of 2 voters who came back on another day, 1 had another one (50 %)" in devices


def test_what_was_erased_lately_is_told_by_reason(arena: ArenaSite, rosa: Moderator) -> None:
    """A voter's own erasing and the hourly job's, for a week."""
    one_sided_voter(arena, 1).voter.post("/me/erase")
    requested = arena.count("event_erasure", "reason = 'request'")
    one_sided_voter(arena, 2)
    assert requested > 0
    assert f"{requested} parts were erased at voters" in told(rosa, "retention")

    arena.clock.now_us += 100 * DAY_US
    erase_old(arena.services, pause_s=0, clock_is_right=True)
    gone = arena.count("event_erasure", "reason = 'retention'")
    rosa = moderator_of(arena, "otto")

    assert f"it erased {gone} parts, the last one 0 s ago." in told(rosa, "retention")
    assert "request" not in told(rosa, "retention")


def test_a_clock_far_ahead_is_told(arena: ArenaSite) -> None:
    """Erasing waits, with both times and the command, until a person says that it is right."""
    arena.sequence()
    erase_old(arena.services, pause_s=0)
    arena.clock.now_us += 400 * DAY_US
    rosa = moderator_of(arena)

    assert "the clock stands far ahead of the last time" in told(rosa, "notice")
    waits = told(rosa, "retention")
    assert "The clock says 2028-01-04" in waits
    assert "the last time known is 2026-11-30" in waits
    assert "arena retention --clock-is-right" in waits
    erase_old(arena.services, pause_s=0, clock_is_right=True)
    rosa = moderator_of(arena, "otto")
    assert "the clock stands far ahead" not in told(rosa, "notice")
    assert "erases what is older" in told(rosa, "retention")


def test_the_shared_store_is_asked_whether_it_answers(
    open_arena: OpenArena, valkey_url: str
) -> None:
    """With an answer all is well; without one the page says what happens instead."""
    well = moderator_of(open_arena(redis_url=valkey_url))
    assert told(well, "limits").endswith("for all processes together. It answers.")

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    ill = moderator_of(open_arena(redis_url=f"redis://127.0.0.1:{port}"), "otto")
    assert "Each process counts by itself until it does" in told(ill, "limits")
    assert "does not answer; each process counts" in told(ill, "notice")


def test_both_databases_tell_the_same(either_arena: ArenaSite) -> None:
    """A vote that waits, a board, an erased part and a failed sign-in are told on each."""
    arena = either_arena
    votes_by_order(arena, 3)
    refit(arena)
    arena.voter().read_and_vote()
    one_sided_voter(arena, 1).voter.post("/me/erase")
    arena.voter().read_and_vote()
    moderator_of(arena, signed_in=False).sign_in("nobody", "a wrong password")
    rosa = moderator_of(arena, "otto")

    assert re.search("[1-9] events wait for their place", told(rosa, "log"))
    assert "holds 3 votes. 2 votes wait" in told(rosa, "fits")
    assert "request" in told(rosa, "retention")
    assert "1 in the last day; names: 1, addresses: 1." in told(rosa, "sign-ins")
    assert "All 60 answers are fresh" in told(rosa, "pool")
