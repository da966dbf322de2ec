"""The contract's API over a scripted engine, without a network."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import httpx
import orjson
from msgspec.structs import replace
from starlette.types import ASGIApp

from engine.port.events import PromptToken, TokenEvent, TokenLogprob
from engine.port.request import GenerationRequest
from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.scripted.engine import Script, ScriptedEngine, says
from tests.unit.verbatim_kit.runtime.client import events, send

CHAT = "/aleph_alpha/chat/completions"
COMPLETE = "/aleph_alpha/complete"
EVALUATE = "/aleph_alpha/evaluate"
TOKENIZE = "/aleph_alpha/tokenize"
DETOKENIZE = "/aleph_alpha/detokenize"
MODEL = "verbatim-demo"


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

    async def error(self, path: str, body: object) -> tuple[int, str, str]:
        """Status, code and text of an answer that is an error."""
        response = await self.post(path, body)
        error = response.json()
        assert error.keys() == {"error", "code"}
        return response.status_code, error["code"], error["error"]

    async def events(self, path: str, body: dict[str, Any]) -> list[str]:
        """The data of all events of a stream."""
        response = await self.post(path, {**body, "stream": True})
        assert response.status_code == 200, response.text
        assert response.headers["content-type"].startswith("text/event-stream")
        return events(response)

    async def chunks(self, body: dict[str, Any]) -> list[Any]:
        """Return the chunks of a chat stream before the `[DONE]` that must end it."""
        *chunks, done = await self.events(CHAT, body)
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


async def refused(path: str, body: object) -> str:
    """The text of a 400; nothing has reached the engine."""
    api = quiet()
    api.engine.requests.clear()
    status, code, text = await api.error(path, body)
    assert (status, code) == (400, "INVALID_REQUEST")
    assert not api.engine.requests
    return text


def chat(text: str = "Hi", /, **fields: Any) -> dict[str, Any]:
    """The body of a chat request."""
    return {"model": MODEL, "messages": [{"role": "user", "content": text}], **fields}


def talk(*roles: str) -> dict[str, Any]:
    """A conversation of these roles."""
    return {"model": MODEL, "messages": [{"role": role, "content": role[0]} for role in roles]}


def completion(prompt: object = "Hi", /, **fields: Any) -> dict[str, Any]:
    """The body of a completion request."""
    return {"model": MODEL, "prompt": prompt, **fields}


def scores(*ranked: tuple[int, float]) -> Script:
    """Tells of a prompt that ends with as many tokens: the likeliest in each place, and the token's own
    log-probability.
    """

    def script(request: GenerationRequest) -> Iterator[TokenEvent]:
        first = len(request.prompt.token_ids) - len(ranked)
        (event, *_) = [item for item in says("x")(request) if isinstance(item, TokenEvent)]
        tail = [
            PromptToken(token_id, "", logprob, (TokenLogprob(likeliest, "", -0.1, False),))
            for token_id, (likeliest, logprob) in zip(request.prompt.token_ids[first:], ranked, strict=True)
        ]
        head = tuple(PromptToken(token_id, "", None) for token_id in request.prompt.token_ids[:first])
        yield replace(event, prompt=(*head, *tail))
        yield from list(says("x")(request))[1:]  # type: ignore[misc]  # no exception is among them

    return script
