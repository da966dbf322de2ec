"""A front renders a request, a server continues it, and what the front writes back is the server's answer."""

import json
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import orjson
import pytest
import pytest_asyncio
from starlette.types import ASGIApp

from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.token_servers.fronts import KINDS, engine_over, new_recording
from tests.unit.verbatim_kit.runtime.client import events, send

CHAT, COMPLETIONS = "/openai/v1/chat/completions", "/openai/v1/completions"
TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
HELLO: dict[str, Any] = {
    "model": "verbatim-demo",
    "messages": [{"role": "user", "content": "Hello! What is the weather in Paris?"}],
    "max_tokens": 60,
    "temperature": 0,
}
BODIES: dict[str, dict[str, Any]] = {
    "a text": HELLO,
    "thoughts": {**HELLO, "enable_thinking": True},
    "a call": {**HELLO, "tools": [TOOL], "tool_choice": "required"},
    "several, drawn": {**HELLO, "n": 3, "temperature": 1, "seed": 7},
    "log-probabilities": {**HELLO, "logprobs": True, "top_logprobs": 3},
    "a stop text": {**HELLO, "stop": ["e"]},
    "a schema": {**HELLO, "response_format": {"type": "json_object"}},
    "no special tokens left out": {**HELLO, "skip_special_tokens": False},
    "a bound": {**HELLO, "max_tokens": 3},
}


class Servers(NamedTuple):
    own: ASGIApp
    front: ASGIApp

    async def round_trip(self, path: str, body: dict[str, Any]) -> list[Any]:
        """Return the token API's answers to the front's rendered requests, as it sends them."""
        rendered = await post(self.front, f"{path}/render", body)
        requests = rendered if isinstance(rendered, list) else [rendered]
        return [await post(self.own, "/inference/v1/generate", request) for request in requests]


@pytest_asyncio.fixture(scope="module", params=KINDS)
async def servers(request: pytest.FixtureRequest) -> AsyncIterator[Servers]:
    engine = await new_recording(max_total_tokens=None)
    async with engine_over(request.param, engine) as remote:
        yield Servers(build_app(Settings(), engine), build_app(Settings(), remote))
    await engine.stop()


async def post(app: ASGIApp, path: str, body: object) -> Any:
    answer = await send(app, "POST", path, json=body)
    assert answer.status_code == 200, answer.text
    if answer.headers["content-type"].startswith("text/event-stream"):
        return [orjson.loads(event) for event in events(answer)[:-1]]
    return answer.json()


def plain(answer: Any) -> Any:
    """Return an answer without what is drawn anew for each, what depends on the cache, and rounding."""
    answer = json.loads(json.dumps(answer), parse_float=lambda text: round(float(text), 3))
    for field in ("id", "created", "usage", "system_fingerprint"):
        answer.pop(field, None)
    for choice in answer["choices"]:
        for call in choice.get("message", choice.get("delta", {})).get("tool_calls", ()):
            call.pop("id", None)
    return answer


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
async def test_whole_chats(servers: Servers, body: dict[str, Any]) -> None:
    expected = await post(servers.own, CHAT, body)
    (response,) = await servers.round_trip(CHAT, body)
    request = {"generate_response": response, "chat_request": body}
    written = await post(servers.front, f"{CHAT}/derender", request)
    assert plain(written) == plain(expected)
    for field in ("prompt_tokens", "completion_tokens", "total_tokens"):
        assert written["usage"][field] == expected["usage"][field]


@pytest.mark.parametrize("body", [body for body in BODIES.values() if "n" not in body])
async def test_streamed_chats(servers: Servers, body: dict[str, Any]) -> None:
    body = {**body, "stream": True}
    expected = await post(servers.own, CHAT, body)
    (response,) = await servers.round_trip(CHAT, body)
    state, chunks = None, []
    for event in response:
        request = {"stream": True, "generate_chunk": event, "stream_state": state, "chat_request": body}
        answer = await post(servers.front, f"{CHAT}/derender", request)
        chunks.append(answer["chunk"])
        state = answer["stream_state"]
    shown = [
        chunk for chunk in chunks if chunk["choices"][0]["delta"] or chunk["choices"][0]["finish_reason"]
    ]
    assert list(map(plain, shown)) == list(map(plain, expected))


async def test_whole_completions(servers: Servers) -> None:
    body = {
        "model": "verbatim-demo",
        "prompt": ["Hello", "Good"],
        "n": 2,
        "seed": 3,
        "logprobs": 2,
        "stop": "e",
    }
    expected = await post(servers.own, COMPLETIONS, body)
    responses = await servers.round_trip(COMPLETIONS, body)
    request = {"generate_responses": responses, "completion_request": body}
    assert plain(await post(servers.front, f"{COMPLETIONS}/derender", request)) == plain(expected)
