"""The documentation site in a browser: every page, from a server of files and as files."""

import functools
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import Page, expect
from typing_extensions import override

SITE: Final = Path(__file__).parents[2] / "build/site"
PAGES: Final = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html"))
INTERACTIVE: Final = [page for page in PAGES if page.endswith("-try.html")]


# Tables of the text that are wider than its column, by their first words.
WIDE: Final = """[...document.querySelectorAll('.md-typeset table')]
  .filter(table => table.offsetWidth > document.querySelector('.md-content__inner').clientWidth)
  .map(table => table.innerText.slice(0, 60))"""


class QuietHandler(SimpleHTTPRequestHandler):
    @override
    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@pytest.fixture(scope="module")
def site_url() -> Iterator[str]:
    """Yield the URL of build/site, which `make test-browser` builds first."""
    assert PAGES, "no site in build/site: run `make docs`"
    handler = functools.partial(QuietHandler, directory=SITE)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_is_whole_without_network(page: Page, site_url: str, path: str) -> None:
    await page.goto(f"{site_url}/{path}")
    await expect(page.locator("h1, .info .title").first).to_be_visible()
    assert await page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    assert await page.evaluate(WIDE) == []


@pytest.mark.parametrize("path", ["index.html", "contracts/tgi.html", "guides/tgi.html"])
async def test_a_page_is_whole_as_a_file(page: Page, path: str) -> None:
    await page.goto((SITE / path).as_uri())
    await expect(page.locator("h1").first).to_be_visible()


@pytest.mark.parametrize("path", INTERACTIVE)
async def test_an_interactive_page_shows_operations_as_a_file(page: Page, path: str) -> None:
    await page.goto((SITE / path).as_uri())
    await expect(page.locator(".opblock").first).to_be_visible()


async def test_a_search_finds_a_page(page: Page, site_url: str) -> None:
    await page.goto(f"{site_url}/index.html")
    await page.get_by_role("textbox", name="Search").fill("graceful-termination-timeout")
    await expect(page.locator(".md-search-result__link").first).to_contain_text("Options")


async def test_a_correction_unfolds(page: Page, site_url: str) -> None:
    await page.goto(f"{site_url}/contracts/tgi-errata.html")
    first = page.locator(".errata details").first
    await expect(first.locator("pre")).to_be_hidden()
    await first.locator("summary").click()
    await expect(first.locator("pre")).to_contain_text("url: /tgi")
