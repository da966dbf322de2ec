"""Samples of Anthropic's requests, for the tests of all contracts."""

from typing import Final

from tests.support.samples.bodies import (
    CHAT,
    CITY,
    HELLO,
    MODEL,
    OTHER_MODEL,
    SCHEMA,
    STREAM,
    TEXT,
    WEATHER,
    Features,
    streamed,
)
from tests.support.samples.contracts import Exchange, LongRequest, Samples

_MESSAGES: Final = {**MODEL, **CHAT}
_QUESTION: Final = {"role": "user", "content": "What is 12 plus 30?"}
_ADD: Final = {"name": "add", "input_schema": {"type": "object", "properties": {"a": {"type": "integer"}}}}
_USING: Final = {**_MESSAGES, "tools": [_ADD], "tool_choice": {"type": "any"}, "max_tokens": 60}
_USED: Final = [
    _QUESTION,
    {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "add", "input": {}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "42"}]},
]
_THINKING: Final = {
    **MODEL,
    "messages": [_QUESTION],
    "max_tokens": 2000,
    "thinking": {"type": "enabled", "budget_tokens": 1024},
}
_JSON: Final = {"format": {"type": "json_schema", "schema": {"type": "object", "properties": {}}}}
_EXCHANGES: Final = (
    Exchange("POST", "/v1/messages", 200, _MESSAGES),
    Exchange("POST", "/v1/messages", 200, {**_MESSAGES, **STREAM, "stop_sequences": ["e"]}),
    Exchange("POST", "/v1/messages", 200, {**_MESSAGES, "max_tokens": 0}),
    Exchange("POST", "/v1/messages", 200, {**_MESSAGES, **STREAM, "max_tokens": 0}),
    Exchange("POST", "/v1/messages", 200, _USING),
    Exchange("POST", "/v1/messages", 200, {**_USING, **STREAM}),
    Exchange("POST", "/v1/messages", 200, {**_MESSAGES, "messages": _USED, "tools": [_ADD]}),
    Exchange("POST", "/v1/messages", 200, _THINKING),
    Exchange("POST", "/v1/messages", 200, {**_THINKING, **STREAM}),
    Exchange("POST", "/v1/messages", 200, {**_MESSAGES, "output_config": _JSON}),
    Exchange("POST", "/v1/messages", 400, {**_THINKING, "max_tokens": 1024}),
    Exchange("POST", "/v1/messages", 400, {**_MESSAGES, "unknown": 1}),
    Exchange("POST", "/v1/messages", 404, {**_MESSAGES, **OTHER_MODEL}),
    Exchange("POST", "/v1/messages/count_tokens", 200, {**MODEL, "messages": _USED, "tools": [_ADD]}),
    Exchange("POST", "/v1/messages/count_tokens", 400, _MESSAGES),
    Exchange("POST", "/v1/messages/count_tokens", 404, {**OTHER_MODEL, "messages": [_QUESTION]}),
    Exchange("POST", "/v1/messages/render", 200, {**_USING, "stop_sequences": ["e"]}),
    Exchange("POST", "/v1/messages/render", 400, {**_MESSAGES, "unknown": 1}),
    Exchange("POST", "/v1/messages/render", 404, {**_MESSAGES, **OTHER_MODEL}),
    Exchange("GET", "/v1/models", 200),
    Exchange("GET", "/v1/models?limit=1&after_id=verbatim-demo", 200),
    Exchange("GET", "/v1/models?limit=0", 400),
    Exchange("GET", "/v1/models?before_id=other", 400),
    Exchange("GET", "/v1/models/verbatim-demo", 200),
    Exchange("GET", "/v1/models/other", 404),
)
_LONG_MESSAGE: Final = {
    **MODEL,
    "messages": [{"role": "user", "content": "Hello"}],
    "max_tokens": 400,
    "output_config": {"format": {"type": "json_schema", "schema": TEXT}},
}
_GREEDY_MESSAGE: Final = {**MODEL, "messages": HELLO, "max_tokens": 12, "temperature": 0}
_MESSAGE_TOOL: Final = {"name": "get_weather", "input_schema": CITY}
_MESSAGE_FEATURES: Final[Features] = {
    "a text": _GREEDY_MESSAGE,
    "stop strings": {**_GREEDY_MESSAGE, "max_tokens": 24, "stop_sequences": ["n", "!"]},
    "thoughts": {
        **_GREEDY_MESSAGE,
        "max_tokens": 1100,
        "thinking": {"type": "enabled", "budget_tokens": 1024},
    },
    "a tool": {**_GREEDY_MESSAGE, "messages": WEATHER, "tools": [_MESSAGE_TOOL], "max_tokens": 80},
    "a tool that must be called": {
        **_GREEDY_MESSAGE,
        "tools": [_MESSAGE_TOOL],
        "tool_choice": {"type": "any"},
        "max_tokens": 80,
    },
    "a schema": {
        **_GREEDY_MESSAGE,
        "max_tokens": 60,
        "output_config": {
            "format": {"type": "json_schema", "schema": {**SCHEMA, "additionalProperties": False}}
        },
    },
}

SAMPLES: Final = Samples(
    exchanges=_EXCHANGES,
    long_requests=(
        LongRequest("/v1/messages", _LONG_MESSAGE),
        LongRequest(
            "/v1/messages",
            {**_LONG_MESSAGE, "stream": True},
            is_finished=lambda event: event["type"] == "message_stop",
            is_unavailable=lambda event: event["error"]["type"] == "overloaded_error",
        ),
    ),
    features=dict(streamed("/v1/messages", _MESSAGE_FEATURES)),
    headers={"anthropic-version": "2023-06-01"},
    unavailable_status=529,
    noted_fields=frozenset({"allowed_token_ids", "bad_words", "grammar", "priority"}),  # of rendered requests
)
