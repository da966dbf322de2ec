"""MindIE's page, value by value: what lies on or inside of its bounds is in the contract, and no more."""

import re
from typing import Any

import pytest

from tests.unit.specs.conftest import SPECS, Accepts, effective

CONTRACT = "mindie"

TOOL = {"type": "function", "function": {"name": "add"}}
CALL = {"id": "0", "type": "function", "function": {"name": "add", "arguments": "{}"}}
INT32_MAX, UINT64_MAX = 2**31 - 1, 2**64 - 1

# By field: values that are on or inside of its bounds, and values that are not.
VALUES: dict[str, tuple[list[Any], list[Any]]] = {
    "model": (["m"], [None, 1]),
    "stream": ([True, False], [None, 1]),
    "presence_penalty": ([-2, -1.99, 1.03, 2.0], [-2.01, 2.01, None, "1"]),
    "frequency_penalty": ([-2.0, 0, 2], [-2.01, 2.01, None]),
    "repetition_penalty": ([1e-9, 1.0, 2.0], [0, -1, 2.01, None]),
    "temperature": ([0, 0.001, 2.0], [-0.01, 2.01, None]),
    "top_p": ([1.1e-6, 0.95, 1], [1e-6, 0, 1.01, None]),
    "top_k": ([0, 1, INT32_MAX], [-1, INT32_MAX + 1, 1.5, None]),
    "seed": ([0, UINT64_MAX, None], [-1, UINT64_MAX + 1, 0.5]),
    "stop": (["a", "a" * 1024, [], ["a"] * 1024, None], ["", "a" * 1025, [""], ["a"] * 1025, [1], 1]),
    "stop_token_ids": ([[], [2, 13], ["2", 2.5, None, 2**40], None], [2, "2"]),
    "include_stop_str_in_output": ([True, False], [None, 0]),
    "skip_special_tokens": ([True, False], [None]),
    "ignore_eos": ([True, False], [None]),
    "max_tokens": ([1, INT32_MAX], [0, INT32_MAX + 1, None]),
    "use_beam_search": ([True, False], [None]),
    "best_of": ([1, 128, None], [0, 129, "1"]),
    "n": ([1, 128, None], [0, 129, 1.5]),
    "logprobs": ([True, False], [None, 1]),
    "top_logprobs": ([0, 20, None], [-1, 21, True]),
    "chat_template_kwargs": ([{}, {"enable_thinking": True, "other": 1}], [None, {"enable_thinking": None}]),
    "tools": (
        [
            [],
            [TOOL],
            [{"type": "function", "function": {"name": "加 b_-1", "strict": True, "description": "d"}}],
            [{"type": "function", "function": {"name": "a" * 64, "parameters": {"required": ["a"]}}}],
        ],
        [
            None,
            [{"function": {"name": "a"}}],
            [{"type": "retrieval", "function": {"name": "a"}}],
            [{"type": "function", "function": {}}],
            [{"type": "function", "function": {"name": "a" * 65}}],
            [{"type": "function", "function": {"name": "a.b"}}],
            [{"type": "function", "function": {"name": "a", "strict": None}}],
            [{"type": "function", "function": {"name": "a", "parameters": {"additionalProperties": {}}}}],
        ],
    ),
    "tool_choice": (
        ["none", "auto", "required", None, {"type": "function", "function": {"name": "add"}}],
        ["", "add", {"function": {"name": "add"}}, {"type": "function", "function": {}}],
    ),
    "response_format": (
        [None, {"type": "text"}, {"type": "json_object"}],
        [{}, {"type": "json"}, {"type": "json_schema"}],
    ),
    "messages": (
        [
            [{"role": "system", "content": "a"}, {"role": "user", "content": ""}],
            [{"role": "user", "content": [{"type": "text", "text": "a"}, {"image_url": "a"}]}],
            [{"role": "user", "content": [{"type": "video_url", "video_url": {"url": "a"}}]}],
            [{"role": "assistant", "content": None, "tool_calls": [CALL]}],
            [{"role": "assistant", "tool_calls": None, "content": "a"}],
            [{"role": "tool", "content": "4", "tool_call_id": "0"}],
            [{"role": "user", "content": "a", "tool_calls": 1}],  # not a field of a user's message
        ],
        [
            [],
            None,
            [{"role": "developer", "content": "a"}],
            [{"role": "user"}],
            [{"role": "user", "content": None}],
            [{"role": "user", "content": []}],
            [{"role": "user", "content": [{"type": "text", "text": ""}]}],
            [{"role": "user", "content": [{"type": "file"}]}],
            [{"role": "tool", "content": "4"}],
            [{"role": "tool", "content": "4", "tool_call_id": ""}],
            [{"role": "assistant", "tool_calls": [{**CALL, "type": "custom"}]}],
            [{"role": "assistant", "tool_calls": [{"id": "0", "type": "function"}]}],
        ],
    ),
}


def request(field: str, value: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": "Hi"}], field: value}


def cases(place: int) -> list[tuple[str, Any]]:
    return [(field, value) for field, values in VALUES.items() for value in values[place]]


def name_of(value: Any) -> str:
    return re.sub(r"(.{30}).+", r"\1…", str(value), flags=re.DOTALL)


@pytest.mark.parametrize(("field", "value"), cases(0), ids=name_of)
def test_what_lies_on_and_inside_of_the_bounds_is_accepted(accepts: Accepts, field: str, value: Any) -> None:
    assert accepts("ChatRequest", request(field, value))


@pytest.mark.parametrize(("field", "value"), cases(1), ids=name_of)
def test_what_lies_outside_is_refused(accepts: Accepts, field: str, value: Any) -> None:
    assert not accepts("ChatRequest", request(field, value))


def test_every_field_is_here_and_in_the_notes() -> None:
    fields = set(effective(CONTRACT)["components"]["schemas"]["ChatRequest"]["properties"])
    assert fields == set(VALUES)
    notes = (SPECS / CONTRACT / "NOTES.md").read_text(encoding="utf-8")
    untold = {field for field in fields if f"`{field}" not in notes}
    assert untold == set()


DEFAULTS = {
    "stream": False,
    "presence_penalty": 0.0,
    "frequency_penalty": 0.0,
    "repetition_penalty": 1.0,
    "temperature": 1.0,
    "top_p": 1.0,
    "seed": None,
    "stop": None,
    "stop_token_ids": None,
    "include_stop_str_in_output": False,
    "skip_special_tokens": True,
    "ignore_eos": False,
    "use_beam_search": False,
    "best_of": 1,
    "n": 1,
    "logprobs": False,
    "top_logprobs": 0,
    "tool_choice": "auto",
    "response_format": None,
}


def test_defaults_are_the_pages() -> None:
    properties = effective(CONTRACT)["components"]["schemas"]["ChatRequest"]["properties"]
    told = {name: schema["default"] for name, schema in properties.items() if "default" in schema}
    assert told == DEFAULTS
