"""Chromium for the tests of pages, with one rule: a page that complains fails its test."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    ViewportSize,
    expect,
    sync_playwright,
)

from tests.browser.live_arena import Catalogue, LiveArena, furnish, serving
from tests.fixtures.arena_site import Clock, open_site

# Without these, Chromium as root does not start, or keeps calling its maker's hosts.
CHROMIUM_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
VIEWPORTS: dict[str, ViewportSize] = {
    "desktop": {"width": 1440, "height": 900},
    "tablet": {"width": 900, "height": 1200},
    "phone": {"width": 390, "height": 844},
}
Viewport = Literal["desktop", "tablet", "phone"]
PATIENCE_MS = 15_000  # a busy machine is slow; nothing waits this long where all is well
expect.set_options(timeout=PATIENCE_MS)
ACCESSIBILITY_RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
# What the accessibility checker itself causes under a strict policy.
OWN_STYLE = "Applying inline style violates the following Content Security Policy directive"
# Chromium writes this for every answer above 399, so also for those a test asks for.
REFUSED_STATUS = "Failed to load resource: the server responded with a status of "


class OpenPage(Protocol):
    """Opens a page; see the fixture `open_page`."""

    def __call__(  # noqa: D102 - the fixture's docstring says it
        self,
        base_url: str,
        *,
        viewport: Viewport = "desktop",
        color_scheme: Literal["light", "dark"] = "light",
        javascript: bool = True,
        expected_statuses: frozenset[int] = frozenset(),
        expected_errors: tuple[str, ...] = (),
    ) -> Page: ...


class OpenLive(Protocol):
    """Opens an arena over real HTTP; see the fixture `open_live`."""

    def __call__(  # noqa: D102 - the fixture's docstring says it
        self, catalogue: Catalogue = "invented", **settings: str
    ) -> LiveArena: ...


@dataclass  # without slots: Playwright hangs attributes of its own on whatever it calls
class Complaints:
    """What one page complained about, but for the refusals its test expects."""

    origin: str
    expected_statuses: frozenset[int]
    expected_errors: tuple[str, ...] = ()
    found: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        """Collect console errors (content security policy included), page errors, outside calls."""
        page.on("console", self.console)
        page.on("pageerror", lambda error: self.found.append(f"page error: {error}"))
        page.on("request", self.request)

    def console(self, message: ConsoleMessage) -> None:
        """Take a console line if it is an error."""
        if message.type != "error":
            return
        text = message.text
        if text.startswith(REFUSED_STATUS):
            status = int(text.removeprefix(REFUSED_STATUS).split()[0])
            if status in self.expected_statuses:
                return
        if any(part in text for part in self.expected_errors):
            return
        self.found.append(f"console: {text} ({message.location.get('url', '')})")

    def request(self, request: Request) -> None:
        """Take a request that leaves the test server."""
        parts = urlsplit(request.url)
        if parts.scheme in {"about", "blob"}:
            return
        if f"{parts.scheme}://{parts.netloc}" != self.origin:
            self.found.append(f"request to another host: {request.url}")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, started once; a run without it fails."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.fail('the browser tests need Chromium as the command "chromium"; see make test')
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=chromium, headless=True, args=list(CHROMIUM_ARGUMENTS)
        )
        yield launched
        launched.close()


@pytest.fixture
def opened() -> dict[BrowserContext, Complaints]:
    """What the pages that a test opened complained about."""
    return {}


@pytest.fixture
def open_page(browser: Browser, opened: dict[BrowserContext, Complaints]) -> Iterator[OpenPage]:
    """Opens pages of the test server at `base_url`, each as a new visitor.

    Sizes, motion, language and time zone are fixed, so that screenshots stay the same. In the end
    the test fails if a page wrote an error to the console, broke the content security policy,
    raised in a script, or called another host. Statuses above 399 that the test provokes are named
    in `expected_statuses`, parts of console lines that it provokes in `expected_errors`.
    """

    def open_(
        base_url: str,
        *,
        viewport: Viewport = "desktop",
        color_scheme: Literal["light", "dark"] = "light",
        javascript: bool = True,
        expected_statuses: frozenset[int] = frozenset(),
        expected_errors: tuple[str, ...] = (),
    ) -> Page:
        context = browser.new_context(
            base_url=base_url,
            viewport=VIEWPORTS[viewport],
            device_scale_factor=1,
            has_touch=viewport == "phone",
            is_mobile=viewport == "phone",
            reduced_motion="reduce",
            color_scheme=color_scheme,
            java_script_enabled=javascript,
            locale="en-GB",
            timezone_id="UTC",
        )
        parts = urlsplit(base_url)
        complaints = Complaints(
            f"{parts.scheme}://{parts.netloc}", expected_statuses, expected_errors
        )
        context.set_default_timeout(PATIENCE_MS)
        context.on("page", complaints.watch)
        opened[context] = complaints
        return context.new_page()

    yield open_
    for context in opened:
        context.close()
    found = [complaint for complaints in opened.values() for complaint in complaints.found]
    assert not found, "the page complained:\n" + "\n".join(found)


@pytest.fixture
def take_screenshot(project_root: Path) -> Callable[[Page, str], Path]:
    """Saves a full-page picture as tests/artefacts/screenshots/<name>.png and returns its path."""

    def take(page: Page, name: str) -> Path:
        path = project_root / "tests" / "artefacts" / "screenshots" / f"{name}.png"
        page.screenshot(path=path, full_page=True)
        return path

    return take


@pytest.fixture(scope="session")
def axe_script(project_root: Path) -> str:
    """The accessibility checker's source, as `make setup` fetched it."""
    return (project_root / "tests/browser/vendor/axe.min.js").read_text(encoding="utf-8")


