"""The nightly sweep over real votes: who is found, what it writes, and that it may be cut short."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from antiabuse.addresses import AddressHashes
from antiabuse.detectors import rules as detector_rules
from antiabuse.detectors.finding import Detector, Finding
from antiabuse.identity import new_voter_id, pseudonym
from antiabuse.sincerity import ClientValues
from arena import ballots, flags, moderation, sweep, sweep_crowd, votes
from arena.ballot_store import HeldBallot, load_held
from arena.ballots import Shown
from arena.events import Mode
from arena.ports import Ports
from arena.projection import project
from arena.standing_reasons import JoinReason
from arena.sweep_night import Night
from arena.sweep_votes import read_votes
from arena.visitor import Visitor
from arena.votes import Choice
from ledger.event import StoredEvent
from ranking.lobster import NotConvergedError
from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import MODELS, ArenaSite, Clock, at, open_site, write_pack
from tests.fixtures.review_cases import ADA, close_month

MONTH = "2026-11"
NIGHT_US = at("2026-12-01T00:25:00+00:00")
RIVAL = MODELS[-1][0]  # honest voters like it least
Picker = Callable[[HeldBallot, random.Random], Choice]


def honest(ballot: HeldBallot, rng: random.Random) -> Choice:
    """The later in the list of models, the weaker."""
    order = [model[0] for model in MODELS]
    chances = [2.0 ** -order.index(slot.model) for slot in ballot.slots]
    best = rng.choices(range(4), chances)[0]
    return Choice("best_worst", best, (best + 1 + rng.randrange(3)) % 4)


def booster(ballot: HeldBallot, rng: random.Random) -> Choice:
    """The rival wherever it is shown."""
    shown = [slot.model for slot in ballot.slots]
    if RIVAL not in shown:
        return honest(ballot, rng)
    best = shown.index(RIVAL)
    return Choice("best_worst", best, (best + 1) % 4)


def always_a(_ballot: HeldBallot, _rng: random.Random) -> Choice:
    """Without a look."""
    return Choice("best_worst", 0, 3)


class Crowd:
    """Voters of a site."""

    def __init__(self, site: ArenaSite) -> None:
        self.site = site
        self.rng = random.Random(11)

    def voter(self) -> str:
        """Return a new voter's id."""
        return new_voter_id(self.rng)

    def name(self, voter: str) -> str:
        """Return a voter's pseudonym of the month."""
        return pseudonym(self.site.services.ports.keys, MONTH, voter)

    def vote(
        self,
        voter: str,
        picker: Picker = honest,
        *,
        address: str | None = None,
        device: str | None = None,
        dwell: str = "15",
    ) -> StoredEvent:
        """Let a voter vote once."""
        ports, clock = self.site.services.ports, self.site.clock
        place = None if address is None else AddressHashes(address, address, address)
        clock.advance(20)
        shown = ballots.open_ballot(ports, Visitor(voter, clock(), place), "speed")
        assert isinstance(shown, Shown)
        with self.site.database.read() as conn:
            held = load_held(conn, shown.ballot.id)
        assert held is not None
        clock.advance(15)
        measured = ClientValues(Decimal(dwell), Decimal(1))
        votes.cast(
            ports,
            Visitor(voter, clock(), place),
            shown.ballot.id,
            picker(held, self.rng),
            measured,
            {} if device is None else {"fingerprint": device},
        )
        return self.site.events("vote.cast")[-1]

    def settle(self) -> None:
        """Let the night come, with every vote in the log."""
        self.site.sequence()
        self.site.clock.now_us = NIGHT_US


@pytest.fixture(scope="module")
def lived_template(tmp_path_factory: pytest.TempPathFactory, arena_template: Path) -> Path:
    """A folder with a day's votes of people and of two machines, to copy."""
    folder = tmp_path_factory.mktemp("lived")
    path = folder / "arena.sqlite3"
    shutil.copyfile(arena_template, path)
    site = open_site(f"sqlite:///{path}", folder / "data", clock=Clock(), seed=5)
    site.import_pack(write_pack(folder / "more", "speed", questions=150, topic="more"))
    crowd = Crowd(site)
    people = [crowd.voter() for _ in range(6)]
    booster_id, label_id = crowd.voter(), crowd.voter()
    for _ in range(6):
        for voter in people:
            crowd.vote(voter, address="198.51.100.7")
    for _ in range(20):
        crowd.vote(booster_id, booster, dwell="2.9")
    for _ in range(10):
        crowd.vote(label_id, always_a)
    crowd.settle()
    site.close()
    names = [crowd.name(voter) for voter in (*people, booster_id, label_id)]
    (folder / "names.txt").write_text("\n".join(names), encoding="utf-8")
    return folder


