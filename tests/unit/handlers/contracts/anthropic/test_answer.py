"""Whole answers."""

from typing import Any

import pytest

from engine.port.events import FinishReason
from tests.support.scripted.engine import says
from tests.unit.handlers.contracts.anthropic.api import (
    CALL,
    COUNT,
    REASONING,
    TOOL,
    ask,
    conversation,
    quiet,
    text,
    user,
)


async def test_an_answer_has_blocks_a_reason_and_counts() -> None:
    told = await quiet(says("Hel", "lo")).answer(ask())
    assert told.pop("id").startswith("msg_")
    num_prompt_tokens = told["usage"]["input_tokens"]
    assert num_prompt_tokens > 0
    assert told == {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "text", "text": "Hello"}],
        "model": "verbatim-demo",
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "stop_details": None,
        "usage": {
            "input_tokens": num_prompt_tokens,
            "output_tokens": 3,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens_details": {"thinking_tokens": 0},
            "service_tier": "standard",
        },
    }


async def test_a_tool_use_has_its_input_as_an_object_and_an_id_of_its_own() -> None:
    told = await quiet(says("Sure.\n", *CALL)).answer(ask(tools=[TOOL]))
    words, use = told["content"]
    assert words["type"] == "text" and words["text"].strip() == "Sure."
    assert use.pop("id").startswith("toolu_")
    assert use == {"type": "tool_use", "name": "add", "input": {"a": 1}}
    assert told["stop_reason"] == "tool_use"


@pytest.mark.parametrize("num_characters", range(len(CALL) - len("</tool_call>")))
async def test_a_tool_use_that_is_cut_has_what_there_is_of_its_input(num_characters: int) -> None:
    cut = CALL[:num_characters] or "<"
    told = await quiet(says(*cut, finish=FinishReason.LENGTH)).answer(ask(tools=[TOOL]))
    assert told["stop_reason"] == "max_tokens"
    inputs = [block["input"] for block in told["content"] if block["type"] == "tool_use"]
    assert inputs in ([], [{}], [{"a": 1}])


async def test_thoughts_are_a_block_with_a_signature() -> None:
    api = quiet(says(*REASONING, "Hi"))
    thoughts, words = (await api.answer(ask(thinking={"type": "adaptive"})))["content"]
    assert (thoughts["type"], thoughts["thinking"], words["text"]) == ("thinking", "Hm.", "Hi")
    assert thoughts["signature"]


async def test_thoughts_that_are_omitted_leave_their_block_and_are_counted() -> None:
    thinking = {"type": "adaptive", "display": "omitted"}
    told = await quiet(says(*REASONING, "Hi")).answer(ask(thinking=thinking))
    assert told["content"][0]["thinking"] == ""
    assert told["content"][0]["signature"]
    assert told["usage"]["output_tokens_details"]["thinking_tokens"] > 0


async def test_a_stop_sequence_is_told() -> None:
    api = quiet(says("Hello", finish=FinishReason.STOP))
    assert (await api.answer(ask(stop_sequences=["!"])))["stop_reason"] == "end_turn"
    assert api.engine.request.stopping.stop == ("!",)


@pytest.mark.parametrize(
    ("max_tokens", "reason"), [(50, "max_tokens"), (5000, "model_context_window_exceeded")]
)
async def test_an_answer_that_is_cut_says_what_cut_it(max_tokens: int, reason: str) -> None:
    api = quiet(says("a", finish=FinishReason.LENGTH))
    assert (await api.answer(ask(max_tokens=max_tokens)))["stop_reason"] == reason
    request = api.engine.request
    room = 1000 - len(request.prompt.token_ids)
    assert request.stopping.max_tokens == min(max_tokens, room)


async def test_no_tokens_fill_the_cache_and_answer_nothing() -> None:
    api = quiet(says("a", finish=FinishReason.LENGTH))
    told = await api.answer(ask(max_tokens=0))
    assert (told["content"], told["stop_reason"]) == ([], "max_tokens")
    assert told["usage"]["output_tokens"] == 0
    assert api.engine.request.stopping.max_tokens == 1


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"system": "Be brief."},
        {"tools": [TOOL], "tool_choice": {"type": "none"}},
        {"tools": [TOOL], "tool_choice": {"type": "any"}},
        {"thinking": {"type": "adaptive"}},
        {"output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}}},
    ],
)
async def test_the_count_is_that_of_the_same_conversation_answered(more: dict[str, Any]) -> None:
    api = quiet()
    body = conversation(user(text("Hello "), text("there")), **more)
    told = await api.answer(body)
    del body["max_tokens"]
    assert await api.answer(body, COUNT) == {"input_tokens": told["usage"]["input_tokens"]}
