"""An arena over real HTTP on this machine, with a clock that only the test moves."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from werkzeug.serving import WSGIRequestHandler, make_server

from arena.demo_pack import demo_folders
from arena.refits import refit_now
from ledger.database import open_database
from tests.fixtures.arena_site import (
    IMPORTED_US,
    MODELS,
    NOON_US,
    ArenaSite,
    import_pack,
    open_site,
    seeded_log,
)

Catalogue = Literal["invented", "real", "voted", "demo", "empty"]
MONTH = "2026-11"


class QuietHandler(WSGIRequestHandler):
    """Serves without a line per request, and keeps connections open as real servers do."""

    protocol_version = "HTTP/1.1"

    def log_request(self, *_: object) -> None:
        """Stay quiet."""


@dataclass(frozen=True, slots=True)
class LiveArena:
    """A site and the address that browsers reach it at."""

    site: ArenaSite
    url: str

    def wait(self, seconds: float) -> None:
        """Move the server's clock on."""
        self.site.clock.advance(seconds)

    def reading_sent(self) -> Mapping[str, str]:
        """Return `dwell_ms` and `scroll` as the browser sent them with the last vote."""
        return self.site.private(self.site.events("vote.cast")[-1])


@contextmanager
def serving(site: ArenaSite) -> Iterator[LiveArena]:
    """Serve a site from a thread per request until the end."""
    server = make_server("127.0.0.1", 0, site.app, threaded=True, request_handler=QuietHandler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield LiveArena(site, f"http://127.0.0.1:{server.server_port}")
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def real_answers(folder: Path) -> tuple[str, str, str, str]:
    """Return real answers: the longest, the shortest, the longest with a table and with code."""
    found = sorted(_all_answers(folder), key=lambda text: (len(text), text))
    table = [text for text in found if "|--" in text or "| --" in text][-1]
    code = [text for text in found if "```" in text and text not in (table, found[-1])][-1]
    return found[-1], found[0], table, code


def longest_question(folder: Path) -> str:
    """Return the longest real question of one turn."""
    rows = json.loads(next(iter(sorted(folder.glob("alpacaeval/*.json")))).read_bytes())
    questions: list[str] = [row["instruction"].strip() for row in rows]
    return max(questions, key=len)


def _all_answers(folder: Path) -> Iterator[str]:
    for path in sorted(folder.glob("alpacaeval/*.json")):
        yield from (row["output"] for row in json.loads(path.read_bytes()) if row["output"].strip())
    for path in sorted(folder.glob("mt_bench/model_answer/*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            text = json.loads(line)["choices"][0]["turns"][0]
            if text.strip():
                yield text


def write_slate(folder: Path, question: str, answers: Sequence[str]) -> Path:
    """Write a pack of one question that four invented models answer with these texts."""
    folder.mkdir(parents=True)
    lines = [
        'format = "evidence-arena-pack.1"', 'name = "Slate"', 'mode = "speed"', 'language = "en"',
        'origin = "For a test"', 'licence = "For tests only"', "redistribute = false",
    ]  # fmt: skip
    names = ("slug", "name", "maker", "licence", "link")
    models = MODELS[:4]
    for model in models:
        lines += ["[[models]]", *(f'{n} = "{v}"' for n, v in zip(names, model, strict=True))]
    (folder / "pack.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    asked = {"id": "slate", "text": question, "category": "Tests"}
    (folder / "questions.jsonl").write_text(json.dumps(asked) + "\n", encoding="utf-8")
    rows = [
        json.dumps({"question": "slate", "model": model[0], "text": text})
        for model, text in zip(models, answers, strict=True)
    ]
    (folder / "answers.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return folder


def fill(path: Path, packs: Sequence[Path]) -> None:
    """Import packs into a migrated SQLite file."""
    database = open_database(f"sqlite:///{path}")
    for pack in packs:
        import_pack(database, seeded_log(), pack, IMPORTED_US)
    database.close()


def vote_much(path: Path, folder: Path) -> None:
    """Let twelve voters vote six times each on the invented catalogue, and publish the board."""
    site = open_site(f"sqlite:///{path}", folder)
    for nth in range(12):
        voter = site.voter()
        for vote in range(6):
            verdict = "same" if (nth + vote) % 7 == 0 else "best_worst"
            page = voter.ballot()
            site.clock.advance(30)
            voter.vote(page.token, htmx=True, verdict=verdict)
    site.sequence()
    refit_now(site.services.ports, "speed", MONTH, site.clock())
    assert site.clock() - NOON_US < 12 * 3600 * 1_000_000, "the voting ran into the next day"
    site.close()


def furnish(folder: Path, name: Catalogue, real: Path) -> None:
    """Fill a folder's migrated database as its name says; `invented` and `empty` are as copied.

    Args:
        folder: holds `arena.sqlite3`; keys and checkpoint go to `data` in it.
        name: `real` is one question with real answers, `voted` has a board, `demo` the demo packs.
        real: folder of real questions and answers.
    """
    database = folder / "arena.sqlite3"
    if name == "real":
        slate = write_slate(folder / "slate", longest_question(real), real_answers(real))
        fill(database, [slate])
    elif name == "demo":
        fill(database, demo_folders())
    elif name == "voted":
        vote_much(database, folder / "data")
