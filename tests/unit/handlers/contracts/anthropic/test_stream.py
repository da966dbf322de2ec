"""Streamed answers, event by event."""

import json
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from engine.port.errors import EngineStopped, GenerationFailed
from engine.port.events import FinishReason
from generated.anthropic import models as m
from handlers.contracts.anthropic.answer.answer import Gained
from handlers.contracts.anthropic.answer.blocks import ReasoningBlock, TextBlock, ToolUse
from handlers.contracts.anthropic.answer.events import write
from tests.support.scripted.engine import fails_after, says
from tests.unit.handlers.contracts.anthropic.api import CALL, REASONING, TOOL, ask, quiet


def types(events: list[Any]) -> list[str]:
    return [event["type"] for event in events]


def joined(events: list[Any]) -> list[dict[str, Any]]:
    """The blocks that the events make, put together as clients do."""
    blocks: list[dict[str, Any]] = []
    inputs: dict[int, str] = {}
    for event in events:
        if event["type"] == "content_block_start":
            assert event["index"] == len(blocks)
            blocks.append(dict(event["content_block"]))
        elif event["type"] == "content_block_delta":
            block, delta = blocks[event["index"]], event["delta"]
            assert event["index"] == len(blocks) - 1, "one block at a time"
            match delta["type"]:
                case "text_delta":
                    block["text"] += delta["text"]
                case "thinking_delta":
                    block["thinking"] += delta["thinking"]
                case "signature_delta":
                    block["signature"] = delta["signature"]
                case "input_json_delta":
                    inputs[event["index"]] = inputs.get(event["index"], "") + delta["partial_json"]
    for index, text in inputs.items():
        blocks[index]["input"] = json.loads(text)
    return blocks


async def test_events_come_in_the_order_that_the_document_tells() -> None:
    events = await quiet(says("Hel", "lo")).events(ask())
    assert types(events) == [
        "message_start",
        "ping",
        "content_block_start",
        "content_block_delta",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    started, ended = events[0]["message"], events[-2]
    assert (started["content"], started["stop_reason"]) == ([], None)
    assert started["usage"]["input_tokens"] == ended["usage"]["input_tokens"] > 0
    assert ended["delta"] == {"stop_reason": "end_turn", "stop_sequence": None, "stop_details": None}
    assert ended["usage"]["output_tokens"] == 3


async def test_thoughts_end_with_their_signature() -> None:
    events = await quiet(says(*REASONING, "Hi")).events(ask(thinking={"type": "adaptive"}))
    deltas = [event["delta"]["type"] for event in events if event["type"] == "content_block_delta"]
    assert deltas[-2:] == ["signature_delta", "text_delta"]
    assert [block["type"] for block in joined(events)] == ["thinking", "text"]


async def test_thoughts_that_are_omitted_have_no_delta_but_their_signature() -> None:
    thinking = {"type": "adaptive", "display": "omitted"}
    events = await quiet(says(*REASONING, "Hi")).events(ask(thinking=thinking))
    deltas = [event["delta"]["type"] for event in events if event["type"] == "content_block_delta"]
    assert deltas == ["signature_delta", "text_delta"]


async def test_no_tokens_make_a_stream_without_blocks() -> None:
    events = await quiet(says("a", finish=FinishReason.LENGTH)).events(ask(max_tokens=0))
    assert types(events) == ["message_start", "ping", "message_delta", "message_stop"]
    assert events[-2]["usage"]["output_tokens"] == 0


@pytest.mark.parametrize(
    ("error", "kind"), [(EngineStopped("no"), "overloaded_error"), (GenerationFailed("no"), "api_error")]
)
async def test_an_error_after_the_first_event_is_the_last_event(error: Exception, kind: str) -> None:
    *events, last = await quiet(fails_after(error, "Hel", "lo")).events(ask())
    assert types(events) == ["message_start", "ping", "content_block_start"] + ["content_block_delta"] * 2
    assert (last["type"], last["error"]["type"]) == ("error", kind)
    assert last["request_id"].startswith("req_")


@given(
    pieces=st.lists(st.sampled_from(["a", "é", "<think>", "Hm", "</think>", "\n", CALL, "<"])),
    finish=st.sampled_from(FinishReason),
    has_tools=st.booleans(),
)
async def test_a_streamed_answer_joins_to_the_whole_one(
    pieces: list[str], finish: FinishReason, has_tools: bool
) -> None:
    api = quiet(says(*(pieces or ["a"]), finish=finish))
    body = ask(tools=[TOOL]) if has_tools else ask()
    whole, events = await api.answer(body), await api.events(body)
    blocks = joined(events)
    for block in (*whole["content"], *blocks):
        block.pop("id", None)
    assert blocks == whole["content"]
    assert events[-2]["delta"]["stop_reason"] == whole["stop_reason"]
    assert events[-2]["usage"]["output_tokens"] == whole["usage"]["output_tokens"]


@given(piece=st.text(), index=st.integers(0, 1000))
def test_the_prebuilt_delta_is_the_models_own_serialisation(piece: str, index: int) -> None:
    deltas: list[tuple[Any, Any]] = [
        (TextBlock(index), m.TextDelta(type="text_delta", text=piece)),
        (ReasoningBlock(index, is_hidden=False), m.ThinkingDelta(type="thinking_delta", thinking=piece)),
        (ToolUse(index, "a", "b"), m.InputJSONDelta(type="input_json_delta", partial_json=piece)),
    ]
    for block, delta in deltas:
        event = m.ContentBlockDeltaEvent(type="content_block_delta", index=index, delta=delta)
        assert list(write(Gained(block, piece))) == [event.__pydantic_serializer__.to_json(event)]
