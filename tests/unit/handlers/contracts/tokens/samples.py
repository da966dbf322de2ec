"""Samples of the token API's requests, for the tests of all contracts."""

from typing import Final

from tests.support.samples.bodies import MODEL, OTHER_MODEL, STREAM, Features, streamed
from tests.support.samples.contracts import Exchange, LongRequest, Samples

_TOKENS: Final = {"token_ids": [72, 101, 108], "sampling_params": {"max_tokens": 3, "temperature": 0}}
_SCORED_TOKENS: Final = {
    **_TOKENS,
    "sampling_params": {"max_tokens": 3, "n": 2, "seed": 7, "logprobs": 2, "prompt_logprobs": 1},
}
_COUNTED: Final = {"stream_options": {"include_usage": True, "continuous_usage_stats": True}}
_EXCHANGES: Final = (
    Exchange("POST", "/inference/v1/generate", 200, _TOKENS),
    Exchange("POST", "/inference/v1/generate", 200, {**_TOKENS, **STREAM}),
    Exchange("POST", "/inference/v1/generate", 200, {**_SCORED_TOKENS, **MODEL}),
    Exchange("POST", "/inference/v1/generate", 200, {**_SCORED_TOKENS, **STREAM, **_COUNTED}),
    Exchange(
        "POST",
        "/inference/v1/generate",
        200,
        {**_TOKENS, "sampling_params": {"max_tokens": 9, "structured_outputs": {"choice": ["yes", "no"]}}},
    ),
    Exchange("POST", "/inference/v1/generate", 400, {**_TOKENS, "unknown": 1}),
    Exchange("POST", "/inference/v1/generate", 400, {**_TOKENS, "token_ids": [10**6]}),
    Exchange("POST", "/inference/v1/generate", 404, {**_TOKENS, **OTHER_MODEL}),
    Exchange("POST", "/inference/v1/abort_requests", 200, {"request_ids": ["nobody"]}),
    Exchange("POST", "/inference/v1/abort_requests", 400, {}),
    Exchange("GET", "/v1/models", 200),
    Exchange("GET", "/health", 200),
)
_LONG_TOKENS: Final = {
    "token_ids": [72, 101, 108],
    "sampling_params": {"max_tokens": 400, "ignore_eos": True},
}
_TOKEN_IDS: Final = {"token_ids": [72, 101, 108]}
_SAMPLING: Final = {"max_tokens": 12, "temperature": 0}
_TOKEN_FEATURES: Final[Features] = {
    "tokens": {**_TOKEN_IDS, "sampling_params": _SAMPLING},
    "the prompt's tokens": {
        **_TOKEN_IDS,
        "sampling_params": {**_SAMPLING, "logprobs": 2, "prompt_logprobs": 1},
    },
    "three sequences": {
        **_TOKEN_IDS,
        "sampling_params": {**_SAMPLING, "temperature": 1.0, "seed": 7, "n": 3},
    },
    "a regular expression": {
        **_TOKEN_IDS,
        "sampling_params": {**_SAMPLING, "structured_outputs": {"regex": "[a-c]{3}[0-9]"}},
    },
}

SAMPLES: Final = Samples(
    exchanges=_EXCHANGES,
    long_requests=(
        LongRequest("/inference/v1/generate", _LONG_TOKENS),
        LongRequest(
            "/inference/v1/generate",
            {**_LONG_TOKENS, "stream": True},
            is_finished=lambda event: event["choices"][0]["finish_reason"] == "length",
            is_unavailable=lambda event: event["error"]["code"] == 503,
        ),
    ),
    features=dict(streamed("/inference/v1/generate", _TOKEN_FEATURES)),
    noted_fields=frozenset(
        {
            "allowed_token_ids",
            "bad_words",
            "logprob_token_ids",
            "priority",
            "structured_outputs",
            "typical_p",
            "watermark",
        }
    ),
)
