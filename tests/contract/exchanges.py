"""Requests of every contract, and the status that each is answered with."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple


class Exchange(NamedTuple):
    """A request, and the status that its answer has."""

    method: str
    path: str
    status: int
    body: dict[str, Any] | None = None


_NATIVE: Final = {"inputs": "Hello", "parameters": {"max_new_tokens": 3}}
_DETAILED: Final = {
    "inputs": "Hello",
    "parameters": {
        "max_new_tokens": 3,
        "details": True,
        "decoder_input_details": True,
        "top_n_tokens": 2,
        "do_sample": True,
        "best_of": 2,
    },
}
_CHAT: Final = {"messages": [{"role": "user", "content": "Hello!"}], "max_tokens": 5}
_TOOL: Final = {
    "type": "function",
    "function": {"name": "get_time", "parameters": {"type": "object", "properties": {}}},
}
_CALLING: Final = {**_CHAT, "tools": [_TOOL], "tool_choice": "required", "max_tokens": 60}
_COMPLETION: Final = {"prompt": ["Hello", "My name"], "max_tokens": 3}
_STREAM: Final = {"stream": True}

_TGI: Final = (
    Exchange("POST", "/", 200, _NATIVE),
    Exchange("POST", "/", 200, {**_NATIVE, **_STREAM}),
    Exchange("POST", "/", 422, {**_DETAILED, **_STREAM}),
    Exchange("POST", "/generate", 200, _NATIVE),
    Exchange("POST", "/generate", 200, _DETAILED),
    Exchange("POST", "/generate", 422, {"inputs": ""}),
    Exchange("POST", "/generate_stream", 200, _NATIVE),
    Exchange(
        "POST", "/generate_stream", 200, {"inputs": "Hi", "parameters": {"details": True, "top_n_tokens": 2}}
    ),
    Exchange("POST", "/generate_stream", 422, _DETAILED),
    Exchange("POST", "/tokenize", 200, _NATIVE),
    Exchange("POST", "/tokenize", 422, {}),
    Exchange("POST", "/v1/chat/completions", 200, _CHAT),
    Exchange("POST", "/v1/chat/completions", 200, {**_CHAT, "n": 2, "logprobs": True, "top_logprobs": 2}),
    Exchange("POST", "/v1/chat/completions", 200, _CALLING),
    Exchange(
        "POST", "/v1/chat/completions", 200, {**_CHAT, **_STREAM, "stream_options": {"include_usage": True}}
    ),
    Exchange("POST", "/v1/chat/completions", 200, {**_CHAT, **_STREAM, "logprobs": True, "top_logprobs": 2}),
    Exchange("POST", "/v1/chat/completions", 200, {**_CALLING, **_STREAM}),
    Exchange("POST", "/v1/chat/completions", 422, {**_CALLING, "tool_choice": "unknown"}),
    Exchange("POST", "/v1/completions", 200, _COMPLETION),
    Exchange("POST", "/v1/completions", 200, {**_COMPLETION, **_STREAM}),
    Exchange("POST", "/v1/completions", 422, {**_COMPLETION, "suffix": "!"}),
    Exchange("GET", "/health", 200),
    Exchange("GET", "/info", 200),
    Exchange("GET", "/metrics", 200),
    Exchange("GET", "/v1/models", 200),
)

# By contract; together they succeed at every operation.
EXCHANGES: Final[Mapping[str, Sequence[Exchange]]] = {"tgi": _TGI}
