"""Answers of a server that keeps every client going, for tests to spoil."""

import json
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from tests.unit.handlers.commands.conform.profile.scripted import stream, whole
from verbatim_kit.conform.client import Answer
from verbatim_kit.conform.request import Request

Json = Any
Spoil = Callable[[Json], None]

_ARGUMENTS: Final = '{"city": "Oslo"}'
_SCHEMA: Final = {"type": "object", "properties": {"city": {"type": "string"}}}
_USAGE: Final = {"prompt_tokens": 4, "completion_tokens": 8, "total_tokens": 12}
_RESPONSE_USAGE: Final = {"input_tokens": 4, "output_tokens": 8, "total_tokens": 12}


class Api(NamedTuple):
    """An API's request, and its good answers: whole and as events, to a question and to a required tool."""

    path: str
    body: Json
    whole: Json
    whole_call: Json
    events: list[Json]
    call_events: list[Json]
    has_names: bool = False

    def answers(self, *, spoil: Spoil = lambda value: None, spoil_call: Spoil = lambda value: None) -> Any:
        """A server's reply to every request: the good one, after it was spoilt."""

        def reply(request: Request) -> Answer:
            body = request.body
            is_forced = body.get("tool_choice") in ("required", {"type": "any"})
            is_streamed = body.get("stream")
            good = (
                (self.call_events if is_forced else self.events)
                if is_streamed
                else (self.whole_call if is_forced else self.whole)
            )
            value = json.loads(json.dumps(good))
            (spoil_call if is_forced else spoil)(value)
            return stream(value, self.has_names) if is_streamed else whole(value)

        return reply

    @property
    def streamed(self) -> Json:
        return {**self.body, "stream": True}


def _chat_chunk(delta: Json, finish: str | None = None, index: int = 0) -> Json:
    return {
        "id": "c1",
        "created": 1,
        "model": "small",
        "choices": [{"index": index, "delta": delta, "finish_reason": finish}],
    }


def _piece(**function: str) -> Json:
    return _chat_chunk({"tool_calls": [{"index": 0, "function": function}]})


_HEAD: Final = _chat_chunk(
    {
        "role": "assistant",
        "tool_calls": [
            {"index": 0, "id": "t1", "type": "function", "function": {"name": "weather", "arguments": ""}}
        ],
    }
)
_CHAT_CALL: Final = {
    "id": "t1",
    "type": "function",
    "function": {"name": "weather", "arguments": _ARGUMENTS},
}

CHAT: Final = Api(
    "/v1/chat/completions",
    {
        "model": "any",
        "messages": [{"role": "user", "content": "Hi"}],
        "max_tokens": 4000,
        "tools": [{"type": "function", "function": {"name": "weather", "parameters": _SCHEMA}}],
    },
    {
        "id": "c1",
        "created": 1,
        "model": "small",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}
        ],
        "usage": _USAGE,
    },
    {
        "id": "c1",
        "created": 1,
        "model": "small",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": None, "tool_calls": [_CHAT_CALL]},
                "finish_reason": "tool_calls",
            }
        ],
        "usage": _USAGE,
    },
    [
        _chat_chunk({"role": "assistant", "content": ""}),
        _chat_chunk({"content": "Hel"}),
        _chat_chunk({"content": "lo"}),
        _chat_chunk({}, "stop"),
    ],
    [_HEAD, _piece(arguments='{"city": '), _piece(arguments='"Oslo"}'), _chat_chunk({}, "tool_calls")],
)

COMPLETIONS: Final = Api(
    "/v1/completions",
    {"model": "any", "prompt": "Hi", "max_tokens": 8},
    {"id": "c1", "choices": [{"index": 0, "text": "Hello", "finish_reason": "stop"}], "usage": _USAGE},
    None,
    [
        {"id": "c1", "choices": [{"index": 0, "text": "Hel", "finish_reason": None}]},
        {"id": "c1", "choices": [{"index": 0, "text": "lo", "finish_reason": "stop"}]},
    ],
    [],
)


def _message(content: list[Json], reason: str) -> Json:
    return {
        "type": "message",
        "role": "assistant",
        "id": "m1",
        "model": "small",
        "content": content,
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 4, "output_tokens": 8},
    }


def _message_events(block: Json, delta: Json, reason: str) -> list[Json]:
    start = {**_message([], ""), "stop_reason": None}
    return [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "ping"},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 8}},
        {"type": "message_stop"},
    ]


MESSAGES: Final = Api(
    "/v1/messages",
    {
        "model": "any",
        "messages": [{"role": "user", "content": "Hi"}],
        "max_tokens": 4000,
        "tools": [{"name": "weather", "input_schema": _SCHEMA}],
    },
    _message([{"type": "text", "text": "Hello"}], "end_turn"),
    _message([{"type": "tool_use", "id": "t1", "name": "weather", "input": {"city": "Oslo"}}], "tool_use"),
    _message_events({"type": "text", "text": ""}, {"type": "text_delta", "text": "Hello"}, "end_turn"),
    _message_events(
        {"type": "tool_use", "id": "t1", "name": "weather", "input": {}},
        {"type": "input_json_delta", "partial_json": _ARGUMENTS},
        "tool_use",
    ),
    has_names=True,
)


def _response(output: list[Json], status: str = "completed") -> Json:
    return {
        "id": "r1",
        "object": "response",
        "created_at": 1,
        "model": "small",
        "status": status,
        "output": output,
        "usage": _RESPONSE_USAGE,
    }


_TEXT: Final = {
    "type": "message",
    "id": "i1",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "Hello", "annotations": []}],
}
_FUNCTION_CALL: Final = {
    "type": "function_call",
    "id": "i1",
    "call_id": "t1",
    "name": "weather",
    "arguments": _ARGUMENTS,
}


def _response_events(begun: Json, kind: str, delta: str, done: Json) -> list[Json]:
    return [
        {"type": "response.created", "response": _response([], "in_progress")},
        {"type": "response.output_item.added", "output_index": 0, "item": begun},
        {"type": kind, "item_id": "i1", "output_index": 0, "delta": delta},
        {"type": "response.output_item.done", "output_index": 0, "item": done},
        {"type": "response.completed", "response": _response([done])},
    ]


RESPONSES: Final = Api(
    "/v1/responses",
    {
        "model": "any",
        "input": "Hi",
        "tools": [{"type": "function", "name": "weather", "parameters": _SCHEMA}],
    },
    _response([_TEXT]),
    _response([_FUNCTION_CALL]),
    _response_events({**_TEXT, "content": []}, "response.output_text.delta", "Hello", _TEXT),
    _response_events(
        {**_FUNCTION_CALL, "arguments": ""},
        "response.function_call_arguments.delta",
        _ARGUMENTS,
        _FUNCTION_CALL,
    ),
)

ALL: Final = (CHAT, COMPLETIONS, MESSAGES, RESPONSES)
