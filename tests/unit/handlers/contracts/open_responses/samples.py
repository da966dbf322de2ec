"""Samples of Open Responses' requests, for the tests of all contracts."""

from typing import Any, Final

from tests.support.samples.bodies import CITY, MODEL, OTHER_MODEL, SCHEMA, STREAM, TEXT, Features, streamed
from tests.support.samples.contracts import Exchange, LongRequest, Samples

_PATH: Final = "/v1/responses"
_RESPONSE: Final = {**MODEL, "input": "Hello", "max_output_tokens": 16}
_TOOL: Final = {"type": "function", "name": "get_time", "parameters": {"type": "object"}}
_CALLED: Final = {**_RESPONSE, "tools": [_TOOL], "tool_choice": "required", "max_output_tokens": 60}
_LONG: Final = {
    **MODEL,
    "input": "Hello",
    "max_output_tokens": 400,
    "text": {
        "format": {
            "type": "json_schema",
            "name": "letters",
            "schema": {"type": "object", "properties": {"text": TEXT}, "required": ["text"]},
        }
    },
}
_GREEDY: Final = {**MODEL, "input": "Hello, my name is Anna.", "temperature": 0, "max_output_tokens": 16}
_WEATHER: Final = {"type": "function", "name": "get_weather", "parameters": CITY, "strict": False}
_FEATURES: Final[Features] = {
    "a text": _GREEDY,
    "log-probabilities": {**_GREEDY, "top_logprobs": 2, "include": ["message.output_text.logprobs"]},
    "a tool that must be called": {
        **_GREEDY,
        "tools": [_WEATHER],
        "tool_choice": "required",
        "max_output_tokens": 80,
    },
    "a schema": {
        **_GREEDY,
        "text": {"format": {"type": "json_schema", "name": "s", "schema": SCHEMA}},
        "max_output_tokens": 60,
    },
}


def _ends_with(kind: str) -> Any:
    return lambda event: event["type"] == kind


SAMPLES: Final = Samples(
    exchanges=(
        Exchange("POST", _PATH, 200, _RESPONSE),
        Exchange("POST", _PATH, 200, {**_RESPONSE, **STREAM}),
        Exchange("POST", _PATH, 200, _CALLED),
        Exchange("POST", _PATH, 200, {**_CALLED, **STREAM}),
        Exchange("POST", _PATH, 400, {**_RESPONSE, "input": []}),
        Exchange("POST", _PATH, 404, {**_RESPONSE, **OTHER_MODEL}),
    ),
    long_requests=(
        LongRequest(_PATH, _LONG),
        LongRequest(
            _PATH,
            {**_LONG, "stream": True},
            is_finished=_ends_with("response.incomplete"),
            is_unavailable=_ends_with("response.failed"),
        ),
    ),
    features=dict(streamed(_PATH, _FEATURES)),
)
