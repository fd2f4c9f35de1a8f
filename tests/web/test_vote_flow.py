"""A vote from the ballot page to the reveal, with and without HTMX (V-006 to V-029)."""

from __future__ import annotations

import pytest

from tests.fixtures.arena_site import ArenaSite, page_of, reason_of, route_of, vote_form


@pytest.mark.parametrize("htmx", [False, True])
@pytest.mark.parametrize(
    "fields, best, worst",
    [
        ({"best": "A", "worst": "D"}, 0, 3),
        ({"best": "C", "worst": "B"}, 2, 1),
        ({"best": "B", "worst": ""}, 1, None),
        ({"verdict": "same"}, None, None),
        ({"verdict": "bad"}, None, None),
        ({"verdict": "same", "best": "", "worst": ""}, None, None),
    ],
)
def test_every_verdict_is_stored_as_given(
    arena: ArenaSite, htmx: bool, fields: dict[str, str], best: int | None, worst: int | None
) -> None:
    """Each kind of choice leads to the reveal, and the vote holds exactly what was picked."""
    voter = arena.voter()
    page = voter.ballot()
    models = [slot.model for slot in arena.held(page.token).slots]
    arena.clock.advance(30)

    response = voter.vote(page.token, htmx=htmx, **fields)

    (cast,) = arena.events("vote.cast")
    assert response.status_code == (200 if htmx else 303)
    assert cast.body["verdict"] == fields.get("verdict", "best_worst")
    assert cast.body["models"] == models
    assert cast.body["best"] == (None if best is None else models[best])
    assert cast.body["worst"] == (None if worst is None else models[worst])
    assert cast.body["weight"] == "1"


def test_a_plain_form_is_led_to_the_reveal(arena: ArenaSite) -> None:
    """Without HTMX the vote answers 303 to a whole page that names all four models."""
    voter = arena.voter()
    page = voter.ballot()
    held = arena.held(page.token)
    response = voter.vote(page.token)

    shown = voter.get(response.headers["Location"])

    assert response.status_code == 303
    assert shown.status_code == 200
    assert shown.text.startswith("<!doctype html>")
    for slot in held.slots:
        assert f'data-model="{slot.model}"' in shown.text
        assert arena.models()[slot.model].name in shown.text


def test_htmx_gets_the_reveal_as_a_fragment(arena: ArenaSite) -> None:
    """With HTMX the answer is the reveal itself, and its address goes into the history."""
    voter = arena.voter()
    page = voter.ballot()

    response = voter.vote(page.token, htmx=True)

    assert response.status_code == 200
    assert "<html" not in response.text
    assert 'id="reveal"' in response.text
    assert response.headers["HX-Push-Url"] == f"/ballots/{route_of(response)}"
    assert "HX-Request" in response.headers["Vary"]


def test_htmx_gets_the_next_ballot_as_a_fragment(arena: ArenaSite) -> None:
    """The ballot page comes as a part when HTMX asks, whole for its history and for browsers."""
    voter = arena.voter()
    assert "<html" in voter.ballot().html
    assert "<html" not in voter.ballot(htmx=True).html
    restored = voter.ballot(htmx=True, headers={"HX-History-Restore-Request": "true"})
    assert "<html" in restored.html


@pytest.mark.parametrize(
    "fields",
    [
        {"best": "A", "worst": "A"},
        {"best": "E"},
        {"best": "a"},
        {"worst": "E"},
        {"best": "AB"},
        {"best": "", "worst": "B"},
        {"best": "", "worst": ""},
        {"verdict": "same", "best": "A"},
        {"verdict": "same", "worst": "A"},
        {"verdict": "bad", "best": "A", "worst": "B"},
        {"verdict": "none"},
        {"verdict": ""},
        {"best": "A" * 600},
        {"best": "A\x00"},
    ],
)
@pytest.mark.parametrize("htmx", [False, True])
def test_a_contradictory_choice_is_refused_and_the_ballot_stays_open(
    arena: ArenaSite, fields: dict[str, str], htmx: bool
) -> None:
    """Mixes and unknown letters are 422, stored only as a refusal; the same ballot takes a vote."""
    voter = arena.voter()
    page = voter.ballot()

    refused = voter.vote(page.token, htmx=htmx, **fields)

    assert (refused.status_code, reason_of(refused)) == (422, "contradictory_choice")
    assert arena.refusals() == [("contradictory_choice", "vote")]
    assert arena.count("vote") == 0
    assert voter.vote(page.token).status_code == 303


@pytest.mark.parametrize(
    "name, values",
    [("best", ["A", "B"]), ("best", ["A", "A"]), ("worst", ["C", "D"]), ("verdict", ["same"] * 2)],
)
def test_a_doubled_field_is_no_choice(arena: ArenaSite, name: str, values: list[str]) -> None:
    """A field that comes twice contradicts itself, whichever of the two values was meant."""
    voter = arena.voter()
    form = {**vote_form(voter.ballot().token), name: values}

    response = voter.post("/vote", form)

    assert (response.status_code, reason_of(response)) == (422, "contradictory_choice")
    assert arena.count("vote") == 0


