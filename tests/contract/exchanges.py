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

_MODEL: Final = {"model": "verbatim-demo"}
_OTHER_MODEL: Final = {"model": "gpt-4o"}
_RESPONSE: Final = {**_MODEL, "input": "Hello", "max_output_tokens": 5}
_RESPONSE_TOOL: Final = {"type": "function", "name": "get_time", "parameters": {"type": "object"}}
_EMBEDDING: Final = {**_MODEL, "input": ["Hello", "Good morning"]}

_OPENAI: Final = (
    Exchange("POST", "/v1/chat/completions", 200, {**_MODEL, **_CHAT}),
    Exchange(
        "POST", "/v1/chat/completions", 200, {**_MODEL, **_CHAT, "n": 2, "logprobs": True, "top_logprobs": 2}
    ),
    Exchange("POST", "/v1/chat/completions", 200, {**_MODEL, **_CALLING}),
    Exchange("POST", "/v1/chat/completions", 200, {**_MODEL, **_CALLING, **_STREAM}),
    Exchange(
        "POST",
        "/v1/chat/completions",
        200,
        {**_MODEL, **_CHAT, **_STREAM, "logprobs": True, "stream_options": {"include_usage": True}},
    ),
    Exchange("POST", "/v1/chat/completions", 400, {**_MODEL, **_CHAT, "unknown": 1}),
    Exchange("POST", "/v1/chat/completions", 400, {**_MODEL, **_CHAT, "top_logprobs": 2}),
    Exchange("POST", "/v1/chat/completions", 404, {**_OTHER_MODEL, **_CHAT}),
    Exchange("POST", "/v1/completions", 200, {**_MODEL, **_COMPLETION}),
    Exchange("POST", "/v1/completions", 200, {**_MODEL, **_COMPLETION, **_STREAM, "logprobs": 2}),
    Exchange(
        "POST",
        "/v1/completions",
        200,
        {**_MODEL, "prompt": "Hi", "max_tokens": 0, "echo": True, "logprobs": 1},
    ),
    Exchange("POST", "/v1/completions", 400, _MODEL),
    Exchange("POST", "/v1/completions", 404, {**_OTHER_MODEL, **_COMPLETION}),
    Exchange("POST", "/v1/responses", 200, _RESPONSE),
    Exchange("POST", "/v1/responses", 200, {**_RESPONSE, **_STREAM}),
    Exchange(
        "POST",
        "/v1/responses",
        200,
        {
            **_RESPONSE,
            **_STREAM,
            "tools": [_RESPONSE_TOOL],
            "tool_choice": "required",
            "max_output_tokens": 60,
        },
    ),
    Exchange("POST", "/v1/responses", 400, {**_RESPONSE, "input": []}),
    Exchange("POST", "/v1/responses", 404, {**_RESPONSE, **_OTHER_MODEL}),
    Exchange("POST", "/v1/embeddings", 200, _EMBEDDING),
    Exchange("POST", "/v1/embeddings", 200, {**_EMBEDDING, "encoding_format": "base64", "dimensions": 8}),
    Exchange("POST", "/v1/embeddings", 400, {**_EMBEDDING, "input": []}),
    Exchange("GET", "/v1/models", 200),
    Exchange("GET", "/v1/models/verbatim-demo", 200),
    Exchange("GET", "/v1/models/other", 404),
)

_ANY_MODEL: Final = {"model": "tgi"}
_HF_DETAILED: Final = {
    "inputs": "Hello",
    "parameters": {
        "max_new_tokens": 3,
        "details": True,
        "decoder_input_details": True,
        "do_sample": True,
        "best_of": 2,
    },
}

_HF: Final = (
    Exchange("POST", "/generate", 200, _NATIVE),
    Exchange("POST", "/generate", 200, _HF_DETAILED),
    Exchange("POST", "/generate", 400, {"inputs": ""}),
    Exchange("POST", "/generate_stream", 200, _NATIVE),
    Exchange("POST", "/generate_stream", 200, {"inputs": "Hi", "parameters": {"details": True}}),
    Exchange("POST", "/generate_stream", 400, _HF_DETAILED),
    Exchange("POST", "/v1/chat/completions", 200, {**_ANY_MODEL, **_CHAT}),
    Exchange(
        "POST", "/v1/chat/completions", 200, {**_ANY_MODEL, **_CHAT, "logprobs": True, "top_logprobs": 2}
    ),
    Exchange("POST", "/v1/chat/completions", 200, {**_ANY_MODEL, **_CALLING}),
    Exchange("POST", "/v1/chat/completions", 200, {**_ANY_MODEL, **_CALLING, **_STREAM}),
    Exchange(
        "POST",
        "/v1/chat/completions",
        200,
        {**_ANY_MODEL, **_CHAT, **_STREAM, "logprobs": True, "stream_options": {"include_usage": True}},
    ),
    Exchange("POST", "/v1/chat/completions", 400, _CHAT),
    Exchange("POST", "/v1/completions", 200, {**_ANY_MODEL, **_COMPLETION}),
    Exchange("POST", "/v1/completions", 200, {**_ANY_MODEL, **_COMPLETION, **_STREAM}),
    Exchange("POST", "/v1/completions", 400, {**_ANY_MODEL, **_COMPLETION, "suffix": "!"}),
    Exchange("POST", "/tokenize", 200, {"inputs": "Hello", "add_special_tokens": False}),
    Exchange("POST", "/tokenize", 400, {}),
    Exchange("GET", "/health", 200),
    Exchange("GET", "/info", 200),
    Exchange("GET", "/metrics", 200),
    Exchange("GET", "/v1/models", 200),
)

# By contract; together they succeed at every operation.
EXCHANGES: Final[Mapping[str, Sequence[Exchange]]] = {"openai": _OPENAI, "tgi": _TGI, "hf": _HF}
