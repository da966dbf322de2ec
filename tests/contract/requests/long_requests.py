"""Requests that run until their client goes or their server stops, in the terms of each contract."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple


class LongRequest(NamedTuple):
    """Generates hundreds of tokens whatever the model would like, for no end token is allowed before.

    is_finished: whether an event says that all was generated. is_unavailable: whether it says that the server
    stopped before. Both are None where the answer is no stream.
    """

    path: str
    body: Mapping[str, Any]
    is_finished: Callable[[Any], bool] | None = None
    is_unavailable: Callable[[Any], bool] | None = None

    @property
    def has_grammar(self) -> bool:
        """True if a grammar must be compiled before the first token."""
        return _LETTERS in str(self.body)


# Counted twice, since the xgrammar of vLLM 0.32 fails at patterns of schemas with counts in the thousands.
_LETTERS: Final = "([a-z]{100}){40}"
_GRAMMAR: Final = {"type": "regex", "value": _LETTERS}
# Not the one text of an enum: its tokens would be forced, and all there before a test can do anything.
_TEXT: Final = {"type": "string", "pattern": f"^{_LETTERS}$"}
_NATIVE: Final = {"inputs": "Hello", "parameters": {"max_new_tokens": 400, "grammar": _GRAMMAR}}
_CHAT: Final = {
    "messages": [{"role": "user", "content": "Hello"}],
    "n": 8,
    "max_tokens": 400,
    "stream": True,
    "response_format": _GRAMMAR,
}
_HF_CHAT: Final = {
    "model": "tgi",
    "messages": [{"role": "user", "content": "Hello"}],
    "max_tokens": 400,
    "stream": True,
    "response_format": {
        "type": "json_schema",
        "json_schema": {"name": "text", "schema": _TEXT},
    },
}
_MODEL: Final = {"model": "verbatim-demo"}
_ENDLESS_CHAT: Final = {
    **_MODEL,
    "messages": [{"role": "user", "content": "Hello"}],
    "max_tokens": 400,
    "ignore_eos": True,
}
_COMPLETION: Final = {**_MODEL, "prompt": "Hello", "max_tokens": 400, "ignore_eos": True}
_INPUT: Final = {"text_input": "Hello", "max_tokens": 400, "ignore_eos": True}
_MINIMUM: Final = {**_MODEL, "prompt": "Hello", "maximum_tokens": 400, "minimum_tokens": 400}
_RESPONSE: Final = {**_MODEL, "input": "Hello", "max_output_tokens": 400, "ignore_eos": True}
_MESSAGE: Final = {
    **_MODEL,
    "messages": [{"role": "user", "content": "Hello"}],
    "max_tokens": 400,
    "output_config": {"format": {"type": "json_schema", "schema": _TEXT}},
}
_TOKENS: Final = {
    "token_ids": [72, 101, 108],
    "sampling_params": {"max_tokens": 400, "ignore_eos": True},
}
_MANY_QUESTIONS: Final = {
    **_MODEL,
    "state": "It rains.",
    "questions": {f"q{number}": {"type": "score", "criteria": list("abcdefghij")} for number in range(400)},
}


def _is_unavailable(event: Any) -> bool:
    return bool(event["error"]["code"] == "service_unavailable")


# By contract: at least one stream where it has any, and one whole answer.
LONG_REQUESTS: Final[Mapping[str, tuple[LongRequest, ...]]] = {
    "aleph_alpha": (
        LongRequest("/complete", _MINIMUM),
        LongRequest(
            "/complete",
            {**_MINIMUM, "stream": True},
            is_finished=lambda event: event["num_tokens_generated"] == 400,
            is_unavailable=lambda event: bool(event["code"] == "SERVICE_UNAVAILABLE"),
        ),
    ),
    "anthropic": (
        LongRequest("/v1/messages", _MESSAGE),
        LongRequest(
            "/v1/messages",
            {**_MESSAGE, "stream": True},
            is_finished=lambda event: event["type"] == "message_stop",
            is_unavailable=lambda event: event["error"]["type"] == "overloaded_error",
        ),
    ),
    "mindie": (
        LongRequest("/v1/chat/completions", _ENDLESS_CHAT),
        LongRequest(
            "/v1/chat/completions",
            {**_ENDLESS_CHAT, "stream": True},
            is_finished=lambda event: event["choices"][0]["finish_reason"] == "length",
            is_unavailable=lambda event: event["error_type"] == "Service Unavailable",
        ),
    ),
    "openai": (
        LongRequest("/v1/completions", _COMPLETION),
        LongRequest(
            "/v1/completions",
            {**_COMPLETION, "stream": True},
            is_finished=lambda event: event["choices"][0]["finish_reason"] == "length",
            is_unavailable=_is_unavailable,
        ),
        LongRequest(
            "/v1/chat/completions",
            {**_MODEL, **_CHAT},
            is_finished=lambda event: event["choices"][0]["finish_reason"] == "length",
            is_unavailable=_is_unavailable,
        ),
        LongRequest("/v1/responses", _RESPONSE),
        LongRequest(
            "/v1/responses",
            {**_RESPONSE, "stream": True},
            is_finished=lambda event: event["type"] == "response.incomplete",
            is_unavailable=lambda event: event["type"] == "response.failed",
        ),
    ),
    "systemone": (LongRequest("/v1/systemone", _MANY_QUESTIONS),),
    "tgi": (
        LongRequest("/generate", _NATIVE),
        LongRequest(
            "/generate_stream",
            _NATIVE,
            is_finished=lambda event: event["generated_text"] is not None,
            is_unavailable=lambda event: event["error_type"] == "unavailable",
        ),
        LongRequest(
            "/v1/chat/completions",
            _CHAT,
            is_finished=lambda event: event["choices"][0]["finish_reason"] == "length",
            is_unavailable=lambda event: event["error"]["http_status_code"] == 503,
        ),
    ),
    "hf": (
        LongRequest("/generate", _NATIVE),
        LongRequest(
            "/generate_stream",
            _NATIVE,
            is_finished=lambda event: "generated_text" in event,
            is_unavailable=lambda event: event["error_type"] == "unavailable",
        ),
        LongRequest(
            "/v1/chat/completions",
            _HF_CHAT,
            is_finished=lambda event: event["choices"][0].get("finish_reason") == "length",
            is_unavailable=lambda event: event["error_type"] == "unavailable",
        ),
    ),
    "tokens": (
        LongRequest("/inference/v1/generate", _TOKENS),
        LongRequest(
            "/inference/v1/generate",
            {**_TOKENS, "stream": True},
            is_finished=lambda event: event["choices"][0]["finish_reason"] == "length",
            is_unavailable=lambda event: event["error"]["code"] == 503,
        ),
    ),
    "triton": (
        LongRequest("/v2/models/verbatim-demo/generate", _INPUT),
        LongRequest(
            "/v2/models/verbatim-demo/generate_stream",
            {**_INPUT, "stream": True, "return_finish_reason": True},
            is_finished=lambda event: event["finish_reason"] == "length",
            is_unavailable=lambda event: event == {"error": "The server is shutting down"},
        ),
    ),
}
