"""Images, sounds and files in OpenAI's contract."""

from base64 import b64encode
from typing import Any, Final

import pytest

from engine.port.request import MediaKind
from tests.support.scripted.engine import says
from tests.support.scripted.media_processor import MP4, NUM_TOKENS, WAV, png, seeing_engine
from tests.unit.handlers.contracts.openai.api import CHAT, MODEL, Api, Refusal

RESPONSES: Final = "/openai/v1/responses"
IMAGE: Final = b64encode(png()).decode()
IMAGE_URL: Final = f"data:image/png;base64,{IMAGE}"
SOUND: Final = b64encode(WAV).decode()
WORDS: Final = b64encode(b"words").decode()


def api(*kinds: MediaKind, **settings: Any) -> Api:
    return Api(seeing_engine(kinds=kinds or tuple(MediaKind))[0], **settings)


def items(api: Api) -> list[bytes]:
    media: Any = api.engine.media
    return [item.data for item in media.items]


def asked(*parts: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"model": MODEL, "messages": [{"role": "user", "content": list(parts)}], **fields}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def image(url: str = IMAGE_URL, **fields: Any) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": url, **fields}}


def sound() -> dict[str, Any]:
    return {"type": "input_audio", "input_audio": {"data": SOUND, "format": "wav"}}


def file(**fields: Any) -> dict[str, Any]:
    return {"type": "file", "file": fields}


async def test_a_chat_takes_images_and_sounds() -> None:
    one = api()
    answer = await one.answer(CHAT, asked(text("See "), image(detail="high"), text(" hear "), sound()))
    assert items(one) == [png(), WAV]
    assert one.prompt.count("<|image|>") == one.prompt.count("<|audio|>") == NUM_TOKENS
    usage = answer["usage"]
    assert usage["prompt_tokens"] == len(one.engine.request.prompt.token_ids)
    assert usage["prompt_tokens_details"]["audio_tokens"] == NUM_TOKENS


async def test_a_chat_takes_videos_as_clients_of_other_servers_send_them() -> None:
    one = api()
    url = f"data:video/mp4;base64,{b64encode(MP4).decode()}"
    await one.answer(CHAT, asked(text("Watch "), {"type": "video_url", "video_url": {"url": url}}))
    assert items(one) == [MP4]
    assert one.prompt.count("<|video|>") == NUM_TOKENS


async def test_what_a_tool_returned_may_hold_images() -> None:
    one = api()
    call = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    body = asked(text("Look"))
    body["messages"] += [
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": [text("Seen: "), image()]},
    ]
    await one.answer(CHAT, body)
    assert items(one) == [png()]
    assert one.prompt.count("<|image|>") == NUM_TOKENS


async def test_a_stream_takes_them_too() -> None:
    one = api()
    chunks = await one.chunks(CHAT, asked(sound(), stream_options={"include_usage": True}))
    assert chunks[-1]["usage"]["prompt_tokens_details"]["audio_tokens"] == NUM_TOKENS


