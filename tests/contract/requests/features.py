"""Requests for what an engine does beyond continuing a text, in the terms of each contract; all succeed.

The likeliest tokens are asked for unless the feature is to draw them.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

Body: TypeAlias = dict[str, Any]
_Features: TypeAlias = dict[str, Body]

_MODEL: Final = {"model": "verbatim-demo"}
_HELLO: Final = [{"role": "user", "content": "Hello, my name is Anna."}]
_WEATHER: Final = [{"role": "user", "content": "What is the weather in Paris?"}]
_CITY: Final = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
_TOOL: Final = {"type": "function", "function": {"name": "get_weather", "parameters": _CITY}}
SCHEMA: Final = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
_JSON_SCHEMA: Final = {"type": "json_schema", "json_schema": {"name": "s", "schema": SCHEMA}}

_GREEDY: Final = {**_MODEL, "messages": _HELLO, "temperature": 0, "max_tokens": 12}
_DRAWN: Final = {**_GREEDY, "temperature": 1.0, "seed": 7}
_CALLING: Final = {**_GREEDY, "messages": _WEATHER, "tools": [_TOOL], "max_tokens": 80}

_CHAT: Final[_Features] = {
    "a text": _GREEDY,
    "a length": {**_GREEDY, "max_tokens": 3},
    "a seed": _DRAWN,
    "stop strings": {**_GREEDY, "max_tokens": 24, "stop": ["n", "!"]},
    "penalties": {**_GREEDY, "presence_penalty": 1.5, "frequency_penalty": 0.5},
}
_SCORED: Final[_Features] = {"log-probabilities": {**_DRAWN, "logprobs": True, "top_logprobs": 3}}
_SEVERAL: Final[_Features] = {"three choices": {**_DRAWN, "n": 3}}
_TOOLS: Final[_Features] = {
    "a tool": _CALLING,
    "a tool that must be called": {**_CALLING, "tool_choice": "required"},
    "a tool's result": {
        **_CALLING,
        "max_tokens": 24,
        "messages": [
            *_WEATHER,
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "call_1", "content": "Sunny, 21 degrees"},
        ],
    },
}
_SCHEMA: Final[_Features] = {"a schema": {**_GREEDY, "max_tokens": 60, "response_format": _JSON_SCHEMA}}
_BIAS: Final[_Features] = {"a bias": {**_GREEDY, "logit_bias": {"40": 5}}}

_PROMPT: Final = {**_MODEL, "prompt": "Hello", "max_tokens": 5, "temperature": 0}
_COMPLETIONS: Final[_Features] = {
    "a text": _PROMPT,
    "several prompts": {**_PROMPT, "prompt": ["Hello", "My name is"]},
    "stop strings": {**_PROMPT, "max_tokens": 40, "stop": ["e"]},
}
_OPENAI_COMPLETIONS: Final[_Features] = {
    **_COMPLETIONS,
    "its prompt": {**_PROMPT, "echo": True, "logprobs": 2},
    "three choices": {**_PROMPT, "temperature": 1.0, "seed": 7, "n": 3, "best_of": 3},
}

_NATIVE: Final = {"max_new_tokens": 12, "details": True}
_PARAMETERS: Final[dict[str, Body]] = {
    "details": _NATIVE,
    "stop strings": {**_NATIVE, "max_new_tokens": 40, "stop": ["e"]},
    "a seed": {**_NATIVE, "do_sample": True, "temperature": 1.2, "seed": 7},
    "a regular expression": {**_NATIVE, "grammar": {"type": "regex", "value": "[a-c]{3}[0-9]"}},
    "a schema": {**_NATIVE, "max_new_tokens": 60, "grammar": {"type": "json", "value": SCHEMA}},
    "a repetition penalty": {**_NATIVE, "repetition_penalty": 1.3},
}
_WHOLE_PARAMETERS: Final[dict[str, Body]] = {
    "the prompt's tokens": {**_NATIVE, "decoder_input_details": True},
    "the best of two": {**_NATIVE, "do_sample": True, "best_of": 2},
}
_RANKED: Final[dict[str, Body]] = {"the best tokens": {**_NATIVE, "top_n_tokens": 3}}

_RESPONSE: Final = {**_MODEL, "input": "Hello, my name is Anna.", "temperature": 0, "max_output_tokens": 12}
_RESPONSE_TOOL: Final = {"type": "function", "name": "get_weather", "parameters": _CITY, "strict": False}
_RESPONSES: Final[_Features] = {
    "a text": _RESPONSE,
    "log-probabilities": {**_RESPONSE, "top_logprobs": 2, "include": ["message.output_text.logprobs"]},
    "a tool": {
        **_RESPONSE,
        "input": "What is the weather in Paris?",
        "tools": [_RESPONSE_TOOL],
        "max_output_tokens": 80,
    },
    "a tool that must be called": {
        **_RESPONSE,
        "tools": [_RESPONSE_TOOL],
        "tool_choice": "required",
        "max_output_tokens": 80,
    },
    "a schema": {
        **_RESPONSE,
        "text": {"format": {"type": "json_schema", "name": "s", "schema": SCHEMA}},
        "max_output_tokens": 60,
    },
}

_MESSAGE: Final = {**_MODEL, "messages": _HELLO, "max_tokens": 12, "temperature": 0}
_MESSAGE_TOOL: Final = {"name": "get_weather", "input_schema": _CITY}
_MESSAGES: Final[_Features] = {
    "a text": _MESSAGE,
    "stop strings": {**_MESSAGE, "max_tokens": 24, "stop_sequences": ["n", "!"]},
    "thoughts": {**_MESSAGE, "max_tokens": 1100, "thinking": {"type": "enabled", "budget_tokens": 1024}},
    "a tool": {**_MESSAGE, "messages": _WEATHER, "tools": [_MESSAGE_TOOL], "max_tokens": 80},
    "a tool that must be called": {
        **_MESSAGE,
        "tools": [_MESSAGE_TOOL],
        "tool_choice": {"type": "any"},
        "max_tokens": 80,
    },
    "a schema": {
        **_MESSAGE,
        "max_tokens": 60,
        "output_config": {
            "format": {"type": "json_schema", "schema": {**SCHEMA, "additionalProperties": False}}
        },
    },
}

_INPUT: Final = {"text_input": "Hello", "max_tokens": 12, "temperature": 0}
_DETAILED: Final = {
    "return_finish_reason": True,
    "return_cumulative_logprob": True,
    "return_logprobs": True,
    "return_log_probs": True,
    "return_num_input_tokens": True,
    "return_num_output_tokens": True,
    "logprobs": 2,
}
_TRITON: Final[_Features] = {
    "a text": _INPUT,
    "stop strings": {**_INPUT, "max_tokens": 40, "stop_words": ["e"]},
    "log-probabilities": {**_INPUT, **_DETAILED},
    "two sequences": {**_INPUT, "temperature": 1.0, "seed": 7, "n": 2},
}

_ALEPH_ALPHA: Final = {**_MODEL, "prompt": "Hello", "maximum_tokens": 6, "temperature": 0}
_COMPLETE: Final[_Features] = {
    "a text": _ALEPH_ALPHA,
    "stop strings": {**_ALEPH_ALPHA, "maximum_tokens": 40, "stop_sequences": ["e"]},
    "its prompt": {**_ALEPH_ALPHA, "log_probs": 2, "tokens": True, "echo": True},
    "two completions": {**_ALEPH_ALPHA, "temperature": 1.0, "n": 2},
}

_TOKENS: Final = {"token_ids": [72, 101, 108]}
_SAMPLING: Final = {"max_tokens": 12, "temperature": 0}
_TOKEN_API: Final[_Features] = {
    "tokens": {**_TOKENS, "sampling_params": _SAMPLING},
    "the prompt's tokens": {
        **_TOKENS,
        "sampling_params": {**_SAMPLING, "logprobs": 2, "prompt_logprobs": 1},
    },
    "three sequences": {
        **_TOKENS,
        "sampling_params": {**_SAMPLING, "temperature": 1.0, "seed": 7, "n": 3},
    },
    "a regular expression": {
        **_TOKENS,
        "sampling_params": {**_SAMPLING, "structured_outputs": {"regex": "[a-c]{3}[0-9]"}},
    },
}


def _at(path: str, features: _Features) -> Iterator[tuple[str, tuple[str, Body]]]:
    for name, body in features.items():
        yield f"{path}: {name}", (path, body)


def _streamed(path: str, features: _Features) -> Iterator[tuple[str, tuple[str, Body]]]:
    """Yield each request whole and as a stream."""
    yield from _at(path, features)
    for name, body in features.items():
        yield f"{path}: {name}, streamed", (path, {**body, "stream": True})


def _native(ranks: bool) -> Iterator[tuple[str, tuple[str, Body]]]:
    both = _PARAMETERS | (_RANKED if ranks else {})
    for path, all_parameters in (("/generate", both | _WHOLE_PARAMETERS), ("/generate_stream", both)):
        yield from _at(
            path,
            {
                name: {"inputs": "Hello", "parameters": parameters}
                for name, parameters in all_parameters.items()
            },
        )


def _triton() -> Iterator[tuple[str, tuple[str, Body]]]:
    for kind in ("generate", "generate_stream"):
        path = f"/v2/models/verbatim-demo/{kind}"
        yield from _at(path, {n: {**b, "stream": kind == "generate_stream"} for n, b in _TRITON.items()})


_CHAT_PATH: Final = "/v1/chat/completions"
_CHATS: Final = _CHAT | _SCORED | _TOOLS | _SCHEMA

# By contract, then by name: the path and the body.
FEATURES: Final[Mapping[str, Mapping[str, tuple[str, Body]]]] = {
    "openai": dict(
        [
            *_streamed(_CHAT_PATH, _CHATS | _SEVERAL | _BIAS),
            *_streamed("/v1/completions", _OPENAI_COMPLETIONS),
            *_streamed("/v1/responses", _RESPONSES),
        ]
    ),
    "systemone": {},  # it has nothing but questions
    "tgi": dict(
        [
            *_streamed(_CHAT_PATH, _CHATS | _SEVERAL),
            *_streamed("/v1/completions", _COMPLETIONS),
            *_native(ranks=True),
        ]
    ),
    "hf": dict(
        [
            *_streamed(_CHAT_PATH, _CHATS),
            *_streamed("/v1/completions", _COMPLETIONS),
            *_native(ranks=False),
        ]
    ),
    "mindie": dict(_streamed(_CHAT_PATH, _CHAT | _SEVERAL | _TOOLS)),
    "aleph_alpha": dict(
        [*_streamed("/chat/completions", _CHAT | _SCORED | _SEVERAL), *_streamed("/complete", _COMPLETE)]
    ),
    "anthropic": dict(_streamed("/v1/messages", _MESSAGES)),
    "tokens": dict(_streamed("/inference/v1/generate", _TOKEN_API)),
    "triton": dict(_triton()),
}
