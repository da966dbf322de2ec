"""The engine over a vLLM server: what it asks, what it makes of the answers, and how its requests end."""

import asyncio
import errno
import json
import socket
import time
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import pytest
from aiohttp import web
from msgspec.structs import replace

from engine.port.errors import (
    EngineBusy,
    EngineStopped,
    GenerationFailed,
    InvalidGrammar,
    InvalidRequest,
    NotCapable,
    ReaderTooSlow,
    RequestAborted,
    UnknownAdapter,
)
from engine.port.events import FinishReason, TokenEvent
from engine.port.info.model_info import ModelInfo
from engine.port.info.speech_info import SpeechInfo
from engine.port.info.stats import Health
from engine.port.media_item import FilePrompt
from engine.port.request import (
    BeamParams,
    GenerationRequest,
    Grammar,
    GrammarKind,
    Media,
    MediaKind,
    Pooling,
    Prompt,
    SamplingParams,
    StopConditions,
    TimestampRules,
    Watermark,
)
from engine.port.text.tokenizer import Tokenizer
from engine.remote.client import upstream as upstreams
from engine.remote.client.upstream import Upstream
from engine.remote.remote_engine import RemoteEngine
from engine.remote.servers import served_adapters
from engine.remote.wire.sglang import SglangApi
from engine.remote.wire.token_api import ApiFacts, TokenApi
from engine.remote.wire.verbatim import VerbatimApi
from engine.remote.wire.vllm import VllmApi
from tests.support.clocks.until import until
from tests.support.engine_requests import embedding_request, generation_request
from tests.support.scripted.token_server import (
    DONE,
    Body,
    Reply,
    ScriptedUpstream,
    answers,
    drops,
    event,
    hangs,
    refuses,
    running_upstream,
    sends,
    tokens,
)
from tests.support.token_servers import emulated_sglang as sglang
from tests.unit.engine.port.text.tiny_tokenizers import byte_level
from tests.unit.engine.remote.client.test_upstream import RawServer

TEXT = "the quick brown fox"
SILENCE_S = 0.2


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return byte_level()


def model_info(tokenizer: Tokenizer) -> ModelInfo:
    return ModelInfo(
        model_id="m",
        revision=None,
        architecture="Any",
        dtype="float32",
        device="vllm",
        num_parameters=0,
        max_total_tokens=256,
        vocab_size=tokenizer.vocab_size,
        hidden_size=4,
        num_blocks=8,
        block_size=16,
        kv_cache_bytes=0,
        max_batch_tokens=64,
        max_num_sequences=4,
    )


class Pair:
    """An engine, and the server that it asks."""

    def __init__(self, upstream: ScriptedUpstream, engine: RemoteEngine) -> None:
        self.upstream = upstream
        self.engine = engine


@asynccontextmanager
async def pair(
    tokenizer: Tokenizer,
    *replies: Reply,
    timeout_s: float = 60.0,
    api: TokenApi | None = None,
    **options: Any,
) -> AsyncIterator[Pair]:
    async with running_upstream(*replies) as upstream:
        server = Upstream(upstream.url, api_key="k", timeout_s=timeout_s)
        engine = RemoteEngine(api or VllmApi(), [server], "m", tokenizer, model_info(tokenizer), **options)
        try:
            yield Pair(upstream, engine)
        finally:
            await engine.stop()


def new_request(
    name: str = "a", *, sampling: SamplingParams | None = None, num_sequences: int = 1, **fields: Any
) -> GenerationRequest:
    stopping = {"max_tokens": 50, **fields.pop("stopping", {})}
    return generation_request(
        request_id=name,
        token_ids=[1, 2, 3],
        sampling=sampling or SamplingParams(temperature=0.0),
        stopping=StopConditions(**stopping),
        num_sequences=num_sequences,
        **fields,
    )


async def events(engine: RemoteEngine, request: GenerationRequest) -> list[TokenEvent]:
    async with aclosing(engine.submit(request)) as found:
        return [each async for each in found]


def text_of(found: list[TokenEvent]) -> str:
    return "".join(each.text for each in found)


def written(tokenizer: Tokenizer) -> list[int]:
    """Return the tokens of TEXT and an end token."""
    return [*tokenizer.encode(TEXT), tokenizer.end_token_ids[0]]


async def test_tokens_become_events(tokenizer: Tokenizer) -> None:
    async with pair(tokenizer, sends(tokens(*written(tokenizer)))) as both:
        found = await events(both.engine, new_request())
    assert text_of(found) == TEXT
    assert [each.token_id for each in found] == written(tokenizer)
    assert [each.finish for each in found if each.finish] == [FinishReason.END_TOKEN]
    assert both.upstream.headers[0]["Authorization"] == "Bearer k"
    assert both.upstream.received[0]["token_ids"] == [1, 2, 3]


