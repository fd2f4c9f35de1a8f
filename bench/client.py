"""A small loading client: prepared requests over keep-alive connections, to this machine only.

Plain sockets in a few processes, so that the client takes as little as it can of the cores it
shares with the server. Closed loop: each connection sends its next request after an answer.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from multiprocessing import get_context
from typing import Final

__all__ = ["Answer", "Load", "get", "post", "run"]

HOST: Final = "127.0.0.1"
PROCESSES: Final = 2
SOCKET_SECONDS: Final = 10.0
CHUNK: Final = 1 << 16
HEAD_END: Final = b"\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Answer:
    """One answered request; `number` is its place in the list, times are monotonic seconds."""

    number: int
    status: int
    began_s: float
    ended_s: float
    head: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Load:
    """What a load came to: the answers in order of the requests, fewer when time ran out."""

    answers: tuple[Answer, ...]

    @property
    def per_second(self) -> float:
        """Answers per second from the first request to the last answer."""
        first = min(answer.began_s for answer in self.answers)
        last = max(answer.ended_s for answer in self.answers)
        return len(self.answers) / (last - first)

    def quantile_ms(self, share: float) -> float:
        """Return the time that this share of the answers stayed within, in milliseconds."""
        times = sorted(answer.ended_s - answer.began_s for answer in self.answers)
        return times[min(len(times) - 1, int(share * len(times)))] * 1_000


def get(path: str, headers: Mapping[str, str]) -> bytes:
    """Return a GET request as bytes."""
    return _request("GET", path, headers, b"")


def post(path: str, headers: Mapping[str, str], form: bytes) -> bytes:
    """Return a POST request of an encoded form as bytes."""
    typed = {**headers, "Content-Type": "application/x-www-form-urlencoded"}
    return _request("POST", path, {**typed, "Content-Length": str(len(form))}, form)


def run(port: int, requests: Sequence[bytes], *, connections: int, seconds: float) -> Load:
    """Send all requests, each once, spread over the connections; stop when the time is over.

    Args:
        port: of the server on this machine.
        requests: made by `get` and `post`.
        connections: kept open, each with one request at a time.
        seconds: no request begins later than this after the start.
    """
    numbered = list(enumerate(requests))
    shares = [numbered[at::connections] for at in range(connections)]
    groups = [shares[at::PROCESSES] for at in range(min(PROCESSES, connections))]
    # Fresh interpreters: a fork would copy whatever locks this process's threads hold.
    with ProcessPoolExecutor(len(groups), get_context("spawn")) as pool:
        # All processes are up before the clock starts.
        list(pool.map(time.sleep, [0.2] * len(groups)))
        until_s = time.monotonic() + seconds
        works = [pool.submit(_process, port, group, until_s) for group in groups]
        done = list(chain.from_iterable(work.result() for work in works))
    return Load(tuple(sorted(done, key=lambda answer: answer.number)))


def _request(method: str, path: str, headers: Mapping[str, str], body: bytes) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", f"Host: {HOST}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + HEAD_END + body


def _process(
    port: int, shares: Sequence[Sequence[tuple[int, bytes]]], until_s: float
) -> list[Answer]:
    with ThreadPoolExecutor(len(shares)) as threads:
        works = [threads.submit(_connection, port, share, until_s) for share in shares]
        return [answer for work in works for answer in work.result()]


def _connection(port: int, share: Sequence[tuple[int, bytes]], until_s: float) -> list[Answer]:
    return list(_answers(port, share, until_s))


def _answers(port: int, share: Sequence[tuple[int, bytes]], until_s: float) -> Iterator[Answer]:
    connection = _connect(port)
    try:
        for number, request in share:
            began_s = time.monotonic()
            if began_s > until_s:
                return
            connection.sendall(request)
            head, body = _receive(connection)
            yield Answer(number, int(head[9:12]), began_s, time.monotonic(), head, body)
            if "connection: close" in head.lower():
                connection.close()
                connection = _connect(port)
    finally:
        connection.close()


def _connect(port: int) -> socket.socket:
    connection = socket.create_connection((HOST, port), timeout=SOCKET_SECONDS)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def _receive(connection: socket.socket) -> tuple[str, bytes]:
    """Read one answer, whose length its head must tell.

    Raises:
        ConnectionError: the server hung up, or told no length.
    """
    data = b""
    while HEAD_END not in data:
        data += _some(connection)
    raw_head, _, body = data.partition(HEAD_END)
    head = raw_head.decode("latin-1")
    length = _length(head)
    parts, missing = [body], length - len(body)
    while missing > 0:
        parts.append(_some(connection))
        missing -= len(parts[-1])
    return head, b"".join(parts)


def _some(connection: socket.socket) -> bytes:
    data = connection.recv(CHUNK)
    if not data:
        raise ConnectionError("the server closed a connection in the middle of an answer")
    return data


def _length(head: str) -> int:
    for line in head.split("\r\n")[1:]:
        name, _, value = line.partition(":")
        if name.lower() == "content-length":
            return int(value)
    raise ConnectionError("an answer does not tell its length")
