"""Samples of Triton's requests, for the tests of all contracts."""

from typing import Final

from tests.support.samples.bodies import STREAM, Features, at
from tests.support.samples.contracts import Exchange, LongRequest, Samples

_NAMED: Final = "/v2/models/verbatim-demo"
_GENERATE: Final = f"{_NAMED}/generate"
_VERSION: Final = f"{_NAMED}/versions/1"
_INPUT: Final = {"text_input": "Hello", "parameters": {"max_tokens": 3}}
_TOLD: Final = {
    "id": "42",
    "text_input": "Hello",
    "stop_words": [""],
    "bad_words": [""],
    "return_finish_reason": True,
    "return_cumulative_logprob": True,
    "return_logprobs": True,
    "return_log_probs": True,
    "return_num_input_tokens": True,
    "return_num_output_tokens": True,
    "max_tokens": 3,
    "logprobs": 2,
}
_EXCHANGES: Final = (
    Exchange("POST", f"{_NAMED}/generate", 200, _INPUT),
    Exchange("POST", f"{_NAMED}/generate", 200, {**_TOLD, "n": 2}),
    Exchange("POST", f"{_NAMED}/generate", 400, {**_INPUT, **STREAM}),
    Exchange("POST", f"{_NAMED}/generate", 400, {"text_input": 5}),
    Exchange("POST", "/v2/models/other/generate", 400, _INPUT),
    Exchange("POST", f"{_NAMED}/generate_stream", 200, _INPUT),
    Exchange("POST", f"{_NAMED}/generate_stream", 200, {**_TOLD, **STREAM}),
    Exchange("POST", f"{_NAMED}/generate_stream", 200, {**_TOLD, **STREAM, "n": 2}),
    Exchange("POST", f"{_NAMED}/generate_stream", 400, {}),
    Exchange("POST", f"{_VERSION}/generate", 200, _INPUT),
    Exchange("POST", f"{_NAMED}/versions/9/generate", 404, _INPUT),
    Exchange("POST", f"{_VERSION}/generate_stream", 200, {**_INPUT, **STREAM}),
    Exchange("GET", "/v2", 200),
    Exchange("GET", "/v2/health/live", 200),
    Exchange("GET", "/v2/health/ready", 200),
    Exchange("POST", "/v2/repository/index", 200, {"ready": True}),
    Exchange("GET", "/v2/models/stats", 200),
    *(
        Exchange("GET", f"{named}{part}", 200)
        for named in (_NAMED, _VERSION)
        for part in ("", "/ready", "/config", "/stats")
    ),
    Exchange("GET", "/v2/models/other", 400),
    Exchange("GET", "/v2/models/other/ready", 400),
    Exchange("GET", f"{_NAMED}/versions/9/stats", 404),
)
_LONG_INPUT: Final = {"text_input": "Hello", "max_tokens": 400, "ignore_eos": True}
_GREEDY_INPUT: Final = {"text_input": "Hello", "max_tokens": 12, "temperature": 0}
_RETURNS: Final = {
    "return_finish_reason": True,
    "return_cumulative_logprob": True,
    "return_logprobs": True,
    "return_log_probs": True,
    "return_num_input_tokens": True,
    "return_num_output_tokens": True,
    "logprobs": 2,
}
_FEATURES: Final[Features] = {
    "a text": _GREEDY_INPUT,
    "stop strings": {**_GREEDY_INPUT, "max_tokens": 40, "stop_words": ["e"]},
    "log-probabilities": {**_GREEDY_INPUT, **_RETURNS},
    "two sequences": {**_GREEDY_INPUT, "temperature": 1.0, "seed": 7, "n": 2},
}


SAMPLES: Final = Samples(
    exchanges=_EXCHANGES,
    long_requests=(
        LongRequest("/v2/models/verbatim-demo/generate", _LONG_INPUT),
        LongRequest(
            "/v2/models/verbatim-demo/generate_stream",
            {**_LONG_INPUT, "stream": True, "return_finish_reason": True},
            is_finished=lambda event: event["finish_reason"] == "length",
            is_unavailable=lambda event: event == {"error": "The server is shutting down"},
        ),
    ),
    features=dict(
        [
            *at(_GENERATE, _FEATURES),
            *at(
                f"{_GENERATE}_stream",
                {name: {**body, "stream": True} for name, body in _FEATURES.items()},
            ),
        ]
    ),
    noted_fields=frozenset({"allowed_token_ids", "bad_words", "beam_width", "grammar"}),
)
