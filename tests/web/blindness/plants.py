"""Leaks to put into a site, each at its point of the list: the checks must go red for every one."""

from __future__ import annotations

import hashlib
import threading
import time

from flask import Response

from arena import after_vote, ballot_store, ballots, catalogue, votes
from arena.ballot_store import Revealed
from arena.identity_leaks import PhraseRule
from arena.imports import comparing
from arena.rendering import Cleaned, Rendered, visible
from ranking import ucbe
from tests.fixtures.arena_site import MODELS
from tests.web.blindness.planting import (
    BALLOT,
    BASE,
    SLOT,
    Plant,
    after_the_draw,
    alone,
    always,
    answer_digest,
    answer_id,
    busy,
    by_board,
    by_question,
    coded,
    delayed,
    drawn_as,
    exact_time,
    fitted_at_once,
    for_one,
    forged_voter,
    halves,
    header,
    ids_in_order,
    in_database,
    in_response,
    in_slot,
    in_template,
    kept_form,
    more_work,
    of_ballot,
    of_own_alone,
    of_this_month,
    one_salt,
    open_to_all_roles,
    patched,
    redrawn_for_leader,
    rendered,
    reopened,
    route,
    said,
    said_count,
    said_votes,
    salt_told,
    shown_all_the_same,
    slot_ids,
    streamed,
    told_on,
    unskipped,
)

_FAILED_COMES_BACK = (
    "CREATE TRIGGER leak AFTER UPDATE OF state ON answer WHEN NEW.state = 'failed'"
    " BEGIN UPDATE answer SET state = 'showable' WHERE id = NEW.id; END"
)

