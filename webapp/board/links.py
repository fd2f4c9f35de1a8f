"""Addresses of boards: every filter, view, file and chart is a plain link."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from urllib.parse import quote, urlencode

from arena.boards import OFFICIAL
from webapp.board.asked import BY_CATEGORY, KIND_OF_VIEW, WITH_CHANGE, Asked

__all__ = ["Drawing", "Links", "chart_address"]

Drawing = Callable[[str, str], str]
_Pairs = Sequence[tuple[str, str]]


class Links:
    """Addresses as seen from one page; `states_us` as in `Asked`, of the states that it shows."""

    def __init__(self, asked: Asked, current_month: str, states_us: int | None = None) -> None:
        self._asked = asked
        self._current_month = current_month
        self._states_us = states_us

    def view(self, view: str) -> str:
        """Return another view of the same snapshot, or of the month where it is of another kind."""
        asked = self._asked
        same_kind = KIND_OF_VIEW[view] == KIND_OF_VIEW[asked.view]
        if asked.pinned and asked.board and same_kind and not self._loses_category(view):
            return _address([*self._snapshot(asked.board.id, view), *self._since(view)])
        category = asked.category if view in BY_CATEGORY else ""
        return self._open(view, category=category, since=self._since(view))

    def mode(self, mode: str) -> str:
        """Return the same view of another mode's open month."""
        view = "scores" if self._asked.view == "extended" else self._asked.view
        return _address([("mode", mode), *_named("view", view, "scores")])

    def month(self, month: str) -> str:
        """Return the same view of another month."""
        view = "scores" if self._asked.view == "extended" else self._asked.view
        return self._open(view, month=month)

    def category(self, category: str) -> str:
        """Return the same view of one category, or of all."""
        view = self._asked.view if self._asked.view in BY_CATEGORY else "scores"
        return self._open(view, category=category, since=self._since(view))

    def since(self, days: int | None) -> str:
        """Return the scores with their change since some days before."""
        pairs = [("since", str(days))] if days else []
        if self._asked.pinned and self._asked.board:
            return _address([*self._snapshot(self._asked.board.id, "scores"), *pairs])
        return self._open("scores", category=self._asked.category, since=pairs)

    def focus(self, models: Iterable[str]) -> str:
        """Return the history with other models in focus."""
        pairs = [("model", model) for model in models]
        if self._asked.pinned and self._asked.board:
            return _address([*self._snapshot(self._asked.board.id, "history"), *pairs])
        return self._open("history", since=pairs)

    def latest(self) -> str:
        """Return the last board of the same mode, month and category."""
        return self._open(self._asked.view, category=self._asked.category)

    @property
    def compared(self) -> _Pairs:
        """Return what names these scores to the page that compares two models."""
        asked = self._asked
        of_all = KIND_OF_VIEW[asked.view] == OFFICIAL and not asked.category
        if asked.pinned and asked.board and of_all:
            return [("board", asked.board.id)]
        return [("mode", asked.mode), *_named("month", asked.month, self._current_month)]

    def compare(self, first: str | None = None, second: str | None = None) -> str:
        """Return the comparison of two models, or the choice of two."""
        return _compare([*self.compared, *_chosen(first, second)])

    def compare_latest(self, first: str | None, second: str | None) -> str:
        """Return the comparison of two models by the month's last board."""
        month = _named("month", self._asked.month, self._current_month)
        return _compare([("mode", self._asked.mode), *month, *_chosen(first, second)])

    def compare_exactly(
        self, first: str, second: str, pairs: str | None, kind: str | None = None
    ) -> str:
        """Return the comparison on exactly these boards, as a page or file."""
        if self._asked.board is None:
            raise ValueError("there is no board to point to")
        boards = [("board", self._asked.board.id), *([("pairs", pairs)] if pairs else [])]
        ending = [("format", kind)] if kind else []
        return _compare([*boards, *_chosen(first, second), *ending])

    @property
    def permalink(self) -> str:
        """Return the address of exactly this page."""
        return _address(self._exactly())

    def file(self, kind: str) -> str:
        """Return exactly what is shown as a file."""
        return _address([*self._exactly(), ("format", kind)])

    def chart(
        self, kind: str, ending: str, theme: str = "light", size: str = "wide",
        focus: Iterable[str] = (),
    ) -> str:  # fmt: skip
        """Return a drawing of this snapshot."""
        if self._asked.board is None:
            raise ValueError("there is no board to draw")
        return chart_address(self._asked.board.id, kind, ending, theme, size, focus)

    def drawing(self, kind: str, focus: Iterable[str] = ()) -> Drawing:
        """Return what gives a drawing's address for a scheme and a size."""
        return lambda theme, size: self.chart(kind, "svg", theme, size, focus)

    def _exactly(self) -> _Pairs:
        asked = self._asked
        if asked.board is None:
            raise ValueError("there is no board to point to")
        focus = [("model", model) for model in asked.focus]
        return [*self._snapshot(asked.board.id, asked.view), *self._since(asked.view), *focus]

    def _snapshot(self, board_id: str, view: str) -> _Pairs:
        states = [] if self._states_us is None else [("states", str(self._states_us))]
        return [("board", board_id), ("view", view), *states]

    def _since(self, view: str) -> _Pairs:
        since = self._asked.since
        return [("since", str(since))] if since and view in WITH_CHANGE else []

    def _loses_category(self, view: str) -> bool:
        return bool(self._asked.category) and view not in BY_CATEGORY

    def _open(
        self,
        view: str,
        *,
        month: str | None = None,
        category: str = "",
        since: _Pairs = (),
    ) -> str:
        month = month or self._asked.month
        return _address(
            [
                ("mode", self._asked.mode),
                *_named("month", month, self._current_month),
                *_named("category", category, ""),
                *_named("view", view, "scores"),
                *since,
            ]
        )


def chart_address(
    board_id: str, kind: str, ending: str, theme: str, size: str, focus: Iterable[str]
) -> str:
    """Return the address of one drawing of a board."""
    pairs = [*_named("theme", theme, "light"), *_named("size", size, "wide")]
    pairs += [("model", model) for model in focus]
    query = f"?{urlencode(pairs)}" if pairs else ""
    return f"/charts/{quote(board_id)}/{kind}.{ending}{query}"


def _address(pairs: _Pairs) -> str:
    return f"/leaderboard?{urlencode(pairs)}"


def _chosen(first: str | None, second: str | None) -> _Pairs:
    return [("a", first), ("b", second)] if first and second else []


def _compare(pairs: _Pairs) -> str:
    return f"/leaderboard/compare?{urlencode(pairs)}"


def _named(name: str, value: str, usual: str) -> _Pairs:
    return [] if value == usual else [(name, value)]
