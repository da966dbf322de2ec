"""The requests that programs sent when they were pointed at a server, answered without the programs.

`handlers/commands/conform/profile/agents` has a file for each program: the contract that it speaks (OpenAI's
if it names none), its requests, texts cut short, and the statuses. The server checks its answers against its
own documents, and the types of the contract's own Python client check them again, without conversions. So do
servers whose engine is behind a token server, of each kind.
"""

from collections.abc import AsyncIterator
from typing import Any, Final, NamedTuple

import pytest
import pytest_asyncio
from anthropic.types.beta import BetaMessage, BetaMessageTokensCount, BetaRawMessageStreamEvent
from openai.types import Completion
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from pydantic import TypeAdapter
from starlette.types import ASGIApp

from handlers.commands.conform.profile.program import Program, RecordedTurn, load_profile
from handlers.commands.conform.texts import streamed_text, whole_text
from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.scripted.engine import ScriptedEngine, spells
from tests.support.token_servers.fronts import KINDS, engine_over
from tests.unit.handlers.chat.models import chat_tokenizer
from tests.unit.verbatim_kit.runtime.client import send

_WHOLE: Final[dict[str, TypeAdapter[Any]]] = {
    "/v1/chat/completions": TypeAdapter(ChatCompletion),
    "/v1/completions": TypeAdapter(Completion),
    "/v1/messages": TypeAdapter(BetaMessage),
    "/v1/messages/count_tokens": TypeAdapter(BetaMessageTokensCount),
}
# Without completions: their client's type has no null as a finish_reason, which OpenAI's own streams have.
_EVENTS: Final[dict[str, TypeAdapter[Any]]] = {
    "/v1/chat/completions": TypeAdapter(ChatCompletionChunk),
    "/v1/messages": TypeAdapter(BetaRawMessageStreamEvent),
}


def _exchanges() -> list[Any]:
    return [
        pytest.param(program, turn, id=f"{program.id}: {turn.what}")
        for program in load_profile("agents")
        for turn in program.turns
    ]


class Served(NamedTuple):
    """engine: the one that computes, behind a token server or not."""

    app: ASGIApp
    engine: ScriptedEngine


@pytest_asyncio.fixture(
    scope="module",
    params=["itself", KINDS[0], *(pytest.param(kind, marks=pytest.mark.long) for kind in KINDS[1:])],
)
async def served(request: pytest.FixtureRequest) -> AsyncIterator[Served]:
    """Yield a server that judges its answers: one for all, as judges take long to make."""
    tokenizer = chat_tokenizer()
    engine = ScriptedEngine(spells("Hello", tokenizer), tokenizer=tokenizer, max_total_tokens=200_000)
    settings = Settings(check_responses="fail")
    if request.param == "itself":
        yield Served(build_app(settings, engine), engine)
        return
    async with engine_over(request.param, engine) as remote:
        yield Served(build_app(settings, remote), engine)


@pytest.mark.parametrize(("program", "turn"), _exchanges())
async def test_a_programs_request_is_answered_as_it_was(
    served: Served, program: Program, turn: RecordedTurn
) -> None:
    served.engine.requests.clear()
    path = f"/{program.contract}{turn.path}"
    response = await send(served.app, turn.method, path, json=turn.body, headers=dict(program.headers))
    assert response.status_code == turn.status, response.text
    if turn.status != 200:
        assert response.json()["error"]["param"] == turn.param
        return
    assert '"error":{' not in response.text
    if served.engine.requests:
        text = streamed_text(response.content) if turn.is_streamed else whole_text(response.content)
        assert text == "Hello"
    else:
        assert "count_tokens" in turn.path
    _check_by_sdk(turn, response.text)


def _check_by_sdk(turn: RecordedTurn, text: str) -> None:
    path = turn.route
    if not turn.is_streamed:
        if path in _WHOLE:
            _WHOLE[path].validate_json(text, strict=True)
        return
    data = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: ")]
    for event in data:
        if path in _EVENTS and event not in ("[DONE]", '{"type":"ping"}'):
            _EVENTS[path].validate_json(event, strict=True)
