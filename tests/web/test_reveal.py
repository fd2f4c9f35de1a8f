"""The reveal's numbers and the receipt, for the voter (V-015, V-032 to V-038, V-158, V-159)."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import pytest

from antiabuse import sightings
from arena.ballot_projection import WEIGHT_UNIT
from ledger.receipt_check import Refused, check
from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import MODELS, ArenaSite, route_of, write_pack

GAMMAS = (2.0, 1.0, 0.5, 0.5)


def publish(arena: ArenaSite, gammas: dict[str, float], mode: str = "speed") -> None:
    """Put up a board with known strengths, as a row without an event."""
    rows = [
        {
            "model": model, "theta": "0", "gamma": f"{gamma:.9g}", "score": "1234.56", "se": "0.1",
            "score_se": "17.37", "low": "1200.00", "high": "1260.00", "exposures": "40",
            "showings": 40, "best": "10", "worst": "9", "same": "0", "bad": "0",
            "points": "12.00", "best_place": 2, "worst_place": 4, "provisional": False,
            "comparable": True, "few_voters": False, "limited": False,
        }
        for model, gamma in gammas.items()
    ]  # fmt: skip
    body = {
        "mode": mode, "month": "2026-11", "view": "official", "category": "", "board": "known",
        "computed_us": arena.clock(),
        "log_size": 1, "code_version": "0", "demo": False, "votes": 40, "voters": 9,
        "verdicts": {"best_worst": 40}, "excluded": {}, "basket": list(gammas),
        "rows": rows, "facts": {}, "output_sha256": "",
    }  # fmt: skip
    arena.execute(
        "INSERT INTO board (id, mode, month, view, category, computed_us, log_size, body)"
        " VALUES ('known', :mode, '2026-11', 'official', '', :now, 1, :body)",
        mode=mode,
        now=arena.clock(),
        body=json.dumps(body),
    )


@pytest.fixture
def four_models(open_empty_arena: OpenArena, tmp_path: Path) -> ArenaSite:
    """A site with four models, so that every ballot shows the same four."""
    arena = open_empty_arena()
    arena.import_pack(write_pack(tmp_path / "p", "speed", questions=8, models=MODELS[:4]))
    return arena


@pytest.mark.parametrize(
    "fields, dwell_s, changes",
    [
        ({"best": 0, "worst": 3}, 30, (16, -2.666667, -2.666667, -10.666667)),
        ({"best": 2, "worst": 0}, 30, (-18.666667, -4.666667, 28, -4.666667)),
        ({"best": 2, "worst": 0}, 6, (-9.333333, -2.333333, 14, -2.333333)),
        ({"best": 2, "worst": 0}, 9.99, (-18.643333, -4.660833, 27.965, -4.660833)),
        ({"best": 1}, 30, (-8, 24, -8, -8)),
        ({"verdict": "same"}, 30, (-8, 0, 4, 4)),
        ({"verdict": "same"}, 6, (-4, 0, 2, 2)),
        ({"verdict": "bad"}, 30, (0, 0, 0, 0)),
    ],
)
def test_known_strengths_give_the_changes_of_w2(
    four_models: ArenaSite,
    fields: dict[str, int | str],
    dwell_s: float,
    changes: tuple[float, ...],
) -> None:
    """W-2 from the form to the page: strengths 2, 1, ½, ½ by model, wherever each model stands."""
    arena = four_models
    slugs = [model[0] for model in MODELS[:4]]
    publish(arena, dict(zip(slugs, GAMMAS, strict=True)))
    voter = arena.voter()
    page = voter.ballot()
    shown = [slot.model for slot in arena.held(page.token).slots]
    letter = {model: "ABCD"[place] for place, model in enumerate(shown)}
    form = {
        name: letter[slugs[value]] if isinstance(value, int) else value
        for name, value in fields.items()
    }
    if "best" in form:
        form.setdefault("worst", "")
    arena.clock.advance(dwell_s)

    reveal = voter.vote(page.token, htmx=True, **form)

    (cast,) = arena.events("vote.cast")
    changed = dict(zip(cast.body["models"], cast.body["changes"], strict=True))
    chances = dict(zip(cast.body["models"], cast.body["p_win"], strict=True))
    assert [float(changed[slug]) for slug in slugs] == pytest.approx(list(changes), abs=1e-6)
    assert [float(chances[slug]) for slug in slugs] == [0.5, 0.25, 0.125, 0.125]
    assert cast.body["board"] == "known"
    points = re.findall(r'class="points[^"]*">([^<]*)<', reveal.text)
    expected = [changes[slugs.index(model)] for model in shown]
    assert [float(each.replace("−", "-")) for each in points] == pytest.approx(expected, abs=0.005)
    assert reveal.text.count("2–4") == 4
    assert reveal.text.count("score 1235") == 4


def test_before_the_first_board_all_are_equal(arena: ArenaSite) -> None:
    """Without a board every chance is 25 % and a full vote moves +24, −4, −4, −16."""
    voter = arena.voter()
    page = voter.ballot()
    arena.clock.advance(30)

    reveal = voter.vote(page.token, htmx=True, best="B", worst="C")

    (cast,) = arena.events("vote.cast")
    assert cast.body["changes"] == ["-4.000000", "24.000000", "-16.000000", "-4.000000"]
    assert cast.body["board"] is None
    assert re.findall(r'class="points[^"]*">([^<]*)<', reveal.text) == [
        "−4.00",
        "+24.00",
        "−16.00",
        "−4.00",
    ]
    assert reveal.text.count("25 %") == 4
    assert "You picked B as best, C as worst." in reveal.text


@pytest.mark.parametrize(
    "fields, heading",
    [
        ({"worst": ""}, "You picked A as best and no worst."),
        ({"verdict": "same"}, "You found the four about the same."),
        ({"verdict": "bad"}, "You found both bad"),
    ],
)
def test_the_heading_says_what_was_picked(
    arena: ArenaSite, fields: dict[str, str], heading: str
) -> None:
    """The choice is said in words, and the heading takes the focus."""
    voter = arena.voter()
    text = voter.vote(voter.ballot().token, htmx=True, **fields).text
    assert heading in text
    assert 'id="reveal-heading" tabindex="-1"' in text


@pytest.mark.parametrize(
    "seconds, scroll, words",
    [
        (30, "1", ["counts <strong>1</strong> of 1", "read for 30.0 s (time 1)"]),
        (6, "1", ["counts <strong>0.5</strong> of 1", "read for 6.0 s (time 0.5)"]),
        (30, "0.2", ["counts <strong>0.5</strong> of 1", "not seen (scrolling 0.5)"]),
        (1, "1", ["Your vote does not count", "It is logged all the same."]),
    ],
)
def test_the_weight_is_explained(
    arena: ArenaSite, seconds: float, scroll: str, words: list[str]
) -> None:
    """V-015, V-018: the weight stands there with its factors, and why a vote does not count."""
    voter = arena.voter()
    page = voter.ballot()
    arena.clock.advance(seconds)

    text = " ".join(voter.vote(page.token, htmx=True, scroll=scroll).text.split())

    for each in words:
        assert each in text


def test_the_reveal_stays_what_it_was(arena: ArenaSite) -> None:
    """Fetched again a day later, chance and changes are those of the vote."""
    voter = arena.voter()
    page = voter.ballot()
    arena.clock.advance(30)
    first = voter.vote(page.token, htmx=True)
    publish(arena, {model[0]: 3.0 for model in MODELS[:1]})
    arena.clock.advance(86_400)

    again = voter.get(f"/ballots/{route_of(first)}", htmx=True)

    for pattern in (r'class="points[^"]*">([^<]*)<', r"<dd>(\d+ %)</dd>", r'data-model="([^"]*)"'):
        assert re.findall(pattern, again.text) == re.findall(pattern, first.text)
        assert re.findall(pattern, again.text)


def test_how_others_voted_appears_from_five_other_votes_on(
    open_empty_arena: OpenArena, tmp_path: Path
) -> None:
    """V-158: four other counted votes show nothing, five do; votes that weigh 0 do not help."""
    arena = open_empty_arena()
    arena.import_pack(write_pack(tmp_path / "p", "speed", questions=1, models=MODELS[:4]))
    mine = arena.voter()
    reveal = mine.read_and_vote()
    path = f"/ballots/{route_of(reveal)}"
    hidden = "appears from 5 other votes on"
    for _ in range(4):
        arena.voter().read_and_vote()
    arena.voter().read_and_vote(seconds=1)
    arena.voter().read_and_vote(verdict="bad")

    before = mine.get(path).text
    arena.voter().read_and_vote()
    after = mine.get(path).text

    assert hidden in before
    assert hidden not in after
    assert "5 votes on this question besides yours" in after


def test_the_receipt_goes_through_its_three_steps(arena: ArenaSite) -> None:
    """Stored at once, numbered and signed with the next batch; until then there is no proof."""
    voter = arena.voter()
    route = route_of(voter.vote(voter.ballot().token))
    (cast,) = arena.events("vote.cast")
    address = f"/receipts/{route}"

    first = voter.get(address)
    early = voter.get(f"{address}.tlog-proof")
    arena.sequence()
    later = voter.get(address)

    assert first.status_code == 200
    assert cast.id in first.text
    assert cast.body_salt in first.text
    assert early.status_code == 404
    assert f"{address}.tlog-proof" not in first.text
    assert f"{address}.tlog-proof" in later.text


def test_the_proof_checks_offline_and_tells_the_vote(arena: ArenaSite) -> None:
    """The file proves this very event under the log's key, and a changed one proves nothing."""
    voter = arena.voter()
    for _ in range(3):
        arena.voter().read_and_vote()
    route = route_of(voter.read_and_vote())
    arena.sequence()
    vkey = arena.services.log_key.verifier.vkey

    response = voter.get(f"/receipts/{route}.tlog-proof")
    good = check(response.data, [vkey])

    cast = arena.events("vote.cast")[-1]
    assert response.mimetype == "text/plain"
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["Content-Disposition"].startswith("attachment")
    assert (good.id, good.kind, good.body) == (cast.id, "vote.cast", cast.body)
    lines = response.data.split(b"\n")
    event = base64.b64decode(lines[1].removeprefix(b"extra "))
    lines[1] = b"extra " + base64.b64encode(event.replace(b"best_worst", b"worst_best"))
    with pytest.raises(Refused):
        check(b"\n".join(lines), [vkey])


