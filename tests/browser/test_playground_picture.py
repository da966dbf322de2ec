"""The playground before the embedded model that reads pictures."""

from base64 import b64encode
from collections.abc import Iterator

import pytest
from playwright.async_api import Page, expect

from tests.browser.bench import Bench
from tests.conftest import LIMITS, running_server
from tests.unit.tools.demo_model.vision.test_scene import figure, scene
from tools.demo_model.vision.questions import encoded


@pytest.fixture(scope="module")
def seeing_url() -> Iterator[str]:
    """Yield the URL of a server of the vision model."""
    with running_server("verbatim-demo-vision", *LIMITS) as server:
        yield server.url


async def test_a_picture_that_is_dropped_is_shown_and_answered(page: Page, seeing_url: str) -> None:
    bench = Bench(page, seeing_url)
    await bench.open("openai", "createChatCompletion")
    question = {"role": "user", "content": "What do you see?"}
    await bench.write({"model": "verbatim-demo-vision", "messages": [question], "temperature": 0})
    drawn = encoded(scene(figure("red star", 0, 0), figure("blue circle", 2, 2)), "PNG")
    await bench.hand_over('[data-path="messages[0]"] textarea', b64encode(drawn).decode(), "drop")
    await expect(page.locator('[data-path="messages[0]"] img')).to_have_js_property("naturalWidth", 108)
    await bench.send()
    await expect(page.locator(".segment.text")).to_contain_text("I see a red star and a blue circle.")