async def test_images_of_earlier_turns_stay() -> None:
    one = api()
    body = asked(text("a"), image())
    body["messages"] += [{"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]
    await one.answer(CHAT, body)
    assert items(one) == [png()]


@pytest.mark.parametrize("data", [WORDS, f"data:text/plain;base64,{WORDS}"])
async def test_files_of_text_are_read_by_every_model(data: str) -> None:
    one = Api(says("x"))
    await one.answer(CHAT, asked(file(file_data=data, filename="a.txt")))
    assert "user\na.txt\n\nwords\n\n<|im_end|>" in one.prompt


@pytest.mark.parametrize(
    ("part", "code", "param"),
    [
        (file(file_data=b64encode(b"%PDF-1.7").decode()), "invalid_value", "messages[0].content[0]"),
        (file(file_data="?"), "invalid_value", "messages[0].content[0]"),
        (file(), "missing_required_parameter", "messages[0].content[0].file.file_data"),
        (file(file_id="f"), "unsupported_value", "messages[0].content[0].file.file_id"),
        (image("https://example.com/a.png"), "invalid_value", "messages[0].content[0]"),
        (image("file:///etc/passwd"), "invalid_value", "messages[0].content[0]"),
        (image("data:image/png;base64,AAAA"), "invalid_value", "messages[0].content[0]"),
        (image(f"data:image/png;base64,{SOUND}"), "invalid_value", "messages[0].content[0]"),
    ],
)
async def test_what_cannot_be_read_is_refused_by_its_part(
    part: dict[str, Any], code: str, param: str
) -> None:
    assert await api().refusal(CHAT, asked(part)) == Refusal(400, code, param)


async def test_a_kind_that_the_model_lacks_is_refused() -> None:
    status, error = await api(MediaKind.IMAGE).error(CHAT, asked(image(), sound()))
    assert (status, error["param"], error["code"]) == (400, "messages[0].content[1]", "unsupported_value")
    assert error["message"] == "the model reads only text and image, and this part is audio"


async def test_too_many_items_are_refused() -> None:
    one = api(max_media_items=1)
    refusal = await one.refusal(CHAT, asked(image(), image()))
    assert (refusal.status, refusal.param) == (400, "messages[0].content[1]")


async def test_prompts_are_counted_and_rendered_with_their_images() -> None:
    one = api()
    body = asked(image())
    await one.answer(CHAT, body)
    token_ids = list(one.engine.request.prompt.token_ids)
    counted = await one.answer("/openai/tokenize", {"model": MODEL, "messages": body["messages"]})
    assert counted["tokens"] == token_ids
    rendered = await one.answer(f"{CHAT}/render", body)
    assert rendered["content_parts"] == [
        {"type": "image_url", "url": f"data:application/octet-stream;base64,{b64encode(png()).decode()}"}
    ]
    assert len(rendered["token_ids"]) == len(token_ids) - NUM_TOKENS + 1
    await one.answer("/tokens/inference/v1/generate", rendered)
    assert one.engine.requests[-1].prompt.token_ids == tuple(token_ids)
    assert "content_parts" not in await one.answer(f"{CHAT}/render", asked(text("Hi")))


def respond(*parts: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"model": MODEL, "input": [{"role": "user", "content": list(parts)}], **fields}


async def test_a_response_takes_images_and_files() -> None:
    one = api()
    parts = (
        {"type": "input_text", "text": "See "},
        {"type": "input_image", "image_url": IMAGE_URL, "detail": "low"},
        {"type": "input_file", "file_data": WORDS, "filename": "a.txt"},
    )
    answer = await one.answer(RESPONSES, respond(*parts))
    assert items(one) == [png()] and "a.txt\n\nwords" in one.prompt
    assert answer["usage"]["input_tokens"] == len(one.engine.request.prompt.token_ids)
    counted = await one.answer(f"{RESPONSES}/input_tokens", respond(*parts))
    assert counted["input_tokens"] == answer["usage"]["input_tokens"]


async def test_a_result_of_a_call_may_hold_an_image() -> None:
    one = api()
    call = {"type": "function_call", "call_id": "c", "name": "look", "arguments": "{}"}
    output = [{"type": "input_image", "image_url": IMAGE_URL}]
    result = {"type": "function_call_output", "call_id": "c", "output": output}
    await one.answer(RESPONSES, {"model": MODEL, "input": [{"role": "user", "content": "Hi"}, call, result]})
    assert items(one) == [png()] and "tool\n<|image|>" in one.prompt


async def test_a_truncated_response_reads_what_it_keeps() -> None:
    one = Api(seeing_engine(max_total_tokens=200)[0])
    old = {"role": "user", "content": "x" * 150}
    new = {"role": "user", "content": [{"type": "input_image", "image_url": IMAGE_URL}]}
    await one.answer(RESPONSES, {"model": MODEL, "input": [old, new], "truncation": "auto"})
    assert "xxx" not in one.prompt and items(one)[-1] == png()


@pytest.mark.parametrize(
    ("part", "param"),
    [
        ({"type": "input_image", "file_id": "f"}, "input[0].content[0].file_id"),
        ({"type": "input_image"}, "input[0].content[0].image_url"),
        ({"type": "input_image", "image_url": "http://a/b"}, "input[0].content[0]"),
        ({"type": "input_file", "file_id": "f"}, "input[0].content[0].file_id"),
        ({"type": "input_file", "file_url": "http://a/b"}, "input[0].content[0]"),
    ],
)
async def test_a_response_refuses_what_cannot_be_read_by_its_part(part: dict[str, Any], param: str) -> None:
    status, error = await api().error(RESPONSES, respond(part))
    assert (status, error["param"]) == (400, param)
