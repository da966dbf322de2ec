"""Pages as a browser shows them: Chromium without a window, which may ask nothing of another machine."""

import os
import shutil
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, ConsoleMessage, Page, Request, Response, Route, async_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
HOW_TO_INSTALL = (
    "The browser tests need Chromium: `apt-get install --no-install-recommends chromium`, "
    "or VERBATIM_CHROMIUM with the path of one."
)


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the browser. The tests fail where there is none, for they would show nothing."""
    found = os.environ.get("VERBATIM_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.exit(HOW_TO_INSTALL, returncode=1)
    return found


@pytest.fixture(scope="session")
async def browser(chromium: str) -> AsyncIterator[Browser]:
    """One browser for all tests. Chromium has no sandbox for root, which CI may be."""
    async with async_playwright() as playwright:
        one = await playwright.chromium.launch(executable_path=chromium, chromium_sandbox=os.getuid() != 0)
        yield one
        await one.close()


@pytest.fixture
def complaints() -> list[str]:
    """Collect console messages, failed requests and requests to other hosts; a test clears expected ones."""
    return []


@pytest.fixture
async def page(browser: Browser, complaints: list[str]) -> AsyncIterator[Page]:
    """A page in a context of its own. At the end of the test nothing may have been complained of."""
    context = await browser.new_context(viewport={"width": 1280, "height": 900})
    one = await context.new_page()

    async def stay_here(route: Route) -> None:
        if is_here(route.request.url):
            await route.continue_()
        else:
            complaints.append(f"asked of the network: {route.request.url}")
            await route.abort()

    await context.route("**/*", stay_here)
    watch(one, complaints)
    yield one
    await context.close()
    assert complaints == []


def is_here(url: str) -> bool:
    """Return whether a URL that the page requests is on this machine."""
    parts = urlsplit(url)
    return parts.scheme in ("data", "blob", "file", "about") or parts.hostname in ("127.0.0.1", "localhost")


def watch(page: Page, complaints: list[str]) -> None:
    """Writes down errors and warnings of the console, exceptions, and requests that failed."""

    def said(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            complaints.append(f"console {message.type}: {message.text}")

    def answered(response: Response) -> None:
        if response.status >= 400:
            complaints.append(f"status {response.status}: {response.url}")

    def failed(request: Request) -> None:
        # A page that is left, or whose test is over, gives up what it still waits for.
        if request.failure != "net::ERR_ABORTED":
            complaints.append(f"failed: {request.url} ({request.failure})")

    page.on("console", said)
    page.on("pageerror", lambda error: complaints.append(f"exception: {error}"))
    page.on("response", answered)
    page.on("requestfailed", failed)
