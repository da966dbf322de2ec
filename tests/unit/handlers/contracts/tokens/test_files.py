"""Files in prompts of the token API: read in their places, bounded, and refused by the field."""

from base64 import b64encode
from typing import Any, Final

import httpx
import orjson
import pytest

from engine.port.request import MediaKind
from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.scripted.engine import ScriptedEngine, says
from tests.support.scripted.media_processor import NUM_TOKENS, WAV, png, seeing_engine
from tests.unit.handlers.contracts.tokens.test_tokens import PATH
from tests.unit.verbatim_kit.runtime.client import events, send

RED, BLUE = png(), png(colour="blue")


class Api:
    """A server of a model that reads files, by the ids of their placeholders."""

    def __init__(self, **settings: Any) -> None:
        self.engine, self.media = seeing_engine(script=says("a", "b"))
        self.ids = self.media._token_ids
        self._app = build_app(Settings(**settings), self.engine)

    async def post(self, token_ids: list[int], parts: Any, **fields: Any) -> httpx.Response:
        body = {"token_ids": token_ids, "content_parts": parts, "sampling_params": {}, **fields}
        return await send(self._app, "POST", PATH, json=body)

    async def error(self, token_ids: list[int], parts: Any) -> tuple[int, Any, str]:
        response = await self.post(token_ids, parts)
        error = response.json()["error"]
        return response.status_code, error["param"], error["message"]


def part(data: bytes, kind: str = "image") -> dict[str, str]:
    return {"type": f"{kind}_url", "url": f"data:{kind}/x;base64,{b64encode(data).decode()}"}


async def test_files_take_the_places_of_their_placeholders() -> None:
    api = Api()
    image, audio = api.ids[MediaKind.IMAGE], api.ids[MediaKind.AUDIO]
    parts = [part(RED), part(WAV, "audio"), part(BLUE)]
    response = await api.post([7, image, audio, 8, image], parts, return_token_ids=True)
    assert response.status_code == 200, response.text
    expanded = [7, *[image] * NUM_TOKENS, *[audio] * NUM_TOKENS, 8, *[image] * NUM_TOKENS]
    found = response.json()
    assert found["prompt_token_ids"] == expanded
    assert found["mm_placeholders"] == {
        "image": [{"offset": 1, "length": NUM_TOKENS}, {"offset": 8, "length": NUM_TOKENS}],
        "audio": [{"offset": 4, "length": NUM_TOKENS}],
    }
    assert found["usage"]["prompt_tokens"] == len(expanded)
    assert [item.data for item in api.media.items] == [RED, WAV, BLUE]
    (request,) = api.engine.requests
    assert request.prompt.token_ids == tuple(expanded)


async def test_a_stream_has_the_prompts_tokens_once() -> None:
    api = Api()
    image = api.ids[MediaKind.IMAGE]
    response = await api.post(
        [image], [part(RED)], return_token_ids=True, stream=True, sampling_params={"n": 2}
    )
    *texts, _ = events(response)
    found = [orjson.loads(one) for one in texts]
    assert found[0]["prompt_token_ids"] == [image] * NUM_TOKENS
    assert found[0]["mm_placeholders"] == {"image": [{"offset": 0, "length": NUM_TOKENS}]}
    assert not any({"prompt_token_ids", "mm_placeholders"} & one.keys() for one in found[1:])


async def test_a_prompt_without_files_has_no_places_of_any() -> None:
    found = (await Api().post([7, 8], None, return_token_ids=True)).json()
    assert (found["prompt_token_ids"], found["mm_placeholders"]) == ([7, 8], None)
    assert "prompt_token_ids" not in (await Api().post([7, 8], [])).json()


FETCHED: Final = {"type": "image_url", "url": "https://example.com/a.png"}


@pytest.mark.parametrize(
    "parts, at, reason",
    [
        ([part(RED), part(b"hello")], "content_parts[1].url", "not a PNG, JPEG, GIF or WebP image"),
        ([part(RED), {"type": "image_url", "url": "data:;base64,?"}], "content_parts[1].url", "no base64"),
        ([FETCHED, part(RED)], "content_parts[0].url", "fetches no URLs"),
        ([part(RED)] * 3, "content_parts[2].url", "may have 2 files"),
        ([part(RED), part(RED + bytes(2000))], "content_parts[1].url", "may have 2000 bytes together"),
        ([part(RED), {"type": "text", "text": "a"}], "content_parts[1].type", "image_url"),
        ([part(RED), {"type": "image_url"}], "content_parts[1].url", "is missing"),
        ([part(RED) | {"detail": "low"}, part(RED)], "content_parts[0].detail", "detail"),
        ([part(RED)], "content_parts", "numbers of placeholders and items differ"),
    ],
)
async def test_a_file_that_cannot_be_read_is_refused_by_its_field(
    parts: list[Any], at: str | None, reason: str
) -> None:
    api = Api(max_media_items=2, max_media_bytes=2000)
    status, param, message = await api.error([api.ids[MediaKind.IMAGE]] * 2, parts)
    assert (status, param) == (400, at), message
    assert reason.lower() in message.lower()
    assert api.engine.requests == []


async def test_an_item_that_the_processor_refuses_is_named() -> None:
    api = Api()
    api.media._refuses = BLUE
    status, param, message = await api.error([api.ids[MediaKind.IMAGE]] * 2, [part(RED), part(BLUE)])
    assert (status, param, message) == (400, "content_parts[1].url", "it cannot be read")


async def test_files_count_for_the_context() -> None:
    api = Api()
    parts = [part(RED)] * 20
    token_ids = [api.ids[MediaKind.IMAGE]] * 20
    assert (await api.post(token_ids, parts, sampling_params={"max_tokens": None})).status_code == 200
    (request,) = api.engine.requests
    assert request.stopping.max_tokens == 1000 - 20 * NUM_TOKENS


async def test_a_model_of_texts_refuses_files() -> None:
    app = build_app(Settings(), ScriptedEngine(says("a")))
    body = {"token_ids": [7], "content_parts": [part(RED)], "sampling_params": {}}
    response = await send(app, "POST", PATH, json=body)
    error = response.json()["error"]
    assert (response.status_code, error["param"]) == (400, "content_parts[0].url")
    assert "the model reads only text" in error["message"]
