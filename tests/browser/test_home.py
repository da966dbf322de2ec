"""The page at `/` in a browser: the addresses, and a chat that answers, streams, stops, fails and goes on."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.async_api import Locator, Page, Route, expect

from handlers.composition import CONTRACTS
from tests.conftest import LIMITS, running_server

KEY = "it's secret"
CHAT_PATH = "**/openai/v1/chat/completions"

# The lengths of the answer's text that were seen while it streamed.
_WATCH = """() => {
  window.lengths = new Set();
  const log = document.querySelector("#log");
  new MutationObserver(() => {
    const said = log.querySelector(".segment.text")?.textContent.length ?? 0;
    if (log.ariaBusy === "true" && said) window.lengths.add(said);
  }).observe(log, { subtree: true, childList: true, characterData: true });
}"""


@pytest.fixture
async def home(page: Page, server_url: str) -> Page:
    await page.goto(server_url)
    await expect(page.locator("#send")).to_be_enabled()
    return page


async def ask(page: Page, text: str) -> Locator:
    """Ask by the keyboard, wait until the answer has ended, and return it."""
    await page.locator("#say").fill(text)
    await page.keyboard.press("Enter")
    await expect(page.locator("#log")).to_have_attribute("aria-busy", "false")
    return page.locator(".exchange").last


def events(*deltas: dict[str, str]) -> str:
    """Return a stream of chat chunks with these deltas."""
    chunks = [
        {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]} for delta in deltas
    ]
    return "".join(f"data: {one}\n\n" for one in (*map(json.dumps, chunks), "[DONE]"))


async def answer_with(page: Page, *deltas: dict[str, str]) -> None:
    """Answer all chats of the page with these deltas, in place of the server."""

    async def fulfil(route: Route) -> None:
        await route.fulfill(status=200, content_type="text/event-stream", body=events(*deltas))

    await page.route(CHAT_PATH, fulfil)


async def add_to_requests(page: Page, **fields: object) -> None:
    """Add fields to all chats that the page sends."""

    async def add(route: Route) -> None:
        body: Any = route.request.post_data_json
        await route.continue_(post_data=json.dumps({**body, **fields}))

    await page.route(CHAT_PATH, add)


async def test_the_page_says_what_is_served_and_where(home: Page, server_url: str) -> None:
    await expect(home.locator("#model")).to_have_text("verbatim-demo")
    shown = await home.locator("#contracts li").all_inner_texts()
    assert len(shown) == len(CONTRACTS)
    assert shown[0].split("\n") == ["OpenAI API", f"{server_url}/openai/v1"]
    assert f"{server_url}/anthropic" in "\n".join(shown).split("\n")
    links = [str(await one.get_attribute("href")) for one in await home.locator("a:visible").all()]
    assert {"playground", "docs", "tgi/metrics", "tgi/docs"} <= set(links)
    async with httpx.AsyncClient(headers={"accept": "text/html"}) as client:
        for link in links:
            assert (await client.get(f"{server_url}/{link}")).status_code == 200, link


async def test_a_conversation_by_keyboard_streams_and_remembers(home: Page) -> None:
    await expect(home.locator("#say")).to_be_focused()
    await home.evaluate(_WATCH)
    await ask(home, "Hello! My name is Ada.")
    assert len(await home.evaluate("[...window.lengths]")) > 1, "the answer comes in pieces"
    answer = await ask(home, "What is my name?")
    await expect(answer.locator(".segment.text")).to_contain_text("Ada")
    assert int(await answer.locator('[data-chip="tokens"] strong').inner_text()) > 1
    await expect(home.locator("#say")).to_be_focused()
    assert await home.locator(".said").all_inner_texts() == ["Hello! My name is Ada.", "What is my name?"]


async def test_a_line_break_is_typed_with_shift_and_not_sent(home: Page) -> None:
    await home.locator("#say").press_sequentially("a")
    await home.keyboard.press("Shift+Enter")
    await home.keyboard.type("b")
    await expect(home.locator("#say")).to_have_value("a\nb")
    await expect(home.locator(".exchange")).to_have_count(0)


@pytest.mark.parametrize("way", ["button", "Escape"])
async def test_stopping_ends_the_answer_here_and_the_generation_there(
    home: Page, server_url: str, complaints: list[str], way: str
) -> None:
    await add_to_requests(home, ignore_eos=True, max_completion_tokens=480)
    await home.locator("#say").fill("Hello!")
    await home.keyboard.press("Enter")
    await expect(home.locator(".segment.text")).not_to_be_empty()
    await (home.locator("#stop").click() if way == "button" else home.keyboard.press(way))
    await expect(home.locator(".exchange .status")).to_contain_text("stopped")
    await expect(home.locator("#send")).to_be_visible()
    await expect(home.locator("#say")).to_be_focused()
    async with asyncio.timeout(10), httpx.AsyncClient() as client:
        while (await client.get(f"{server_url}/playground/state")).json()["num_running"]:
            await asyncio.sleep(0.05)
    complaints[:] = [one for one in complaints if "ERR_ABORTED" not in one]


async def test_an_answer_cut_off_by_its_limit_is_shown_as_such(home: Page) -> None:
    await add_to_requests(home, max_completion_tokens=2)
    answer = await ask(home, "Hello!")
    await expect(answer.locator(".finish")).to_be_visible()
    await expect(answer.locator(".finish")).to_have_text("length")


async def test_a_new_conversation_forgets_the_old_one(home: Page) -> None:
    await answer_with(home, {"content": "yes"})
    sent: list[Any] = []
    home.on("request", lambda one: sent.append(one.post_data_json) if one.method == "POST" else None)
    for text in ("one", "two"):
        await ask(home, text)
    await home.get_by_role("link", name="New conversation").click()
    await expect(home.locator("#log")).to_be_empty()
    await expect(home.locator("#send")).to_be_enabled()
    await ask(home, "three")
    contents = [[one["content"] for one in body["messages"]] for body in sent]
    assert contents == [["one"], ["one", "yes", "two"], ["three"]]


async def test_what_a_model_writes_is_text_and_thoughts_are_folded(home: Page) -> None:
    markup = '<img src="nowhere" onerror="window.isBroken = true"><script>window.isBroken = true</script>'
    await answer_with(
        home, {"reasoning_content": f"Hm. {markup}"}, {"content": markup}, {"content": "\n<b>b</b>"}
    )
    answer = await ask(home, markup)
    assert await answer.locator(".segment.text").inner_text() == f"{markup}\n<b>b</b>"
    assert await home.locator(".said").inner_text() == markup
    assert await home.locator("#log").locator("img, script, b").count() == 0
    assert await home.evaluate("window.isBroken") is None
    thought = answer.locator("details.reasoning .segment-text")
    await expect(thought).to_be_hidden()
    await answer.locator("summary").press("Enter")
    await expect(thought).to_have_text(f"Hm. {markup}")
    await expect(thought).to_be_visible()


async def test_a_question_that_was_not_answered_can_be_asked_again(home: Page, complaints: list[str]) -> None:
    async def fail(route: Route) -> None:
        await route.abort()

    await home.route(CHAT_PATH, fail)
    turn = await ask(home, "Hello!")
    await expect(turn.get_by_role("alert")).to_contain_text("The server could not be reached")
    await expect(home.locator("#say")).to_have_value("Hello!")
    complaints.clear()
    await home.unroute(CHAT_PATH)
    await expect((await ask(home, "Hello!")).locator(".segment.text")).not_to_be_empty()


async def test_an_error_is_shown_as_the_contract_words_it(home: Page, complaints: list[str]) -> None:
    turn = await ask(home, "long " * 600)
    await expect(turn.get_by_role("alert")).to_contain_text("context_length_exceeded")
    complaints.clear()


async def test_a_model_that_does_not_chat_is_offered_in_the_playground(page: Page, server_url: str) -> None:
    async def speech(route: Route) -> None:
        about = await (await route.fetch()).json()
        await route.fulfill(json={**about, "generates_text": False})

    await page.route("**/playground/about", speech)
    await page.goto(server_url)
    await expect(page.locator("#no-chat")).to_be_visible()
    await expect(page.locator("#chat")).to_be_hidden()


@pytest.fixture(scope="module")
def guarded_url() -> Iterator[str]:
    """Yield the URL of a server that asks for a key."""
    with running_server(*LIMITS, "--api-key", KEY) as server:
        yield server.url


async def test_a_key_is_asked_for_and_kept_in_the_tab_only(
    page: Page, guarded_url: str, complaints: list[str]
) -> None:
    await page.goto(guarded_url)
    await expect(page.locator("#send")).to_be_enabled()
    turn = await ask(page, "Hello!")
    await expect(turn.get_by_role("alert")).to_contain_text("invalid_api_key")
    await expect(page.locator("#key")).to_be_focused()
    complaints.clear()
    await page.keyboard.type(KEY)
    await page.keyboard.press("Enter")
    await expect(page.locator(".segment.text")).not_to_be_empty()
    assert await page.evaluate("localStorage.length") == 0
    await page.goto(f"{guarded_url}/playground")
    await expect(page.locator("#key")).to_have_value(KEY)
