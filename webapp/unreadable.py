"""Answers to requests that never reach the application, as gunicorn cannot read them.

Its own page for these bears no headers and repeats what was sent.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

from gunicorn.workers.gthread import ThreadWorker

from webapp.security import headers_of_all

__all__ = ["WebWorker", "bare_answer"]

_WORDS: Final = "This request cannot be answered"


class WebWorker(ThreadWorker):  # type: ignore[misc] # gunicorn ships no types
    """Gunicorn's worker with threads, whose own answers bear the headers of all others."""

    def handle_request(self, req: Any, conn: object) -> bool:  # noqa: ANN401 - a class of gunicorn's
        """Answer a request, and keep in mind that it is answered."""
        keep: bool = super().handle_request(req, conn)
        req.answered = True
        return keep

    def handle_error(self, req: object, client: Any, _addr: object, exc: Exception) -> None:  # noqa: ANN401 - as above
        """Answer in our form with gunicorn's status; its note of the fault names no address."""
        if getattr(req, "answered", False):
            # Its body is none to the end. A second answer would pass for that to the next request.
            self.log.warning("Connection ended behind an answer: %s", exc)
            return
        super().handle_error(req, _Answering(client, secure=self.app.settings.secure), None, exc)


class _Answering:
    """A client's connection on which every answer written becomes a bare one of its status."""

    def __init__(self, client: Any, *, secure: bool) -> None:  # noqa: ANN401 - a socket
        self._client = client
        self._secure = secure

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - as the socket's
        return getattr(self._client, name)

    def sendall(self, data: bytes) -> None:
        """Send the answer whose status line begins the data."""
        _version, status, _rest = data.split(b" ", 2)
        self._client.sendall(bare_answer(HTTPStatus(int(status)), secure=self._secure))


def bare_answer(status: HTTPStatus, *, secure: bool) -> bytes:
    """Return a whole response that says its status in plain text and ends the connection."""
    body = f"{_WORDS}: {status.value} {status.phrase}\n"
    headers = {
        "Connection": "close",
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Length": str(len(body)),
        "Cache-Control": "no-store",
        **headers_of_all(secure=secure),
    }
    lines = [f"HTTP/1.1 {status.value} {status.phrase}", *(f"{n}: {v}" for n, v in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode("ascii")
