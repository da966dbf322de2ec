"""Responses in the form of this contract: where it differs from OpenAI's."""

from typing import Any, Final

import pytest

from engine.port.errors import GenerationFailed
from engine.port.events import FinishReason
from tests.support.scripted.engine import ScriptedEngine, fails_after, says
from tests.unit.handlers.chat.models import THINKING_TEMPLATE, chat_tokenizer
from tests.unit.handlers.contracts.open_responses.api import PATH, OpenResponses, message, request
from tests.unit.handlers.contracts.openai.api import Refusal
from tests.unit.handlers.contracts.openai.responses.test_responses import thinking

TOOL: Final = {"type": "function", "name": "add", "parameters": {"type": "object"}}
OWN_OF_OPENAI: Final = {"user", "prompt_cache_retention"}


async def test_an_answer_has_the_fields_of_this_contract_alone() -> None:
    answer = await OpenResponses(says("Hello")).answered()
    assert not OWN_OF_OPENAI & answer.keys()
    assert answer["usage"]["input_tokens_details"] == {"cached_tokens": 0}
    assert answer["text"] == {"format": {"type": "text"}}


async def test_the_served_model_answers_where_none_is_named() -> None:
    answer = await OpenResponses(says("Hello")).answered(model=None)
    assert answer["model"] == "verbatim-demo"


async def test_thoughts_are_streamed_by_the_names_of_this_contract() -> None:
    events = await OpenResponses(thinking("a", "b", "</think>", "c")).streamed()
    kinds = [event["type"] for event in events]
    assert kinds.count("response.reasoning.delta") == 2
    (done,) = (event for event in events if event["type"] == "response.reasoning.done")
    assert done["text"] == "ab"
    thoughts, said = events[-1]["response"]["output"]
    assert thoughts["content"] == [{"type": "reasoning_text", "text": "ab"}]
    assert thoughts["status"] == "completed" and "encrypted_content" not in thoughts
    assert said["content"][0]["text"] == "c"


async def test_a_streamed_response_is_the_whole_one() -> None:
    fields: dict[str, Any] = {
        "tools": [TOOL],
        "tool_choice": {"type": "allowed_tools", "tools": [{"type": "function", "name": "add"}]},
        "metadata": {"a": "b"},
        "text": {"format": {"type": "json_schema", "name": "s", "schema": {"type": "object"}}},
        "store": False,
    }
    whole = await OpenResponses(says("{}")).answered(**fields)
    streamed = (await OpenResponses(says("{}")).streamed(**fields))[-1]["response"]
    for response in (whole, streamed):
        response["output"][0]["id"] = ""
    new = ("id", "created_at", "completed_at")
    assert {k: v for k, v in whole.items() if k not in new} == {
        k: v for k, v in streamed.items() if k not in new
    }
    assert whole["tool_choice"]["mode"] == "auto"
    assert whole["text"]["format"]["strict"] is False and whole["text"]["format"]["description"] is None


async def test_an_answer_that_is_cut_off_is_incomplete() -> None:
    engine = ScriptedEngine(says("a", "b", finish=FinishReason.LENGTH))
    events = await OpenResponses(engine).streamed(max_output_tokens=16)
    assert events[-1]["type"] == "response.incomplete"
    assert events[-1]["response"]["incomplete_details"] == {"reason": "max_output_tokens"}


async def test_a_late_failure_is_the_last_event() -> None:
    events = await OpenResponses(fails_after(GenerationFailed("broken"), "a")).streamed()
    assert events[-1]["type"] == "response.failed"
    assert events[-1]["response"]["error"]["code"] == "server_error"


async def test_output_can_be_sent_back_as_it_is() -> None:
    api = OpenResponses(
        ScriptedEngine(says("why", "</think>", "so"), tokenizer=chat_tokenizer(THINKING_TEMPLATE))
    )
    first = await api.answered()
    api.engine.requests.clear()
    await api.answered(input=[message("user", "Hi"), *first["output"], message("user", "And?")])
    assert "so" in api.prompt


async def test_both_contracts_continue_each_others_responses() -> None:
    api = OpenResponses(says("Oslo"))
    first = await api.answered(input="Where?")
    second = await api.answer(
        "/openai/v1/responses", request(previous_response_id=first["id"], input="And then?")
    )
    api.engine.requests.clear()
    third = await api.answered(previous_response_id=second["id"], input="At last?")
    assert third["previous_response_id"] == second["id"]
    places = [api.prompt.index(words) for words in ("Where?", "Oslo", "And then?", "At last?")]
    assert places == sorted(places)


async def test_an_item_can_be_named_without_a_type() -> None:
    api = OpenResponses(says("Oslo"))
    first = await api.answered(input="Where?")
    api.engine.requests.clear()
    await api.answered(input=[{"id": first["output"][0]["id"]}, message("user", "Why?")])
    assert "Oslo" in api.prompt


@pytest.mark.parametrize(
    ("fields", "code", "param"),
    [
        ({"input": None}, "invalid_type", "input"),
        ({"unknown": 1}, "unknown_parameter", "unknown"),
        ({"background": True}, "unsupported_value", "background"),
        ({"max_output_tokens": 15}, "integer_below_min_value", "max_output_tokens"),
        ({"temperature": 2.1}, "decimal_above_max_value", "temperature"),
        ({"top_logprobs": 2}, None, "top_logprobs"),
        ({"stream_options": {}}, None, "stream_options"),
        ({"tool_choice": {"type": "function", "name": "a"}}, None, "tool_choice"),
        ({"text": {"format": {"type": "json_schema"}}}, "missing_required_parameter", "text.format.name"),
        ({"previous_response_id": "resp_0"}, "previous_response_not_found", "previous_response_id"),
        (
            {"input": [{"type": "compaction", "encrypted_content": "x"}]},
            "unsupported_value",
            "input[0].encrypted_content",
        ),
        (
            {
                "input": [
                    {"type": "function_call", "call_id": "c", "name": "add", "arguments": "{}"},
                    {
                        "type": "function_call_output",
                        "call_id": "c",
                        "output": [{"type": "input_video", "video_url": "x"}],
                    },
                ]
            },
            "unsupported_value",
            "input[1].output[0].type",
        ),
    ],
)
async def test_what_cannot_be_honoured_is_refused_by_name(
    fields: dict[str, Any], code: str | None, param: str
) -> None:
    status, error = await OpenResponses(says("a")).error(PATH, request(**fields))
    assert (status, error["type"], error["param"]) == (400, "invalid_request", param)
    assert code is None or error["code"] == code, error


async def test_errors_have_the_types_of_the_specification() -> None:
    api = OpenResponses(fails_after(GenerationFailed("broken")))
    assert await api.refusal(PATH, request(model="other")) == Refusal(404, "model_not_found", "model")
    status, error = await api.error(PATH, request(model="other"))
    assert (status, error["type"]) == (404, "not_found")
    status, error = await api.error(PATH, request())
    assert (status, error["type"]) == (500, "server_error")
