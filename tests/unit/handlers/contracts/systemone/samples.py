"""Samples of System One's requests, for the tests of all contracts."""

from typing import Final

from tests.support.samples.bodies import MODEL
from tests.support.samples.contracts import Exchange, LongRequest, Samples

_QUESTIONS: Final = {
    "a": {
        "type": "noul",
        "instructions": {"is": "wet"},
        "criteria": {"true": "Water", "false": None},
    },
    "b": {"type": "choice", "criteria": {"x": None, "y": ["or", "not"]}},
    "c": {"type": "score", "criteria": ["low", {"more": 1}]},
}
_ASKING: Final = {**MODEL, "state": ["It rains", {"hour": 5}], "questions": _QUESTIONS}
_MANY_QUESTIONS: Final = {
    **MODEL,
    "state": "It rains.",
    "questions": {f"q{number}": {"type": "score", "criteria": list("abcdefghij")} for number in range(400)},
}

SAMPLES: Final = Samples(
    exchanges=(
        Exchange("POST", "/v1/systemone", 200, _ASKING),
        Exchange("POST", "/v1/systemone", 422, {**_ASKING, "questions": {"a": {"type": "noul"}}}),
        Exchange("GET", "/v1/models", 200),
    ),
    long_requests=(LongRequest("/v1/systemone", _MANY_QUESTIONS),),
    features={},  # it has nothing but questions
)