@dataclass(frozen=True)
class Lived:
    """The site at night after that day, and its voters' pseudonyms."""

    site: ArenaSite
    people: tuple[str, ...]
    booster: str
    label: str

    def sweep(self) -> list[sweep.Swept]:
        """Do what the worker does every minute."""
        return sweep.sweep_if_due(self.site.services.ports, self.site.clock())

    def raised(self) -> list[tuple[str, tuple[str, ...], int]]:
        """Return detector, subjects and look of every flag in the log, sorted."""
        bodies = [event.body for event in self.site.events("flag.raised")]
        return sorted((body["detector"], tuple(body["subjects"]), body["look"]) for body in bodies)


@pytest.fixture
def lived(lived_template: Path, tmp_path: Path, clock: Clock) -> Iterator[Lived]:
    """A copy of that day."""
    folder = shutil.copytree(lived_template, tmp_path / "lived")
    clock.now_us = NIGHT_US
    site = open_site(f"sqlite:///{folder / 'arena.sqlite3'}", folder / "data", clock=clock)
    *people, pushing, label = (folder / "names.txt").read_text(encoding="utf-8").split()
    yield Lived(site, tuple(people), pushing, label)
    site.close()


def expected(lived: Lived) -> list[tuple[str, tuple[str, ...], int]]:
    """What that day's flags are."""
    one = (lived.booster,)
    return sorted(
        [
            ("careless", one, 20),
            ("fast_dwell", one, 30),
            ("favourite_model", one, 20),
            ("model_agenda", one, 20),
            ("repetitive_labels", (lived.label,), 0),
            ("shared_address", tuple(sorted(lived.people)), 30),
        ]
    )


def raised_by_votes(lived: Lived) -> list[tuple[str, tuple[str, ...], int]]:
    """What of these the votes themselves raised."""
    cheap = ("fast_dwell", "repetitive_labels", "shared_address")
    return [flag for flag in expected(lived) if flag[0] in cheap]


def test_machines_are_found_and_people_are_not(lived: Lived) -> None:
    """The booster, the one who always takes A, and the shared address; nobody else."""
    assert lived.raised() == raised_by_votes(lived)
    (done,) = lived.sweep()

    assert done.faults == {}
    assert (done.mode, done.month, done.flags) == ("speed", MONTH, 3)
    assert lived.raised() == expected(lived)
    agenda = next(
        event.body
        for event in lived.site.events("flag.raised")
        if event.body["detector"] == "model_agenda"
    )
    assert agenda["numbers"]["model"] == RIVAL
    assert agenda["discounts"] is False
    assert lived.site.count("vote_strike") == 0


