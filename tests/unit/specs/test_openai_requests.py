"""Requests of OpenAI's clients and of vLLM's, SGLang's and TGI's are in the contract; no others are."""

from pathlib import Path
from typing import Any, get_type_hints

import pytest
from openai.types import completion_create_params, decision_create_params, embedding_create_params
from openai.types.chat import ChatCompletionMessage
from openai.types.chat import completion_create_params as chat_create_params

from tests.unit.specs.conftest import SPECS, Accepts, effective

CONTRACT = "openai"

NOTES = SPECS / "openai" / "NOTES.md"
CHAT, COMPLETION, EMBEDDING, DECISION = (
    "CreateChatCompletionRequest",
    "CreateCompletionRequest",
    "CreateEmbeddingRequest",
    "CreateDecisionRequest",
)
WEATHER = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}
CALL = {"id": "0", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}
NAMED = {"type": "function", "function": {"name": "weather"}}


def chat(**fields: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": "Hi"}], **fields}


def conversation(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"model": "m", "messages": list(messages)}


def user(*parts: dict[str, Any]) -> dict[str, Any]:
    return conversation({"role": "user", "content": list(parts)})


def completion(**fields: Any) -> dict[str, Any]:
    return {"model": "m", "prompt": "Hi", **fields}


def embedding(**fields: Any) -> dict[str, Any]:
    return {"model": "m", "input": "Hi", **fields}


def decision(**fields: Any) -> dict[str, Any]:
    return {
        "model": "m",
        "input": "Hi",
        "questions": [{"type": "predicate", "instructions": "So?"}],
        **fields,
    }


ACCEPTED = [
    (CHAT, chat()),
    (CHAT, chat(temperature=0, top_p=0, seed=-(2**63), n=128, logit_bias={"5": -100, "0": 0.5})),
    (CHAT, chat(stop="\n")),
    (CHAT, chat(stop=[])),
    (CHAT, chat(stop=["a", "b", "c", "d", "e"])),
    (CHAT, chat(logprobs=True, top_logprobs=20)),
    (CHAT, chat(stream=True, stream_options={"include_usage": True, "include_obfuscation": False})),
    (CHAT, chat(tools=[WEATHER], tool_choice="required", parallel_tool_calls=False)),
    (CHAT, chat(tools=[], tool_choice="none")),
    (CHAT, chat(tools=[WEATHER], tool_choice=NAMED)),
    (
        CHAT,
        chat(
            tools=[WEATHER],
            tool_choice={"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [NAMED]}},
        ),
    ),
    (CHAT, chat(functions=[{"name": "f"}], function_call="auto")),
    (CHAT, chat(tools=[{"type": "custom", "custom": {"name": "f"}}])),
    (CHAT, conversation({"role": "function", "name": "f", "content": "18"})),
    (CHAT, chat(response_format={"type": "json_schema", "schema": SCHEMA})),
    (CHAT, chat(response_format={"type": "text"})),
    (CHAT, chat(response_format={"type": "json_object"})),
    (CHAT, chat(response_format={"type": "json_object", "value": SCHEMA})),
    (CHAT, chat(response_format={"type": "json", "value": '{"type": "object"}'})),
    (CHAT, chat(response_format={"type": "regex", "value": "[0-9]+"})),
    (CHAT, chat(response_format={"type": "json_schema", "json_schema": {"name": "a", "schema": SCHEMA}})),
    (CHAT, chat(structured_outputs={"choice": ["a", "b"]})),
    (CHAT, chat(guided_json=SCHEMA)),
    (CHAT, chat(top_k=-1, min_p=0.1, chat_template_kwargs={"enable_thinking": False})),
    (CHAT, chat(prediction={"type": "content", "content": "Hi"}, metadata={"a": "b"}, store=True)),
    (CHAT, chat(modalities=["text"], service_tier="flex", verbosity="low", reasoning_effort="none")),
    (CHAT, conversation({"role": "developer", "content": "Be brief."}, {"role": "user", "content": "Hi"})),
    (CHAT, conversation({"role": "assistant", "content": None, "tool_calls": [CALL]})),
    (CHAT, conversation({"role": "assistant", "content": "So", "reasoning_content": "Hm", "refusal": None})),
    (CHAT, conversation({"role": "assistant", "annotations": [], "tool_calls": [{**CALL, "index": 0}]})),
    (CHAT, conversation({"role": "tool", "tool_call_id": "0", "name": "weather", "content": "18"})),
    (CHAT, conversation({"role": "user", "content": "Hi", "type": "text"})),
    (CHAT, conversation({"role": "tool", "tool_call_id": "0", "content": [{"type": "text", "text": "18"}]})),
    (CHAT, user({"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}})),
    (CHAT, user({"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}})),
    (CHAT, user({"type": "file", "file": {"file_id": "file-1"}})),
    (COMPLETION, completion(prompt=[[1, 2], [3]], max_tokens=0, echo=True, logprobs=1)),
    (COMPLETION, completion(prompt=["a", ""], best_of=4, n=2)),
    (COMPLETION, completion(prompt=[1, 2], stop=None, suffix=None, logprobs=20)),
    (COMPLETION, completion(suffix="end")),
    (EMBEDDING, embedding(input=[1, 2], dimensions=8, encoding_format="base64")),
    (EMBEDDING, embedding(input=["a"] * 2048)),
]

REFUSED = [
    (CHAT, {"messages": [{"role": "user", "content": "Hi"}]}),
    (CHAT, {"model": "m", "messages": []}),
    (CHAT, chat(extra_body={})),
    (CHAT, chat(temperature=2.1)),
    (CHAT, chat(top_p=1.1)),
    (CHAT, chat(n=0)),
    (CHAT, chat(n=129)),
    (CHAT, chat(seed=2**63)),
    (CHAT, chat(max_tokens=0)),
    (CHAT, chat(top_logprobs=21)),
    (CHAT, chat(logprobs=1)),
    (CHAT, chat(logit_bias={"five": 1})),
    (CHAT, chat(logit_bias={"5": 101})),
    (CHAT, chat(stop="")),
    (CHAT, chat(stop=["a"] * 65)),
    (CHAT, chat(modalities=["text", "audio"])),
    (CHAT, chat(audio={"voice": "alloy", "format": "wav"})),
    (CHAT, chat(web_search_options={})),
    (CHAT, chat(chat_template="{{ messages }}")),
    (CHAT, chat(tools=[{"type": "function", "function": {"name": "a b"}}])),
    (CHAT, chat(tool_choice="weather")),
    (CHAT, chat(response_format={"type": "xml"})),
    (CHAT, chat(structured_outputs={"json": SCHEMA, "regex": "a"})),
    (CHAT, chat(structured_outputs={})),
    (CHAT, chat(metadata={"a": 1})),
    (CHAT, conversation({"role": "user"})),
    (CHAT, conversation({"role": "system", "content": [{"type": "image_url", "image_url": {"url": "a"}}]})),
    (COMPLETION, {"model": "m"}),
    (COMPLETION, completion(prompt=None)),
    (COMPLETION, completion(prompt=[])),
    (COMPLETION, completion(prompt=[[]])),
    (COMPLETION, completion(prompt=["a", 1])),
    (COMPLETION, completion(best_of=21)),
    (COMPLETION, completion(logprobs=21)),
    (EMBEDDING, embedding(input="")),
    (EMBEDDING, embedding(input=["a"] * 2049)),
    (EMBEDDING, embedding(dimensions=0)),
    (EMBEDDING, embedding(encoding_format="int8")),
]


@pytest.mark.parametrize(("schema", "body"), ACCEPTED)
def test_bodies_of_working_clients_are_accepted(accepts: Accepts, schema: str, body: Any) -> None:
    assert accepts(schema, body)


@pytest.mark.parametrize(("schema", "body"), REFUSED)
def test_what_cannot_be_kept_is_refused(accepts: Accepts, schema: str, body: Any) -> None:
    assert not accepts(schema, body)


def fields_of(schema: str) -> set[str]:
    return set(effective(CONTRACT)["components"]["schemas"][schema]["properties"])


@pytest.mark.parametrize(
    ("schema", "parameters"),
    [
        (CHAT, chat_create_params.CompletionCreateParamsStreaming),
        (COMPLETION, completion_create_params.CompletionCreateParamsStreaming),
        (EMBEDDING, embedding_create_params.EmbeddingCreateParams),
        (DECISION, decision_create_params.DecisionCreateParams),
    ],
)
def test_every_parameter_of_openais_client_is_decided(schema: str, parameters: type) -> None:
    assert set(get_type_hints(parameters)) - fields_of(schema) == set()


def test_every_field_has_its_row_in_the_notes() -> None:
    told = decided_fields(NOTES)
    fields = fields_of(CHAT) | fields_of(COMPLETION) | fields_of(EMBEDDING) | fields_of(DECISION)
    assert fields - told == set()


def decided_fields(notes: Path) -> set[str]:
    """The names in the first column of the table of fields."""
    section = notes.read_text(encoding="utf-8").partition("\n## Fields\n")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return {name for row in rows for name in row.split("`")[1::2]}


def test_an_answer_can_be_sent_back_as_openais_client_writes_it_out(accepts: Accepts) -> None:
    message = ChatCompletionMessage.model_validate(
        {"role": "assistant", "content": None, "refusal": None, "tool_calls": [CALL], "reasoning": "Hm"}
    )
    for written in (message.model_dump(), message.model_dump(exclude_unset=True)):
        assert accepts(CHAT, conversation(written))


@pytest.mark.parametrize("schema", [CHAT, COMPLETION, EMBEDDING, DECISION])
def test_null_counts_as_absent_in_every_optional_field(accepts: Accepts, schema: str) -> None:
    body = {CHAT: chat(), COMPLETION: completion(), EMBEDDING: embedding(), DECISION: decision()}[schema]
    assert accepts(schema, {**dict.fromkeys(fields_of(schema)), **body})
