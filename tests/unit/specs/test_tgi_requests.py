"""Requests of TGI's clients are in the contract; what the released servers refused for a reason is not."""

from typing import Any

import pytest

from tests.unit.specs.conftest import Accepts

CONTRACT = "tgi"

WEATHER = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}
CALL = {"id": "0", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}


def chat(**fields: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": "Hi"}], **fields}


def conversation(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"messages": list(messages)}


def native(**parameters: Any) -> dict[str, Any]:
    return {"inputs": "Hi", "parameters": parameters}


# As text-generation 0.7 writes it: every parameter, null where unset.
TEXT_GENERATION = {
    "inputs": "Hi",
    "stream": True,
    "parameters": {
        **dict.fromkeys(("best_of", "frequency_penalty", "grammar", "repetition_penalty", "seed"), None),
        **dict.fromkeys(("temperature", "top_k", "top_n_tokens", "top_p", "truncate", "typical_p"), None),
        **{"do_sample": False, "max_new_tokens": 20, "return_full_text": False, "stop": []},
        **{"watermark": False, "details": True, "decoder_input_details": False},
    },
}

ACCEPTED = [
    ("CompatGenerateRequest", TEXT_GENERATION),
    ("CompatGenerateRequest", {"inputs": "Hi", "parameters": {}}),  # huggingface_hub without options
    ("GenerateRequest", {"inputs": "Hi"}),
    ("GenerateRequest", {"inputs": "Hi", "stream": True}),  # unknown fields are ignored
    ("GenerateRequest", native(seed=0, top_n_tokens=0, best_of=0)),
    ("GenerateRequest", native(seed=2**64 - 1, max_new_tokens=None)),
    ("GenerateRequest", native(top_p=1, typical_p=1.0, frequency_penalty=-2)),
    ("GenerateRequest", native(grammar={"type": "json", "value": SCHEMA})),
    ("GenerateRequest", native(grammar={"type": "json_object", "value": '{"type": "object"}'})),
    ("GenerateRequest", native(grammar={"type": "json_schema", "value": {"name": "a", "schema": SCHEMA}})),
    ("GenerateRequest", native(grammar={"type": "regex", "value": "[0-9]+"})),
    ("ChatRequest", chat(model="dummy", top_p=1.0, temperature=0, stream_options={})),
    ("ChatRequest", chat(max_completion_tokens=5, stop="\n", user="me")),
    ("ChatRequest", chat(stop=["a", "b"], logit_bias={"5": -100, "0": 100}, n=2)),
    ("ChatRequest", chat(tools=[WEATHER], tool_choice="auto")),
    ("ChatRequest", chat(tools=[WEATHER], tool_choice="required")),
    ("ChatRequest", chat(tools=[WEATHER], tool_choice="weather")),
    ("ChatRequest", chat(tools=[WEATHER], tool_choice={"function": {"name": "weather"}})),
    ("ChatRequest", chat(tools=[{"type": "function", "function": {"name": "f"}}], tool_choice=None)),
    ("ChatRequest", chat(tools=[{"type": "function", "function": {"name": "f", "arguments": {}}}])),
    ("ChatRequest", chat(response_format={"type": "text"})),
    ("ChatRequest", chat(response_format={"type": "json_object"})),
    ("ChatRequest", chat(response_format={"type": "json_object", "value": SCHEMA})),
    ("ChatRequest", chat(response_format={"type": "json_schema", "value": {"schema": SCHEMA}})),
    ("ChatRequest", chat(response_format={"type": "json_schema", "json_schema": {"schema": SCHEMA}})),
    ("ChatRequest", conversation({"role": "user", "content": [{"type": "text", "text": "Hi"}]})),
    ("ChatRequest", conversation({"role": "user", "content": "Hi", "name": None, "tool_calls": None})),
    ("ChatRequest", conversation({"role": "assistant", "content": None, "tool_calls": [CALL]})),
    ("ChatRequest", conversation({"role": "assistant", "content": "So:", "tool_calls": [CALL]})),
    ("ChatRequest", conversation({"role": "tool", "content": "18", "tool_call_id": "0"})),
    ("CompletionRequest", {"prompt": "Hi"}),
    ("CompletionRequest", {"prompt": ["Hi", "Ho"], "stop": "\n", "max_tokens": None}),
]

REFUSED = [
    ("GenerateRequest", {"inputs": ""}),
    ("GenerateRequest", {"inputs": "Hi", "parameters": None}),
    ("GenerateRequest", native(temperature=0)),
    ("GenerateRequest", native(top_p=0)),
    ("GenerateRequest", native(top_p=1.01)),
    ("GenerateRequest", native(top_k=0)),
    ("GenerateRequest", native(truncate=0)),
    ("GenerateRequest", native(max_new_tokens=0)),
    ("GenerateRequest", native(max_new_tokens="20")),
    ("GenerateRequest", native(seed=-1)),
    ("GenerateRequest", native(seed=2**64)),
    ("GenerateRequest", native(repetition_penalty=0)),
    ("GenerateRequest", native(frequency_penalty=2.1)),
    ("GenerateRequest", native(stop=["a", "b", "c", "d", "e"])),
    ("GenerateRequest", native(stop=None)),
    ("GenerateRequest", native(details=None)),
    ("GenerateRequest", native(grammar={"type": "json"})),
    ("GenerateRequest", native(grammar={"type": "text"})),
    ("ChatRequest", {"messages": []}),
    ("ChatRequest", conversation({"role": "user"})),
    ("ChatRequest", conversation({"role": "assistant", "content": None})),
    ("ChatRequest", conversation({"role": "user", "content": [{"type": "video"}]})),
    ("ChatRequest", chat(temperature=-0.1)),
    ("ChatRequest", chat(presence_penalty=-2.1)),
    ("ChatRequest", chat(n=0)),
    ("ChatRequest", chat(n=17)),
    ("ChatRequest", chat(top_logprobs=6)),
    ("ChatRequest", chat(logit_bias={"5": 101})),
    ("ChatRequest", chat(logit_bias={"five": 1})),
    ("ChatRequest", chat(stop=["a", "b", "c", "d", "e"])),
    ("ChatRequest", chat(stop="")),
    ("ChatRequest", chat(tool_choice="")),
    ("ChatRequest", chat(tools=[{"type": "retrieval", "function": {"name": "f"}}])),
    ("ChatRequest", chat(response_format={"type": "json"})),
    ("ChatRequest", chat(response_format={"type": "json_schema"})),
    ("ChatRequest", chat(response_format={"type": "regex"})),
    ("CompletionRequest", {"prompt": []}),
    ("CompletionRequest", {"prompt": ""}),
    ("CompletionRequest", {"prompt": [15496]}),
]


@pytest.mark.parametrize(("schema", "body"), ACCEPTED)
def test_bodies_of_working_clients_are_accepted(accepts: Accepts, schema: str, body: Any) -> None:
    assert accepts(schema, body)


@pytest.mark.parametrize(("schema", "body"), REFUSED)
def test_bodies_outside_the_bounds_are_refused(accepts: Accepts, schema: str, body: Any) -> None:
    assert not accepts(schema, body)