class FindFaults(Protocol):
    """Looks for breaches of WCAG 2.2 AA; see the fixture `accessibility_faults`."""

    def __call__(  # noqa: D102 - the fixture's docstring says it
        self, page: Page, rules: tuple[str, ...] | None = None
    ) -> list[str]: ...


@pytest.fixture
def accessibility_faults(axe_script: str, opened: dict[BrowserContext, Complaints]) -> FindFaults:
    """Returns a line for each breach of WCAG 2.2 AA that axe finds on a page as it is now.

    With `rules` it looks only for those. The checker tries an inline style of its own, which the
    page's policy refuses; that is no complaint of the page's.
    """

    def check(page: Page, rules: tuple[str, ...] | None = None) -> list[str]:
        only = {"type": "rule", "values": rules} if rules else list(ACCESSIBILITY_RULES)
        complaints = opened.get(page.context)
        before = len(complaints.found) if complaints else 0
        if not page.evaluate("'axe' in window"):
            page.evaluate(axe_script)
        report: dict[str, Any] = page.evaluate(
            "only => axe.run(document, {runOnly: only, resultTypes: ['violations']})", only
        )
        if complaints:
            new = [line for line in complaints.found[before:] if OWN_STYLE not in line]
            complaints.found[before:] = new
        return [
            f"{fault['id']}: {fault['help']}: {node['target']}"
            for fault in report["violations"]
            for node in fault["nodes"]
        ]

    return check


@pytest.fixture(scope="session")
def catalogues(
    tmp_path_factory: pytest.TempPathFactory,
    sqlite_template: Path,
    arena_template: Path,
    shared_data: Path,
) -> Callable[[Catalogue], Path]:
    """Returns the folder of a catalogue's database and data, made when first asked for."""
    root = tmp_path_factory.mktemp("catalogues")

    def made(name: Catalogue) -> Path:
        folder = root / name
        if not folder.exists():
            folder.mkdir()
            template = arena_template if name in ("invented", "voted") else sqlite_template
            shutil.copyfile(template, folder / "arena.sqlite3")
            furnish(folder, name, shared_data / "real")
        return folder

    return made


@pytest.fixture
def open_live(
    catalogues: Callable[[Catalogue], Path], tmp_path: Path, clock: Clock
) -> Iterator[OpenLive]:
    """Opens arenas over real HTTP, each with a database of its own; the test moves their clock."""
    with ExitStack() as stack:

        def open_(catalogue: Catalogue = "invented", **settings: str) -> LiveArena:
            folder = tmp_path / catalogue
            shutil.copytree(catalogues(catalogue), folder)
            if catalogue == "voted":
                clock.advance(3600)
            url = f"sqlite:///{folder / 'arena.sqlite3'}"
            site = open_site(url, folder / "data", clock=clock, seed=1, **settings)
            stack.callback(site.close)
            return stack.enter_context(serving(site))

        yield open_


@pytest.fixture
def live(open_live: OpenLive) -> LiveArena:
    """An arena with the invented catalogue of short answers."""
    return open_live()


@pytest.fixture
def real(open_live: OpenLive) -> LiveArena:
    """An arena with one question, answered by the longest and the shortest real answers."""
    return open_live("real")
