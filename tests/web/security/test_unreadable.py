"""Requests that no application gets to read, sent over a socket to the real server (X-009)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest
from flask import Response

from tests.fixtures.served import Server, served
from tests.web.security.test_headers import faults

HOST: Final = b"Host: arena.example\r\n"
CLOSE: Final = HOST + b"Connection: close\r\n"
FORM: Final = (
    HOST + b"Origin: https://arena.example\r\nContent-Type: application/x-www-form-urlencoded\r\n"
)
CHUNKED: Final = b"POST /moderation/sign-in HTTP/1.1\r\n" + FORM + b"Transfer-Encoding: chunked\r\n"

UNREADABLE: Final[Mapping[str, tuple[int, bytes]]] = {
    "no request line": (400, b"<i>nonsense</i>\r\n\r\n"),
    "TLS to a plain port": (400, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"),
    "a version to come": (400, b"GET / HTTP/9.9\r\n" + CLOSE + b"\r\n"),
    "no version": (400, b"GET /healthz\r\n\r\n"),
    "HTTP/2 unasked": (400, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    "a method that is no word": (400, b"G<T / HTTP/1.1\r\n" + CLOSE + b"\r\n"),
    "bytes in the path": (400, b"GET /\xff\xfe HTTP/1.1\r\n" + CLOSE + b"\r\n"),
    "too long a line": (414, b"GET /" + b"x" * 9_000 + b" HTTP/1.1\r\n" + CLOSE + b"\r\n"),
    "too large a header": (431, b"GET / HTTP/1.1\r\nX: " + b"x" * 9_000 + b"\r\n\r\n"),
    "too many headers": (431, b"GET / HTTP/1.1\r\n" + b"X: 1\r\n" * 200 + b"\r\n"),
    "a header without a name": (400, b"GET / HTTP/1.1\r\n" + CLOSE + b"a b: 1\r\n\r\n"),
    "a folded header": (400, b"GET / HTTP/1.1\r\n" + CLOSE + b"A: 1\r\n  2\r\n\r\n"),
    "NUL in a header": (400, b"GET / HTTP/1.1\r\n" + CLOSE + b"A: \x00\r\n\r\n"),
    "two hosts": (400, b"GET / HTTP/1.1\r\nHost: a\r\n" + CLOSE + b"\r\n"),
    "a length and chunks": (400, CHUNKED + b"Content-Length: 5\r\n\r\n0\r\n\r\nGET "),
    "two lengths": (
        400,
        b"POST / HTTP/1.1\r\n" + CLOSE + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
    ),
    "a negative length": (400, b"POST / HTTP/1.1\r\n" + CLOSE + b"Content-Length: -1\r\n\r\n"),
    "chunks under another coding": (
        400,
        b"POST / HTTP/1.1\r\n" + CLOSE + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    ),
    "an unknown coding": (
        501,
        b"POST / HTTP/1.1\r\n" + CLOSE + b"Transfer-Encoding: odd\r\n\r\n",
    ),
    "chunks before HTTP/1.1": (
        400,
        b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ),
    "an odd expectation": (417, b"POST / HTTP/1.1\r\n" + CLOSE + b"Expect: cake\r\n\r\n"),
}
READ: Final[Mapping[str, tuple[int, bytes]]] = {
    "HTTP/1.0": (200, b"GET /healthz HTTP/1.0\r\n\r\n"),
    "an unknown method": (405, b"FROB / HTTP/1.1\r\n" + CLOSE + b"\r\n"),
    "CONNECT": (404, b"CONNECT elsewhere.invalid:443 HTTP/1.1\r\n" + CLOSE + b"\r\n"),
    "the server as a whole": (404, b"OPTIONS * HTTP/1.1\r\n" + CLOSE + b"\r\n"),
    "too large a body": (
        413,
        b"POST /vote HTTP/1.1\r\n" + FORM + CLOSE[len(HOST) :] + b"Content-Length: 200000\r\n\r\n"
        + b"x" * 200_000,
    ),
    "chunks without a size": (400, CHUNKED + b"\r\nzz\r\nabc\r\n0\r\n\r\n"),
    "a chunk without an end": (400, CHUNKED + b"\r\n3\r\nabcXX0\r\n\r\n"),
    "a chunk with an odd extension": (400, CHUNKED + b"\r\n3;a\rb\r\nabc\r\n0\r\n\r\n"),
    "too large a chunk": (413, CHUNKED + b"\r\n20000\r\n" + b"x" * 0x20000 + b"\r\n0\r\n\r\n"),
}  # fmt: skip


@pytest.fixture(scope="module")
def server(
    arena_template: Path, tmp_path_factory: pytest.TempPathFactory, project_root: Path
) -> Iterator[Server]:
    """The web half as its command starts it, by HTTPS to its public."""
    folder = tmp_path_factory.mktemp("served")
    shutil.copyfile(arena_template, folder / "arena.sqlite3")
    with served(folder, project_root, public_url="https://arena.example", threads="4") as running:
        yield running


def responses(answer: bytes) -> list[Response]:
    """Return the responses that were sent over one connection, each judged by its own length."""
    found = []
    while answer:
        head, _, rest = answer.partition(b"\r\n\r\n")
        version_and_status, *lines = head.decode("ascii").split("\r\n")
        response = Response(status=version_and_status.partition(" ")[2], mimetype=None)
        response.headers.clear()
        for line in lines:
            name, _, value = line.partition(": ")
            response.headers.add(name, value)
        length = int(response.headers["Content-Length"])
        response.set_data(rest[:length])
        answer = rest[length:]
        found.append(response)
    return found


@pytest.mark.parametrize("case", [*UNREADABLE, *READ])
def test_whatever_is_sent_the_answer_bears_the_headers(server: Server, case: str) -> None:
    """One answer with the right status, policy, headers and HSTS, and then the connection ends."""
    status, sent = {**UNREADABLE, **READ}[case]

    (response,) = responses(server.ask(sent))

    assert response.status_code == status
    assert faults(response) == []
    assert response.headers["Strict-Transport-Security"].startswith("max-age=31536000")


@pytest.mark.parametrize("case", UNREADABLE)
def test_the_servers_own_answer_repeats_nothing(server: Server, case: str) -> None:
    """It is a line of plain text with the status, never kept, never what was sent."""
    status, sent = UNREADABLE[case]

    (response,) = responses(server.ask(sent))

    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["Connection"] == "close"
    assert response.get_data(as_text=True).startswith(f"This request cannot be answered: {status} ")
    assert response.get_data(as_text=True).count("\n") == 1


def test_an_answer_is_never_followed_by_one_nobody_asked_for(server: Server) -> None:
    """A body that goes wrong behind its answer ends the connection without a word.

    A proxy that shares the connection would hand a second answer to the next visitor.
    """
    broken = b"GET /healthz HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"

    answer = server.ask(broken + b"GET /about HTTP/1.1\r\n" + CLOSE + b"\r\n")

    assert [each.status_code for each in responses(answer)] == [200]


def test_a_connection_is_used_again_after_a_good_request(server: Server) -> None:
    """Two requests over one connection get two answers."""
    first = b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n"

    answer = server.ask(first + first.replace(HOST, CLOSE))

    assert [each.status_code for each in responses(answer)] == [200, 200]


def test_the_note_of_a_fault_names_no_address(server: Server) -> None:
    """What is printed for the operator says what was wrong and not who sent it (X-006)."""
    server.ask(b"UNHEARD-OF\r\n\r\n")

    printed = server.printed.read_text()

    assert "UNHEARD-OF" in printed
    assert "127.0.0.1" not in printed