def test_my_votes_list_each_vote_with_its_receipt(arena: ArenaSite) -> None:
    """`/me` shows the visitor's own votes and what is left, and nobody else's."""
    voter, other = arena.voter(), arena.voter()
    routes = []
    for _ in range(2):
        routes.append(route_of(voter.read_and_vote()))
        arena.clock.advance(10)
    other.read_and_vote()

    mine, theirs = voter.get("/me").text, other.get("/me").text

    for route in routes:
        assert f"/receipts/{route}" in mine
        assert route not in theirs
    assert "<strong>48</strong>" in mine


def test_a_stranger_sees_no_votes_and_no_gaps(arena: ArenaSite) -> None:
    """Without a cookie `/me` lists nothing, leaves no number out, and issues no cookie."""
    response = arena.voter().get("/me")
    assert response.status_code == 200
    assert "Set-Cookie" not in response.headers
    assert "<strong></strong>" not in response.text
    assert "/receipts/" not in response.text


@pytest.mark.parametrize("answer, words", [("yes", "You allowed"), ("no", "No device code")])
def test_my_page_says_what_was_answered_about_the_fingerprint(
    open_arena: OpenArena, answer: str, words: str
) -> None:
    """V-173: the answer can be seen and changed on `/me`, and no is not taken for yes."""
    arena = open_arena(fingerprint="consent")
    voter = arena.voter()
    voter.ballot()
    voter.post("/consent", {"fingerprint": answer})

    text = voter.get("/me").text

    assert words in text
    other = "no" if answer == "yes" else "yes"
    assert f'name="fingerprint" value="{other}"' in text


