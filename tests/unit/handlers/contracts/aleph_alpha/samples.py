"""Samples of Aleph Alpha's requests, for the tests of all contracts."""

from typing import Final

from tests.support.samples.bodies import (
    CALLING,
    CHAT,
    CHAT_FEATURES,
    MODEL,
    OTHER_MODEL,
    SCORED_FEATURES,
    SEVERAL_FEATURES,
    STREAM,
    Features,
    streamed,
)
from tests.support.samples.contracts import Exchange, LongRequest, Samples

_SCORED: Final = {"log_probs": 1, "tokens": True, "echo": True, "raw_completion": True}
_ALEPH_ALPHA_COMPLETION: Final = {**MODEL, "prompt": "Hello", "maximum_tokens": 3}
_PROMPT_ITEMS: Final = [
    {"type": "text", "data": "Hello", "controls": []},
    {"type": "token_ids", "data": [72, 105]},
]
_EVALUATION: Final = {**MODEL, "prompt": "Hello", "completion_expected": "! How are you?"}
_TOKENIZATION: Final = {**MODEL, "prompt": "Hello", "tokens": True, "token_ids": True}
_EXCHANGES: Final = (
    Exchange("POST", "/chat/completions", 200, {**MODEL, **CHAT}),
    Exchange("POST", "/chat/completions", 200, {**MODEL, **CHAT, "n": 2, "logprobs": True, "seed": 1}),
    Exchange(
        "POST",
        "/chat/completions",
        200,
        {**MODEL, **CHAT, **STREAM, "top_logprobs": 2, "stream_options": {"include_usage": True}},
    ),
    Exchange("POST", "/chat/completions", 400, {**MODEL, **CALLING}),
    Exchange("POST", "/chat/completions", 404, {**OTHER_MODEL, **CHAT}),
    Exchange("POST", "/complete", 200, _ALEPH_ALPHA_COMPLETION),
    Exchange("POST", "/complete", 200, {**_ALEPH_ALPHA_COMPLETION, **_SCORED, "prompt": ""}),
    Exchange("POST", "/complete", 200, {**_ALEPH_ALPHA_COMPLETION, **_SCORED, **STREAM, "n": 2}),
    Exchange("POST", "/complete", 200, {**_ALEPH_ALPHA_COMPLETION, "temperature": 0.7, "best_of": 2}),
    Exchange("POST", "/complete", 400, {**_ALEPH_ALPHA_COMPLETION, "best_of": 1}),
    Exchange("POST", "/complete", 404, {**_ALEPH_ALPHA_COMPLETION, **OTHER_MODEL}),
    Exchange("POST", "/evaluate", 200, _EVALUATION),
    Exchange("POST", "/evaluate", 200, {**_EVALUATION, "prompt": _PROMPT_ITEMS}),
    Exchange("POST", "/evaluate", 400, {**_EVALUATION, "completion_expected": ""}),
    Exchange("POST", "/evaluate", 404, {**_EVALUATION, **OTHER_MODEL}),
    Exchange("POST", "/tokenize", 200, _TOKENIZATION),
    Exchange("POST", "/tokenize", 400, MODEL),
    Exchange("POST", "/tokenize", 404, {**_TOKENIZATION, **OTHER_MODEL}),
    Exchange("POST", "/detokenize", 200, {**MODEL, "token_ids": [72, 105]}),
    Exchange("POST", "/detokenize", 400, {**MODEL, "token_ids": [10**6]}),
    Exchange("GET", "/models_available", 200),
    Exchange("GET", "/model-settings", 200),
    Exchange("GET", "/version", 200),
)
_MINIMUM: Final = {**MODEL, "prompt": "Hello", "maximum_tokens": 400, "minimum_tokens": 400}
_GREEDY_COMPLETION: Final = {**MODEL, "prompt": "Hello", "maximum_tokens": 6, "temperature": 0}
_COMPLETE_FEATURES: Final[Features] = {
    "a text": _GREEDY_COMPLETION,
    "stop strings": {**_GREEDY_COMPLETION, "maximum_tokens": 40, "stop_sequences": ["e"]},
    "its prompt": {**_GREEDY_COMPLETION, "log_probs": 2, "tokens": True, "echo": True},
    "two completions": {**_GREEDY_COMPLETION, "temperature": 1.0, "n": 2},
}

SAMPLES: Final = Samples(
    exchanges=_EXCHANGES,
    long_requests=(
        LongRequest("/complete", _MINIMUM),
        LongRequest(
            "/complete",
            {**_MINIMUM, "stream": True},
            is_finished=lambda event: event["num_tokens_generated"] == 400,
            is_unavailable=lambda event: bool(event["code"] == "SERVICE_UNAVAILABLE"),
        ),
    ),
    features=dict(
        [
            *streamed("/chat/completions", CHAT_FEATURES | SCORED_FEATURES | SEVERAL_FEATURES),
            *streamed("/complete", _COMPLETE_FEATURES),
        ]
    ),
    noted_fields=frozenset({"completion_bias_exclusion", "nice"}),
)
