"""Bad input on every route: our own page with the right status, and nothing stored."""

from __future__ import annotations

import pytest

from tests.fixtures.arena_site import ArenaSite, Voter, page_of, reason_of, route_of, vote_form

POSTS = ("/vote", "/skip", "/report", "/consent", "/ballots/{route}/reasons")
GETS = (
    "/", "/ballots/{route}", "/receipts/{route}", "/receipts/{route}.tlog-proof", "/me",
    "/leaderboard", "/rules", "/about", "/privacy", "/verify", "/log/checkpoint", "/log/key",
    "/healthz", "/readyz", "/metrics", "/robots.txt", "/.well-known/security.txt",
    "/verify/receipt_check.py", "/rules/lobster.py",
)  # fmt: skip
FORM = "application/x-www-form-urlencoded"


def tables(arena: ArenaSite) -> tuple[int, ...]:
    """Return the sizes of the tables that a request could fill, refusals aside."""
    names = ("vote", "vote_reason", "report", "ballot")
    return tuple(arena.count(name) for name in names)


def settled(arena: ArenaSite) -> tuple[Voter, str]:
    """Return a voter with an open ballot, and the route of a vote cast before."""
    voter = arena.voter()
    route = route_of(voter.read_and_vote())
    arena.clock.advance(30)
    voter.ballot()
    return voter, route


BODIES = {
    "nothing": (b"", FORM),
    "no text": (b"\xff\xfe=\xff&ballot=\xc3\x28&fingerprint=\xed\xa0\x80&reason=%ff", FORM),
    "percent signs": (b"ballot=%&ballot=%zz&reason=%&fingerprint=%u0041", FORM),
    "NUL": (b"ballot=%00&reason=%00&fingerprint=%00&slot=%00", FORM),
    "over-long fields": (b"ballot=" + b"A" * 5_000 + b"&reason=" + b"b" * 5_000, FORM),
    "JSON": (b'{"ballot": 1}', "application/json"),
    "no type": (b"ballot=x", ""),
    "broken multipart": (b"--x\r\nnothing", "multipart/form-data; boundary=x"),
    "multipart without boundary": (b"--x\r\n", "multipart/form-data"),
    "file in place of a field": (
        b'--x\r\nContent-Disposition: form-data; name="ballot"; filename="f"\r\n\r\nx\r\n--x--\r\n',
        "multipart/form-data; boundary=x",
    ),
    "strange charset": (b"ballot=x&reason=x", f"{FORM}; charset=utf-7"),
}


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_an_unreadable_form_is_refused(
    arena: ArenaSite, path: str, body: tuple[bytes, str]
) -> None:
    """Whatever the bytes, the answer is a 4xx page with a reason, and no row is written."""
    voter, route = settled(arena)
    before = tables(arena)

    response = voter.client.post(path.format(route=route), data=body[0], content_type=body[1])

    # No reason at all is a fine answer to "why": it takes back earlier ones.
    if "reasons" not in path or response.status_code != 303:
        assert 400 <= response.status_code < 500, response.text
        assert reason_of(response)
    assert tables(arena) == before


@pytest.mark.parametrize("path", POSTS)
def test_a_huge_form_is_413(arena: ArenaSite, path: str) -> None:
    """More than 64 KB is refused before it is read."""
    voter, route = settled(arena)
    before = tables(arena)

    response = voter.post(path.format(route=route), {"ballot": "x" * 70_000})

    assert (response.status_code, reason_of(response)) == (413, "too_large")
    assert tables(arena) == before


def test_a_multipart_form_of_many_parts_is_413(arena: ArenaSite) -> None:
    """A thousand parts are refused, however small they are."""
    voter, _ = settled(arena)
    part = b'--x\r\nContent-Disposition: form-data; name="ballot"\r\n\r\ny\r\n'

    response = voter.client.post(
        "/vote", data=part * 1_000 + b"--x--\r\n", content_type="multipart/form-data; boundary=x"
    )

    assert (response.status_code, reason_of(response)) == (413, "too_large")


@pytest.mark.parametrize("path", GETS)
@pytest.mark.parametrize(
    "query",
    ["?mode=%ff%fe", "?a=" + "x" * 5_000, "?mode=speed&mode=speed", "?format=exe", "?%00=%00"],
)
def test_a_strange_query_breaks_no_page(arena: ArenaSite, path: str, query: str) -> None:
    """Unknown, doubled, over-long and undecodable parameters are ignored or are 404."""
    voter, route = settled(arena)
    response = voter.get(path.format(route=route) + query)
    assert response.status_code in (200, 303, 404), response.text


@pytest.mark.parametrize(
    "path",
    [
        "/ballots/none", "/ballots/%ff", "/ballots/" + "x" * 3_000, "/receipts/none",
        "/receipts/none.tlog-proof", "/receipts/%00", "/nowhere", "/log/tile/0/none",
        "/log/tile/0/-1", "/log/tile/9/000", "/log/tile/entries/999", "/log/tile/0/000.p/300",
        "/log/tile/../../secret-key", "/log/tile/%2e%2e/log-key", "/static/../pyproject.toml",
        "/static/%2e%2e/pyproject.toml", "/log/checkpoint", "/leaderboard?mode=none",
        "/leaderboard?format=exe",
    ],
)  # fmt: skip
def test_what_is_not_there_is_404(arena: ArenaSite, path: str) -> None:
    """Unknown and malformed addresses are 404 with our page, and no file outside is served."""
    response = arena.voter().get(path)
    assert (response.status_code, reason_of(response)) == (404, "not_found")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "POST", "GET"])
@pytest.mark.parametrize("path", ["/", "/vote", "/me"])
def test_another_method_is_405_and_names_the_right_ones(
    arena: ArenaSite, method: str, path: str
) -> None:
    """A method that an address does not take is 405 with `Allow`, as HTTP wants it."""
    voter = arena.voter()
    response = voter.client.open(path, method=method)
    if method == ("POST" if path == "/vote" else "GET"):
        assert response.status_code in (200, 403)
        return
    assert (response.status_code, reason_of(response)) == (405, "method_not_allowed")
    assert response.headers["Allow"]


def test_head_and_options_store_no_vote(arena: ArenaSite) -> None:
    """HEAD answers without a body, OPTIONS with the methods."""
    voter = arena.voter()
    assert voter.client.head("/me").data == b""
    assert voter.client.options("/vote").status_code == 200
    assert tables(arena) == (0, 0, 0, 0)


@pytest.mark.parametrize(
    "header",
    [
        {"Accept": "text/html;q=\xff"},
        {"Accept": "*/*;q=x, ,;"},
        {"HX-Request": "yes"},
        {"X-Forwarded-For": "\xff, 999.1.1.1, ::::"},
        {"Cookie": "voter=\xff; voter=x; =; ;;;"},
        {"Content-Length": "-1"},
        {"Host": "localhost:99999999"},
    ],
    ids=str,
)
def test_strange_headers_break_nothing(arena: ArenaSite, header: dict[str, str]) -> None:
    """Headers that make no sense give a page or a 4xx, never a fault of ours."""
    response = arena.voter().get("/me", headers=header)
    assert response.status_code in (200, 400), response.text


def test_a_strange_write_host_is_no_fault(arena: ArenaSite) -> None:
    """A Host header that is no host makes a write foreign or bad, not a fault."""
    voter = arena.voter()
    form = vote_form(page_of(voter.get("/")).token)
    headers = {"Host": "a b:x", "Origin": "http://[::1"}
    assert voter.post("/vote", form, headers=headers).status_code in (400, 403)
    assert arena.count("vote") == 0