def test_weights_are_whole_millionths(arena: ArenaSite) -> None:
    """The stored weight is exact: 9.99 s give 0.99875, and so do the changes (W-2)."""
    voter = arena.voter()
    page = voter.ballot()
    arena.clock.advance(9.99)
    voter.vote(page.token)

    (cast,) = arena.events("vote.cast")
    assert cast.body["weight"] == "0.99875"
    assert arena.count("vote", "weight_micro = :micro", micro=int(0.99875 * WEIGHT_UNIT)) == 1


def test_the_reading_time_is_private_and_can_be_erased(arena: ArenaSite) -> None:
    """The log holds what time and scrolling gave, not what was measured (X-006)."""
    voter = arena.voter()
    page = voter.ballot()
    arena.clock.advance(6)
    reveal = voter.vote(page.token, dwell_ms="5432", scroll="1")
    (cast,) = arena.events("vote.cast")
    assert cast.body["weight_parts"] == {
        "dwell_weight": "0.429", "scroll_factor": "1", "anomaly_factor": "1",
    }  # fmt: skip
    with arena.database.write() as conn:
        assert sightings.unlink(conn, voter.id, arena.clock()) == 1

    assert (
        "reading time erased meanwhile (time 0.429)"
        in voter.get(f"/ballots/{route_of(reveal)}").text
    )