async def test_events_are_read_from_bytes_in_any_pieces(tokenizer: Tokenizer) -> None:
    whole = b"".join(tokens(*written(tokenizer)))
    pieces = [whole[place : place + 7] for place in range(0, len(whole), 7)]
    async with pair(tokenizer, sends(pieces)) as both:
        assert text_of(await events(both.engine, new_request())) == TEXT


async def test_several_tokens_in_one_event_are_several_events(tokenizer: Tokenizer) -> None:
    async with pair(tokenizer, sends([event(written(tokenizer), "stop"), DONE])) as both:
        found = await events(both.engine, new_request())
    assert [each.position for each in found] == list(range(len(found)))
    assert text_of(found) == TEXT
    assert found[0].step_s > 0 and {each.step_s for each in found[1:]} == {0.0}  # they are of one step


async def test_a_stop_string_ends_the_text_and_the_servers_work(tokenizer: Tokenizer) -> None:
    pieces = [event([token_id]) for token_id in tokenizer.encode(TEXT)]
    async with pair(tokenizer, sends(pieces, holds=True)) as both:
        found = await events(both.engine, new_request(stopping={"stop": (" brown",)}))
        await asyncio.wait_for(both.upstream.has_left.wait(), 30)
    assert text_of(found) == "the quick"
    assert found[-1].finish is FinishReason.STOP
    assert "stop" not in both.upstream.received[0]["sampling_params"]


async def test_a_length_that_the_server_bounds_is_the_sequences_end(tokenizer: Tokenizer) -> None:
    async with pair(tokenizer, sends(tokens(*written(tokenizer)[:-1], finish_reason="length"))) as both:
        found = await events(both.engine, new_request())
    assert text_of(found) == TEXT
    assert [each.finish for each in found if each.finish] == [FinishReason.LENGTH]


async def test_a_client_that_leaves_ends_the_servers_work(tokenizer: Tokenizer) -> None:
    async with pair(tokenizer, sends([event([1])], holds=True)) as both:
        found = both.engine.submit(new_request())
        await anext(found)
        await found.aclose()
        await asyncio.wait_for(both.upstream.has_left.wait(), 30)
        assert both.engine.stats().num_running == 0
        assert both.engine.stats().counters.num_aborted == 1


async def test_each_sequence_has_a_seed_of_its_own(tokenizer: Tokenizer) -> None:
    sampling = SamplingParams(seed=2**63 - 1)
    async with pair(tokenizer, sends(tokens(*written(tokenizer)))) as both:
        request = new_request(sampling=sampling, num_sequences=3, num_parallel=2)
        found = await events(both.engine, request)
        most_open = both.upstream.most_open
    for index in range(3):
        assert text_of([each for each in found if each.index == index]) == TEXT
    seeds = sorted(body["sampling_params"]["seed"] for body in both.upstream.received)
    assert seeds == [0, 1, 2**63 - 1]
    assert most_open <= 2


async def test_sequences_end_as_they_end(tokenizer: Tokenizer) -> None:
    ended: list[int] = []
    async with (
        pair(tokenizer, sends(tokens(*written(tokenizer)))) as both,
        aclosing(both.engine.submit(new_request(num_sequences=2), ended.append)) as found,
    ):
        _ = [each async for each in found]
    assert ended == [1, 1]


def http_answer(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)


def scored(token_id: int, *others: int) -> dict[str, object]:
    """Return log-probabilities as vLLM lists them: the drawn token, then the most likely others."""
    listed = [{"token_id": each, "logprob": -0.5 - rank} for rank, each in enumerate(others)]
    own = {"token_id": token_id, "logprob": -9.0}
    return {"content": [{**own, "rank": 9, "top_logprobs": [own, *listed]}]}


async def test_the_most_likely_tokens_are_listed_without_the_drawn_one(tokenizer: Tokenizer) -> None:
    sampling = SamplingParams(num_logprobs=2)
    script = [event([5], "stop", scored(5, 7, 6)), DONE]
    async with pair(tokenizer, sends(script)) as both:
        (found,) = await events(both.engine, new_request(sampling=sampling))
    assert found.logprob == -9.0
    assert [(each.token_id, each.logprob) for each in found.top_logprobs] == [(7, -0.5), (6, -1.5)]
    assert found.top_logprobs[0].text == tokenizer.token_text(7)
    assert both.upstream.received[0]["sampling_params"]["logprobs"] == 3


