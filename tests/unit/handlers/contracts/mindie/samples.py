"""Samples of MindIE's requests, for the tests of all contracts."""

from typing import Final

from tests.support.samples.bodies import (
    CALLING,
    CHAT,
    CHAT_FEATURES,
    CHAT_PATH,
    MODEL,
    OTHER_MODEL,
    SEVERAL_FEATURES,
    STREAM,
    TOOL_FEATURES,
    streamed,
)
from tests.support.samples.contracts import Exchange, LongRequest, Samples

_EXCHANGES: Final = (
    Exchange("POST", "/v1/chat/completions", 200, {**MODEL, **CHAT}),
    Exchange("POST", "/v1/chat/completions", 200, {**MODEL, **CHAT, "n": 2, "top_logprobs": 2}),
    Exchange("POST", "/v1/chat/completions", 200, {**MODEL, **CHAT, "n": 2, "use_beam_search": True}),
    Exchange("POST", "/v1/chat/completions", 200, {**MODEL, **CALLING}),
    Exchange("POST", "/v1/chat/completions", 200, {**MODEL, **CALLING, **STREAM}),
    Exchange("POST", "/v1/chat/completions", 200, {**MODEL, **CHAT, **STREAM, "top_logprobs": 2}),
    Exchange("POST", "/v1/chat/completions", 422, {**MODEL, **CALLING, "stop": "."}),
    Exchange("POST", "/v1/chat/completions", 422, {**OTHER_MODEL, **CHAT}),
)
_ENDLESS_CHAT: Final = {
    **MODEL,
    "messages": [{"role": "user", "content": "Hello"}],
    "max_tokens": 400,
    "ignore_eos": True,
}

SAMPLES: Final = Samples(
    exchanges=_EXCHANGES,
    long_requests=(
        LongRequest("/v1/chat/completions", _ENDLESS_CHAT),
        LongRequest(
            "/v1/chat/completions",
            {**_ENDLESS_CHAT, "stream": True},
            is_finished=lambda event: event["choices"][0]["finish_reason"] == "length",
            is_unavailable=lambda event: event["error_type"] == "Service Unavailable",
        ),
    ),
    features=dict(streamed(CHAT_PATH, CHAT_FEATURES | SEVERAL_FEATURES | TOOL_FEATURES)),
    noted_fields=frozenset({"response_format", "use_beam_search"}),
)
