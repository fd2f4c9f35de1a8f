"""Influence: the voters who move each score of the newest board most (V-164)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, cast

from flask import Blueprint, Flask, abort, current_app, make_response, render_template, request
from sqlalchemy import Connection
from werkzeug.wrappers import Response as AnyResponse

from arena import boards, review_rules
from arena.boards import MODES, PublishedBoard
from arena.case_subject import Subject
from arena.errors import UnknownCase, UnknownCode
from arena.events import Mode
from arena.influential_voters import VoterEffect, influential_voters
from arena.ports import Ports
from arena.vote_columns import VoteColumns
from arena.voter_names import voter_of
from webapp.board.names import model_names
from webapp.moderation.guard import MODERATORS, moderators_only, session_now
from webapp.wiring import services

__all__ = ["influence_pages", "init_influence"]

influence_pages = Blueprint("moderation_influence", __name__, url_prefix="/moderation")

_EXTENSION: Final = "influential_voters"
_KEPT: Final = 4


@dataclass(frozen=True, slots=True)
class Row:
    """One voter's effect on one model; `case` is empty where the voter's traces were erased."""

    effect: VoterEffect
    case: str

    @property
    def beyond_error(self) -> bool:
        """Whether the score moves by more than its standard error."""
        return abs(self.effect.change) > self.effect.error


class EffectCache:
    """Keeps the effects of the last boards; a published board never changes."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[VoterEffect, ...]] = {}
        self._lock = threading.Lock()

    def of(self, ports: Ports, official: PublishedBoard) -> tuple[VoterEffect, ...]:
        """Return the effects on a board's scores, computed once."""
        with self._lock:
            found = self._kept.get(official.id)
            if found is None:
                # Read for this once: a month's columns hold digests that this process would keep.
                own = replace(ports, columns=VoteColumns(ports.columns.folder))
                found = influential_voters(own, official)
                if len(self._kept) >= _KEPT:
                    del self._kept[next(iter(self._kept))]
                self._kept[official.id] = found
        return found


def init_influence(app: Flask) -> None:
    """Give an application its own cache."""
    app.extensions[_EXTENSION] = EffectCache()


@influence_pages.get("/influence")
@moderators_only(*MODERATORS)
def show() -> AnyResponse:
    """Show whose votes move which score of a mode's newest board, and by how much."""
    mode = _asked_mode()
    with services().database.read() as conn:
        official = _newest(conn, mode)
        names = model_names(services().ports.catalogue.current(conn).models)
    page = render_template(
        "moderation/influence.html",
        session=session_now(),
        mode=mode,
        board=official,
        models=[] if official is None else list(_models(official)),
        names=names,
        per_model=review_rules.current().influence_voters,
        nav="moderation",
        room="influence",
    )
    return make_response(page)


def _asked_mode() -> Mode:
    try:
        return boards.as_mode(request.args.get("mode", MODES[0]))
    except UnknownCode:
        abort(404)


def _newest(conn: Connection, mode: Mode) -> PublishedBoard | None:
    months = boards.months(conn, mode)
    return boards.latest(conn, mode, months[0]) if months else None


def _models(official: PublishedBoard) -> Iterator[tuple[str, list[Row]]]:
    """Yield each model of a board that votes move, with the voters who move it most."""
    cache = cast("EffectCache", current_app.extensions[_EXTENSION])
    effects = cache.of(services().ports, official)
    with services().database.read() as conn:
        cases = {
            voter: _case(conn, official.month, voter) for voter in {each.voter for each in effects}
        }
    for row in official.rows:
        found = [Row(each, cases[each.voter]) for each in effects if each.model == row.model]
        if found:
            yield row.model, found


def _case(conn: Connection, month: str, voter: str) -> str:
    try:
        voter_of(conn, month, voter)
    except UnknownCase:
        return ""
    return str(Subject("voter", voter, month))
