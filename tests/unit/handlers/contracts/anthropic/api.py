"""The contract's API over a scripted engine, without a network."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final

import httpx
import orjson
from starlette.types import ASGIApp

from engine.port.events import TokenEvent
from engine.port.request import GenerationRequest
from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.scripted.engine import Script, ScriptedEngine, says
from tests.unit.verbatim_kit.runtime.client import send

MESSAGES: Final = "/anthropic/v1/messages"
COUNT: Final = "/anthropic/v1/messages/count_tokens"
MODELS: Final = "/anthropic/v1/models"
HEADERS: Final[Mapping[str, str]] = {"anthropic-version": "2023-06-01"}

TOOL: Final = {
    "name": "add",
    "input_schema": {"type": "object", "properties": {"a": {"type": "integer"}}},
}
CALL: Final = '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>'
REASONING: Final = "<think>\nHm.\n</think>\n\n"
USE: Final = {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 1}}
RESULT: Final = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "2"}


class Api:
    """One server over one engine; `settings` are those of the server."""

    def __init__(self, script: Script, engine: ScriptedEngine | None = None, **settings: Any) -> None:
        self.engine = engine or ScriptedEngine(script, max_total_tokens=1000)
        self.app: ASGIApp = build_app(Settings(**settings), self.engine)

    async def post(self, body: object, path: str = MESSAGES, **headers: str) -> httpx.Response:
        return await send(self.app, "POST", path, json=body, headers={**HEADERS, **headers})

    async def get(self, path: str) -> httpx.Response:
        return await send(self.app, "GET", path, headers=dict(HEADERS))

    async def answer(self, body: object, path: str = MESSAGES) -> Any:
        """The JSON of a successful answer."""
        response = await self.post(body, path)
        assert response.status_code == 200, response.text
        return response.json()

    async def refusal(self, body: object, path: str = MESSAGES) -> str:
        """The message of a 400."""
        status, kind, message = error_of(await self.post(body, path))
        assert (status, kind) == (400, "invalid_request_error")
        return message

    async def events(self, body: dict[str, Any]) -> list[Any]:
        """Return the events of a stream, each of which is sent under its own name."""
        response = await self.post({**body, "stream": True})
        assert response.status_code == 200, response.text
        assert response.headers["content-type"].startswith("text/event-stream")
        *frames, rest = response.text.split("\n\n")
        assert rest == ""
        lines = [frame.split("\n") for frame in frames]
        events = [orjson.loads(data.removeprefix("data: ")) for _, data in lines]
        assert [name for name, _ in lines] == [f"event: {event['type']}" for event in events]
        return events

    @property
    def prompt(self) -> str:
        """Return the prompt that the engine was asked to continue, special tokens as text."""
        token_ids = self.engine.request.prompt.token_ids
        return self.engine.tokenizer.decode(token_ids, skip_special_tokens=False)


def error_of(response: httpx.Response) -> tuple[int, str, str]:
    """Status, type and message of an error answer, which names the request as its header does."""
    told = response.json()
    assert told.keys() == {"type", "error", "request_id"} and told["type"] == "error"
    assert told["request_id"] == response.headers["request-id"]
    return response.status_code, told["error"]["type"], told["error"]["message"]


def ask(text: object = "Hi", /, **fields: Any) -> dict[str, Any]:
    """The body of a request."""
    return conversation({"role": "user", "content": text}, **fields)


def conversation(*messages: object, **fields: Any) -> dict[str, Any]:
    return {"model": "verbatim-demo", "max_tokens": 50, "messages": list(messages), **fields}


def user(*blocks: object) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: object) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


class _Voice:
    """A script that is another for each test, since a server takes its time to be built."""

    def __init__(self) -> None:
        self.script: Script = says("x")

    def __call__(self, request: GenerationRequest) -> Iterable[TokenEvent | Exception]:
        return self.script(request)


@cache
def _server() -> tuple[Api, _Voice]:
    voice = _Voice()
    return Api(voice), voice


def quiet(script: Script | None = None) -> Api:
    """A server that has not been asked anything yet."""
    api, voice = _server()
    voice.script = script or says("x")
    api.engine.requests.clear()
    return api


async def prompt_of(body: object) -> str:
    """The text of the prompt that a request comes to."""
    api = quiet()
    await api.answer(body)
    return api.prompt
