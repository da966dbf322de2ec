"""Chat: what each field asks of the engine, and what answers and chunks tell."""

from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from engine.port.events import FinishReason
from engine.port.request import GenerationRequest, GrammarKind
from generated.hf import models as m
from handlers.chat.delta import ChatDelta
from handlers.contracts.hf.answers import chat_chunk
from handlers.contracts.tgi.chat.events import ChatEvents
from handlers.contracts.tgi.openai_form import SERVER_NAME
from handlers.served_model.envelope import Envelope
from tests.support.scripted.engine import says
from tests.unit.handlers.contracts.hf.api import Api, chat

PATH = "/v1/chat/completions"
TOOL = {
    "type": "function",
    "function": {"name": "add", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}},
}
CALL = '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>'


async def submitted(**fields: object) -> GenerationRequest:
    api = Api(says("x"))
    await api.answer(PATH, chat(**fields))
    return api.engine.request


async def stream(api: Api, body: dict[str, Any]) -> list[Any]:
    """The chunks, without the `[DONE]` that must end them."""
    *chunks, done = await api.events(PATH, {**body, "stream": True})
    assert done == "[DONE]"
    return chunks


async def test_sampling_and_stopping_reach_the_engine() -> None:
    request = await submitted(
        temperature=0.5,
        top_p=0.9,
        frequency_penalty=0.3,
        presence_penalty=-0.4,
        seed=3,
        stop=["a", "b"],
        max_tokens=5,
        logprobs=True,
        top_logprobs=2,
    )
    sampling = request.sampling
    assert (sampling.temperature, sampling.top_p, sampling.seed) == (0.5, 0.9, 3)
    assert (sampling.frequency_penalty, sampling.presence_penalty) == (0.3, -0.4)
    assert sampling.num_logprobs == 2
    assert (request.stopping.stop, request.stopping.max_tokens) == (("a", "b"), 5)
    assert not request.stopping.include_stop


async def test_a_bare_chat_fills_the_context_at_temperature_one() -> None:
    request = await submitted()
    assert request.sampling.temperature == 1.0
    assert request.sampling.num_logprobs is None
    assert len(request.prompt.token_ids) + request.stopping.max_tokens == 200


async def test_an_answer_has_what_the_document_requires_and_no_more() -> None:
    answer = await Api(says("Hel", "lo")).answer(PATH, chat())
    assert answer.pop("id").startswith("chatcmpl-")
    assert answer.pop("created") > 0
    assert answer.pop("usage")["completion_tokens"] == 3
    assert answer == {
        "object": "chat.completion",
        "model": "verbatim-demo",
        "system_fingerprint": SERVER_NAME,
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}
        ],
    }


async def test_a_call_of_a_tool_has_its_arguments_as_text_and_no_content() -> None:
    answer = await Api(says(*CALL)).answer(PATH, chat(tools=[TOOL]))
    (choice,) = answer["choices"]
    assert choice["finish_reason"] == "tool_calls"
    assert "content" not in choice["message"]
    (call,) = choice["message"]["tool_calls"]
    assert call["function"] == {"name": "add", "arguments": '{"a": 1}'}


async def test_a_streamed_call_has_its_name_once_and_pieces_that_join() -> None:
    chunks = await stream(Api(says(*CALL)), chat(tools=[TOOL]))
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    calls = [call for delta in deltas for call in delta.get("tool_calls", [])]
    assert [set(call) for call in calls] == [
        {"id", "index", "type", "function"},
        *[{"index", "function"}] * (len(calls) - 1),
    ]
    assert calls[0]["function"]["name"] == "add"
    assert "".join(call["function"]["arguments"] for call in calls) == '{"a": 1}'
    assert chunks[-1]["choices"][0]["finish_reason"] == "tool_calls"


async def test_chunks_say_the_role_once_then_text_then_the_finish() -> None:
    chunks = await stream(Api(says("Hel", "lo")), chat())
    assert [chunk["choices"] for chunk in chunks] == [
        [{"index": 0, "delta": {"role": "assistant", "content": "Hel"}}],
        [{"index": 0, "delta": {"content": "lo"}}],
        [{"index": 0, "delta": {}, "finish_reason": "stop"}],
    ]
    assert not any("usage" in chunk for chunk in chunks)


