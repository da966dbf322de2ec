"""A number of tokens that no integer type holds is refused by every contract, and leaves no trace."""

import logging
from collections.abc import Iterator
from typing import Any, Final

import pytest
from starlette.types import ASGIApp

from engine.port.errors import PromptTooLong
from engine.port.events import TokenEvent
from engine.port.request import GenerationRequest
from handlers.composition import TABLES, build_app
from handlers.settings.settings import Settings
from tests.contract.requests.paths import is_of
from tests.support.samples.contracts import samples_of
from tests.support.scripted.engine import ScriptedEngine, says
from tests.unit.verbatim_kit.runtime.client import send

_MAX_TOKENS: Final = 1000
_MODEL: Final = "verbatim-demo"
_CHAT: Final[dict[str, Any]] = {"model": _MODEL, "messages": [{"role": "user", "content": "Hi"}]}
_TEXT: Final[dict[str, Any]] = {"model": _MODEL, "prompt": "Hi"}
# By contract, path and field, which may lie in an object.
_REQUESTS: Final[list[tuple[str, str, dict[str, Any], str]]] = [
    ("openai", "/v1/chat/completions", _CHAT, "max_tokens"),
    ("openai", "/v1/chat/completions", _CHAT, "max_completion_tokens"),
    ("openai", "/v1/completions", _TEXT, "max_tokens"),
    ("openai", "/v1/responses", {"model": _MODEL, "input": "Hi"}, "max_output_tokens"),
    ("tgi", "/generate", {"inputs": "Hi"}, "parameters.max_new_tokens"),
    ("tgi", "/v1/chat/completions", _CHAT, "max_tokens"),
    ("tgi", "/v1/completions", _TEXT, "max_tokens"),
    ("hf", "/generate", {"inputs": "Hi"}, "parameters.max_new_tokens"),
    ("triton", f"/v2/models/{_MODEL}/generate", {"text_input": "Hi"}, "parameters.max_tokens"),
    ("aleph_alpha", "/chat/completions", _CHAT, "max_tokens"),
    ("aleph_alpha", "/complete", _TEXT, "maximum_tokens"),
    ("mindie", "/v1/chat/completions", _CHAT, "max_tokens"),
    ("tokens", "/inference/v1/generate", {"model": _MODEL, "token_ids": [5]}, "sampling_params.max_tokens"),
]
# A float's, one beyond any float, and one more than which Python does not write.
_NUMBERS: Final = [10**300, 10**400, 10**4300 - 1]


@pytest.fixture(scope="module")
def app() -> ASGIApp:
    return build_app(Settings(), ScriptedEngine(_says_or_refuses, max_total_tokens=_MAX_TOKENS))


def _says_or_refuses(request: GenerationRequest) -> Iterator[TokenEvent | Exception]:
    """Answer as the engine does, which checks the number of tokens."""
    num_prompt_tokens, max_tokens = len(request.prompt.token_ids), request.stopping.max_tokens
    if num_prompt_tokens + max_tokens > _MAX_TOKENS:
        yield PromptTooLong(num_prompt_tokens, max_tokens, _MAX_TOKENS)
    else:
        yield from says("a")(request)


@pytest.mark.parametrize(("contract", "path", "body", "field"), _REQUESTS, ids=lambda value: str(value)[:25])
async def test_so_many_tokens_are_refused_and_not_counted(
    contract: str, path: str, body: dict[str, Any], field: str, app: ASGIApp, caplog: pytest.LogCaptureFixture
) -> None:
    before = await _tokens_asked_for(app)
    operation = next(one for one in TABLES[contract] if is_of(one, "POST", path))
    *outer, last = field.split(".")
    for number in (5, *_NUMBERS):
        asked = {**body, outer[0]: {last: number}} if outer else {**body, last: number}
        answer = await send(
            app, "POST", f"/{contract}{path}", json=asked, headers=samples_of(contract).headers
        )
        assert (answer.status_code == 200) == (number == 5), answer.text[:200]
        assert number == 5 or answer.status_code in operation.errors, answer.text[:200]
        assert answer.status_code < 500, answer.text[:200]
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert await _tokens_asked_for(app) == before + 5


async def _tokens_asked_for(app: ASGIApp) -> float:
    metrics = await send(app, "GET", "/tgi/metrics")
    lines = metrics.text.splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith("tgi_request_max_new_tokens_sum"))
