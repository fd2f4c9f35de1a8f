"""The browser fixtures themselves: they must notice every kind of complaint, and only those."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import Complaints, FindFaults, OpenPage

POLICY = "default-src 'none'; script-src 'self' 'sha256-test'; img-src 'self'"
PAGES = {
    "/good": ("<h1>Good</h1>", 200),
    "/inline-script": ("<h1>Policy</h1><script>document.title = 'ran'</script>", 200),
    "/outside": ("<h1>Outside</h1><img alt='' src='http://127.0.0.2:9/x.png'>", 200),
    "/refused": ("<h1>Refused</h1>", 409),
    "/no-alternative": ("<h1>Picture</h1><main><img src='/good.png'></main>", 200),
}


class Pages(BaseHTTPRequestHandler):
    """Answers with the fixed pages."""

    def do_GET(self) -> None:
        """Answer one request."""
        body, status = PAGES.get(self.path, ("", 200))
        viewport = '<meta name="viewport" content="width=device-width">'
        page = f"<!doctype html><html lang=en><title>Test</title>{viewport}<main>{body}</main>"
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Security-Policy", POLICY)
        self.end_headers()
        self.wfile.write(page.encode())

    def log_message(self, *_: object) -> None:
        """Stay quiet."""


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    """The address of a server with the fixed pages."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def watched(page: Page, base_url: str) -> Complaints:
    """Watch a page whose complaints the test wants to look at."""
    complaints = Complaints(base_url, frozenset())
    complaints.watch(page)
    return complaints


@pytest.fixture
def bare_page(browser: Browser, base_url: str) -> Iterator[Page]:
    """A page whose complaints do not fail the test, which is about the complaints."""
    page = browser.new_page(base_url=base_url)
    yield page
    page.close()


def test_a_good_page_passes(open_page: OpenPage, base_url: str) -> None:
    """A page without faults opens with the fixed size and raises no complaint."""
    page = open_page(base_url, viewport="phone")
    page.goto("/good")
    assert page.evaluate("window.innerWidth") == 390


@pytest.mark.parametrize(
    "path,complaint",
    [
        ("/inline-script", "Content Security Policy"),
        ("/outside", "another host"),
        ("/refused", "status of 409"),
    ],
)
def test_complaints_are_noticed(bare_page: Page, base_url: str, path: str, complaint: str) -> None:
    """A breach of the policy, a call to another host and an unexpected refusal are all found."""
    complaints = watched(bare_page, base_url)
    bare_page.goto(path)
    assert any(complaint in line for line in complaints.found), complaints.found


def test_a_script_error_is_noticed(bare_page: Page, base_url: str) -> None:
    """An error raised by a script on the page is found."""
    complaints = watched(bare_page, base_url)
    bare_page.goto("/good")
    bare_page.evaluate("setTimeout(() => { throw new Error('broken') }, 0)")
    bare_page.wait_for_timeout(50)
    assert complaints.found == ["page error: broken"]


def test_expected_statuses_pass(open_page: OpenPage, base_url: str) -> None:
    """A refusal the test asked for is no complaint."""
    page = open_page(base_url, expected_statuses=frozenset({409}))
    response = page.goto("/refused")
    assert response is not None
    assert response.status == 409


def test_accessibility_faults_are_named(
    open_page: OpenPage, base_url: str, accessibility_faults: FindFaults
) -> None:
    """A picture without alternative text is reported, and a good page is not."""
    page = open_page(base_url)
    page.goto("/good")
    assert accessibility_faults(page) == []
    page.goto("/no-alternative")
    assert any(line.startswith("image-alt") for line in accessibility_faults(page))
