"""The engine over a server that misbehaves: one test for each way, and for each kind of server."""

import json
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import NamedTuple

import pytest

from engine.port.errors import EngineBusy, EngineError, GenerationFailed, InvalidRequest
from engine.port.text.tokenizer import Tokenizer
from engine.remote.client.failures import ServerFailed
from engine.remote.client.upstream import Upstream
from engine.remote.remote_engine import RemoteEngine
from engine.remote.wire.apis import APIS
from tests.support.scripted.token_server import (
    DONE,
    Reply,
    ScriptedUpstream,
    drops,
    event,
    refuses,
    running_upstream,
    sends,
)
from tests.support.token_servers import emulated_sglang as sglang
from tests.unit.engine.port.text.tiny_tokenizers import byte_level
from tests.unit.engine.remote.test_remote_engine import (
    TEXT,
    events,
    model_info,
    new_request,
    text_of,
    written,
)


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return byte_level()


class Wire(NamedTuple):
    """One kind of server. event: of new tokens, given their number with those before. other: an event whose
    tokens are no list.
    """

    event: Callable[[Iterable[int], int, str | None], bytes]
    other: bytes

    def stream(self, *token_ids: int, finish: str | None = None) -> list[bytes]:
        """Return an event for each token, the last one with the reason of the end."""
        last = len(token_ids)
        return [
            self.event([token_id], place, finish if place == last else None)
            for place, token_id in enumerate(token_ids, start=1)
        ]


WIRES = {
    "vllm": Wire(lambda ids, num, finish: event(ids, finish), b'data: {"choices": 7}\n\n'),
    "verbatim": Wire(lambda ids, num, finish: event(ids, finish), b'data: {"choices": 7}\n\n'),
    "sglang": Wire(
        lambda ids, num, finish: sglang.event(sglang.answer(ids, finish, num)),
        b'data: {"output_ids": 7, "meta_info": {}}\n\n',
    ),
}


def error(message: str, code: object) -> bytes:
    """Return an error in a stream, which all of them write alike."""
    return b"data: " + json.dumps({"error": {"message": message, "code": code}}).encode() + b"\n\n"


# How a server of a kind fails, what the request ends with, and whether a token came before.
FAILURES: dict[str, tuple[Callable[[Wire], Reply], type[EngineError], bool]] = {
    "cut between events": (lambda wire: sends(wire.stream(1), is_cut=True), GenerationFailed, True),
    "cut inside an event": (
        lambda wire: sends([*wire.stream(1), wire.event([2], 2, None)[:20]], is_cut=True),
        GenerationFailed,
        True,
    ),
    "over before the end": (lambda wire: sends([*wire.stream(1), DONE]), GenerationFailed, True),
    "aborted there": (
        lambda wire: sends([*wire.stream(1), wire.event([], 1, "abort"), DONE]),
        GenerationFailed,
        True,
    ),
    "aborted at once": (lambda wire: sends([wire.event([], 0, "abort"), DONE]), ServerFailed, False),
    "an id outside the vocabulary": (
        lambda wire: sends([*wire.stream(1), wire.event([10**6], 2, None)]),
        GenerationFailed,
        True,
    ),
    "a negative id": (lambda wire: sends(wire.stream(-1)), ServerFailed, False),
    "no JSON": (lambda wire: sends([*wire.stream(1), b"data: {]\n\n"]), GenerationFailed, True),
    "JSON of another kind": (lambda wire: sends([wire.other]), ServerFailed, False),
    "text in place of an id": (
        lambda wire: sends([wire.event([7], 1, None).replace(b"[7]", b'["a"]')]),
        ServerFailed,
        False,
    ),
    "an error in the stream": (
        lambda wire: sends([*wire.stream(1), error("CUDA", 500), DONE]),
        GenerationFailed,
        True,
    ),
    "an error 500": (lambda wire: refuses(500, "CUDA"), ServerFailed, False),
    "no such path": (lambda wire: refuses(404), ServerFailed, False),
    "another key": (lambda wire: refuses(401), ServerFailed, False),
    "too many requests": (lambda wire: refuses(429), EngineBusy, False),
    "no room": (lambda wire: refuses(503), EngineBusy, False),
    "a request that it refuses": (lambda wire: refuses(400, "temperature"), InvalidRequest, False),
    "refused in a stream": (lambda wire: sends([error("top_p", 400), DONE]), InvalidRequest, False),
    "no room in a stream": (lambda wire: sends([error("full", 503), DONE]), EngineBusy, False),
    "refused after a token": (
        lambda wire: sends([*wire.stream(1), error("top_p", 400), DONE]),
        GenerationFailed,
        True,
    ),
    "an error that names no status": (lambda wire: sends([error("?", "x"), DONE]), ServerFailed, False),
    "no answer at all": (lambda wire: drops(), EngineBusy, False),
    "cut before the first token": (lambda wire: sends([], is_cut=True), EngineBusy, False),
}


@asynccontextmanager
async def over(
    tokenizer: Tokenizer, api: str, *replies: Reply
) -> AsyncIterator[tuple[RemoteEngine, list[ScriptedUpstream]]]:
    """Yield an engine over one server, or two."""
    async with running_upstream(replies[0]) as first, running_upstream(replies[-1]) as second:
        scripted = [first, second][: len(replies)]
        servers = [Upstream(each.url, api_key=None, timeout_s=60) for each in scripted]
        engine = RemoteEngine(APIS[api], servers, "m", tokenizer, model_info(tokenizer))
        try:
            yield engine, scripted
        finally:
            await engine.stop()


@pytest.mark.parametrize("api", WIRES)
@pytest.mark.parametrize("reply, error, has_begun", FAILURES.values(), ids=FAILURES)
async def test_a_failure_of_the_server_fails_the_request_alone(
    tokenizer: Tokenizer, api: str, reply: Callable[[Wire], Reply], error: type[EngineError], has_begun: bool
) -> None:
    wire = WIRES[api]
    async with over(tokenizer, api, reply(wire)) as (engine, (upstream,)):
        with pytest.raises(error) as raised:
            await events(engine, new_request())
        assert "CUDA" not in str(raised.value)
        upstream.replies = [sends([*wire.stream(*written(tokenizer), finish="stop"), DONE])]
        assert text_of(await events(engine, new_request())) == TEXT


@pytest.mark.parametrize("api", WIRES)
@pytest.mark.parametrize("reply, error, has_begun", FAILURES.values(), ids=FAILURES)
async def test_a_failure_before_the_first_token_leads_to_another_server(
    tokenizer: Tokenizer, api: str, reply: Callable[[Wire], Reply], error: type[EngineError], has_begun: bool
) -> None:
    wire = WIRES[api]
    good = sends([*wire.stream(*written(tokenizer), finish="stop"), DONE])
    async with over(tokenizer, api, reply(wire), good) as (engine, (bad, other)):
        if has_begun or error is InvalidRequest:
            with pytest.raises(error):
                await events(engine, new_request())
        else:
            assert text_of(await events(engine, new_request())) == TEXT
        is_moved = not has_begun and error is not InvalidRequest
        assert (len(bad.received), len(other.received)) == (1, int(is_moved))
