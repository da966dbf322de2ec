"""Requests that the document or its rules forbid: status, code, and the path of the field at fault."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.scripted.engine import says
from tests.unit.handlers.contracts.openai.api import (
    CHAT,
    COMPLETIONS,
    EMBEDDINGS,
    MODEL,
    TOOL,
    Api,
    Refusal,
    chat,
    completion,
    quiet,
)
from tests.unit.verbatim_kit.runtime.client import send

Body = Callable[..., dict[str, Any]]


def talk(*messages: object) -> dict[str, Any]:
    return {"model": MODEL, "messages": [{"role": "user", "content": "Hi"}, *messages]}


def embed(text: object = "Hi", /, **fields: Any) -> dict[str, Any]:
    return {"model": MODEL, "input": text, **fields}


async def refused(path: str, body: object) -> tuple[str | None, str | None]:
    """Code and param of an error that the client can mend; nothing has reached the engine."""
    api = quiet()
    api.engine.requests.clear()
    status, error = await api.error(path, body)
    assert (status, error["type"]) == (400, "invalid_request_error")
    assert not api.engine.requests and not api.engine.texts
    return error["code"], error["param"]


EVERYWHERE: list[tuple[dict[str, Any], str, str]] = [
    ({"surprise": 1}, "unknown_parameter", "surprise"),
    ({"temperature": "hot"}, "invalid_type", "temperature"),
    ({"temperature": -0.1}, "decimal_below_min_value", "temperature"),
    ({"temperature": 3}, "integer_above_max_value", "temperature"),
    ({"top_p": 1.5}, "decimal_above_max_value", "top_p"),
    ({"n": 0}, "integer_below_min_value", "n"),
    ({"n": 129}, "integer_above_max_value", "n"),
    ({"n": 1.5}, "invalid_type", "n"),
    ({"n": True}, "invalid_type", "n"),
    ({"max_tokens": -1}, "integer_below_min_value", "max_tokens"),
    ({"presence_penalty": 2.1}, "decimal_above_max_value", "presence_penalty"),
    ({"frequency_penalty": -3}, "integer_below_min_value", "frequency_penalty"),
    ({"seed": 2**63}, "integer_above_max_value", "seed"),
    ({"logit_bias": {"5": 101}}, "integer_above_max_value", "logit_bias.5"),
    ({"logit_bias": [1]}, "invalid_type", "logit_bias"),
    ({"stop": ["a", 1]}, "invalid_type", "stop[1]"),
    ({"stop": ["a"] * 65}, "array_above_max_length", "stop"),
    ({"stop": ""}, "string_below_min_length", "stop"),
    ({"stream": "yes"}, "invalid_type", "stream"),
    ({"stream_options": {"include_usage": True}}, "invalid_value", "stream_options"),
    ({"stream": False, "stream_options": {}}, "invalid_value", "stream_options"),
    ({"stream": True, "stream_options": {"surprise": 1}}, "unknown_parameter", "stream_options.surprise"),
    ({"top_k": -2}, "integer_below_min_value", "top_k"),
    ({"min_p": 1.1}, "decimal_above_max_value", "min_p"),
    ({"typical_p": 0}, "integer_below_min_value", "typical_p"),
    ({"repetition_penalty": 0}, "integer_below_min_value", "repetition_penalty"),
    ({"allowed_token_ids": []}, "array_below_min_length", "allowed_token_ids"),
    ({"bad_words": [""]}, "string_below_min_length", "bad_words[0]"),
    ({"cache_salt": ""}, "string_below_min_length", "cache_salt"),
    ({"guided_choice": []}, "array_below_min_length", "guided_choice"),
    ({"response_format": {"type": "xml"}}, "unsupported_value", "response_format.type"),
    ({"response_format": {}}, "missing_required_parameter", "response_format.type"),
    (
        {"response_format": {"type": "json_schema"}},
        "missing_required_parameter",
        "response_format.json_schema",
    ),
    (
        {"response_format": {"type": "json_schema", "json_schema": {"name": "a b"}}},
        "invalid_value",
        "response_format.json_schema.name",
    ),
    # Rules that no schema states.
    ({"logit_bias": {"300": 1}}, "invalid_value", "logit_bias.300"),
    ({"stop_token_ids": [1, 300]}, "invalid_value", "stop_token_ids[1]"),
    ({"allowed_token_ids": [300]}, "invalid_value", "allowed_token_ids[0]"),
    ({"max_tokens": 2, "min_tokens": 3}, "invalid_value", "min_tokens"),
    ({"length_penalty": 1}, "invalid_value", "length_penalty"),
    ({"early_stopping": True}, "invalid_value", "early_stopping"),
    ({"use_beam_search": True, "temperature": 0.5}, "invalid_value", "temperature"),
    ({"use_beam_search": True, "n": 2, "regex": "a"}, "invalid_value", "regex"),
    ({"use_beam_search": True, "guided_json": {}}, "invalid_value", "guided_json"),
    ({"regex": "a", "ebnf": "b"}, "invalid_value", "ebnf"),
    ({"response_format": {"type": "json_object"}, "guided_regex": "a"}, "invalid_value", "guided_regex"),
    ({"guided_json": "no JSON"}, "invalid_value", "guided_json"),
    ({"guided_json": "1"}, "invalid_value", "guided_json"),
    ({"response_format": {"type": "json", "value": "no JSON"}}, "invalid_value", "response_format.value"),
    ({"structured_outputs": {"json": "{"}}, "invalid_value", "structured_outputs.json"),
    ({"structured_outputs": {"structural_tag": "{"}}, "invalid_value", "structured_outputs.structural_tag"),
    ({"structured_outputs": {"structural_tag": "[]"}}, "invalid_value", "structured_outputs.structural_tag"),
    (
        {
            "response_format": {
                "type": "json_schema",
                "json_schema": {
                    "name": "n",
                    "strict": True,
                    "schema": {"type": "object", "properties": {"a": {"type": "object"}}},
                },
            }
        },
        "invalid_value",
        "response_format.json_schema.schema",
    ),
]


@pytest.mark.parametrize(
    ("path", "body"), [(CHAT, chat), (COMPLETIONS, completion)], ids=["chat", "completions"]
)
@pytest.mark.parametrize(("fields", "code", "param"), EVERYWHERE)
async def test_options_that_are_not_what_they_must_be_are_refused_by_name(
    path: str, body: Body, fields: dict[str, Any], code: str, param: str
) -> None:
    assert await refused(path, body(**fields)) == (code, param)


CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
IN_CHAT: list[tuple[dict[str, Any], str, str]] = [
    ({"model": MODEL}, "missing_required_parameter", "messages"),
    ({"messages": [{"role": "user", "content": "Hi"}]}, "missing_required_parameter", "model"),
    (chat(model=1), "invalid_type", "model"),
    (chat(messages=[]), "array_below_min_length", "messages"),
    (chat(messages="Hi"), "invalid_type", "messages"),
    (talk("Hi"), "invalid_type", "messages[1]"),
    (talk({"content": "Hi"}), "missing_required_parameter", "messages[1].role"),
    (talk({"role": "robot", "content": "Hi"}), "unsupported_value", "messages[1].role"),
    (talk({"role": "robot", "name": "f", "content": "Hi"}), "unsupported_value", "messages[1].role"),
    (talk({"role": "user"}), "missing_required_parameter", "messages[1].content"),
    (talk({"role": "user", "content": 1}), "invalid_type", "messages[1].content"),
    (talk({"role": "user", "content": None}), "invalid_type", "messages[1].content"),
    (
        talk({"role": "user", "content": [{"type": "smell"}]}),
        "unsupported_value",
        "messages[1].content[0].type",
    ),
    (
        talk({"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text"}]}),
        "missing_required_parameter",
        "messages[1].content[1].text",
    ),
    (
        talk({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://a/b"}}]}),
        "unsupported_value",
        "messages[1].content[0]",
    ),
    (
        talk(
            {
                "role": "user",
                "content": [{"type": "text", "text": "a"}, {"type": "file", "file": {"file_id": "f"}}],
            }
        ),
        "unsupported_value",
        "messages[1].content[1].file.file_id",
    ),
    (talk({"role": "tool", "content": "a"}), "invalid_value", "messages[1].tool_call_id"),
    (
        talk({"role": "tool", "content": "a", "tool_call_id": "c"}),
        "invalid_value",
        "messages[1].tool_call_id",
    ),
    (
        talk(
            {"role": "tool", "content": "a", "tool_call_id": "c"},
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
        ),
        "invalid_value",
        "messages[1].tool_call_id",
    ),
    (talk({"role": "assistant"}), "invalid_value", "messages[1].content"),
    (talk({"role": "assistant", "content": None}), "invalid_value", "messages[1].content"),
    (
        talk({"role": "assistant", "content": None, "tool_calls": [{**CALL, "type": "hosted"}]}),
        "unsupported_value",
        "messages[1].tool_calls[0].type",
    ),
    (chat(top_logprobs=2), "invalid_value", "top_logprobs"),
    (chat(logprobs=False, top_logprobs=2), "invalid_value", "top_logprobs"),
    (chat(logprobs=True, top_logprobs=21), "integer_above_max_value", "top_logprobs"),
    (chat(logprobs=1), "invalid_type", "logprobs"),
    (chat(max_tokens=1, max_completion_tokens=2), "invalid_value", "max_tokens"),
    (chat(max_tokens=0), "integer_below_min_value", "max_tokens"),
    (chat(max_completion_tokens=2, min_tokens=3), "invalid_value", "min_tokens"),
    (chat(audio={"voice": "alloy", "format": "mp3"}), "unsupported_parameter", "audio"),
    (chat(web_search_options={}), "unsupported_parameter", "web_search_options"),
    (chat(chat_template="{{ messages }}"), "unsupported_parameter", "chat_template"),
    (chat(modalities=["text", "audio"]), "unsupported_value", "modalities[1]"),
    (chat(reasoning_effort="some"), "unsupported_value", "reasoning_effort"),
    (chat(verbosity="chatty"), "unsupported_value", "verbosity"),
    (chat(safety_identifier="s" * 65), "string_above_max_length", "safety_identifier"),
    (chat(tools=[{"type": "function"}]), "missing_required_parameter", "tools[0].function"),
    (chat(tools=[{"type": "hosted", "hosted": {"name": "c"}}]), "unsupported_value", "tools[0].type"),
    (
        chat(response_format={"type": "json_schema"}),
        "missing_required_parameter",
        "response_format.json_schema",
    ),
    (
        chat(tools=[{"type": "function", "function": {}}]),
        "missing_required_parameter",
        "tools[0].function.name",
    ),
    (
        chat(tools=[TOOL, {"type": "function", "function": {"name": "a b"}}]),
        "invalid_value",
        "tools[1].function.name",
    ),
    (chat(tools=[TOOL, TOOL]), "invalid_value", "tools[1].function.name"),
    (
        chat(tools=[{"type": "function", "function": {"name": "f", "parameters": {"type": "string"}}}]),
        "invalid_value",
        "tools[0].function.parameters",
    ),
    (
        chat(tools=[{"type": "function", "function": {**TOOL["function"], "strict": True}}]),
        "invalid_value",
        "tools[0].function.parameters",
    ),
    (chat(tool_choice="required"), "invalid_value", "tool_choice"),
    (chat(tools=[], tool_choice="required"), "invalid_value", "tool_choice"),
    (chat(tools=[TOOL], tool_choice="sometimes"), "unsupported_value", "tool_choice"),
    (
        chat(tools=[TOOL], tool_choice={"type": "function", "function": {"name": "other"}}),
        "unsupported_value",
        "tool_choice",
    ),
    (chat(tool_choice={"type": "function", "function": {"name": "f"}}), "unsupported_value", "tool_choice"),
    (
        chat(
            tools=[TOOL],
            tool_choice={
                "type": "allowed_tools",
                "allowed_tools": {
                    "mode": "auto",
                    "tools": [{"type": "function", "function": {"name": "other"}}],
                },
            },
        ),
        "unsupported_value",
        "tool_choice",
    ),
    (chat(tools=[TOOL], use_beam_search=True, n=2), "invalid_value", "tools"),
    (chat(chat_template_kwargs={"messages": []}), "invalid_value", "chat_template_kwargs.messages"),
    (chat(continue_final_message=True), "invalid_value", "messages[0]"),
    (
        talk({"role": "assistant", "content": "a"})
        | {"continue_final_message": True, "add_generation_prompt": True},
        "invalid_value",
        "add_generation_prompt",
    ),
]


@pytest.mark.parametrize(("body", "code", "param"), IN_CHAT)
async def test_chat_refuses_what_is_wrong_by_its_path(body: dict[str, Any], code: str, param: str) -> None:
    assert await refused(CHAT, body) == (code, param)


OF_COMPLETIONS: list[tuple[dict[str, Any], str, str]] = [
    ({"model": MODEL}, "missing_required_parameter", "prompt"),
    (completion(None), "invalid_type", "prompt"),
    (completion([]), "array_below_min_length", "prompt"),
    (completion([[]]), "array_below_min_length", "prompt[0]"),
    (completion(""), "invalid_value", "prompt"),
    (completion(["a", ""]), "invalid_value", "prompt[1]"),
    (completion([1, -1]), "integer_below_min_value", "prompt[1]"),
    (completion([1, 300]), "invalid_value", "prompt[1]"),
    (completion([[1], [2, 300]]), "invalid_value", "prompt[1][1]"),
    (completion(n=2, best_of=1), "invalid_value", "best_of"),
    (completion(best_of=2, stream=True), "invalid_value", "best_of"),
    (completion(best_of=2, use_beam_search=True), "invalid_value", "best_of"),
    (completion(best_of=21), "integer_above_max_value", "best_of"),
    (completion(best_of=0), "integer_below_min_value", "best_of"),
    (completion(logprobs=21), "integer_above_max_value", "logprobs"),
    (completion(logprobs=True), "invalid_type", "logprobs"),
    (completion(suffix="."), "unsupported_parameter", "suffix"),
    (completion(min_tokens=17), "invalid_value", "min_tokens"),  # 16 are the most unless told
    (completion(max_tokens=0, min_tokens=1), "invalid_value", "min_tokens"),
    (completion(echo="yes"), "invalid_type", "echo"),
    (completion(tools=[]), "unknown_parameter", "tools"),
]


@pytest.mark.parametrize(("body", "code", "param"), OF_COMPLETIONS)
async def test_completions_refuse_what_is_wrong_by_its_path(
    body: dict[str, Any], code: str, param: str
) -> None:
    assert await refused(COMPLETIONS, body) == (code, param)


OF_EMBEDDINGS: list[tuple[dict[str, Any], str, str]] = [
    ({"model": MODEL}, "missing_required_parameter", "input"),
    (embed(""), "string_below_min_length", "input"),
    (embed([]), "array_below_min_length", "input"),
    (embed(["a", 1]), "invalid_type", "input[1]"),
    (embed([1, 300]), "invalid_value", "input[1]"),
    (embed([[1], [2, 300]]), "invalid_value", "input[1][1]"),
    (embed(dimensions=0), "integer_below_min_value", "dimensions"),
    (embed(dimensions=5), "invalid_value", "dimensions"),  # the model has 4
    (embed(encoding_format="hex"), "unsupported_value", "encoding_format"),
    (embed(surprise=1), "unknown_parameter", "surprise"),
]


@pytest.mark.parametrize(("body", "code", "param"), OF_EMBEDDINGS)
async def test_embeddings_refuse_what_is_wrong_by_its_path(
    body: dict[str, Any], code: str, param: str
) -> None:
    assert await refused(EMBEDDINGS, body) == (code, param)


MESSAGES: list[tuple[dict[str, Any], str]] = [
    (chat(surprise=1), "Unknown parameter: 'surprise'."),
    ({"messages": []}, "Missing required parameter: 'model'."),
    (chat(temperature="a"), "Invalid type for 'temperature': it must be a number."),
    (chat(n=0), "Invalid 'n': it must be greater than or equal to 1."),
    (
        chat(web_search_options={}),
        "Unsupported parameter: 'web_search_options' is not supported by this server.",
    ),
    (chat(top_logprobs=1), "'top_logprobs' is only allowed when 'logprobs' is true."),
    (chat(stream_options={}), "The 'stream_options' parameter is only allowed when 'stream' is true."),
]


@pytest.mark.parametrize(("body", "message"), MESSAGES)
async def test_messages_are_sentences_that_users_of_openai_know(body: dict[str, Any], message: str) -> None:
    _, error = await quiet().error(CHAT, body)
    assert error["message"] == message


NAN = b'{"model": "m", "messages": [{"role": "user", "content": ""}], "chat_template_kwargs": {"a": NaN}}'


@pytest.mark.parametrize("raw", [b"", b"{", b"[1", NAN, b"\xff"])
async def test_a_body_that_is_no_json_is_refused_as_such(raw: bytes) -> None:
    headers = {"content-type": "application/json"}
    response = await send(quiet().app, "POST", CHAT, content=raw, headers=headers)
    error = response.json()["error"]
    assert (response.status_code, error["type"], error["param"]) == (400, "invalid_request_error", None)
    assert "JSON" in error["message"]


@pytest.mark.parametrize("body", ["Hi", 1, [chat()]])
async def test_a_body_that_is_no_object_is_refused(body: object) -> None:
    assert await quiet().refusal(CHAT, body) == Refusal(400, "invalid_type", None)


async def test_more_sequences_than_run_at_once_take_turns() -> None:
    api = Api(says("x"), max_concurrent_requests=3, max_request_share=1)
    asked = [
        (CHAT, chat(n=4), 4),
        (COMPLETIONS, completion(n=4), 4),
        (COMPLETIONS, completion(best_of=4), 1),
        (COMPLETIONS, completion(["a"] * 2048), 2048),
        (COMPLETIONS, completion(["a", "b"], n=2), 4),
    ]
    for path, body, num_choices in asked:
        response = await api.post(path, body)
        assert response.status_code == 200
        assert [choice["index"] for choice in response.json()["choices"]] == [*range(num_choices)]


async def test_too_many_sequences_are_refused_by_the_field_that_asks_for_them() -> None:
    body = completion(["a"] * 2048, n=21)
    assert await quiet().refusal(COMPLETIONS, body) == Refusal(400, "invalid_value", "prompt")


@pytest.mark.parametrize(
    ("path", "body", "param"),
    [
        (CHAT, chat(regex="a"), "regex"),
        (COMPLETIONS, completion(guided_regex="a"), "guided_regex"),
    ],
)
async def test_a_server_without_grammar_support_refuses_every_form(
    path: str, body: dict[str, Any], param: str
) -> None:
    status, error = await Api(says("x"), disable_grammar_support=True).error(path, body)
    assert (status, error["param"]) == (400, param)
