"""Images in Anthropic's contract."""

from base64 import b64encode
from typing import Any, Final

import pytest

from tests.support.scripted.engine import says
from tests.support.scripted.media_processor import NUM_TOKENS, PLACEHOLDERS, png, seeing_engine
from tests.unit.handlers.contracts.anthropic.api import MESSAGES, RESULT, USE, Api, ask

IMAGE: Final = {
    "type": "image",
    "source": {"type": "base64", "media_type": "image/png", "data": b64encode(png()).decode()},
    "cache_control": {"type": "ephemeral"},
}
TEXT: Final = {"type": "text", "text": "See "}


class Seeing(Api):
    """A server whose model reads images."""

    def __init__(self, **settings: Any) -> None:
        engine, self.media = seeing_engine()
        super().__init__(says("x"), engine=engine, **settings)


def user(*blocks: object) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


async def test_images_are_read_where_they_stand() -> None:
    api = Seeing()
    answer = await api.answer(ask(messages=[user(TEXT, IMAGE, TEXT), user(IMAGE)]))
    assert [item.data for item in api.media.items] == [png()] * 2
    assert f"See {'<|image|>' * NUM_TOKENS}See \n\n{'<|image|>' * NUM_TOKENS}<|im_end|>" in api.prompt
    assert answer["usage"]["input_tokens"] == len(api.engine.request.prompt.token_ids)


async def test_more_tokens_than_there_is_room_for_may_be_asked_with_an_image_too() -> None:
    api = Seeing()
    await api.answer(ask(messages=[user(IMAGE)], max_tokens=32_000))
    request = api.engine.request
    assert len(request.prompt.token_ids) + request.stopping.max_tokens == 1000


async def test_tokens_are_counted_with_images() -> None:
    api = Seeing()
    body = ask(messages=[user(IMAGE)])
    answer = await api.answer(body)
    del body["max_tokens"]
    counted = await api.answer(body, f"{MESSAGES}/count_tokens")
    assert counted["input_tokens"] == answer["usage"]["input_tokens"]


@pytest.mark.parametrize("is_error", [False, True])
async def test_results_of_tools_may_hold_images(is_error: bool) -> None:
    api = Seeing()
    result = {**RESULT, "content": [TEXT, IMAGE], "is_error": is_error}
    await api.answer(ask(messages=[user(TEXT), {"role": "assistant", "content": [USE]}, user(result)]))
    start = "Error: " if is_error else ""
    assert f"tool\n{start}See {PLACEHOLDERS[api.media.items[0].kind]}" in api.prompt


async def test_a_documents_content_may_hold_images() -> None:
    api = Seeing()
    source = {"type": "content", "content": [TEXT, IMAGE]}
    await api.answer(ask(messages=[user({"type": "document", "source": source, "title": "A"})]))
    assert "user\nA\n\nSee <|image|>" in api.prompt


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        (
            (TEXT, {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}),
            "messages[0].content[1]: this server fetches no URLs",
        ),
        (
            ({"type": "image", "source": {"type": "file", "file_id": "f"}},),
            "messages[0].content[0].source.type: no file is stored here",
        ),
        (
            ({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},),
            "messages[0].content[0]: the content is not",
        ),
    ],
)
async def test_what_cannot_be_read_is_refused_by_its_block(blocks: tuple[object, ...], message: str) -> None:
    assert (await Seeing().refusal(ask(messages=[user(*blocks)]))).startswith(message)


async def test_an_assistant_sends_no_image() -> None:
    messages = [user(TEXT), {"role": "assistant", "content": [IMAGE]}, user(TEXT)]
    assert (await Seeing().refusal(ask(messages=messages))).startswith("messages[1].content[0].type:")
