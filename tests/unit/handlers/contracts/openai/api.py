"""The contract's API over a scripted engine, without a network."""

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import httpx
import orjson
from msgspec.structs import replace
from starlette.types import ASGIApp

from engine.port.events import FinishReason, TokenEvent
from engine.port.request import GenerationRequest
from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.scripted.engine import Script, ScriptedEngine, says, token
from tests.unit.handlers.chat.models import chat_tokenizer
from tests.unit.verbatim_kit.runtime.client import events, send

CHAT = "/openai/v1/chat/completions"
COMPLETIONS = "/openai/v1/completions"
EMBEDDINGS = "/openai/v1/embeddings"
MODELS = "/openai/v1/models"
MODEL = "verbatim-demo"

TOOL: dict[str, Any] = {
    "type": "function",
    "function": {"name": "add", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}},
}
CALL = '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>'


class Refusal(NamedTuple):
    """The content of an error answer."""

    status: int
    code: str | None
    param: str | None


class Api:
    """One server over one engine; `settings` are those of the server."""

    def __init__(self, script: Script | ScriptedEngine, **settings: Any) -> None:
        self.engine = script if isinstance(script, ScriptedEngine) else ScriptedEngine(script)
        self.app: ASGIApp = build_app(Settings(**settings), self.engine)

    async def post(self, path: str, body: object, **options: Any) -> httpx.Response:
        return await send(self.app, "POST", path, json=body, **options)

    async def get(self, path: str, **options: Any) -> httpx.Response:
        return await send(self.app, "GET", path, **options)

    async def answer(self, path: str, body: object) -> Any:
        """The JSON of a successful answer."""
        response = await self.post(path, body)
        assert response.status_code == 200, response.text
        return response.json()

    async def error(self, path: str, body: object) -> tuple[int, dict[str, Any]]:
        """Status and error of an answer that is one."""
        response = await self.post(path, body)
        assert response.json().keys() == {"error"}
        error: dict[str, Any] = response.json()["error"]
        assert error.keys() == {"message", "type", "param", "code"}
        assert error["message"]
        return response.status_code, error

    async def refusal(self, path: str, body: object) -> Refusal:
        status, error = await self.error(path, body)
        return Refusal(status, error["code"], error["param"])

    async def chunks(self, path: str, body: dict[str, Any]) -> list[Any]:
        """Return the chunks of a stream before the `[DONE]` that must end it."""
        response = await self.post(path, {**body, "stream": True})
        assert response.status_code == 200, response.text
        assert response.headers["content-type"].startswith("text/event-stream")
        *chunks, done = events(response)
        assert done == "[DONE]"
        return [orjson.loads(chunk) for chunk in chunks]

    @property
    def prompt(self) -> str:
        """The text of the only prompt that the engine has seen."""
        tokens = self.engine.request.prompt.token_ids
        return self.engine.tokenizer.decode(tokens, skip_special_tokens=False)


@cache
def quiet() -> Api:
    """One server for all tests that look at what its engine is asked for, or is not."""
    return Api(ScriptedEngine(says("x"), max_total_tokens=1000))


async def submitted(path: str, body: object) -> GenerationRequest:
    """Return the one request that the engine gets."""
    api = quiet()
    api.engine.requests.clear()
    await api.answer(path, body)
    return api.engine.request


async def prompt_of(body: object) -> str:
    """The text of the prompt that a chat request comes to."""
    await submitted(CHAT, body)
    return quiet().prompt


def chat(text: str = "Hi", /, **fields: Any) -> dict[str, Any]:
    """The body of a chat request."""
    return {"model": MODEL, "messages": [{"role": "user", "content": text}], **fields}


def completion(prompt: object = "Hi", /, **fields: Any) -> dict[str, Any]:
    """The body of a completion request."""
    return {"model": MODEL, "prompt": prompt, **fields}


def spells(text: str) -> Script:
    """Every sequence says the text byte by byte, each byte a token of its own id, and then an end token."""
    tokenizer = chat_tokenizer()
    token_ids = tokenizer.encode(text, add_special_tokens=False)

    def script(request: GenerationRequest) -> Iterator[TokenEvent]:
        data, told = b"", ""
        for position, token_id in enumerate(token_ids):
            data += tokenizer.token_bytes(token_id)
            whole = data.decode(errors="ignore")
            for index in range(request.num_sequences):
                event = token(request, position, whole[len(told) :], index=index)
                yield replace(event, token_id=token_id)
            told = whole
        for index in range(request.num_sequences):
            end = token(request, len(token_ids), "", index=index, finish=FinishReason.END_TOKEN)
            yield replace(end, token_id=tokenizer.end_token_ids[0])

    return script
