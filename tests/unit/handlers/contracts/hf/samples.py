"""Samples of Hugging Face's requests, for the tests of all contracts."""

from typing import Final

from tests.support.samples.bodies import (
    ALL_CHAT_FEATURES,
    CALLING,
    CHAT,
    CHAT_PATH,
    COMPLETION,
    COMPLETION_FEATURES,
    LONG_NATIVE,
    NATIVE,
    STREAM,
    TEXT,
    native,
    streamed,
)
from tests.support.samples.contracts import Exchange, LongRequest, Samples

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
_EXCHANGES: Final = (
    Exchange("POST", "/generate", 200, NATIVE),
    Exchange("POST", "/generate", 200, _HF_DETAILED),
    Exchange("POST", "/generate", 400, {"inputs": ""}),
    Exchange("POST", "/generate_stream", 200, NATIVE),
    Exchange("POST", "/generate_stream", 200, {"inputs": "Hi", "parameters": {"details": True}}),
    Exchange("POST", "/generate_stream", 400, _HF_DETAILED),
    Exchange("POST", "/v1/chat/completions", 200, {**_ANY_MODEL, **CHAT}),
    Exchange(
        "POST", "/v1/chat/completions", 200, {**_ANY_MODEL, **CHAT, "logprobs": True, "top_logprobs": 2}
    ),
    Exchange("POST", "/v1/chat/completions", 200, {**_ANY_MODEL, **CALLING}),
    Exchange("POST", "/v1/chat/completions", 200, {**_ANY_MODEL, **CALLING, **STREAM}),
    Exchange(
        "POST",
        "/v1/chat/completions",
        200,
        {**_ANY_MODEL, **CHAT, **STREAM, "logprobs": True, "stream_options": {"include_usage": True}},
    ),
    Exchange("POST", "/v1/chat/completions", 400, CHAT),
    Exchange("POST", "/v1/completions", 200, {**_ANY_MODEL, **COMPLETION}),
    Exchange("POST", "/v1/completions", 200, {**_ANY_MODEL, **COMPLETION, **STREAM}),
    Exchange("POST", "/v1/completions", 400, {**_ANY_MODEL, **COMPLETION, "suffix": "!"}),
    Exchange("POST", "/tokenize", 200, {"inputs": "Hello", "add_special_tokens": False}),
    Exchange("POST", "/tokenize", 400, {}),
    Exchange("GET", "/health", 200),
    Exchange("GET", "/info", 200),
    Exchange("GET", "/metrics", 200),
    Exchange("GET", "/v1/models", 200),
)
_LONG_HF_CHAT: Final = {
    "model": "tgi",
    "messages": [{"role": "user", "content": "Hello"}],
    "max_tokens": 400,
    "stream": True,
    "response_format": {
        "type": "json_schema",
        "json_schema": {"name": "text", "schema": TEXT},
    },
}

SAMPLES: Final = Samples(
    exchanges=_EXCHANGES,
    long_requests=(
        LongRequest("/generate", LONG_NATIVE),
        LongRequest(
            "/generate_stream",
            LONG_NATIVE,
            is_finished=lambda event: "generated_text" in event,
            is_unavailable=lambda event: event["error_type"] == "unavailable",
        ),
        LongRequest(
            "/v1/chat/completions",
            _LONG_HF_CHAT,
            is_finished=lambda event: event["choices"][0].get("finish_reason") == "length",
            is_unavailable=lambda event: event["error_type"] == "unavailable",
        ),
    ),
    features=dict(
        [
            *streamed(CHAT_PATH, ALL_CHAT_FEATURES),
            *streamed("/v1/completions", COMPLETION_FEATURES),
            *native(ranks=False),
        ]
    ),
    noted_fields=frozenset({"grammar", "typical_p", "watermark"}),
)
