"""The cases of the project's own suite of compliance, under their names there.

Each answer must be valid against `ResponseResource`, and each event against its schema.
"""

from collections.abc import Iterable
from typing import Any, Final

import pytest
from pydantic import TypeAdapter

from generated.open_responses import models as m
from tests.support.scripted.engine import says
from tests.support.scripted.media_processor import png, seeing_engine
from tests.unit.handlers.contracts.open_responses.api import OpenResponses, message
from tests.unit.handlers.contracts.open_responses.sockets import serving
from tests.unit.handlers.contracts.openai.test_media import IMAGE_URL

WEATHER: Final = {
    "type": "function",
    "name": "get_weather",
    "description": "The weather at a place now",
    "parameters": {
        "type": "object",
        "properties": {"location": {"type": "string", "description": "A city"}},
        "required": ["location"],
    },
}
CALL: Final = '<tool_call>\n{"name": "get_weather", "arguments": {"location": "San Francisco"}}\n</tool_call>'
EVENT: Final = TypeAdapter[Any](m.ResponseStreamingEvent)


def whole(answer: Any) -> m.ResponseResource:
    """Return the answer, which must be a valid response that is complete and says something."""
    response = m.ResponseResource.model_validate(answer)
    assert response.status == "completed"
    assert response.output
    return response


def last(events: Iterable[Any]) -> m.ResponseResource:
    """Return the response that the last event has; all events must be valid."""
    *_, final = [EVENT.validate_python(event) for event in events]
    assert isinstance(final, m.ResponseCompletedStreamingEvent)
    return whole(final.response.model_dump(by_alias=True))


async def test_basic_response() -> None:
    whole(await OpenResponses(says("Hello to you")).answered(input=[message("user", "Greet in 3 words.")]))


async def test_streaming_response() -> None:
    events = await OpenResponses(says("1", " 2", " 3")).streamed(input=[message("user", "Count to 3.")])
    assert [event["delta"] for event in events if event["type"].endswith(".delta")] == ["1", " 2", " 3"]
    last(events)


async def test_system_prompt() -> None:
    api = OpenResponses(says("Ahoy"))
    whole(await api.answered(input=[message("system", "Talk as a pirate."), message("user", "Say hello.")]))
    assert "Talk as a pirate." in api.prompt


async def test_tool_calling() -> None:
    answer = await OpenResponses(says(CALL)).answered(
        input=[message("user", "The weather in San Francisco?")], tools=[WEATHER]
    )
    (call,) = whole(answer).output
    assert isinstance(call, m.FunctionCall)
    assert (call.name, call.arguments) == ("get_weather", '{"location": "San Francisco"}')
    (tool,) = answer["tools"]
    assert tool == {**WEATHER, "strict": True}


async def test_tool_calling_streaming() -> None:
    events = await OpenResponses(says(*CALL)).streamed(
        input=[message("user", "The weather in San Francisco?")], tools=[WEATHER]
    )
    last(events)
    kinds = [event["type"] for event in events if event["type"] != "response.function_call_arguments.delta"]
    assert kinds == [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.function_call_arguments.done",
        "response.output_item.done",
        "response.completed",
    ]
    pieces = [e["delta"] for e in events if e["type"] == "response.function_call_arguments.delta"]
    assert "".join(pieces) == '{"location": "San Francisco"}'


async def test_image_input() -> None:
    engine, _ = seeing_engine()
    parts = [{"type": "input_text", "text": "What is this?"}, {"type": "input_image", "image_url": IMAGE_URL}]
    api = OpenResponses(engine)
    whole(await api.answered(input=[message("user", parts)]))
    media: Any = engine.media
    assert [item.data for item in media.items] == [png()]


async def test_multi_turn() -> None:
    api = OpenResponses(says("Alice"))
    turns = [
        message("user", "I am Alice."),
        message("assistant", "Hello Alice!"),
        message("user", "Who am I?"),
    ]
    whole(await api.answered(input=turns))
    assert api.prompt.index("I am Alice.") < api.prompt.index("Hello Alice!") < api.prompt.index("Who am I?")


async def test_assistant_phase() -> None:
    api = OpenResponses(says("four"))
    turns = [
        message("assistant", "I should answer with the number.", phase="commentary"),
        message("assistant", "The number is four.", phase="final_answer"),
        message("user", "Repeat only the number."),
    ]
    whole(await api.answered(input=turns))
    assert "The number is four." in api.prompt


@pytest.mark.parametrize("phase", ["commentary", "final_answer"])
async def test_response_output_phase_schema(phase: str) -> None:
    answer = await OpenResponses(says("four")).answered()
    answer["output"][0]["phase"] = phase
    (said,) = whole(answer).output
    assert isinstance(said, m.Message) and said.phase == phase


async def test_websocket_response() -> None:
    async with serving(says("1", " 2", " 3")) as server, server.connect() as socket:
        last((await socket.ask(input=[message("user", "Count to 3.")])).events)


async def test_websocket_sequential_responses() -> None:
    async with serving(says("first")) as server, server.connect() as socket:
        for words in ("Reply with: first", "Reply with: second"):
            last((await socket.ask(input=words, store=False)).events)


async def test_websocket_continuation() -> None:
    async with serving(says("OK")) as server, server.connect() as socket:
        first = last((await socket.ask(input="The word is cobalt.", store=False)).events)
        assert first.store is False
        turn = await socket.ask(previous_response_id=first.id, input="What is the word?", store=False)
        second = last(turn.events)
        assert second.previous_response_id == first.id
        prompt = server.prompt()
        assert prompt.index("cobalt") < prompt.index("OK") < prompt.index("What is the word?")
        third = last((await socket.ask(previous_response_id=second.id, input="Sure?", store=False)).events)
        assert third.previous_response_id == second.id
        prompt = server.prompt()
        assert prompt.index("cobalt") < prompt.index("What is the word?") < prompt.index("Sure?")


async def test_websocket_reconnect_store_false_recovery() -> None:
    async with serving(says("OK")) as server:
        async with server.connect() as socket:
            first = last((await socket.ask(input="The word is copper.", store=False)).events)
        async with server.connect() as socket:
            turn = await socket.ask(previous_response_id=first.id, input="Go on.", store=False)
            assert turn.error.error.code == "previous_response_not_found"
            last((await socket.ask(input=[message("user", "Begin anew.")], store=False)).events)


async def test_websocket_previous_response_not_found() -> None:
    async with serving(says("OK")) as server, server.connect() as socket:
        turn = await socket.ask(previous_response_id="resp_missing", input="This fails.", store=False)
        assert (turn.error.status, turn.error.error.code) == (400, "previous_response_not_found")


async def test_websocket_failed_continuation_evicts_cache() -> None:
    async with serving(says("OK")) as server, server.connect() as socket:
        first = last((await socket.ask(input="The word is ember.", store=False)).events)
        orphan = {"type": "function_call_output", "call_id": "call_missing", "output": "No such call."}
        failed = await socket.ask(previous_response_id=first.id, input=[orphan], store=False)
        assert failed.error.status == 400
        retried = await socket.ask(previous_response_id=first.id, input="Go on.", store=False)
        assert retried.error.error.code == "previous_response_not_found"
