"""Responses over a WebSocket: what holds for each message, for a connection, and at its ends."""

import asyncio
from typing import Any, Final

import httpx
import orjson
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

import verbatim_kit.runtime.web_sockets as web_sockets
from engine.port.errors import EngineStopped, GenerationFailed
from generated.open_responses import models as m
from tests.support.clocks.until import until
from tests.support.scripted.engine import ScriptedEngine, fails_after, says
from tests.unit.handlers.access.keys.key_files import table, write
from tests.unit.handlers.contracts.open_responses.sockets import message, serving
from tests.unit.handlers.contracts.openai.responses.test_responses import thinking

TOOL: Final = {"type": "function", "name": "add", "parameters": {"type": "object"}}


async def closed(connection: Any) -> int:
    """Return the code that the server closes with; nothing else must come before."""
    with pytest.raises(ConnectionClosed):
        await connection.recv()
    return int(connection.close_code)


async def test_events_are_messages_of_json_and_nothing_follows_the_last() -> None:
    async with serving(thinking("why", "</think>", "so")) as server, server.connect() as socket:
        turn = await socket.ask()
        kinds = [event["type"] for event in turn.events]
        assert kinds[0] == "response.created" and kinds[-1] == "response.completed"
        assert "response.reasoning.delta" in kinds
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(socket.connection.recv(), 0.2)


@pytest.mark.parametrize(
    ("text", "status", "param"),
    [
        ("{", 400, None),
        ("[]", 400, None),
        ("{}", 400, "type"),
        (orjson.dumps(message(type="response.cancel")), 400, "type"),
        (orjson.dumps(message(stream=True)), 400, "stream"),
        (orjson.dumps(message(stream_options={})), 400, "stream_options"),
        (orjson.dumps(message(background=False)), 400, "background"),
        (orjson.dumps(message(unknown=1)), 400, "unknown"),
        (orjson.dumps(message(temperature=3)), 400, "temperature"),
        (b'{"type": "response.create", "input": "a", "temperature": NaN}', 400, "temperature"),
        (orjson.dumps(message(model="other")), 404, "model"),
        (orjson.dumps(message(input="a" * 3_000)), 413, None),
    ],
)
async def test_a_message_that_cannot_be_answered_gets_an_error_and_the_next_an_answer(
    text: str | bytes, status: int, param: str | None
) -> None:
    async with serving(says("a"), payload_limit=2_000) as server, server.connect() as socket:
        await socket.connection.send(text if isinstance(text, str) else text.decode())
        error = (await socket.turn()).error
        assert (error.status, error.error.param) == (status, param)
        assert error.error.message and error.error.code
        assert (await socket.ask()).response.status == "completed"


async def test_a_binary_message_is_refused() -> None:
    async with serving(says("a")) as server, server.connect() as socket:
        await socket.connection.send(orjson.dumps(message()))
        assert (await socket.turn()).error.error.message.endswith("a text")


async def test_a_message_beyond_all_limits_closes_the_connection() -> None:
    async with serving(says("a"), payload_limit=2_000) as server, server.connect() as socket:
        await socket.send(input="a" * 30_000)
        assert await closed(socket.connection) == 1009


async def test_messages_are_answered_one_after_the_other() -> None:
    gate = asyncio.Event()
    engine = ScriptedEngine(says("a"), gate=gate)
    async with serving(engine) as server, server.connect() as socket:
        for words in ("one", "two", "three"):
            await socket.send(input=words, store=False)
        await until(lambda: engine.num_running == 1)
        await asyncio.sleep(0.1)
        assert len(engine.requests) == 1
        gate.set()
        assert [(await socket.turn()).response.status for _ in range(3)] == ["completed"] * 3
        assert [words in server.prompt(at) for at, words in enumerate(("one", "two", "three"))] == [True] * 3


async def test_a_client_that_leaves_ends_its_request() -> None:
    engine = ScriptedEngine(says("a"), gate=asyncio.Event())
    async with serving(engine) as server:
        async with server.connect() as socket:
            await socket.send()
            await until(lambda: engine.num_running == 1)
        await until(lambda: engine.num_running == 0)


async def test_a_failure_before_the_first_event_is_an_error_and_later_the_last_event() -> None:
    async with serving(fails_after(EngineStopped("no"))) as server, server.connect() as socket:
        assert (await socket.ask()).error.status == 503
    async with serving(fails_after(GenerationFailed("no"), "a")) as server, server.connect() as socket:
        assert (await socket.ask()).response.status == "failed"


async def test_a_stored_response_is_continued_on_any_connection() -> None:
    async with serving(says("Oslo")) as server:
        async with server.connect() as socket:
            first = (await socket.ask(input="Where?")).response
        async with server.connect() as socket:
            second = (await socket.ask(previous_response_id=first.id, input="Why?")).response
        assert second.previous_response_id == first.id
        prompt = server.prompt()
        assert prompt.index("Where?") < prompt.index("Oslo") < prompt.index("Why?")


async def test_a_fault_in_a_continuation_is_named_as_it_was_sent() -> None:
    async with serving(says("a")) as server, server.connect() as socket:
        first = (await socket.ask(store=False)).response
        output = {"type": "function_call_output", "call_id": "none", "output": "x"}
        turn = await socket.ask(previous_response_id=first.id, input=[output], store=False)
        assert turn.error.error.param == "input[0].call_id"