async def test_the_prompts_log_probabilities_come_with_the_first_event(tokenizer: Tokenizer) -> None:
    sampling = SamplingParams(temperature=0.0, num_prompt_logprobs=1)
    document = {
        "choices": [{"index": 0, "token_ids": written(tokenizer), "finish_reason": "stop"}],
        "prompt_logprobs": [
            None,
            {"2": {"logprob": -3.0}, "9": {"logprob": -1.0}},
            {"3": {"logprob": -0.1, "rank": 1, "decoded_token": "x"}},
        ],
    }
    async with pair(tokenizer, answers(document)) as both:
        found = await events(both.engine, new_request(sampling=sampling))
    assert text_of(found) == TEXT
    assert found[0].prompt is not None
    assert [each.logprob for each in found[0].prompt] == [None, -3.0, -0.1]
    assert [[one.token_id for one in each.top_logprobs] for each in found[0].prompt] == [[], [9], [3]]
    assert {each.prompt for each in found[1:]} == {None}
    assert both.upstream.received[0]["stream"] is False


@pytest.mark.parametrize("api", [VllmApi(), VerbatimApi()], ids=["whole", "in events"])
async def test_a_large_answer_does_not_hold_other_streams_up(tokenizer: Tokenizer, api: TokenApi) -> None:
    """Processor time of the event loop's thread between two turns of the loop, as a part of all."""
    num_prompt, num_tokens = 8_000, 4_000
    info = replace(model_info(tokenizer), max_total_tokens=2**15)
    place = {str(1 + rank): {"logprob": -1.0 - rank, "rank": rank} for rank in range(21)}
    document = {
        "choices": [{"index": 0, "token_ids": [5] * num_tokens, "finish_reason": "length"}],
        "prompt_logprobs": [None, *[place] * (num_prompt - 1)],
    }
    sampling = SamplingParams(temperature=0.0, num_prompt_logprobs=20)
    request = replace(
        new_request(sampling=sampling, stopping={"max_tokens": num_tokens}),
        prompt=Prompt((1,) * num_prompt),
    )
    body = json.dumps(document).encode()
    if isinstance(api, VerbatimApi):  # several events, of which the first is large
        half = {**document, "choices": [{"index": 0, "token_ids": [5] * (num_tokens // 2)}]}
        ends = event([5] * (num_tokens - num_tokens // 2 - 1)), event([5], "length"), DONE
        body = b"".join((b"data: ", json.dumps(half).encode(), b"\n\n", *ends))
    server = RawServer(http_answer(body))
    longest_s = 0.0

    async def look() -> None:
        nonlocal longest_s
        last = time.thread_time()
        while True:
            await asyncio.sleep(0)
            longest_s, last = max(longest_s, time.thread_time() - last), time.thread_time()

    async with await asyncio.start_server(server.answer, "127.0.0.1", 0) as listening:
        url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        upstream = Upstream(url, api_key=None, timeout_s=60)
        engine = RemoteEngine(api, [upstream], "m", tokenizer, info)
        looking = asyncio.create_task(look())
        began = time.process_time()
        found = await events(engine, request)
        took_s = time.process_time() - began
        looking.cancel()
        await engine.stop()
    assert len(found) == num_tokens and found[-1].finish is FinishReason.LENGTH
    assert found[0].prompt is not None and len(found[0].prompt) == num_prompt
    assert longest_s < took_s / 4


async def test_a_whole_answer_may_take_as_long_as_its_tokens(tokenizer: Tokenizer) -> None:
    sampling = SamplingParams(temperature=0.0, num_prompt_logprobs=0)
    document = {
        "choices": [{"index": 0, "token_ids": written(tokenizer), "finish_reason": "stop"}],
        "prompt_logprobs": [None, *({str(place): {"logprob": -1.0}} for place in (2, 3))],
    }
    whole = answers(document)

    async def late(request: web.Request, body: Body) -> web.StreamResponse:
        await asyncio.sleep(3 * SILENCE_S)
        return await whole(request, body)

    async with pair(tokenizer, late, timeout_s=SILENCE_S) as both:
        assert text_of(await events(both.engine, new_request(sampling=sampling))) == TEXT
    async with pair(tokenizer, hangs(), timeout_s=SILENCE_S) as both:
        with pytest.raises(GenerationFailed):
            await events(both.engine, new_request(sampling=sampling, stopping={"max_tokens": 1}))


async def test_log_probabilities_that_are_missing_fail_the_request(tokenizer: Tokenizer) -> None:
    async with pair(tokenizer, sends(tokens(1, 2))) as both:
        with pytest.raises(GenerationFailed):
            await events(both.engine, new_request(sampling=SamplingParams(num_logprobs=0)))


@pytest.mark.parametrize("reply", [hangs(), sends([event([1])], holds=True)], ids=["at once", "later"])
async def test_a_server_that_hangs_fails_the_request(tokenizer: Tokenizer, reply: Reply) -> None:
    async with pair(tokenizer, reply, timeout_s=SILENCE_S) as both:
        with pytest.raises(GenerationFailed):
            await events(both.engine, new_request())
        assert len(both.upstream.received) <= 1, "a second try would hang as long"


async def test_a_server_that_is_slow_but_never_silent_is_read_to_the_end(tokenizer: Tokenizer) -> None:
    pieces, most_silent_s = tokens(*written(tokenizer)), 1.0
    reply = sends(pieces, pause_s=1.5 * most_silent_s / len(pieces))
    began = time.monotonic()
    async with pair(tokenizer, reply, timeout_s=most_silent_s) as both:
        assert text_of(await events(both.engine, new_request())) == TEXT
    assert time.monotonic() - began > most_silent_s


async def test_comments_take_the_place_of_tokens_for_a_while_alone(
    tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server whose engine hangs may go on to say that it lives."""
    comments = [b":\n\n"] * 1000
    monkeypatch.setattr(upstreams, "_WAITS", 0.25)
    waits = sends([*comments[:10], *tokens(*written(tokenizer))], pause_s=SILENCE_S / 10)
    async with pair(tokenizer, waits) as both:
        assert text_of(await events(both.engine, new_request())) == TEXT
    for first in ([], [event([1])]):
        reply = sends([*first, *comments], pause_s=SILENCE_S / 10)
        async with pair(tokenizer, reply, timeout_s=4.0) as both:
            began = time.monotonic()
            with pytest.raises(GenerationFailed, match="no token"):
                await events(both.engine, new_request())
            assert time.monotonic() - began > 1.0


async def test_no_cookie_ties_later_requests_to_a_server(tokenizer: Tokenizer) -> None:
    reply = sends(tokens(*written(tokenizer)), headers={"Set-Cookie": "server=7; Path=/"})
    async with running_upstream(reply) as upstream:
        # No client keeps the cookies of an address.
        server = Upstream(f"http://localhost:{upstream.port}", api_key=None, timeout_s=60)
        engine = RemoteEngine(VllmApi(), [server], "m", tokenizer, model_info(tokenizer))
        for name in ("a", "b"):
            assert text_of(await events(engine, new_request(name))) == TEXT
        await engine.stop()
    assert ["Cookie" in headers for headers in upstream.headers] == [False, False]


async def test_a_connection_that_was_lost_is_tried_once_more(tokenizer: Tokenizer) -> None:
    async with pair(tokenizer, drops(), sends(tokens(*written(tokenizer)))) as both:
        assert text_of(await events(both.engine, new_request())) == TEXT
        assert len(both.upstream.received) == 2


async def test_the_second_try_has_an_id_and_a_connection_of_its_own(tokenizer: Tokenizer) -> None:
    whole = [sglang.event(sglang.answer(written(tokenizer), "stop")), DONE]
    async with running_upstream(sends(whole), drops(), sends(whole)) as upstream:
        server = Upstream(upstream.url, api_key=None, timeout_s=60)
        engine = RemoteEngine(SglangApi(), [server], "m", tokenizer, model_info(tokenizer))
        for name in "ab":
            assert text_of(await events(engine, new_request(name))) == TEXT
        await engine.stop()
    ids = [body["rid"] for body in upstream.received]
    assert len(ids) == len(set(ids)) >= 3


async def test_nothing_is_tried_again_after_a_token(tokenizer: Tokenizer) -> None:
    async with pair(tokenizer, sends([event([1])], is_cut=True)) as both:
        with pytest.raises(GenerationFailed):
            await events(both.engine, new_request())
        assert len(both.upstream.received) == 1


async def test_a_server_that_restarts_is_found_again(
    tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upstreams, "_HEALTH_VALID_S", 0.0)
    async with pair(tokenizer, sends(tokens(*written(tokenizer)))) as both:
        assert text_of(await events(both.engine, new_request())) == TEXT
        await both.upstream.stop()
        assert not (await both.engine.health()).is_healthy
        assert (await both.engine.health()).is_alive
        with pytest.raises(EngineBusy):
            await events(both.engine, new_request())
        await both.upstream.start()
        assert (await both.engine.health()).is_healthy
        assert text_of(await events(both.engine, new_request())) == TEXT


async def test_an_unhealthy_server_is_reported(tokenizer: Tokenizer) -> None:
    async with pair(tokenizer, hangs()) as both:
        both.upstream.is_healthy = False
        assert not (await both.engine.health()).is_healthy


async def test_no_message_has_the_password_of_a_servers_url(
    tokenizer: Tokenizer, caplog: pytest.LogCaptureFixture
) -> None:
    upstreams = [
        Upstream(f"http://me:sesame@127.0.0.1:{port}/", api_key=None, timeout_s=60) for port in (1, 2)
    ]
    engine = RemoteEngine(VllmApi(), upstreams, "m", tokenizer, model_info(tokenizer))
    health = await engine.health()
    assert health == Health(False, "no server of the engine is healthy")
    with pytest.raises(EngineBusy) as raised:
        await events(engine, new_request())
    await engine.stop()
    shown = [record.getMessage() for record in caplog.records]
    assert any("http://127.0.0.1:1 " in line for line in shown)
    assert "sesame" not in f"{shown} {raised.value} {raised.value.__cause__}"


async def test_requests_go_to_the_server_with_fewer_tokens_outstanding(tokenizer: Tokenizer) -> None:
    whole = sends(tokens(*written(tokenizer)))
    async with running_upstream(hangs()) as busy, running_upstream(whole) as free:
        servers = [Upstream(each.url, api_key=None, timeout_s=60) for each in (busy, free)]
        engine = RemoteEngine(VllmApi(), servers, "m", tokenizer, model_info(tokenizer))
        waiting = asyncio.create_task(events(engine, new_request("waits")))
        await asyncio.wait_for(busy.has_begun.wait(), 30)
        for name in "abc":
            assert text_of(await events(engine, new_request(name))) == TEXT
        assert (len(busy.received), len(free.received)) == (1, 3)
        await engine.stop()
        with pytest.raises(EngineStopped):
            await waiting


async def test_a_server_that_is_lost_is_replaced_by_another(tokenizer: Tokenizer) -> None:
    async with (
        running_upstream(drops()) as lost,
        running_upstream(sends(tokens(*written(tokenizer)))) as good,
    ):
        servers = [Upstream(each.url, api_key=None, timeout_s=60) for each in (lost, good)]
        engine = RemoteEngine(VllmApi(), servers, "m", tokenizer, model_info(tokenizer))
        assert text_of(await events(engine, new_request())) == TEXT
        await engine.stop()


@asynccontextmanager
async def over_two(
    tokenizer: Tokenizer, first: Reply, second: Reply
) -> AsyncIterator[tuple[RemoteEngine, ScriptedUpstream, ScriptedUpstream]]:
    async with running_upstream(first) as one, running_upstream(second) as other:
        servers = [Upstream(each.url, api_key=None, timeout_s=60) for each in (one, other)]
        engine = RemoteEngine(VllmApi(), servers, "m", tokenizer, model_info(tokenizer))
        try:
            yield engine, one, other
        finally:
            await engine.stop()


async def test_a_server_without_room_is_replaced_by_another(tokenizer: Tokenizer) -> None:
    good = sends(tokens(*written(tokenizer)))
    async with over_two(tokenizer, refuses(503), good) as (engine, full, free):
        assert text_of(await events(engine, new_request())) == TEXT
        assert (len(full.received), len(free.received)) == (1, 1)
    async with over_two(tokenizer, refuses(503), refuses(429)) as (engine, _, _):
        with pytest.raises(EngineBusy):
            await events(engine, new_request())


async def test_a_later_sequence_waits_for_room_once_the_answer_has_begun(tokenizer: Tokenizer) -> None:
    """The permits of the server may go to other clients between two sequences."""
    good = sends(tokens(*written(tokenizer)))
    busy = [refuses(429), refuses(503), refuses(429)]
    async with pair(tokenizer, good, *busy, good) as both:
        found = await events(both.engine, new_request(num_sequences=2, num_parallel=1))
        assert [text_of([each for each in found if each.index == index]) for index in (0, 1)] == [TEXT, TEXT]
        assert len(both.upstream.received) == 5
    async with pair(tokenizer, *busy, good) as both:  # of an answer that has begun with another prompt
        assert text_of(await events(both.engine, new_request(waits_for_room=True))) == TEXT


async def test_the_wait_for_room_is_bounded_and_begins_with_the_answer(tokenizer: Tokenizer) -> None:
    good = sends(tokens(*written(tokenizer)))
    async with pair(tokenizer, good, refuses(429), patience_s=0.5) as both:
        with pytest.raises(EngineBusy):
            await events(both.engine, new_request(num_sequences=2, num_parallel=1))
        assert len(both.upstream.received) > 2
    async with pair(tokenizer, refuses(429), good) as both:
        with pytest.raises(EngineBusy):
            await events(both.engine, new_request(num_sequences=2, num_parallel=1))
        assert len(both.upstream.received) == 1


async def test_a_sequence_that_waits_for_room_ends_with_its_client(tokenizer: Tokenizer) -> None:
    good = sends(tokens(*written(tokenizer)))
    async with pair(tokenizer, good, refuses(429)) as both:
        async with aclosing(both.engine.submit(new_request(num_sequences=2, num_parallel=1))) as found:
            async for each in found:
                if each.finish is not None:
                    break
        await asyncio.sleep(0.1)  # in which the server reads a request that was on its way
        num_asked = len(both.upstream.received)
        await asyncio.sleep(0.2)
        assert len(both.upstream.received) == num_asked
        assert both.engine.stats().num_running == 0


async def test_a_lost_server_gets_no_further_requests(tokenizer: Tokenizer) -> None:
    good = sends(tokens(*written(tokenizer)))
    async with over_two(tokenizer, drops(), good) as (engine, lost, other):
        lost.is_healthy = False
        for name in "abc":
            assert text_of(await events(engine, new_request(name))) == TEXT
        assert (len(lost.received), len(other.received)) == (1, 3)


async def test_a_process_without_descriptors_ejects_no_server(
    tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = sends(tokens(*written(tokenizer)))
    async with over_two(tokenizer, good, good) as (engine, _, _):
        new_socket = socket.socket
        is_full = True

        def limited(*arguments: Any, **options: Any) -> socket.socket:
            if is_full:
                raise OSError(errno.EMFILE, "Too many open files")
            return new_socket(*arguments, **options)

        monkeypatch.setattr(socket, "socket", limited)
        with pytest.raises(EngineBusy):
            await events(engine, new_request())
        assert (await engine.health()).is_healthy
        is_full = False
        assert all(server.is_healthy for server in engine._servers)
        assert text_of(await events(engine, new_request())) == TEXT


REFUSED: dict[str, dict[str, Any]] = {
    "typical_p": {"sampling": SamplingParams(typical_p=0.5)},
    "watermark": {"sampling": SamplingParams(watermark=Watermark())},
    "logprob_token_ids": {"sampling": SamplingParams(num_logprobs=0, logprob_token_ids=(1,))},
    "beams": {"sampling": SamplingParams(temperature=0.0), "beams": BeamParams(num_beams=2)},
    "priority": {"priority": 1},
}


@pytest.mark.parametrize("parameter", REFUSED)
async def test_what_the_server_cannot_do_is_refused_by_name(tokenizer: Tokenizer, parameter: str) -> None:
    async with pair(tokenizer, hangs()) as both:
        assert parameter in both.engine.capabilities.missing
        with pytest.raises(NotCapable) as raised:
            await events(both.engine, new_request(**REFUSED[parameter]))
        assert raised.value.parameter == parameter
        assert both.upstream.received == []


SPEECH = SpeechInfo(
    sampling_rate=16000,
    frames_per_second=100,
    num_bands=80,
    window_frames=3000,
    num_positions=448,
    end_id=2,
    start_id=3,
    previous_id=None,
    no_speech_id=4,
    no_timestamps_id=5,
    languages={},
    language_names={},
    transcribe_id=None,
    translate_id=None,
)


@pytest.mark.parametrize(
    "asked",
    [
        {"timestamps": TimestampRules(first_timestamp_id=6, text_end_id=2)},
        {"first_banned_token_ids": (1,)},
        {"adjusted_logprobs": True},
        {"prompt_logprob_token_ids": (1,)},
    ],
    ids=lambda asked: next(iter(asked)),
)
async def test_no_token_api_has_what_transcripts_need_of_a_model_that_transcribes(
    tokenizer: Tokenizer, asked: dict[str, Any]
) -> None:
    """Such a model's process gets whole sounds, and no request with these fields, which would be lost."""
    sound = Media(digest=b"d", position=0, num_tokens=1, kind=MediaKind.AUDIO)
    prompt = FilePrompt((1, 2), (sound,), (1, 2), (b"data:,",))
    async with running_upstream(hangs()) as upstream:
        server = Upstream(upstream.url, api_key=None, timeout_s=60)
        info = replace(model_info(tokenizer), speech=SPEECH)
        engine = RemoteEngine(VerbatimApi(), [server], "m", tokenizer, info)
        assert engine.capabilities.transcribes
        request = replace(new_request(sampling=SamplingParams(**asked)), prompt=prompt)
        with pytest.raises(NotCapable) as raised:
            await events(engine, request)
        await engine.stop()
    assert raised.value.parameter == next(iter(asked))
    assert upstream.received == []


async def test_embeddings_are_refused(tokenizer: Tokenizer) -> None:
    async with pair(tokenizer, hangs()) as both:
        with pytest.raises(NotCapable, match="embeddings"):
            await both.engine.embed(embedding_request(token_ids=[1], pooling=Pooling.MEAN))


async def test_a_grammar_that_the_server_refuses_is_an_invalid_grammar(tokenizer: Tokenizer) -> None:
    sampling = SamplingParams(grammar=Grammar(GrammarKind.REGEX, "("))
    async with pair(tokenizer, refuses(400, "bad\n regex")) as both:
        with pytest.raises(InvalidGrammar, match="bad regex"):
            await events(both.engine, new_request(sampling=sampling))


async def test_a_grammar_that_is_complete_ends_the_sequence(tokenizer: Tokenizer) -> None:
    sampling = SamplingParams(grammar=Grammar(GrammarKind.REGEX, "a"))
    async with pair(tokenizer, sends(tokens(1, 2))) as both:
        found = await events(both.engine, new_request(sampling=sampling))
    assert found[-1].finish is FinishReason.STOP
    assert both.upstream.received[0]["sampling_params"]["structured_outputs"] == {"regex": "a"}


async def test_an_aborted_request_ends(tokenizer: Tokenizer) -> None:
    async with pair(tokenizer, hangs()) as both:
        waiting = asyncio.create_task(events(both.engine, new_request("a")))
        await asyncio.wait_for(both.upstream.has_begun.wait(), 30)
        await both.engine.abort("a")
        await both.engine.abort("unknown")
        with pytest.raises(RequestAborted):
            await waiting
        await asyncio.wait_for(both.upstream.has_left.wait(), 30)


async def test_an_id_that_runs_is_not_taken_twice(tokenizer: Tokenizer) -> None:
    async with pair(tokenizer, sends([event([1])], holds=True)) as both:
        first = both.engine.submit(new_request("a"))
        await anext(first)
        with pytest.raises(InvalidRequest):
            await events(both.engine, new_request("a"))
        await first.aclose()


async def test_draining_lets_requests_end_and_takes_no_new_ones(tokenizer: Tokenizer) -> None:
    async with pair(tokenizer, hangs()) as both:
        waiting = asyncio.create_task(events(both.engine, new_request("a")))
        await asyncio.wait_for(both.upstream.has_begun.wait(), 30)
        draining = asyncio.create_task(both.engine.drain(60))
        await asyncio.sleep(0)
        with pytest.raises(EngineStopped):
            await events(both.engine, new_request("b"))
        assert not (await both.engine.health()).is_healthy
        assert not draining.done()
        await both.engine.abort("a")
        with pytest.raises(RequestAborted):
            await waiting
        await draining


async def test_a_reader_that_is_too_slow_is_cut_off(tokenizer: Tokenizer) -> None:
    many = [event([1] * 100), event([1] * 100, "length"), DONE]
    async with pair(tokenizer, sends(many), max_unread_bytes=10_000) as both:
        request = new_request(num_sequences=3, stopping={"max_tokens": 200, "ignore_eos": True})
        reading = both.engine.submit(request)
        with pytest.raises(ReaderTooSlow):
            await anext(reading)
            await until(lambda: both.engine.stats().counters.num_generated_tokens >= 256)
            await anext(reading)


COUNTING = VllmApi(ApiFacts(counts_cached_tokens=True))


def count_of_cached(num_tokens: int) -> bytes:
    usage = {"prompt_tokens": 3, "prompt_tokens_details": {"cached_tokens": num_tokens}}
    return b"data: " + json.dumps({"choices": [], "usage": usage}).encode() + b"\n\n"


async def test_the_last_event_has_the_count_of_cached_tokens(tokenizer: Tokenizer) -> None:
    *before, done = tokens(*written(tokenizer))
    async with pair(tokenizer, sends([*before, count_of_cached(2), done]), api=COUNTING) as both:
        found = await events(both.engine, new_request())
    assert text_of(found) == TEXT
    assert found[-1].num_cached_tokens == 2
    assert {each.num_cached_tokens for each in found[:-1]} == {0}  # nobody knows it before


async def test_the_cached_tokens_of_a_request_are_those_of_its_first_sequence(tokenizer: Tokenizer) -> None:
    """The others find the whole prompt that the first has computed."""
    *before, done = tokens(*written(tokenizer))
    replies = [sends([*before, count_of_cached(num), done]) for num in (1, 3)]
    async with pair(tokenizer, *replies, api=COUNTING) as both:
        found = await events(both.engine, new_request(num_sequences=2, num_parallel=1))
    assert [each.num_cached_tokens for each in found if each.finish] == [1, 1]


@pytest.mark.parametrize("is_cut", [False, True])
async def test_a_sequence_is_whole_without_the_count_that_should_follow(
    tokenizer: Tokenizer, is_cut: bool
) -> None:
    """An old server, or one that stops between its last token and the count."""
    pieces = tokens(*written(tokenizer))[: -1 if is_cut else None]
    async with pair(tokenizer, sends(pieces, is_cut=is_cut), api=COUNTING) as both:
        found = await events(both.engine, new_request())
    assert text_of(found) == TEXT
    assert [each.finish for each in found if each.finish] == [FinishReason.END_TOKEN]


def listed(*adapters: str) -> list[dict[str, object]]:
    """Return models as vLLM lists them."""
    names = {"m": None, **dict.fromkeys(adapters, "m")}
    return [{"id": name, "max_model_len": 256, "parent": parent} for name, parent in names.items()]


async def test_adapters_are_those_that_the_server_lists_now(
    tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(served_adapters, "_PERIOD_S", 0.01)
    async with pair(tokenizer, sends(tokens(*written(tokenizer)))) as both:
        with pytest.raises(UnknownAdapter):
            await events(both.engine, new_request(adapter="poet"))
        assert both.upstream.received == []
        for names in (("poet",), ("clerk", "poet"), ("clerk",)):
            both.upstream.models = listed(*names)
            await until(lambda: both.engine.adapters.names == names)  # noqa: B023
            if "poet" in names:
                assert text_of(await events(both.engine, new_request(adapter="poet"))) == TEXT
                assert both.upstream.received[-1]["model"] == "poet"
        with pytest.raises(UnknownAdapter):
            await events(both.engine, new_request(adapter="poet"))
        await both.upstream.stop()
        both.upstream.models = listed("poet")
        await both.upstream.start()
        await until(lambda: both.engine.adapters.names == ("poet",))
        assert not both.engine.adapters.can_load


async def test_an_adapter_that_the_server_has_just_forgotten_is_unknown(tokenizer: Tokenizer) -> None:
    async with over_two(tokenizer, refuses(404), refuses(404)) as (engine, _, _):
        engine._servers[0].upstream.adapters = frozenset({"poet"})
        engine._adapters.names = ("poet",)
        with pytest.raises(UnknownAdapter):
            await events(engine, new_request(adapter="poet"))
        with pytest.raises(GenerationFailed):
            await events(engine, new_request())


FORGOTTEN = (
    "Got LoRA adapter that has never been loaded: poet\nAll loaded adapters: odict_keys([]).",
    "The following requested LoRA adapters are not loaded: poet\nLoaded adapters: odict_keys([]).",
    "Failed to implicitly load LoRA adapter poet: no such folder",
    "LoRA adapter 'poet' was requested, but LoRA is not enabled. Please launch the server with it.",
)


@pytest.mark.parametrize("message", FORGOTTEN, ids=lambda message: " ".join(message.split()[:4]))
@pytest.mark.parametrize("is_streamed", [True, False])
async def test_an_adapter_that_sglang_has_forgotten_is_unknown(
    tokenizer: Tokenizer, message: str, is_streamed: bool
) -> None:
    """SGLang says so with the status of any invalid request, of a stream in its first event."""
    event_of_it = sglang.event({"error": {"message": message, "code": 400}})
    reply = sends([event_of_it, DONE]) if is_streamed else refuses(400, message)
    sampling = SamplingParams(temperature=0.0, num_prompt_logprobs=None if is_streamed else 0)
    async with pair(tokenizer, reply, api=SglangApi()) as both:
        both.engine._servers[0].upstream.adapters = frozenset({"poet"})
        both.engine._adapters.names = ("poet",)
        with pytest.raises(UnknownAdapter):
            await events(both.engine, new_request(sampling=sampling, adapter="poet"))
        with pytest.raises(InvalidRequest, match="LoRA"):
            await events(both.engine, new_request(sampling=sampling))


async def test_requests_for_an_adapter_go_to_the_servers_that_have_it(tokenizer: Tokenizer) -> None:
    whole = sends(tokens(*written(tokenizer)))
    async with over_two(tokenizer, whole, whole) as (engine, one, other):
        engine._servers[1].upstream.adapters = frozenset({"poet"})
        engine._adapters.names = ("poet",)
        for name in "abc":
            await events(engine, new_request(name, adapter="poet"))
    assert (len(one.received), len(other.received)) == (0, 3)
