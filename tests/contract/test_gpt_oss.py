"""gpt-oss through every chat contract: its tokens in, each contract's thoughts, words and calls out."""

import json
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from msgspec.structs import replace

from engine.port.events import FinishReason, TokenEvent
from engine.port.request import GenerationRequest
from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.scripted.engine import Script, ScriptedEngine, token
from tests.unit.handlers.chat.prompt.control.families import tokenizer_of
from tests.unit.verbatim_kit.runtime.client import events, send

TOKENIZER = tokenizer_of("gpt-oss")
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
FUNCTION = {"name": "get_weather", "description": "Tells the weather.", "parameters": PARAMETERS}
TOOL = {"type": "function", "function": FUNCTION}
ANSWER = "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Hi!<|return|>"
CALL = (
    "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant"
    '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Oslo"}<|call|>'
)


def writes(text: str) -> Script:
    """Every sequence writes the text's tokens, special ones too where they are asked for."""
    ids = TOKENIZER.encode(text, add_special_tokens=False)

    def script(request: GenerationRequest) -> Iterator[TokenEvent]:
        for position, token_id in enumerate(ids):
            is_last = position == len(ids) - 1
            written = TOKENIZER.token_text(token_id)
            is_special = TOKENIZER.is_special(token_id)
            is_hidden = is_last or (is_special and request.skip_special_tokens)
            event = token(request, position, written, finish=FinishReason.END_TOKEN if is_last else None)
            yield replace(event, token_id=token_id, is_special=is_special, text="" if is_hidden else written)

    return script


async def post(script: Script, path: str, body: dict[str, Any]) -> tuple[Any, GenerationRequest]:
    engine = ScriptedEngine(script, tokenizer=TOKENIZER, max_total_tokens=4000)
    headers = {"anthropic-version": "2023-06-01"}
    response = await send(build_app(Settings(), engine), "POST", path, json=body, headers=headers)
    assert response.status_code == 200, response.text
    if body.get("stream"):
        return [data if data == "[DONE]" else orjson.loads(data) for data in events(response)], engine.request
    return response.json(), engine.request


CHATS = {
    "openai": "/openai/v1/chat/completions",
    "tgi": "/tgi/v1/chat/completions",
    "hf": "/hf/v1/chat/completions",
    "mindie": "/mindie/v1/chat/completions",
}


def ask(contract: str, **fields: Any) -> dict[str, Any]:
    return {"model": "verbatim-demo", "messages": [{"role": "user", "content": "Hi"}], **fields}


@pytest.mark.parametrize("contract", CHATS)
async def test_an_answer_has_no_trace_of_the_format(contract: str) -> None:
    answer, _ = await post(writes(ANSWER), CHATS[contract], ask(contract))
    [choice] = answer["choices"]
    message = choice["message"]
    assert message["content"].endswith("Hi!") and "<|" not in message["content"]
    if message["content"] == "Hi!":
        assert message["reasoning_content"] == "Hm."
    else:  # the contract has no place for thoughts
        assert message["content"] == "<think>\nHm.\n</think>\n\nHi!"
    assert choice["finish_reason"] == "stop"


@pytest.mark.parametrize("contract", CHATS)
async def test_a_call_is_the_contracts_own(contract: str) -> None:
    answer, request = await post(writes(CALL), CHATS[contract], ask(contract, tools=[TOOL]))
    [choice] = answer["choices"]
    [call] = choice["message"]["tool_calls"]
    arguments = call["function"]["arguments"]
    assert call["function"]["name"] == "get_weather"
    assert (json.loads(arguments) if isinstance(arguments, str) else arguments) == {"city": "Oslo"}
    assert choice["finish_reason"] in ("tool_calls", "stop")
    assert not request.skip_special_tokens
    assert request.sampling.grammar is not None
    ends = TOKENIZER.encode("<|return|><|call|>", add_special_tokens=False)
    assert set(ends) <= set(request.stopping.stop_token_ids)


@pytest.mark.parametrize("contract", CHATS)
async def test_a_stream_is_what_the_whole_answer_is(contract: str) -> None:
    chunks, _ = await post(writes(ANSWER), CHATS[contract], ask(contract, stream=True))
    deltas = [choice["delta"] for chunk in chunks if chunk != "[DONE]" for choice in chunk["choices"]]
    content = "".join(delta.get("content") or "" for delta in deltas)
    assert content in ("Hi!", "<think>\nHm.\n</think>\n\nHi!")


async def test_a_streamed_call_comes_in_pieces() -> None:
    chunks, _ = await post(writes(CALL), CHATS["openai"], ask("openai", stream=True, tools=[TOOL]))
    deltas = [choice["delta"] for chunk in chunks if chunk != "[DONE]" for choice in chunk["choices"]]
    pieces = [piece["function"] for delta in deltas for piece in delta.get("tool_calls") or ()]
    assert [piece["name"] for piece in pieces if piece.get("name")] == ["get_weather"]
    assert "".join(piece.get("arguments") or "" for piece in pieces) == '{"city": "Oslo"}'
    assert len(pieces) > 5


async def test_the_messages_api_has_thoughts_words_and_calls_in_blocks() -> None:
    body = {"model": "verbatim-demo", "max_tokens": 100, "messages": [{"role": "user", "content": "Hi"}]}
    answer, _ = await post(writes(ANSWER), "/anthropic/v1/messages", body)
    assert [block["type"] for block in answer["content"]] == ["thinking", "text"]
    tool = {"name": "get_weather", "input_schema": PARAMETERS}
    answer, _ = await post(writes(CALL), "/anthropic/v1/messages", {**body, "tools": [tool]})
    assert answer["content"][-1]["input"] == {"city": "Oslo"}
    assert answer["stop_reason"] == "tool_use"


async def test_the_responses_api_has_thoughts_words_and_calls_as_items() -> None:
    body = {"model": "verbatim-demo", "input": "Hi"}
    answer, _ = await post(writes(ANSWER), "/openai/v1/responses", body)
    assert [item["type"] for item in answer["output"]] == ["reasoning", "message"]
    answer, _ = await post(
        writes(CALL), "/openai/v1/responses", {**body, "tools": [{"type": "function", **FUNCTION}]}
    )
    assert answer["output"][-1]["type"] == "function_call"
    assert answer["output"][-1]["arguments"] == '{"city": "Oslo"}'


async def test_thoughts_are_counted() -> None:
    answer, _ = await post(writes(ANSWER), CHATS["openai"], ask("openai"))
    thoughts = TOKENIZER.encode(ANSWER[: ANSWER.index("<|start|>")], add_special_tokens=False)
    assert answer["usage"]["completion_tokens_details"]["reasoning_tokens"] == len(thoughts)