async def test_a_tools_result_continues_the_call_that_is_not_stored() -> None:
    call = '<tool_call>\n{"name": "add", "arguments": {}}\n</tool_call>'
    async with serving(says(call)) as server, server.connect() as socket:
        first = (await socket.ask(tools=[TOOL], store=False)).response
        (called,) = first.output
        assert isinstance(called, m.FunctionCall)
        output = {"type": "function_call_output", "call_id": called.call_id, "output": "42"}
        turn = await socket.ask(previous_response_id=first.id, input=[output], tools=[TOOL], store=False)
        assert turn.response.previous_response_id == first.id
        prompt = server.prompt()
        assert "42" in prompt


async def test_a_handshake_needs_the_key_and_the_path_of_an_operation_that_has_messages() -> None:
    async with serving(says("a"), api_key="secret") as server:
        with pytest.raises(InvalidStatus) as caught:
            async with server.connect():
                pass
        assert caught.value.response.status_code == 401
        assert b"Missing or wrong API key" in (caught.value.response.body or b"")
        keyed = {"authorization": "Bearer secret"}
        with pytest.raises(InvalidStatus) as caught:
            async with server.connect("/openai/v1/responses", additional_headers=keyed):
                pass
        assert caught.value.response.status_code == 405
        async with server.connect(additional_headers=keyed) as socket:
            assert (await socket.ask()).response.status == "completed"


async def test_a_page_of_another_site_is_refused() -> None:
    async with serving(says("a")) as server:
        with pytest.raises(InvalidStatus) as caught:
            async with server.connect(origin="http://evil.example"):
                pass
        assert caught.value.response.status_code == 403


async def test_a_key_that_has_used_up_its_minute_gets_errors_over_a_connection(tmp_path: Any) -> None:
    keys = write(tmp_path / "keys.toml", table("one", "secret", requests_per_minute=2))
    async with serving(says("a"), api_keys_file=str(keys)) as server:
        headers = {"authorization": "Bearer secret"}
        async with server.connect(additional_headers=headers) as socket:
            turns = [await socket.ask() for _ in range(3)]
        assert turns[-1].error.status == 429
        assert turns[-1].error.error.type == "too_many_requests"


async def test_an_idle_connection_is_closed() -> None:
    async with serving(says("a"), keep_alive_timeout=0.2) as server, server.connect() as socket:
        await socket.ask()
        assert await closed(socket.connection) == 1000


async def test_a_client_that_is_refused_again_and_again_is_disconnected() -> None:
    async with serving(says("a")) as server, server.connect() as socket:
        for _ in range(web_sockets.MAX_REFUSED):
            assert (await socket.ask(unknown=1)).error.status == 400
        assert await closed(socket.connection) == 1008


async def test_an_old_connection_says_so_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_sockets, "MAX_AGE_S", 0.0)
    async with serving(says("a")) as server, server.connect() as socket:
        assert (await socket.ask()).error.error.code == "websocket_connection_limit_reached"
        assert await closed(socket.connection) == 1000


async def test_a_server_that_stops_finishes_an_answer_and_closes_idle_connections() -> None:
    gate = asyncio.Event()
    engine = ScriptedEngine(says("a"), gate=gate)
    stopping = serving(engine)
    server = await stopping.__aenter__()
    async with server.connect() as busy, server.connect() as idle:
        await busy.send()
        await until(lambda: engine.num_running == 1)
        stop = asyncio.create_task(stopping.__aexit__(None, None, None))
        assert await closed(idle.connection) == 1012
        gate.set()
        assert (await busy.turn()).response.status == "completed"
        assert await closed(busy.connection) == 1012
        await stop


async def test_idle_connections_give_way_where_there_are_too_many() -> None:
    async with (
        serving(says("a"), max_connections=2) as server,
        server.connect() as first,
        server.connect() as second,
    ):
        await second.ask()
        async with server.connect() as third:
            assert (await third.ask()).response.status == "completed"
            with pytest.raises(ConnectionClosed):
                await first.connection.recv()
            assert (await second.ask()).response.status == "completed"


async def test_a_client_that_does_not_read_is_disconnected() -> None:
    engine = ScriptedEngine(says(*["a" * 10_000] * 2_000))
    async with serving(engine, client_timeout=0.3) as server:
        uri = f"{server.url.replace('http', 'ws', 1)}/open_responses/v1/responses"
        connection = await connect(uri, max_queue=1, ping_interval=None)
        await connection.send(orjson.dumps(message()).decode())
        await until(lambda: engine.num_running == 1)
        await until(lambda: engine.num_running == 0, 10)
        await connection.close()


async def test_each_message_is_a_request_in_the_metrics() -> None:
    async with serving(says("a")) as server, server.connect() as socket:
        for _ in range(3):
            await socket.ask()
        await socket.ask(unknown=1)
        async with httpx.AsyncClient() as client:
            text = (await client.get(f"{server.url}/tgi/metrics")).text
        assert "tgi_request_success_total 3" in text or "tgi_request_success 3" in text, text[:3000]