def test_voters_are_judged_without_a_campaigns_votes(
    lived: Lived, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever a campaign names does not shape what is expected of the others."""
    expected_of = {}
    for findings in ([], [campaign_of(lived)]):
        monkeypatch.setattr(sweep_crowd, "common_causes", lambda *_, told=findings: told)
        expected_of[len(findings)] = expected_best(lived)

    assert expected_of[0] != expected_of[1]


@pytest.mark.parametrize(
    "state, left_out", [("open", True), ("upheld", True), ("dismissed", False)]
)
def test_voters_of_a_dismissed_campaign_count_again(
    lived: Lived, monkeypatch: pytest.MonkeyPatch, state: str, left_out: bool
) -> None:
    """An earlier campaign is left out of the comparison unless a moderator dismissed it."""
    monkeypatch.setattr(sweep_crowd, "common_causes", lambda *_: [])
    before = expected_best(lived)
    with lived.site.database.write() as conn:
        flags.raise_flags(
            conn,
            lived.site.services.ports,
            "speed",
            MONTH,
            "2026-11-30T23:00Z",
            [campaign_of(lived)],
        )
    lived.site.execute("UPDATE flag SET state = :state", state=state)

    assert (expected_best(lived) != before) is left_out


def campaign_of(lived: Lived) -> Finding:
    """Return a campaign that names the voter of one label."""
    return Finding(
        detector=Detector.CAMPAIGN,
        subjects=(lived.label,),
        votes=(lived.site.events("vote.cast")[-1].id,),
        statistic="0",
        threshold="0.001",
        p_value="0",
        look=0,
        numbers={},
        discounts=False,
    )


def expected_best(lived: Lived) -> str:
    """Run a night without storing it; return what was expected of the voter with an agenda."""
    with lived.site.database.read() as conn:
        votes_read = read_votes(lived.site.services.ports, conn, "speed", MONTH)
        night = Night(conn, "speed", MONTH, NIGHT_US, votes_read)
        night.run()
    assert night.faults == {}
    (agenda,) = (each for each in night.findings if each.detector is Detector.MODEL_AGENDA)
    return agenda.numbers[f"expected:best:{RIVAL}"]


def test_a_night_is_swept_once(lived: Lived) -> None:
    """The next minute, and a second worker with the same votes, add nothing."""
    lived.sweep()
    events = len(lived.site.events("flag.raised", "sweep.finished"))

    assert lived.sweep() == []
    again = sweep.sweep(lived.site.services.ports, "speed", MONTH, lived.site.clock())
    assert again is not None
    assert again.flags == 0
    assert len(lived.site.events("flag.raised", "sweep.finished")) == events


@pytest.mark.parametrize("at_flag", [0, 3])
def test_a_sweep_that_is_killed_leaves_nothing_behind(
    lived: Lived, monkeypatch: pytest.MonkeyPatch, at_flag: int
) -> None:
    """Cut off after some flags were written, it starts again as if it had never run."""
    before = lived.site.count("event")
    done: list[object] = []

    def killed(*args: Any) -> None:  # noqa: ANN401 - handed on
        done.append(args)
        if len(done) > at_flag:
            raise SystemExit
        project(*args)

    with monkeypatch.context() as patch:
        patch.setattr("arena.flags.project", killed)
        with pytest.raises(SystemExit):
            lived.sweep()
    assert lived.raised() == raised_by_votes(lived)
    assert lived.site.count("sweep_look") == 0
    assert lived.site.count("event") == before

    lived.sweep()
    assert lived.raised() == expected(lived)


def test_a_sweep_killed_at_its_last_event_is_made_again(
    lived: Lived, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Flags without the event that names the looks are not kept."""

    def killed(*_: object, **__: object) -> None:
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(flags, "finish_sweep", killed)
        with pytest.raises(SystemExit):
            lived.sweep()
    assert lived.raised() == raised_by_votes(lived)

    lived.sweep()
    assert lived.raised() == expected(lived)
    assert len(lived.site.events("sweep.finished")) == 1


def test_missed_nights_are_made_up(lived: Lived) -> None:
    """A worker that slept for three days sweeps the month that ended meanwhile, whole."""
    lived.site.clock.advance(3 * 86_400)

    assert [done.month for done in lived.sweep()] == [MONTH]
    assert lived.raised() == expected(lived)
    nights = "detector = 'night' AND mode = 'speed'"
    assert lived.site.count("sweep_look", nights) == 30


def test_days_that_are_not_over_wait(lived: Lived) -> None:
    """During the day, and in the first minutes after it, nothing is swept."""
    for moment in ("2026-11-30T23:59:00+00:00", "2026-12-01T00:19:59+00:00"):
        lived.site.clock.now_us = at(moment)
        assert lived.sweep() == []
    assert lived.raised() == raised_by_votes(lived)


def test_a_vote_without_a_place_in_the_log_is_waited_for(lived: Lived) -> None:
    """A day is swept when all its votes are in the log, or its first votes might be others."""
    lived.site.clock.now_us = at("2026-11-30T23:58:00+00:00")
    late = Crowd(lived.site)
    late.vote(late.voter())
    lived.site.clock.now_us = NIGHT_US
    assert lived.sweep() == []

    lived.site.sequence()
    assert len(lived.sweep()) == 1


def test_without_a_fit_the_others_run_and_the_look_is_made_up(
    lived: Lived, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A check that could not run is told as such, and taken the next night (V-168)."""

    def fails(*_: object, **__: object) -> None:
        raise NotConvergedError("no convergence")

    with monkeypatch.context() as patch:
        patch.setattr("arena.sweep_night.lobster.fit", fails)
        (done,) = lived.sweep()
    by_fit = {"model_agenda", "favourite_model", "careless", "influence"} | {
        "identical_ballots", "burst", "campaign",
    }  # fmt: skip
    assert set(done.faults) == by_fit
    (finished,) = lived.site.events("sweep.finished")
    assert finished.body["unrun"] == dict.fromkeys(by_fit, "NotConvergedError")
    assert {detector for detector, _, _ in lived.raised()} == {
        "fast_dwell", "repetitive_labels", "shared_address",
    }  # fmt: skip

    lived.site.clock.advance(3_600)
    assert lived.sweep() == []
    lived.site.clock.advance(86_400)
    assert [done.month for done in lived.sweep()] == [MONTH]
    assert lived.raised() == expected(lived)
    lived.site.clock.advance(86_400)
    assert lived.sweep() == []


def test_a_sweep_that_fails_keeps_no_other_back(
    lived: Lived, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What goes wrong in one month is told when the others are done, and tried again."""
    missed: list[str] = []
    sweep_of = sweep.sweep

    def fails_once(ports: Ports, mode: Mode, month: str, now_us: int) -> sweep.Swept | None:
        if not missed:
            missed.append(month)
            raise ZeroDivisionError
        return sweep_of(ports, mode, month, now_us)

    crowd = Crowd(lived.site)
    crowd.vote(crowd.voter())
    lived.site.sequence()
    lived.site.clock.advance(86_400)
    monkeypatch.setattr(sweep, "sweep", fails_once)

    with pytest.raises(ExceptionGroup) as failed:
        lived.sweep()

    (error,) = failed.value.exceptions
    assert error.__notes__ == [f"the sweep of speed, {MONTH}"]
    assert [event.body["month"] for event in lived.site.events("sweep.finished")] == ["2026-12"]
    assert [done.month for done in lived.sweep()] == [MONTH]
    assert lived.raised() == expected(lived)


def test_one_broken_detector_keeps_no_other_back(
    lived: Lived, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever breaks in one of them, the rest of the night goes on."""

    def breaks(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("arena.sweep_looks.careless", breaks)
    monkeypatch.setattr("arena.sweep_crowd.shared_addresses", breaks)
    (done,) = lived.sweep()

    assert set(done.faults) == {"careless", "shared_address"}
    left = [found for found in expected(lived) if found[0] != "careless"]
    assert lived.raised() == left


@pytest.mark.parametrize("archived", [False, True])
def test_a_listed_detector_strikes_until_the_archive_is_out(
    lived: Lived, monkeypatch: pytest.MonkeyPatch, archived: bool
) -> None:
    """Only if the ruleset lists it, and in an open month only: a closed one is for people."""
    listed = replace(
        detector_rules.current(), discounting=(Detector.FAVOURITE_MODEL, Detector.MODEL_AGENDA)
    )
    monkeypatch.setattr(detector_rules, "current", lambda: listed)
    if archived:
        close_month(lived.site)
    lived.sweep()

    assert len(lived.raised()) == 6
    assert (lived.site.events("vote.discounted") == []) is archived


def test_votes_of_an_open_month_are_struck_by_a_listed_detector(
    arena: ArenaSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The flag names its votes, and all of them weigh nothing from then on."""
    listed = replace(detector_rules.current(), discounting=(Detector.REPETITIVE_LABELS,))
    listed = replace(listed, label_run=3, label_run_discount=4)
    monkeypatch.setattr(detector_rules, "current", lambda: listed)
    arena.clock.now_us = at("2026-11-10T12:00:00+00:00")
    crowd = Crowd(arena)
    short, long = crowd.voter(), crowd.voter()
    for _ in range(3):
        crowd.vote(short, always_a)
    struck = {crowd.vote(long, always_a).id for _ in range(4)}
    arena.sequence()
    arena.clock.now_us = at("2026-11-11T00:30:00+00:00")

    (done,) = sweep.sweep_if_due(arena.services.ports, arena.clock())
    assert done.flags == 1  # beside the flags that the votes raised
    (event,) = arena.events("vote.discounted")
    assert set(event.body["votes"]) == struck
    assert event.body["detector"] == "repetitive_labels"
    assert arena.count("vote_strike") == 4


def test_joining_shows_what_the_accounts_knew_of_each_other(
    either_arena: ArenaSite,
) -> None:
    """After two accounts are joined, the second's votes on the first's questions are reported."""
    arena = either_arena
    arena.clock.now_us = at("2026-11-10T12:00:00+00:00")
    crowd = Crowd(arena)
    one, two = crowd.voter(), crowd.voter()
    for voter in (one, two):
        for _ in range(6):
            crowd.vote(voter, address="198.51.100.7")
        arena.sequence()
    arena.clock.now_us = at("2026-11-11T00:30:00+00:00")
    ports = arena.services.ports
    assert [done.flags for done in sweep.sweep_if_due(ports, arena.clock())] == [0]

    names = [crowd.name(one), crowd.name(two)]
    moderation.join(ports, ADA, MONTH, names, JoinReason.ADMITTED, arena.clock())
    arena.sequence()
    arena.clock.now_us = at("2026-11-12T00:30:00+00:00")
    assert len(sweep.sweep_if_due(ports, arena.clock())) == 1
    found = [event.body for event in arena.events("flag.raised")]

    asked = [event.body["question"] for event in arena.events("vote.cast")]
    both = set(asked[:6]) & set(asked[6:])
    assert both
    repeated = [body for body in found if body["detector"] == "repeated_question"]
    assert [(body["subjects"], body["look"], len(body["votes"])) for body in repeated] == [
        ([names[1]], 10, len(both))
    ]
    assert {body["detector"] for body in found} <= {"repeated_question", "seen_answer"}


def test_demo_votes_are_not_swept(open_empty_arena: OpenArena, tmp_path: Path) -> None:
    """Nobody is behind the votes of the demo."""
    site = open_empty_arena()
    site.import_pack(write_pack(tmp_path / "demo", "speed", questions=12, demo=True))
    crowd = Crowd(site)
    voter = crowd.voter()
    for _ in range(10):
        crowd.vote(voter, always_a)
    crowd.settle()

    assert sweep.sweep_if_due(site.services.ports, site.clock()) == []
