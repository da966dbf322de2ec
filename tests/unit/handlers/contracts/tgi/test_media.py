"""Images in TGI's contract: as parts of a chat, and as Markdown in a prompt of `/generate`."""

import time
from base64 import b64encode
from typing import Any, Final

import pytest

from engine.port.request import MediaKind
from handlers.contracts.tgi.generate.markdown_images import with_placeholders
from tests.support.scripted.engine import ScriptedEngine, says
from tests.support.scripted.media_processor import NUM_TOKENS, ScriptedMedia, png, seeing_engine
from tests.unit.handlers.contracts.tgi.api import Api, generate_body

URL: Final = f"data:image/png;base64,{b64encode(png()).decode()}"
CHAT: Final = "/v1/chat/completions"


def seeing(**settings: Any) -> tuple[Api, ScriptedMedia]:
    engine, media = seeing_engine()
    return Api(engine, **settings), media


def prompt(engine: ScriptedEngine) -> str:
    return engine.tokenizer.decode(engine.request.prompt.token_ids, skip_special_tokens=False)


def asked(url: str) -> dict[str, Any]:
    parts = [{"type": "text", "text": "See "}, {"type": "image_url", "image_url": {"url": url}}]
    return {"messages": [{"role": "user", "content": parts}]}


async def test_a_chat_takes_images_as_parts() -> None:
    api, media = seeing()
    answer = await api.answer(CHAT, asked(URL))
    assert [item.data for item in media.items] == [png()]
    assert answer["usage"]["prompt_tokens"] == len(api.engine.request.prompt.token_ids)


async def test_markdown_in_a_chat_is_text() -> None:
    api, media = seeing()
    await api.answer(CHAT, {"messages": [{"role": "user", "content": f"![]({URL})"}]})
    assert media.items == [] and URL in prompt(api.engine)


@pytest.mark.parametrize("path", ["/generate", "/generate_stream", "/"])
async def test_a_prompt_of_generate_takes_images_as_markdown(path: str) -> None:
    api, media = seeing()
    response = await api.post(path, generate_body(f"a ![]({URL}) b ![cat]({URL})", max_new_tokens=5))
    assert response.status_code == 200, response.text
    marks = "<|image|>" * NUM_TOKENS
    assert prompt(api.engine).endswith(f"a {marks} b {marks}")
    assert len(media.items) == 2


async def test_the_full_text_is_what_was_sent() -> None:
    api, _ = seeing()
    inputs = f"a ![]({URL})"
    answer = await api.answer("/generate", generate_body(inputs, return_full_text=True, max_new_tokens=5))
    assert answer["generated_text"] == f"{inputs}x"


async def test_a_model_that_reads_text_alone_reads_markdown_as_text() -> None:
    api = Api(says("x"))
    await api.answer("/generate", generate_body("![](http://a/b)", max_new_tokens=5))
    assert prompt(api.engine).endswith("![](http://a/b)")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (generate_body("![](https://example.com/a.png)"), "this server fetches no URLs"),
        (generate_body("![](a.png)"), "a source is a data URL"),
        (generate_body(f"![]({URL})", truncate=2), "`truncate` cannot shorten"),
        (generate_body(f"![]({URL}) <|image|>"), "the numbers of placeholders and items differ"),
        (generate_body(f"![]({URL})" * 21), "a request may have 20"),
        (generate_body(f"![]({URL})" + "x" * 1000), "`inputs` tokens + `max_new_tokens` must be <= 1000"),
    ],
)
async def test_what_cannot_be_read_is_refused(body: dict[str, Any], message: str) -> None:
    api, _ = seeing()
    status, kind, text = await api.refusal("/generate", body)
    assert (status, kind) == (422, "validation") and message in text


async def test_a_part_that_cannot_be_read_is_named() -> None:
    api, _ = seeing()
    status, kind, text = await api.refusal(CHAT, asked("https://example.com/a.png"))
    assert (status, kind) == (422, "validation")
    assert "messages[0].content[1]: this server fetches no URLs" in text


@pytest.mark.parametrize(
    ("text", "rest", "urls"),
    [
        ("", "", []),
        ("![](u)", "#", ["u"]),
        ("a![b](u)c![](v)", "a#c#", ["u", "v"]),
        ("![a![b](u)", "#", ["u"]),
        ("![a] ![](u)", "![a] #", ["u"]),
        ("![](u", "![](u", []),
        ("![", "![", []),
        ("[a](u)", "[a](u)", []),
        ("![]()", "#", [""]),
    ],
)
def test_images_are_found_as_the_pattern_finds_them(text: str, rest: str, urls: list[str]) -> None:
    found = with_placeholders(text, "#")
    assert (found.text, [image.source for image in found.images]) == (rest, urls)
    assert all(image.kind is MediaKind.IMAGE for image in found.images)


@pytest.mark.parametrize("text", ["![" * 500_000, "![]" * 300_000, "![](" * 250_000, "![" * 300_000 + "]"])
def test_a_prompt_of_brackets_takes_no_longer_than_its_length(text: str) -> None:
    start = time.process_time()
    with_placeholders(text, "#")
    assert time.process_time() - start < 5  # where each bracket was looked for anew, it would be hours