def test_a_refusal_under_htmx_leaves_the_page_as_it_is(arena: ArenaSite) -> None:
    """The message goes into the bar's own place, so that reading and choice are not lost."""
    voter = arena.voter()
    page = voter.ballot()

    response = voter.vote(page.token, htmx=True, best="A", worst="A")

    assert response.headers["HX-Retarget"] == "#ballot-message"
    assert "<html" not in response.text
    assert 'id="ballot-message"' in page.html


def test_the_mode_is_that_of_the_ballot(arena: ArenaSite) -> None:
    """A vote counts in the mode its ballot was issued in, whatever the request says (V-021)."""
    voter = arena.voter()
    page = voter.ballot("expert")

    form = {**vote_form(page.token), "mode": "speed"}
    assert voter.post("/vote?mode=speed", form).status_code == 303

    (cast,) = arena.events("vote.cast")
    assert cast.body["mode"] == "expert"
    assert cast.stream == "arena/expert/2026-11"


def test_without_script_the_server_clock_weighs(arena: ArenaSite) -> None:
    """Empty dwell and scroll give the server's dwell and the factor ½ (V-027, V-077)."""
    voter = arena.voter()
    page = voter.ballot()
    arena.clock.advance(6)

    reveal = voter.vote(page.token, htmx=True, dwell_ms="", scroll="")

    (cast,) = arena.events("vote.cast")
    assert cast.body["weight"] == "0.25"
    assert "read for 6.0 s (time 0.5)" in reveal.text
    assert cast.body["reasons"] == ["scroll_unknown"]


def test_a_browser_can_lower_its_dwell_but_not_raise_it(arena: ArenaSite) -> None:
    """The client says 30 s and the server saw 6 s: the weight is ½ (V-076, W-1)."""
    voter = arena.voter()
    page = voter.ballot()
    arena.clock.advance(6)

    voter.vote(page.token, dwell_ms="30000")

    (cast,) = arena.events("vote.cast")
    assert cast.body["weight"] == "0.5"


@pytest.mark.parametrize(
    "fields, reason",
    [
        ({"dwell_ms": "-1"}, "bad_client_value"),
        ({"dwell_ms": "NaN"}, "bad_client_value"),
        ({"scroll": "1.01"}, "bad_client_value"),
        ({"scroll": ""}, "bad_client_value"),
        ({"dwell_ms": "9" * 513}, "bad_client_value"),
        ({"dwell_ms": "1500"}, "too_fast"),
        ({"dwell_ms": "5000", "scroll": "0"}, "no_scroll"),
    ],
)
def test_a_vote_that_weighs_nothing_is_revealed_all_the_same(
    arena: ArenaSite, fields: dict[str, str], reason: str
) -> None:
    """Weight 0 is no refusal: the voter sees the models and why the vote does not count (V-018)."""
    voter = arena.voter()
    page = voter.ballot()
    arena.clock.advance(30)

    response = voter.vote(page.token, htmx=True, **fields)

    (cast,) = arena.events("vote.cast")
    assert response.status_code == 200
    assert response.text.count("data-model=") == 4
    assert "does not count" in response.text
    assert cast.body["weight"] == "0"
    assert reason in cast.body["reasons"]
    assert set(cast.body["changes"]) == {"0.000000"}


def test_body_shows_the_hour_and_the_private_part_the_moment(arena: ArenaSite) -> None:
    """Voter, moment, address and raw values are private; the body shows the hour (V-158)."""
    voter = arena.voter()
    page = voter.ballot()
    arena.clock.advance(61.25)
    voter.vote(page.token, dwell_ms="12345.6", scroll="0.75")

    (cast,) = arena.events("vote.cast")
    private = arena.private(cast)

    assert cast.body["hour"] == "2026-11-30T12:00Z"
    assert voter.id not in cast.body_text
    assert private["voter"] == voter.id
    assert private["at_us"] == arena.clock()
    assert (private["dwell_ms"], private["scroll"]) == ("12345.6", "0.75")
    assert voter.address not in str(private)


def test_skip_closes_the_ballot_unrevealed_and_shows_the_next(arena: ArenaSite) -> None:
    """A skip answers with another ballot and names nobody; the ballot takes no vote any more."""
    voter = arena.voter()
    page = voter.ballot()

    response = voter.post("/skip", {"ballot": page.token}, htmx=True)

    assert response.status_code == 200
    assert page_of(response).slots != page.slots
    assert "data-model" not in response.text
    assert arena.held(page.token).state == "skipped"
    late = voter.vote(page.token)
    assert (late.status_code, reason_of(late)) == (410, "closed")


def test_skip_without_htmx_leads_back_to_the_same_mode(arena: ArenaSite) -> None:
    """The plain form is sent on to the ballot page of the mode that was skipped."""
    voter = arena.voter()
    page = voter.ballot("expert")

    response = voter.post("/skip", {"ballot": page.token})

    assert response.status_code == 303
    assert response.headers["Location"] == "/?mode=expert"
