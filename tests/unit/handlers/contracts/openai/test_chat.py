"""Whole chat answers."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from engine.port.events import FinishReason, TokenEvent
from engine.port.request import GenerationRequest
from tests.support.scripted.engine import Script, ScriptedEngine, says, token
from tests.unit.handlers.chat.models import THINKING_TEMPLATE, chat_tokenizer
from tests.unit.handlers.contracts.openai.api import CALL, CHAT, MODEL, TOOL, Api, chat, spells
from tests.unit.verbatim_kit.runtime.client import events


def ends(finish: FinishReason, *, token_id: int = 5, stop_match: str | None = None) -> Script:
    """One token that ends the text."""

    def script(request: GenerationRequest) -> Iterator[TokenEvent]:
        yield replace(token(request, 0, "a", finish=finish), token_id=token_id, stop_match=stop_match)

    return script


STOPS = {"stop": "b", "stop_token_ids": [5, 6]}
# What the last event says -> finish_reason and stop_reason.
ENDS: list[tuple[Script, str, str | int | None]] = [
    (ends(FinishReason.END_TOKEN), "stop", None),
    (ends(FinishReason.LENGTH), "length", None),
    (ends(FinishReason.STOP, stop_match="b"), "stop", "b"),
    (ends(FinishReason.STOP, token_id=6), "stop", 6),
    (ends(FinishReason.STOP, token_id=7), "stop", None),  # a grammar whose end was reached
]


def thinking(text: str) -> ScriptedEngine:
    """A model whose answers begin inside of its thoughts."""
    return ScriptedEngine(spells(text), tokenizer=chat_tokenizer(THINKING_TEMPLATE))


async def choice_of(script: Script | ScriptedEngine, **fields: Any) -> Any:
    (choice,) = (await Api(script).answer(CHAT, chat(**fields)))["choices"]
    return choice


@pytest.mark.parametrize("contract", ["openai", "tgi", "hf"])
async def test_an_answers_id_is_the_requests_in_the_engine(contract: str) -> None:
    engine = ScriptedEngine(says("a"))
    answer = await Api(engine).answer(f"/{contract}/v1/chat/completions", chat())
    assert answer["id"] == f"chatcmpl-{engine.requests[0].request_id}"


# A call without its opening tag, one brace short.
MENDED = '{"name": "add", "arguments": {"a": 1}\n</tool_call>'


@pytest.mark.parametrize("contract", ["openai", "tgi", "hf", "mindie"])
@pytest.mark.parametrize("stream", [False, True])
async def test_an_answer_with_a_mended_call_ends_as_one_with_a_call_does(contract: str, stream: bool) -> None:
    api, path = Api(spells(MENDED)), f"/{contract}/v1/chat/completions"
    body = chat(tools=[TOOL], stream=stream)
    response = await api.post(path, body)
    told = [event for event in events(response) if event != "[DONE]"] if stream else [response.text]
    choices = [choice for answer in map(json.loads, told) for choice in answer["choices"]]
    parts = [choice["delta" if stream else "message"] for choice in choices]
    [call] = [call for part in parts for call in part.get("tool_calls") or ()]
    arguments = call["function"]["arguments"]
    assert (json.loads(arguments) if isinstance(arguments, str) else arguments) == {"a": 1}
    assert choices[-1]["finish_reason"] == "tool_calls"
    assert not any(part.get("content") for part in parts)


async def test_a_mended_call_is_one_in_the_answers_that_have_items() -> None:
    function = {"name": "add", "description": "", "parameters": TOOL["function"]["parameters"]}
    response = await Api(spells(MENDED)).answer(
        "/openai/v1/responses",
        {"model": MODEL, "input": "Hi", "tools": [function | {"type": "function", "strict": False}]},
    )
    assert [item["type"] for item in response["output"]] == ["function_call"]
    schema = {"name": "add", "input_schema": TOOL["function"]["parameters"]}
    messages = [{"role": "user", "content": "Hi"}]
    answer = await Api(spells(MENDED)).post(
        "/anthropic/v1/messages",
        {"model": MODEL, "max_tokens": 90, "messages": messages, "tools": [schema]},
        headers={"anthropic-version": "2023-06-01"},
    )
    message = answer.json()
    assert message["stop_reason"] == "tool_use"
    assert [(part["type"], part["input"]) for part in message["content"]] == [("tool_use", {"a": 1})]


async def test_an_answer_is_a_chat_completion() -> None:
    answer = await Api(says("Hel", "lo")).answer(CHAT, chat())
    assert answer.keys() == {"id", "object", "created", "model", "system_fingerprint", "choices", "usage"}
    assert answer["object"] == "chat.completion"
    assert answer["id"].startswith("chatcmpl-")
    assert answer["choices"] == [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "Hello", "refusal": None},
            "logprobs": None,
            "finish_reason": "stop",
            "stop_reason": None,
        }
    ]


async def test_usage_counts_the_prompt_once_and_the_tokens_of_all_answers() -> None:
    api = Api(says("a", "b"))
    usage = (await api.answer(CHAT, chat(n=3)))["usage"]
    num_prompt_tokens = len(api.engine.request.prompt.token_ids)
    assert usage == {
        "prompt_tokens": num_prompt_tokens,
        "completion_tokens": 9,
        "total_tokens": num_prompt_tokens + 9,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": 0,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }


async def test_ids_are_unique_the_model_is_the_served_one_and_the_fingerprint_stays() -> None:
    api = Api(says("a"), model_alias=["tgi", "mine"])
    answers = [await api.answer(CHAT, chat(model=model)) for model in ("verbatim-demo", "tgi", "mine")]
    assert len({answer["id"] for answer in answers}) == 3
    assert {answer["model"] for answer in answers} == {"verbatim-demo"}
    assert len({answer["system_fingerprint"] for answer in answers}) == 1


@pytest.mark.parametrize(("tier", "told"), [("flex", "default"), ("auto", "default"), (None, None)])
async def test_the_service_tier_is_told_where_one_was_asked(tier: str | None, told: str | None) -> None:
    answer = await Api(says("a")).answer(CHAT, chat(service_tier=tier))
    assert answer.get("service_tier") == told


@pytest.mark.parametrize(("script", "finish_reason", "stop_reason"), ENDS)
async def test_the_end_is_told_with_the_requests_own_stop_that_made_it(
    script: Script, finish_reason: str, stop_reason: str | int | None
) -> None:
    choice = await choice_of(script, **STOPS)
    assert (choice["finish_reason"], choice["stop_reason"]) == (finish_reason, stop_reason)


async def test_choices_come_in_the_order_of_their_index() -> None:
    answer = await Api(says("a", "b")).answer(CHAT, chat(n=3))
    assert [choice["index"] for choice in answer["choices"]] == [0, 1, 2]
    assert {choice["message"]["content"] for choice in answer["choices"]} == {"ab"}


async def test_an_answer_of_nothing_is_an_empty_text() -> None:
    assert (await choice_of(says()))["message"]["content"] == ""


async def test_a_call_is_told_with_its_arguments_as_json_text_and_no_content() -> None:
    choice = await choice_of(says(CALL), tools=[TOOL])
    assert choice["finish_reason"] == "tool_calls"
    assert choice["message"]["content"] is None
    (call,) = choice["message"]["tool_calls"]
    assert call.keys() == {"id", "type", "function"}
    assert call["type"] == "function" and call["id"]
    assert call["function"] == {"name": "add", "arguments": '{"a": 1}'}


async def test_words_before_a_call_are_content() -> None:
    choice = await choice_of(says("Let me see.\n", CALL), tools=[TOOL])
    assert choice["message"]["content"] == "Let me see."
    assert len(choice["message"]["tool_calls"]) == 1


@pytest.mark.parametrize(("parallel", "num_calls"), [(True, 2), (None, 2), (False, 1)])
async def test_several_calls_have_ids_of_their_own_and_only_one_is_told_where_one_is_wanted(
    parallel: bool | None, num_calls: int
) -> None:
    choice = await choice_of(says(CALL, "\n", CALL), tools=[TOOL], parallel_tool_calls=parallel)
    assert len({call["id"] for call in choice["message"]["tool_calls"]}) == num_calls


async def test_a_call_that_the_length_cuts_off_ends_by_length() -> None:
    assert (await choice_of(says(CALL, finish=FinishReason.LENGTH), tools=[TOOL]))[
        "finish_reason"
    ] == "length"


async def test_without_tools_what_looks_like_a_call_is_content() -> None:
    choice = await choice_of(says(CALL))
    assert choice["message"]["content"] == CALL
    assert "tool_calls" not in choice["message"]


@pytest.mark.parametrize(
    ("fields", "content", "reasoning"),
    [
        ({}, "Yes", "Hm, well"),
        ({"include_reasoning": True}, "Yes", "Hm, well"),
        ({"include_reasoning": False}, "Yes", None),
        ({"separate_reasoning": False}, "\nHm, well\n</think>\n\nYes", None),
        ({"separate_reasoning": False, "tools": [TOOL]}, "\nHm, well\n</think>\n\nYes", None),
    ],
)
async def test_thoughts_are_told_apart_hidden_or_left_in_as_asked(
    fields: dict[str, Any], content: str, reasoning: str | None
) -> None:
    message = (await choice_of(thinking("\nHm, well\n</think>\n\nYes"), **fields))["message"]
    assert message["content"] == content
    assert message.get("reasoning_content") == reasoning


@pytest.mark.parametrize(
    ("field", "names"),
    [
        ("reasoning_content", {"reasoning_content"}),
        ("reasoning", {"reasoning"}),
        ("both", {"reasoning", "reasoning_content"}),
    ],
)
async def test_thoughts_have_the_name_that_the_server_is_set_to(field: str, names: set[str]) -> None:
    api = Api(thinking("Hm</think>Yes"), reasoning_field=field, check_responses="fail")
    message = (await api.answer(CHAT, chat()))["choices"][0]["message"]
    deltas = [chunk["choices"][0]["delta"] for chunk in await api.chunks(CHAT, chat())]
    for name in ("reasoning", "reasoning_content"):
        thoughts = "Hm" if name in names else ""
        assert message.get(name, "") == "".join(delta.get(name, "") for delta in deltas) == thoughts


async def test_usage_counts_the_tokens_of_thoughts() -> None:
    usage = (await Api(thinking("Hm</think>Yes")).answer(CHAT, chat()))["usage"]
    thoughts = usage["completion_tokens_details"]["reasoning_tokens"]
    assert 0 < thoughts < usage["completion_tokens"]


async def test_thoughts_that_never_end_are_no_content() -> None:
    message = (await choice_of(thinking("Hm")))["message"]
    assert (message["content"], message["reasoning_content"]) == ("", "Hm")


@pytest.mark.parametrize("text", ["Hello", "é€𝄞 ", "naïve 日本"])
async def test_the_bytes_of_log_probabilities_joined_are_the_content(text: str) -> None:
    choice = await choice_of(spells(text), logprobs=True)
    tokens = choice["logprobs"]["content"]
    assert bytes(byte for token in tokens for byte in token["bytes"]).decode() == text
    assert choice["message"]["content"] == text
    assert {token["logprob"] for token in tokens} == {-0.5}
    assert choice["logprobs"]["refusal"] is None


async def test_log_probabilities_are_of_content_and_calls_and_not_of_thoughts() -> None:
    content = (await choice_of(thinking("Hm</think>Yes"), logprobs=True))["logprobs"]["content"]
    assert "".join(token["token"] for token in content) == "Yes"
    content = (await choice_of(spells(CALL), tools=[TOOL], logprobs=True))["logprobs"]["content"]
    assert "".join(token["token"] for token in content) == CALL


@pytest.mark.parametrize("num_top", [None, 0, 2])
async def test_as_many_of_the_likeliest_tokens_are_told_as_asked(num_top: int | None) -> None:
    choice = await choice_of(says("a"), logprobs=True, top_logprobs=num_top)
    (first, *_) = choice["logprobs"]["content"]
    assert [top["logprob"] for top in first["top_logprobs"]] == [-0.5, -1.5][: num_top or 0]
    assert all(top.keys() == {"token", "logprob", "bytes"} for top in first["top_logprobs"])


async def test_an_impossible_tokens_log_probability_is_openais_least() -> None:
    choice = await choice_of(says("a", logprobs=(float("-inf"),)), logprobs=True)
    assert choice["logprobs"]["content"][0]["logprob"] == -9999.0


async def test_arguments_are_told_to_the_letter_as_the_model_wrote_them() -> None:
    written = '{"a":   1, "é": "\\u00e9"}'
    call = f'<tool_call>\n{{"name": "add", "arguments": {written}}}\n</tool_call>'
    (told,) = (await choice_of(says(call), tools=[TOOL]))["message"]["tool_calls"]
    assert told["function"]["arguments"] == written
    assert json.loads(written) == {"a": 1, "é": "é"}
