"""The largest bodies that each contract takes: long texts, and as many values as two megabytes hold."""

from typing import Any, Final, NamedTuple

# Of 2,000,000 bytes that a body may have.
_ROOM: Final = 1_900_000
TEXT: Final = "Hello world, how are you? " * (_ROOM // 26)
DENSE: Final = "".join(chr(33 + place * 7919 % 90) for place in range(_ROOM // 2)).replace('"', "'")
MODEL: Final = "verbatim-demo"


class Case(NamedTuple):
    """A request. name: of the test."""

    name: str
    path: str
    body: dict[str, Any]


def message(content: str) -> list[dict[str, str]]:
    """A conversation of one message."""
    return [{"role": "user", "content": content}]


def _long_texts() -> list[Case]:
    chat = {"model": MODEL, "messages": message(TEXT), "max_tokens": 3}
    return [
        Case("tgi inputs", "/tgi/generate", {"inputs": TEXT}),
        Case(
            "tgi inputs, cut",
            "/tgi/generate",
            {"inputs": TEXT, "parameters": {"truncate": 10, "max_new_tokens": 2}},
        ),
        Case("tgi tokenize", "/tgi/tokenize", {"inputs": DENSE}),
        Case("tgi chat", "/tgi/v1/chat/completions", chat),
        Case("hf inputs", "/hf/generate", {"inputs": TEXT}),
        Case("hf tokenize", "/hf/tokenize", {"inputs": DENSE}),
        Case("openai chat", "/openai/v1/chat/completions", chat),
        Case("openai completions", "/openai/v1/completions", {"model": MODEL, "prompt": TEXT}),
        Case("openai embeddings", "/openai/v1/embeddings", {"model": MODEL, "input": TEXT}),
        Case("openai responses", "/openai/v1/responses", {"model": MODEL, "input": TEXT}),
        Case("triton", f"/triton/v2/models/{MODEL}/generate", {"text_input": TEXT}),
        Case("mindie", "/mindie/v1/chat/completions", chat),
        Case("aleph alpha chat", "/aleph_alpha/chat/completions", chat),
        Case(
            "aleph alpha complete",
            "/aleph_alpha/complete",
            {"model": MODEL, "prompt": TEXT, "maximum_tokens": 2},
        ),
        Case(
            "aleph alpha tokenize",
            "/aleph_alpha/tokenize",
            {"model": MODEL, "prompt": DENSE, "tokens": True, "token_ids": True},
        ),
        Case(
            "aleph alpha evaluate",
            "/aleph_alpha/evaluate",
            {"model": MODEL, "prompt": "a", "completion_expected": TEXT},
        ),
        Case("anthropic", "/anthropic/v1/messages", chat),
    ]


def _many_values() -> list[Case]:
    chat = {"model": MODEL, "messages": message("Hello"), "max_tokens": 3}
    completion = {"model": MODEL, "prompt": "a"}
    tool = {"type": "function", "function": {"name": "f", "parameters": {}}}
    last_bad = [*message("a") * (_ROOM // 41), {"role": 5}]
    triton = f"/triton/v2/models/{MODEL}/generate"
    words = {"bad_words": ["ab" * 15_000] * 60}
    bias = {str(number): 1 for number in range(_ROOM // 12)}
    return [
        Case("messages", "/openai/v1/chat/completions", chat | {"messages": message("a") * (_ROOM // 40)}),
        Case("messages, the last bad", "/openai/v1/chat/completions", chat | {"messages": last_bad}),
        Case("arrays", "/tgi/generate", {"inputs": "a", "parameters": [[]] * (_ROOM // 4)}),
        Case("a map", "/openai/v1/chat/completions", chat | {"logit_bias": bias}),
        Case("unknown fields", "/anthropic/v1/messages", chat | bias),
        Case("token ids", "/openai/v1/completions", {"model": MODEL, "prompt": [10] * (_ROOM // 4)}),
        Case("tools", "/mindie/v1/chat/completions", chat | {"tools": [tool] * (_ROOM // 80)}),
        Case("stop strings", "/openai/v1/chat/completions", chat | {"stop": ["a" * 400_000] * 4}),
        Case("bad words", "/openai/v1/completions", completion | {"bad_words": ["ab" * 450_000]}),
        Case("many bad words", triton, {"text_input": "a", "parameters": words}),
    ]


CASES: Final = [*_long_texts(), *_many_values()]