PLANTS: tuple[Plant, ...] = (
    Plant("1 phrases", "a name", in_database("UPDATE answer SET text = 'I am Zanthor Nine.'")),
    Plant("1 phrases", "a maker", in_database(
        "UPDATE answer SET text = 'As an AI by **Sarnfield**, no.' WHERE text LIKE 'View 4%'")),
    Plant("1 phrases", "in the HTML alone", in_database(
        "UPDATE answer_html SET html = '<p>My name is <b>Fenwhistle</b>.</p>'")),
    Plant("1 phrases", "of one model", in_database(
        "UPDATE answer SET text = 'Hi, I''m Eskerine Two!' WHERE text LIKE 'View 4 on topic 3%'")),
    Plant("1 phrases", "let in", patched(PhraseRule, "find", lambda *_: "")),
    Plant("1 phrases", "makers let in", patched(comparing, "_names", lambda s, n, _: (s, n))),
    Plant("2 names", "an attribute", in_slot('data-model="{{ behind(slot).slug }}"')),
    Plant("2 names", "a class", in_slot('class="by-{{ behind(slot).maker }}"')),
    Plant("2 names", "an id", in_slot('id="{{ behind(slot).name }}"')),
    Plant("2 names", "a comment", in_slot("><!-- {{ behind(slot).licence }} --><i")),
    Plant("2 names", "a link", in_slot('cite="{{ behind(slot).link }}"')),
    Plant("2 names", "a picture's text", in_slot('><img alt="{{ behind(slot).name }}"')),
    Plant("2 names", "a digest", in_slot('data-key="{{ behind(slot).digest[:16] }}"')),
    Plant("2 names", "entities", in_response("/", said("&#90;anthor&#32;Nine"))),
    Plant("2 names", "percent signs", in_response("/", said("%7Aanthor-9b"))),
    Plant("2 names", "base 64", in_response("/", said('"emFudGhvci05Yg=="'))),
    Plant("2 names", "a cookie", in_response("/", lambda r: r.set_cookie("m", "brimwick-x"))),
    Plant("2 names", "an error", in_response("/", lambda response: said(
        "Fenwhistle failed")(response) if response.status_code == 404 else None)),
    Plant("2 names", "a report's answer", in_response("/report", said("Thanks: Corvath Mini"))),
    Plant("2 names", "a skip's answer", in_response("/skip", said("That was Eskerine Two"))),
    Plant("2 names", "a redirect", in_response("/ballots/", header("Location", "/fenwhistle"))),
    Plant("2 names", "the voter's page", in_response("/me", said("drumlow-70"))),
    Plant("2 names", "readiness", in_response("/readyz", said("Pellham Lab"))),
    Plant("2 names", "metrics", in_response("/metrics", said('x{model="zanthor-9b"} 1'))),
    Plant("2 names", "a new route", route("/new/<slot>", "Oddfell Group")),
    *(
        Plant("2 names", f"{slug} alone", for_one(slug, f'data-by="{maker}"'))
        for slug, _, maker, _, _ in MODELS
    ),
    Plant("2 names", "in Expert alone", in_template(
        BALLOT, SLOT, SLOT + " {% if mode == 'expert' %}{{ behind(slot).name }}{% endif %}")),
    Plant("2 names", "half a name", in_slot('data-by="{{ behind(slot).name[:-4] }}"')),
    Plant("2 names", "backwards", in_slot('data-by="{{ behind(slot).slug | reverse }}"')),
    Plant("2 names", "without marks", in_slot(
        """data-by="{{ behind(slot).slug | replace('-', '') }}" """)),
    Plant("3 ids", "an answer's id", in_template(
        BALLOT, SLOT, 'data-slot="{{ behind(slot).answer_id }}"')),
    Plant("3 ids", "a number", in_template(BALLOT, SLOT, 'data-slot="{{ behind(slot).number }}"')),
    Plant("3 ids", "a fixed digest", in_template(
        BALLOT, SLOT, 'data-slot="{{ behind(slot).digest }}"')),
    Plant("3 ids", "beside the slot's", in_slot('data-answer="{{ behind(slot).answer_id }}"')),
    Plant("3 bits", "a letter", slot_ids(coded)),
    Plant("4 headers", "a name for it", in_response("/", header("X-Model", "9"))),
    Plant("4 headers", "a duration", in_response("/", header("Server-Timing", "a;dur=3"))),
    Plant("4 headers", "on errors alone", in_response("/vote", header("X-Upstream", "1"))),
    Plant("4 headers", "an event", in_response("/", header("HX-Trigger", "shown"))),
    Plant("4 headers", "a length", of_ballot(lambda _arena, response, numbers: (
        response.headers.__setitem__("Content-Length", str(9_000 + int(numbers[0])))))),
    Plant("4 cookies", "another", of_ballot(lambda _arena, response, numbers: (
        response.set_cookie("k", "-".join(numbers))))),
    Plant("4 cookies", "a longer one", of_ballot(lambda _arena, response, numbers: (
        response.headers.add("Set-Cookie", f"voter={'a' * 32}.{'b' * 39}{''.join(numbers)}")))),
    Plant("4 cookies", "its attributes", of_ballot(lambda _arena, response, numbers: (
        response.headers.__setitem__("Set-Cookie", response.headers["Set-Cookie"].replace(
            "Max-Age=", f"Max-Age={numbers[0]}")) if "Set-Cookie" in response.headers else None))),
    Plant("4 cookies", "rightly signed", of_ballot(forged_voter)),
    Plant("4 cookies", "after a skip", in_response(
        "/skip", lambda response: response.set_cookie("k", "1"))),
    Plant("4 contents", "a known header", of_ballot(lambda _arena, response, numbers: (
        response.headers.__setitem__("Retry-After", numbers[0])))),
    Plant("4 contents", "in what is said of an answer", in_template(
        BALLOT, SLOT, SLOT + 'data-k="{{ behind(slot).digest[:5] }}"')),
    Plant("4 contents", "on the voter's page", told_on("/me")),
    Plant("4 contents", "in errors", told_on("/report")),
    Plant("5 caches", "a validator", in_response("/", Response.add_etag)),
    Plant("5 caches", "a date", in_response("/", header("Last-Modified", "x"))),
    Plant("5 caches", "kept", in_response("/", header("Cache-Control", "public"))),
    Plant("5 caches", "kept errors", in_response("/vote", header("Cache-Control", "max-age=9"))),
    Plant("5 caches", "kept redirects", in_response("/ballots", lambda response: (
        response.headers.__setitem__("Cache-Control", "private")
        if response.status_code == 303 else None))),
    Plant("6 places", "by name", drawn_as(sorted)),
    Plant("6 places", "one in front", drawn_as(
        lambda models: sorted(models, key=lambda model: model != "zanthor-9b"))),
    Plant("6 places", "letters", in_template(
        BALLOT, "{% for slot in ballot.slots %}", "{% for slot in ballot.slots | reverse %}")),
    Plant("6 places", "the leader in front", by_board(
        lambda models, leader: sorted(models, key=lambda model: model != leader))),
    Plant("6 places", "the leader not last", by_board(lambda models, leader: (
        (leader, *models[:3]) if models[3] == leader else models))),
    Plant("6 places", "after the draw", after_the_draw(
        lambda drawn: sorted(drawn.answers, key=lambda answer: answer.model))),
    Plant("6 places", "a question's order", after_the_draw(lambda drawn: sorted(
        drawn.answers, key=lambda answer: by_question([answer.model], drawn.question.id)))),
    Plant("6 places", "by length, on the page", in_template(
        BALLOT, "{% for slot in ballot.slots %}\n    {% set before",
        '{% for slot in ballot.slots | sort(attribute="raw") %}\n    {% set before')),
    Plant("7 time", "streaming", in_response("/", streamed)),
    Plant("7 time", "more work for one", more_work),
    Plant("7 time", "one comes later", in_template(
        BALLOT, "{% for slot in ballot.slots %}", "{% for slot in ballot.slots[:3] %}")),
    Plant("7 time", "50 ms for one", delayed(lambda: time.sleep(0.05))),
    Plant("7 time", "1 ms for one", delayed(lambda: time.sleep(0.001))),
    Plant("7 time", "work without a query", delayed(lambda: busy(0.02))),
    Plant("7 time", "another thread's work", delayed(lambda: threading.Event().wait(0.02))),
    Plant("8 requests", "a fragment", in_slot('hx-get="/answers/{{ slot.slot_id }}"')),
    Plant("8 requests", "by letter", in_slot('><img src="/shot/{{ slot.letter }}"')),
    Plant("8 requests", "a route", route("/answers/<answer_id>", "x")),
    Plant("8 requests", "packed", in_response("/", header("Content-Encoding", "gzip"))),
    Plant("8 requests", "by number", in_slot('><img src="/shot/{{ loop.index }}"')),
    Plant("8 requests", "one alone", alone),
    Plant("9 layout", "a size", in_slot('data-long="{{ slot.raw | length // 100 }}"')),
    Plant("9 layout", "a class", in_slot("{% if slot.raw | length > 99 %}class='x'{% endif %}")),
    Plant("9 layout", "a number", in_slot('data-n="{{ behind(slot).number }}"')),
    Plant("9 layout", "one model's", for_one("fenwhistle", "class='wide'")),
    Plant("9 layout", "in Expert alone", in_slot(
        "{% if mode == 'expert' %}data-n='{{ behind(slot).number }}'{% endif %}")),
    Plant("9 blanks", "as stored", patched(
        ballot_store, "visible", lambda stored: Cleaned(stored, ()))),
    Plant("9 blanks", "in the HTML", patched(
        catalogue, "render", lambda stored: Rendered(f"<pre>{stored}</pre>", ()))),
    Plant("9 blanks", "around the HTML", in_template(
        BALLOT, "{{ slot.html }}", "<i class='n{{ behind(slot).number }}'>{{ slot.html }}</i>")),
    Plant("10 marks", "in raw text", patched(
        ballot_store, "visible", lambda stored: Cleaned(stored.strip(), ()))),
    Plant("10 marks", "in the HTML", patched(
        catalogue, "render", lambda stored: Rendered(f"<p>{stored}</p>", ()))),
    Plant("10 marks", "one sort left", patched(
        ballot_store, "visible", lambda stored: Cleaned(
            "One\u00ad answer." if "\u00ad" in stored else visible(stored).text, ()))),
    Plant("11 outside", "a link", rendered('<a href="https://maker.invalid/">x</a>')),
    Plant("11 outside", "a picture", rendered('<img src="/x.png" alt="x">')),
    Plant("11 outside", "a font", in_template(
        BASE, "</head>", '<link rel="stylesheet" href="https://fonts.invalid/x"></head>')),
    Plant("11 outside", "the policy", in_response(
        "/", header("Content-Security-Policy", "default-src 'none'; img-src https:"))),
    Plant("11 outside", "without a scheme", in_template(
        BASE, "</head>", '<link rel="preconnect" href="//fonts.invalid"></head>')),
    Plant("11 outside", "in other quotes", in_template(
        BASE, "</head>", "<script src='https://maker.invalid/x.js'></script></head>")),
    Plant("11 outside", "leads away later", in_template(
        BASE, "</head>", '<meta http-equiv="refresh" content="9; url=https://maker.invalid"></head>')),
    Plant("11 outside", "in a style", in_slot('style="background: url(https://maker.invalid/x)"')),
    Plant("11 outside", "a base", in_template(BASE, "</head>", '<base href="/x/"></head>')),
    Plant("11 outside", "the policy names a host", in_response("/", header(
        "Content-Security-Policy", "default-src 'none'; base-uri 'none'; frame-ancestors 'none';"
        " form-action 'self'; img-src maker.invalid"))),
    Plant("11 outside", "on errors alone", in_response("/vote", lambda response: (
        response.headers.remove("Content-Security-Policy")))),
    Plant("11 outside", "a redirect", in_response("/ballots", lambda response: (
        response.headers.__setitem__("Location", "https://maker.invalid/")
        if response.status_code == 303 else None))),
    Plant("12 referrer", "the header", in_response("/", header("Referrer-Policy", "origin"))),
    Plant("12 referrer", "on errors alone", in_response("/vote", lambda r: r.headers.remove(
        "Referrer-Policy"))),
    Plant("12 referrer", "in the page", in_template(
        BASE, "</head>", '<meta name="referrer" content="unsafe-url"></head>')),
    Plant("12 referrer", "in other quotes", in_template(
        BASE, "</head>", "<meta name=referrer content=origin></head>")),
    Plant("12 referrer", "of one link", in_template(
        BASE, "</body>", "<a href='/x' rel='noreferrer opener'>x</a></body>")),
    Plant("13 heads", "the title", in_template(
        BALLOT, '{{ _("Vote") }}{% endblock %}',
        "{{ behind(ballot.slots[0]).number }}{% endblock %}")),
    Plant("13 heads", "a card", in_template(
        BASE, "</head>", '<meta property="og:image" content="/x.png"></head>')),
    Plant("13 heads", "an icon", in_template(
        BASE, "</head>", '<link rel="icon" href="/{{ behind(ballot.slots[1]).number }}"></head>')),
    Plant("13 heads", "printed alone", in_template(
        BALLOT, '<div class="notes">', '<div class="notes">{{ behind(ballot.slots[2]).number }}')),
    Plant("13 heads", "in parts alone", in_template(
        "fragment.html", "</title>", "{{ behind(ballot.slots[0]).number if ballot }}</title>")),
    Plant("13 heads", "an address to keep", in_response("/skip", lambda response: (
        response.headers.__setitem__("HX-Push-Url", f"/?b={len(response.get_data())}"
                                     f"{hash(response.get_data())}")))),
    Plant("14 shares", "always on", always("fenwhistle")),
    Plant("14 shares", "more often", drawn_as(
        lambda models: models if "brimwick-x" in models else [
            "brimwick-x" if model == "corvath-mini" else model for model in models])),
    Plant("14 shares", "the leader always on", redrawn_for_leader),
    Plant("14 shares", "the leader put in", by_board(lambda models, leader: (
        models if not leader or leader in models else (leader, *models[1:])))),
    Plant("14 shares", "a chance that is not true", patched(
        ucbe, "set_probability", lambda *_: 1 / 9)),
    Plant("15 seen", "forgotten", patched(
        ballots, "revealed_to", lambda *_: Revealed(frozenset(), frozenset()))),
    Plant("15 seen", "not said", in_template(
        BALLOT, "This vote will not count", "Enjoy")),
    Plant("15 seen", "by joined voters", of_own_alone),
    Plant("15 seen", "last month", of_this_month),
    Plant("16 again", "reopened", reopened),
    Plant("16 again", "the form", kept_form),
    Plant("17 board", "fitted at once", fitted_at_once),
    Plant("17 board", "a live count", in_response("/leaderboard", said_count())),
    Plant("17 board", "a model's page", in_response("/models/", said_votes)),
    Plant("17 board", "on any page", in_response("/about", said_votes)),
    Plant("16 again", "skipped and voted on", unskipped),
    Plant("18 log", "a name", in_response("/log/tile/entries", said("zanthor-9b"))),
    Plant("18 log", "a verdict", in_response("/log/tile/entries", said('"best_worst"'))),
    Plant("18 log", "an answer", in_response("/log/tile/entries", said("View 1 on topic 1."))),
    Plant("18 log", "a maker's digest", in_response("/log/checkpoint", said(
        hashlib.sha256(b"sarnfield").hexdigest()))),
    Plant("18 log", "one salt", one_salt),
    Plant("18 log", "a salt told", salt_told),
    Plant("19 moment", "seconds", patched(votes, "hour_of", exact_time)),
    Plant("19 moment", "the order", lambda arena, patch: patch.setattr(
        arena.services.rng, "shuffle", lambda _: None)),
    Plant("19 moment", "half hours", patched(
        ballots, "hour_of", lambda _: "2026-11-30T12:30Z")),
    Plant("19 moment", "of reports", patched(after_vote, "hour_of", exact_time)),
    Plant("19 moment", "backwards", lambda arena, patch: patch.setattr(
        arena.services.rng, "shuffle", list.reverse)),
    Plant("19 moment", "in pairs", lambda arena, patch: patch.setattr(
        arena.services.rng, "shuffle", halves)),
    Plant("19 moment", "ids that count", patched(votes, "uuid4", ids_in_order())),
    Plant("20 failures", "not noted", in_database(_FAILED_COMES_BACK)),
    Plant("20 failures", "an error's text", in_database(
        "UPDATE answer SET text = 'HTTP 529: the model is overloaded' WHERE text LIKE 'View 2%'")),
    Plant("20 failures", "on an open ballot", shown_all_the_same),
    Plant("20 failures", "nothing to read", in_database(
        "UPDATE answer SET text = ' ' WHERE text LIKE 'View 5%'")),
    Plant("21 cuts", "cut", in_template(BALLOT, "{{ slot.raw }}", "{{ slot.raw[:2000] }}")),
    Plant("21 cuts", "marked", in_slot("{% if slot.raw | length > 999 %}title='cut'{% endif %}")),
    Plant("21 cuts", "very long ones", in_template(
        BALLOT, "{{ slot.raw }}", "{{ slot.raw[:20_000] }}")),
    Plant("23 labels", "a label", in_slot('aria-label="{{ behind(slot).number }}"')),
    Plant("23 labels", "for ears alone", in_slot(
        '><span class="visually-hidden">{{ behind(slot).number }}</span><i')),
    Plant("23 labels", "one model's", for_one("zanthor-9b", "aria-describedby='x'")),
    Plant("24 operators", "an open page", route("/moderation/leak", "all well")),
    Plant("24 operators", "names", in_response("/metrics", said("corvath-mini"))),
    Plant("24 operators", "to every account", open_to_all_roles),
    Plant("V-169 joins", "an answer", in_response("/models/", said("View 3 on topic 4."))),
    Plant("V-169 joins", "its digest", answer_digest),
    Plant("V-169 joins", "its id", answer_id("/leaderboard")),
    Plant("V-169 joins", "in the feed", answer_id("/feed.atom")),
    Plant("V-169 joins", "in the log", answer_id("/log/tile/entries")),
)  # fmt: skip
