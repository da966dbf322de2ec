"""Thoughts and calls of tools, whose parts are found in a text, are the same over every kind of token server.

The embedded model has no thoughts, so a script spells them, token by token.
"""

from collections.abc import Iterator
from typing import Any, Final

import pytest
from starlette.types import ASGIApp

from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.contract.over_servers.comparing import difference, read
from tests.contract.requests.documented import Asked, endpoint_of
from tests.support.samples.contracts import samples_of
from tests.support.scripted.engine import ScriptedEngine, spells
from tests.support.token_servers.fronts import KINDS, engine_over
from tests.unit.handlers.chat.models import chat_tokenizer
from tests.unit.verbatim_kit.runtime.client import send
from verbatim_kit.conform.request import Request

_TEXT: Final = (
    "<think>\nIt may rain, é.\n</think>\n\nLet me see."
    '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Köln"}}\n</tool_call>'
)
_CITY: Final = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
_QUESTION: Final = [{"role": "user", "content": "What is the weather?"}]
_CHAT: Final = {
    "model": "verbatim-demo",
    "messages": _QUESTION,
    "tools": [{"type": "function", "function": {"name": "get_weather", "parameters": _CITY}}],
}
_MESSAGE: Final = {
    "model": "verbatim-demo",
    "messages": _QUESTION,
    "max_tokens": 200,
    "thinking": {"type": "adaptive"},
    "tools": [{"name": "get_weather", "input_schema": _CITY}],
}
_RESPONSE: Final = {
    "model": "verbatim-demo",
    "input": "What is the weather?",
    "tools": [{"type": "function", "name": "get_weather", "parameters": _CITY, "strict": False}],
}
# By contract: the path, the body, and where an answer's text has the thoughts.
_REQUESTS: Final[dict[str, list[tuple[str, dict[str, Any]]]]] = {
    "openai": [("/v1/chat/completions", _CHAT), ("/v1/responses", _RESPONSE)],
    "tgi": [("/v1/chat/completions", _CHAT)],
    "hf": [("/v1/chat/completions", _CHAT)],
    "mindie": [("/v1/chat/completions", _CHAT)],
    "anthropic": [("/v1/messages", _MESSAGE)],
}


def _all() -> Iterator[Asked]:
    for contract, requests in _REQUESTS.items():
        for path, body in requests:
            for streams in (False, True):
                request = Request("POST", path, {**body, "stream": streams}, samples_of(contract).headers)
                name = f"{path}{', streamed' if streams else ''}"
                yield Asked(contract, endpoint_of(contract, "POST", path), name, request)


@pytest.mark.by_turns("kind", "asked")
@pytest.mark.parametrize("asked", [*_all()], ids=lambda asked: asked.id)
@pytest.mark.parametrize("kind", KINDS)
async def test_thoughts_and_calls_are_the_same_over_a_server(kind: str, asked: Asked) -> None:
    tokenizer = chat_tokenizer()
    engine = ScriptedEngine(spells(_TEXT, tokenizer), tokenizer=tokenizer, max_total_tokens=2000)
    expected = await _ask(build_app(Settings(), engine), asked)
    async with engine_over(kind, engine) as remote:
        answer = await _ask(build_app(Settings(), remote), asked)
    assert expected.status_code == 200, expected.text
    assert "get_weather" in expected.text and "<tool_call>" not in expected.text
    assert difference(read(asked, answer), read(asked, expected), tolerance=0.0) is None


async def _ask(app: ASGIApp, asked: Asked) -> Any:
    return await send(app, "POST", asked.path, json=asked.request.body, headers=dict(asked.request.headers))
