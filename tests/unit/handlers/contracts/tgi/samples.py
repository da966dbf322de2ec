"""Samples of TGI's requests, for the tests of all contracts."""

from typing import Final

from tests.support.samples.bodies import (
    ALL_CHAT_FEATURES,
    CALLING,
    CHAT,
    CHAT_PATH,
    COMPLETION,
    COMPLETION_FEATURES,
    LONG_CHAT,
    LONG_NATIVE,
    NATIVE,
    SEVERAL_FEATURES,
    STREAM,
    native,
    streamed,
)
from tests.support.samples.contracts import Exchange, LongRequest, Samples

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
_EXCHANGES: Final = (
    Exchange("POST", "/", 200, NATIVE),
    Exchange("POST", "/", 200, {**NATIVE, **STREAM}),
    Exchange("POST", "/", 422, {**_DETAILED, **STREAM}),
    Exchange("POST", "/generate", 200, NATIVE),
    Exchange("POST", "/generate", 200, _DETAILED),
    Exchange("POST", "/generate", 422, {"inputs": ""}),
    Exchange("POST", "/generate_stream", 200, NATIVE),
    Exchange(
        "POST", "/generate_stream", 200, {"inputs": "Hi", "parameters": {"details": True, "top_n_tokens": 2}}
    ),
    Exchange("POST", "/generate_stream", 422, _DETAILED),
    Exchange("POST", "/tokenize", 200, NATIVE),
    Exchange("POST", "/tokenize", 422, {}),
    Exchange("POST", "/v1/chat/completions", 200, CHAT),
    Exchange("POST", "/v1/chat/completions", 200, {**CHAT, "n": 2, "logprobs": True, "top_logprobs": 2}),
    Exchange("POST", "/v1/chat/completions", 200, CALLING),
    Exchange(
        "POST", "/v1/chat/completions", 200, {**CHAT, **STREAM, "stream_options": {"include_usage": True}}
    ),
    Exchange("POST", "/v1/chat/completions", 200, {**CHAT, **STREAM, "logprobs": True, "top_logprobs": 2}),
    Exchange("POST", "/v1/chat/completions", 200, {**CALLING, **STREAM}),
    Exchange("POST", "/v1/chat/completions", 422, {**CALLING, "tool_choice": "unknown"}),
    Exchange("POST", "/v1/completions", 200, COMPLETION),
    Exchange("POST", "/v1/completions", 200, {**COMPLETION, **STREAM}),
    Exchange("POST", "/v1/completions", 422, {**COMPLETION, "suffix": "!"}),
    Exchange("GET", "/health", 200),
    Exchange("GET", "/info", 200),
    Exchange("GET", "/metrics", 200),
    Exchange("GET", "/v1/models", 200),
)

SAMPLES: Final = Samples(
    exchanges=_EXCHANGES,
    long_requests=(
        LongRequest("/generate", LONG_NATIVE),
        LongRequest(
            "/generate_stream",
            LONG_NATIVE,
            is_finished=lambda event: event["generated_text"] is not None,
            is_unavailable=lambda event: event["error_type"] == "unavailable",
        ),
        LongRequest(
            "/v1/chat/completions",
            LONG_CHAT,
            is_finished=lambda event: event["choices"][0]["finish_reason"] == "length",
            is_unavailable=lambda event: event["error"]["http_status_code"] == 503,
        ),
    ),
    features=dict(
        [
            *streamed(CHAT_PATH, ALL_CHAT_FEATURES | SEVERAL_FEATURES),
            *streamed("/v1/completions", COMPLETION_FEATURES),
            *native(ranks=True),
        ]
    ),
    noted_fields=frozenset({"grammar", "typical_p", "watermark"}),
)
