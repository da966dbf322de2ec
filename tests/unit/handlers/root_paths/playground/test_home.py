"""The page at `/` is for browsers; programs get what they got without it."""

import pytest

from handlers.root_paths.playground.home import prefers_html
from tests.support.scripted.engine import says
from tests.unit.handlers.contracts.tgi.api import Api, generate_body
from tests.unit.verbatim_kit.runtime.client import send
from verbatim_kit.runtime.documents.pages import HEADERS

CHROMIUM = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"


@pytest.mark.parametrize(
    "accept",
    [
        CHROMIUM,
        "text/html",
        "TEXT/HTML; charset=utf-8",
        "application/json;q=0.5, text/html",
        "text/html;q=0.3",
    ],
)
def test_a_browser_prefers_html(accept: str) -> None:
    assert prefers_html(accept)


@pytest.mark.parametrize(
    "accept",
    [
        "",
        "*/*",
        "application/json, text/plain, */*",
        "application/json, text/html",
        "text/html;q=0.5, application/json",
        "text/html;q=0",
        "text/html;q=high",
        "text/*",
        ",;,",
    ],
)
def test_a_program_does_not(accept: str) -> None:
    assert not prefers_html(accept)


@pytest.mark.parametrize("root", [("openai", "tgi"), ("openai",)])
async def test_a_browser_gets_the_page_whoever_has_the_root(root: tuple[str, ...]) -> None:
    answer = await send(Api(says("a"), root=root).app, "GET", "/", headers={"accept": CHROMIUM})
    assert (answer.status_code, answer.headers["vary"]) == (200, "accept")
    assert '<form id="chat"' in answer.text
    assert {header: answer.headers[header] for header in HEADERS} == dict(HEADERS)
    etag = {"accept": CHROMIUM, "if-none-match": answer.headers["etag"]}
    assert (await send(Api(says("a"), root=root).app, "GET", "/", headers=etag)).status_code == 304


@pytest.mark.parametrize("root", [("tgi",), ("openai",)])
@pytest.mark.parametrize(
    ("method", "accept"),
    [
        ("GET", "*/*"),
        ("GET", "application/json"),
        ("HEAD", CHROMIUM),
        ("PUT", CHROMIUM),
        ("OPTIONS", CHROMIUM),
    ],
)
async def test_all_else_is_answered_as_without_the_page(
    root: tuple[str, ...], method: str, accept: str
) -> None:
    answers = []
    for is_on in (True, False):
        app = Api(says("a"), root=root, playground=is_on).app
        answer = await send(app, method, "/", headers={"accept": accept})
        answer.headers.pop("x-request-id", None)  # random
        answers.append((answer.status_code, answer.headers.multi_items(), answer.content))
    assert answers[0] == answers[1]


async def test_a_client_of_tgi_that_prefers_html_still_posts_to_the_root() -> None:
    app = Api(says("Hello")).app
    answer = await send(app, "POST", "/", json=generate_body(), headers={"accept": CHROMIUM})
    assert answer.json() == [{"generated_text": "Hello"}]


async def test_a_server_that_closes_its_pages_closes_this_one() -> None:
    app = Api(says("a"), api_key="Secret", require_key="all").app
    assert (await send(app, "GET", "/", headers={"accept": CHROMIUM})).status_code == 401
