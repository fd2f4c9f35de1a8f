"""The pages of rules on phone and desktop: no cell is cut or lies off the screen."""

from __future__ import annotations

from typing import Literal

import pytest

from tests.browser.conftest import OpenPage
from tests.browser.live_arena import LiveArena

OVERFULL = """
() => [...document.querySelectorAll("main :is(td, th, dt, dd, .table-scroll)")]
  .filter((part) => part.clientWidth && part.scrollWidth > part.clientWidth + 1)
  .map((part) => part.innerText.slice(0, 60))
"""


@pytest.mark.parametrize("screen", ["phone", "desktop"])
@pytest.mark.parametrize("path", ["/rules", "/rules/arena"])
def test_no_cell_runs_over(
    live: LiveArena, open_page: OpenPage, path: str, screen: Literal["phone", "desktop"]
) -> None:
    """Values and reasons wrap, also where a folded list is opened."""
    page = open_page(live.url, viewport=screen)
    page.goto(path)
    page.evaluate("document.querySelectorAll('main details').forEach((each) => each.open = true)")

    assert page.evaluate(OVERFULL) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
