"""Bodies of requests that the samples of several contracts share."""

from collections.abc import Iterator
from typing import Final, TypeAlias

from tests.support.samples.contracts import LETTERS, Body

NATIVE: Final = {"inputs": "Hello", "parameters": {"max_new_tokens": 3}}
CHAT: Final = {"messages": [{"role": "user", "content": "Hello!"}], "max_tokens": 5}
TOOL: Final = {
    "type": "function",
    "function": {"name": "get_time", "parameters": {"type": "object", "properties": {}}},
}
CALLING: Final = {**CHAT, "tools": [TOOL], "tool_choice": "required", "max_tokens": 60}
COMPLETION: Final = {"prompt": ["Hello", "My name"], "max_tokens": 3}
STREAM: Final = {"stream": True}
MODEL: Final = {"model": "verbatim-demo"}
OTHER_MODEL: Final = {"model": "gpt-4o"}
GRAMMAR: Final = {"type": "regex", "value": LETTERS}

# Not the one text of an enum: its tokens would be forced, and all there before a test can do anything.
TEXT: Final = {"type": "string", "pattern": f"^{LETTERS}$"}
LONG_NATIVE: Final = {"inputs": "Hello", "parameters": {"max_new_tokens": 400, "grammar": GRAMMAR}}
LONG_CHAT: Final = {
    "messages": [{"role": "user", "content": "Hello"}],
    "n": 8,
    "max_tokens": 400,
    "stream": True,
    "response_format": GRAMMAR,
}


Features: TypeAlias = dict[str, Body]
HELLO: Final = [{"role": "user", "content": "Hello, my name is Anna."}]
WEATHER: Final = [{"role": "user", "content": "What is the weather in Paris?"}]
CITY: Final = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER_TOOL: Final = {"type": "function", "function": {"name": "get_weather", "parameters": CITY}}
SCHEMA: Final = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
JSON_SCHEMA: Final = {"type": "json_schema", "json_schema": {"name": "s", "schema": SCHEMA}}
GREEDY: Final = {**MODEL, "messages": HELLO, "temperature": 0, "max_tokens": 12}
DRAWN: Final = {**GREEDY, "temperature": 1.0, "seed": 7}
ASKING_FOR_A_TOOL: Final = {**GREEDY, "messages": WEATHER, "tools": [WEATHER_TOOL], "max_tokens": 80}
CHAT_FEATURES: Final[Features] = {
    "a text": GREEDY,
    "a length": {**GREEDY, "max_tokens": 3},
    "a seed": DRAWN,
    "stop strings": {**GREEDY, "max_tokens": 24, "stop": ["n", "!"]},
    "penalties": {**GREEDY, "presence_penalty": 1.5, "frequency_penalty": 0.5},
}
SCORED_FEATURES: Final[Features] = {"log-probabilities": {**DRAWN, "logprobs": True, "top_logprobs": 3}}
SEVERAL_FEATURES: Final[Features] = {"three choices": {**DRAWN, "n": 3}}
TOOL_FEATURES: Final[Features] = {
    "a tool": ASKING_FOR_A_TOOL,
    "a tool that must be called": {**ASKING_FOR_A_TOOL, "tool_choice": "required"},
    "a tool's result": {
        **ASKING_FOR_A_TOOL,
        "max_tokens": 24,
        "messages": [
            *WEATHER,
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
SCHEMA_FEATURES: Final[Features] = {"a schema": {**GREEDY, "max_tokens": 60, "response_format": JSON_SCHEMA}}
PROMPT: Final = {**MODEL, "prompt": "Hello", "max_tokens": 5, "temperature": 0}
COMPLETION_FEATURES: Final[Features] = {
    "a text": PROMPT,
    "several prompts": {**PROMPT, "prompt": ["Hello", "My name is"]},
    "stop strings": {**PROMPT, "max_tokens": 40, "stop": ["e"]},
}
DETAILS: Final = {"max_new_tokens": 12, "details": True}
PARAMETERS: Final[dict[str, Body]] = {
    "details": DETAILS,
    "stop strings": {**DETAILS, "max_new_tokens": 40, "stop": ["e"]},
    "a seed": {**DETAILS, "do_sample": True, "temperature": 1.2, "seed": 7},
    "a regular expression": {**DETAILS, "grammar": {"type": "regex", "value": "[a-c]{3}[0-9]"}},
    "a schema": {**DETAILS, "max_new_tokens": 60, "grammar": {"type": "json", "value": SCHEMA}},
    "a repetition penalty": {**DETAILS, "repetition_penalty": 1.3},
}
WHOLE_PARAMETERS: Final[dict[str, Body]] = {
    "the prompt's tokens": {**DETAILS, "decoder_input_details": True},
    "the best of two": {**DETAILS, "do_sample": True, "best_of": 2},
}
RANKED: Final[dict[str, Body]] = {"the best tokens": {**DETAILS, "top_n_tokens": 3}}


def at(path: str, features: Features) -> Iterator[tuple[str, tuple[str, Body]]]:
    for name, body in features.items():
        yield f"{path}: {name}", (path, body)


def streamed(path: str, features: Features) -> Iterator[tuple[str, tuple[str, Body]]]:
    """Yield each request whole and as a stream."""
    yield from at(path, features)
    for name, body in features.items():
        yield f"{path}: {name}, streamed", (path, {**body, "stream": True})


def native(ranks: bool) -> Iterator[tuple[str, tuple[str, Body]]]:
    both = PARAMETERS | (RANKED if ranks else {})
    for path, all_parameters in (("/generate", both | WHOLE_PARAMETERS), ("/generate_stream", both)):
        yield from at(
            path,
            {
                name: {"inputs": "Hello", "parameters": parameters}
                for name, parameters in all_parameters.items()
            },
        )


CHAT_PATH: Final = "/v1/chat/completions"
ALL_CHAT_FEATURES: Final = CHAT_FEATURES | SCORED_FEATURES | TOOL_FEATURES | SCHEMA_FEATURES