async def test_streamed_text_joins_to_the_whole_one() -> None:
    api = Api(says("Hel", "lo", "!", finish=FinishReason.LENGTH))
    whole = (await api.answer(PATH, chat()))["choices"][0]["message"]["content"]
    chunks = await stream(api, chat())
    assert "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks) == whole == "Hello!"


async def test_usage_if_asked_is_in_one_chunk_more_without_choices() -> None:
    *chunks, last = await stream(Api(says("a")), chat(stream_options={"include_usage": True}))
    assert not any("usage" in chunk for chunk in chunks)
    assert last["choices"] == []
    assert last["usage"]["completion_tokens"] == 2


async def test_logprobs_are_of_every_token_whole_and_streamed() -> None:
    body = chat(logprobs=True, top_logprobs=2)
    whole = (await Api(says("a", "b")).answer(PATH, body))["choices"][0]["logprobs"]["content"]
    chunks = await stream(Api(says("a", "b")), body)
    streamed = [token for chunk in chunks for token in chunk["choices"][0]["logprobs"]["content"]]
    assert whole == streamed
    assert [token["token"] for token in whole] == ["a", "b", "<|im_end|>"]
    assert all(len(token["top_logprobs"]) == 2 for token in whole)


@pytest.mark.parametrize(
    "response_format",
    [
        {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "integer"}}},
        {"type": "json_object", "value": {"type": "integer"}},
        {"type": "json_object", "value": '{"type": "integer"}'},
    ],
)
async def test_a_schema_binds_the_answer_wherever_it_stands(response_format: dict[str, Any]) -> None:
    grammar = (await submitted(response_format=response_format)).sampling.grammar
    assert grammar is not None
    assert (grammar.kind, grammar.source) == (GrammarKind.JSON_SCHEMA, '{"type": "integer"}')


@pytest.mark.parametrize(
    "response_format", [{"type": "json_object"}, {"type": "json_schema", "json_schema": {"name": "n"}}]
)
async def test_a_format_without_a_schema_is_any_json_object(response_format: dict[str, Any]) -> None:
    grammar = (await submitted(response_format=response_format)).sampling.grammar
    assert grammar is not None
    assert grammar.kind is GrammarKind.JSON_OBJECT


async def test_the_format_text_binds_nothing_even_beside_tools() -> None:
    request = await submitted(response_format={"type": "text"}, tools=[TOOL], tool_choice="none")
    assert request.sampling.grammar is None


async def test_a_tool_prompt_stands_under_the_last_message_where_tools_are_offered() -> None:
    offered = await submitted(tools=[TOOL], tool_prompt="Use them.")
    without = await submitted(tools=[TOOL])
    assert len(offered.prompt.token_ids) - len(without.prompt.token_ids) == len("\n---\nUse them.")
    assert (await submitted(tool_prompt="Use them.")).prompt.token_ids == (await submitted()).prompt.token_ids


@pytest.mark.parametrize("choice", ["required", {"function": {"name": "add"}}])
async def test_a_demanded_call_is_bound_to_the_tool(choice: object) -> None:
    api = Api(says(*CALL))
    await api.answer(PATH, chat(tools=[TOOL], tool_choice=choice))
    assert api.engine.request.sampling.grammar is not None


async def test_a_conversation_is_sent_back_as_it_came() -> None:
    api = Api(says("x"))
    call = {"id": "c", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
    messages = [
        {"role": "user", "content": "Hi", "name": None},
        {"role": "assistant", "content": None, "tool_calls": [call], "tool_call_id": None},
        {"role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": "1"}]},
    ]
    assert await api.answer(PATH, {"model": "any", "messages": messages})


@given(st.text())
def test_the_prebuilt_chunk_is_the_models_own_serialisation(text: str) -> None:
    events = ChatEvents(Envelope.new("name", "chatcmpl"), chat_chunk, with_logprobs=False)
    events.encode(ChatDelta(index=0, content="a"))
    encoded = events.encode(ChatDelta(index=0, content=text))
    assert isinstance(encoded, bytes)
    chunk = m.ChatCompletionStreamResponse.model_validate_json(encoded)
    chunk.choices = [m.ChatChunkChoice(index=0, delta=m.Delta(content=text))]
    assert encoded == chunk.__pydantic_serializer__.to_json(chunk)
