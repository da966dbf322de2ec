"""Responses over HTTP: what a request means, what its answer tells, and how either can fail."""

import asyncio
from typing import Any

import httpx
import orjson
import pytest
from openai.types.responses import Response, ResponseFunctionToolCall

from engine.port.errors import (
    EngineStopped,
    GenerationFailed,
    InvalidGrammar,
    NotCapable,
    PromptTooLong,
)
from engine.port.events import FinishReason
from engine.port.request import GrammarKind
from generated.openai import models as m
from handlers.chat.usage import ChatUsage
from handlers.contracts.openai.responses.answer.response import response_usage
from tests.support.clocks.until import until
from tests.support.scripted.engine import ScriptedEngine, fails_after, says
from tests.unit.handlers.chat.models import THINKING_TEMPLATE, chat_tokenizer
from tests.unit.handlers.contracts.openai.api import CALL, MODEL, Api, Refusal

PATH = "/openai/v1/responses"
TOOL = {
    "type": "function",
    "name": "add",
    "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}},
}
ADD = {"type": "function", "name": "add"}
NAMESPACE = {"type": "namespace", "name": "maths", "description": "Sums.", "tools": [TOOL]}
PATCH = {"type": "custom", "name": "apply_patch", "description": "Change files.", "format": {"type": "text"}}
HOSTED = [{"type": "web_search", "external_web_access": False}, {"type": "image_generation"}]
LOGPROBS = {"include": ["message.output_text.logprobs"]}


class Responses(Api):
    """One server over one engine, of which responses are asked."""

    async def sent(self, **fields: Any) -> httpx.Response:
        return await self.post(PATH, request(**fields))

    async def answered(self, **fields: Any) -> Any:
        return await self.answer(PATH, request(**fields))

    async def refused(self, **fields: Any) -> Refusal:
        return await self.refusal(PATH, request(**fields))

    async def streamed(self, **fields: Any) -> list[Any]:
        """The events, after a look at their names and numbers."""
        response = await self.sent(stream=True, **fields)
        assert response.status_code == 200, response.text
        *frames, end = response.text.split("\n\n")
        assert end == ""
        events = []
        for number, frame in enumerate(frames):
            name, data = frame.split("\n")
            event = orjson.loads(data.removeprefix("data: "))
            assert (name, event["sequence_number"]) == (f"event: {event['type']}", number)
            events.append(event)
        return events


def request(**fields: Any) -> dict[str, Any]:
    """The body of a request."""
    return {"model": MODEL, "input": "Hi", **fields}


def thinking(*pieces: str) -> ScriptedEngine:
    """A model whose answers begin inside of its thoughts."""
    return ScriptedEngine(says(*pieces), tokenizer=chat_tokenizer(THINKING_TEMPLATE))


def without_identity(response: dict[str, Any]) -> dict[str, Any]:
    """A response but for what is new in each."""
    output = [
        {key: value for key, value in item.items() if key not in ("id", "call_id")}
        for item in response["output"]
    ]
    return {**response, "id": "", "created_at": 0, "completed_at": 0, "output": output}


async def test_an_answer_is_a_response_with_one_message() -> None:
    answer = await Responses(says("Hel", "lo")).answered()
    (message,) = answer["output"]
    assert (answer["object"], answer["status"], message["role"]) == ("response", "completed", "assistant")
    assert message["content"] == [{"type": "output_text", "text": "Hello", "annotations": [], "logprobs": []}]
    assert answer["incomplete_details"] is None and answer["error"] is None
    usage = answer["usage"]
    assert usage["output_tokens"] == 3
    assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"]


async def test_every_response_and_item_has_an_id_of_its_own() -> None:
    api = Responses(says("a"))
    answers = [await api.answered(), await api.answered()]
    ids = [answer["id"] for answer in answers] + [answer["output"][0]["id"] for answer in answers]
    assert len(set(ids)) == 4
    assert [id.split("_")[0] for id in ids] == ["resp", "resp", "msg", "msg"]


async def test_what_the_request_says_is_repeated() -> None:
    fields = {
        "instructions": "Be brief.",
        "max_output_tokens": 9,
        "max_tool_calls": 2,
        "metadata": {"a": "b"},
        "parallel_tool_calls": False,
        "prompt_cache_key": "k",
        "reasoning": {"effort": "low", "summary": "auto"},
        "safety_identifier": "s",
        "temperature": 0.5,
        "text": {"format": {"type": "json_object"}, "verbosity": "low"},
        "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": [ADD]},
        "tools": [{**TOOL, "description": None, "strict": True}],
        "top_logprobs": 2,
        "top_p": 0.5,
        "truncation": "auto",
        "presence_penalty": 0.5,
        "frequency_penalty": -0.5,
        "user": "u",
    }
    answer = await Responses(says("{}")).answered(**fields, **LOGPROBS)
    assert {name: answer[name] for name in fields} == fields


async def test_what_the_request_leaves_out_is_told_as_it_was_taken() -> None:
    answer = await Responses(says("a")).answered(store=True, tools=[TOOL])
    taken = {
        "background": False,
        "metadata": {},
        "model": "verbatim-demo",
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "service_tier": "default",
        "store": True,
        "temperature": 1,
        "text": {"format": {"type": "text"}, "verbosity": None},
        "tool_choice": "auto",
        "tools": [{**TOOL, "description": None, "strict": True}],
        "top_p": 1,
        "truncation": "disabled",
        "presence_penalty": 0,
        "frequency_penalty": 0,
    }
    assert {name: answer[name] for name in taken} == taken


async def test_null_in_every_optional_field_means_that_it_is_absent() -> None:
    api = Responses(says("a"))
    nulls = dict.fromkeys(m.CreateResponseRequest.model_fields.keys() - {"model", "input"})
    without, with_nulls = await api.answered(), await api.answered(**nulls)
    assert without_identity(with_nulls) == without_identity(without)


async def test_options_reach_the_engine() -> None:
    api = Responses(says("a"))
    await api.answered(
        temperature=0.5,
        top_p=0.25,
        top_k=4,
        min_p=0.125,
        repetition_penalty=1.5,
        presence_penalty=0.5,
        frequency_penalty=-0.5,
        seed=-1,
        logit_bias={"5": -100},
        top_logprobs=3,
        max_output_tokens=7,
        stop="END",
        ignore_eos=True,
        include_stop_str_in_output=True,
        **LOGPROBS,
    )
    sampling, stopping = api.engine.request.sampling, api.engine.request.stopping
    assert (sampling.temperature, sampling.top_p, sampling.top_k) == (0.5, 0.25, 4)
    assert (sampling.min_p, sampling.repetition_penalty) == (0.125, 1.5)
    assert (sampling.presence_penalty, sampling.frequency_penalty) == (0.5, -0.5)
    assert (sampling.seed, sampling.logit_bias, sampling.num_logprobs) == (2**64 - 1, {5: -100.0}, 3)
    assert (stopping.max_tokens, stopping.stop) == (7, ("END",))
    assert stopping.ignore_eos and stopping.include_stop


async def test_instructions_and_items_reach_the_model_in_their_order() -> None:
    api = Responses(says("a"))
    items = [
        {"role": "user", "content": [{"type": "input_text", "text": "One plus?"}]},
        {"type": "function_call", "call_id": "c", "name": "add", "arguments": '{"a": 1}'},
        {"type": "function_call_output", "call_id": "c", "output": "2"},
    ]
    await api.answered(input=items, instructions="Be brief.")
    places = [api.prompt.index(text) for text in ("Be brief.", "One plus?", '"add"', "tool\n2")]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("options", "variable"),
    [
        ({"chat_template_kwargs": {"enable_thinking": False}}, "<think>\n\n</think>"),
        ({"reasoning": {"effort": "none"}}, "<think>\n\n</think>"),
    ],
)
async def test_options_of_the_template_reach_it(options: dict[str, Any], variable: str) -> None:
    api = Responses(says("a"))
    await api.answered()
    assert variable not in api.prompt
    api.engine.requests.clear()
    await api.answered(**options)
    assert variable in api.prompt


async def test_special_tokens_are_left_out_unless_asked_for() -> None:
    for skips in (True, False):
        api = Responses(says("a"))
        await api.answered(skip_special_tokens=skips)
        assert api.engine.request.skip_special_tokens is skips


async def test_verbosity_reaches_the_template() -> None:
    template = "{{ messages[-1].content }} {{ verbosity }}"
    api = Responses(ScriptedEngine(says("a"), tokenizer=chat_tokenizer(template)))
    await api.answered(text={"verbosity": "low"})
    assert api.prompt == "Hi low"


@pytest.mark.parametrize(
    ("strict", "is_held"), [({}, True), ({"strict": None}, True), ({"strict": False}, False)]
)
async def test_arguments_are_held_to_the_schema_unless_strict_is_false(
    strict: dict[str, Any], is_held: bool
) -> None:
    api = Responses(says("a"))
    await api.answered(tools=[{**TOOL, **strict}])
    grammar = api.engine.request.sampling.grammar
    assert grammar is not None and ('"integer"' in grammar.source) is is_held


async def test_the_earlier_name_of_the_summary_is_told_by_the_newer_one() -> None:
    answer = await Responses(says("a")).answered(reasoning={"generate_summary": "concise"})
    assert answer["reasoning"] == {"effort": None, "summary": "concise"}


def test_usage_tells_of_cached_tokens_and_of_thoughts() -> None:
    usage = response_usage(
        ChatUsage(num_prompt_tokens=9, num_cached_tokens=4, num_completion_tokens=5, num_reasoning_tokens=2)
    )
    assert (usage.input_tokens, usage.input_tokens_details.cached_tokens) == (9, 4)
    assert (usage.output_tokens, usage.output_tokens_details.reasoning_tokens) == (5, 2)
    assert usage.total_tokens == 14


@pytest.mark.parametrize(
    ("format", "kind"),
    [
        ({"type": "json_object"}, GrammarKind.JSON_OBJECT),
        ({"type": "json_schema", "name": "n", "schema": {"type": "object"}}, GrammarKind.JSON_SCHEMA),
        ({"type": "text"}, None),
    ],
)
async def test_a_format_binds_the_answer(format: dict[str, Any], kind: GrammarKind | None) -> None:
    api = Responses(says("{}"))
    await api.answered(text={"format": format}, chat_template_kwargs={"enable_thinking": False})
    grammar = api.engine.request.sampling.grammar
    assert (grammar.kind if grammar else None) is kind


async def test_thoughts_are_an_item_before_the_message_and_are_counted() -> None:
    answer = await Responses(thinking("Hm", "</think>", "Hi")).answered()
    thoughts, message = answer["output"]
    assert (thoughts["type"], thoughts["summary"]) == ("reasoning", [])
    assert thoughts["content"] == [{"type": "reasoning_text", "text": "Hm"}]
    assert message["content"][0]["text"] == "Hi"
    assert answer["usage"]["output_tokens_details"]["reasoning_tokens"] == 2


async def test_calls_are_items_whose_call_ids_are_their_own() -> None:
    answer = await Responses(says(CALL, "\n", CALL)).answered(tools=[TOOL])
    assert [item["type"] for item in answer["output"]] == ["function_call", "function_call"]
    assert [(item["name"], item["arguments"]) for item in answer["output"]] == [("add", '{"a": 1}')] * 2
    assert len({item["call_id"] for item in answer["output"]}) == 2
    assert len({item["id"] for item in answer["output"]}) == 2


async def test_parallel_calls_can_be_ruled_out() -> None:
    answer = await Responses(says(CALL, "\n", CALL)).answered(tools=[TOOL], parallel_tool_calls=False)
    assert len(answer["output"]) == 1


async def test_the_allowed_tools_are_a_part_of_those_that_the_model_is_told() -> None:
    api = Responses(says(CALL))
    other = {**TOOL, "name": "sub"}
    choice = {"type": "allowed_tools", "mode": "required", "tools": [ADD]}
    await api.answered(tools=[TOOL, other], tool_choice=choice)
    assert '"sub"' in api.prompt
    grammar = api.engine.request.sampling.grammar
    assert grammar is not None and "add" in grammar.source and "sub" not in grammar.source


async def test_a_bound_of_tokens_leaves_the_response_incomplete() -> None:
    api = Responses(says("a", "b", finish=FinishReason.LENGTH))
    answer = await api.answered()
    assert (answer["status"], answer["completed_at"]) == ("incomplete", None)
    assert answer["incomplete_details"] == {"reason": "max_output_tokens"}
    assert answer["output"][0]["status"] == "incomplete"
    assert (await api.streamed())[-1]["type"] == "response.incomplete"


async def test_log_probabilities_are_of_the_texts_tokens_alone() -> None:
    engine = thinking("Hm", "</think>", "Hi")
    answer = await Responses(engine).answered(top_logprobs=1, **LOGPROBS)
    (token,) = answer["output"][1]["content"][0]["logprobs"]
    assert token["logprob"] == -0.5
    assert len(token["top_logprobs"]) == 1


@pytest.mark.parametrize(
    ("engine", "fields"),
    [
        (ScriptedEngine(says("Hel", "lo")), {}),
        (ScriptedEngine(says("Hel", "lo")), LOGPROBS),
        (ScriptedEngine(says("I add.", CALL, "\n", CALL)), {"tools": [TOOL]}),
        (thinking("Hm", "</think>", "Hi"), {}),
        (ScriptedEngine(says()), {}),
        (ScriptedEngine(says("a", finish=FinishReason.LENGTH)), {}),
    ],
    ids=["text", "logprobs", "calls", "thoughts", "nothing", "cut"],
)
async def test_a_stream_ends_with_the_response_that_an_answer_would_be(
    engine: ScriptedEngine, fields: dict[str, Any]
) -> None:
    whole = await Responses(engine).answered(**fields)
    events = await Responses(engine).streamed(**fields)
    assert without_identity(events[-1]["response"]) == without_identity(whole)


async def test_a_stream_begins_with_the_response_in_progress() -> None:
    created, in_progress, *rest = await Responses(says("a")).streamed()
    assert [created["type"], in_progress["type"]] == ["response.created", "response.in_progress"]
    for event in (created, in_progress):
        response = event["response"]
        assert (response["status"], response["output"], response["usage"]) == ("in_progress", [], None)
    assert rest[-1]["response"]["id"] == created["response"]["id"]


@pytest.mark.parametrize(
    ("fields", "code", "param"),
    [
        ({"previous_response_id": "resp_0"}, "previous_response_not_found", "previous_response_id"),
        ({"prompt": {"id": "pmpt_0"}}, "unsupported_parameter", "prompt"),
        ({"stream_options": {}}, "invalid_value", "stream_options"),
        ({"top_logprobs": 1}, "invalid_value", "top_logprobs"),
        ({"unheard_of": 1}, "unknown_parameter", "unheard_of"),
        ({"truncation": "middle"}, "unsupported_value", "truncation"),
        ({"tools": [{"type": "telepathy"}]}, "unsupported_value", "tools[0].type"),
        ({"tools": [TOOL], "tool_choice": {"type": "web_search"}}, "unsupported_value", "tool_choice.type"),
        (
            {
                "tools": [TOOL],
                "tool_choice": {"type": "allowed_tools", "mode": "required", "tools": [{"type": "mcp"}]},
            },
            "unsupported_value",
            "tool_choice.tools[0].type",
        ),
        ({"tools": [NAMESPACE, NAMESPACE]}, "invalid_value", "tools[1].tools[0].name"),
        (
            {
                "tools": [NAMESPACE, {**NAMESPACE, "name": "other"}],
                "tool_choice": {"type": "function", "name": "add"},
            },
            "invalid_value",
            "tool_choice",
        ),
        (
            {"tools": [{**NAMESPACE, "tools": [{**TOOL, "parameters": {"type": "array"}}]}]},
            "invalid_value",
            "tools[0].tools[0].parameters",
        ),
        (
            {"tools": [{**TOOL, "allowed_callers": ["programmatic"]}]},
            "unsupported_value",
            "tools[0].allowed_callers",
        ),
        ({"input": [{"type": "compaction"}]}, "missing_required_parameter", "input[0].encrypted_content"),
        (
            {"input": [{"type": "local_shell_call_output", "output": "x"}]},
            "invalid_value",
            "input[0].call_id",
        ),
        ({"temperature": 3}, "integer_above_max_value", "temperature"),
        ({"input": []}, "array_below_min_length", "input"),
        ({"tool_choice": {"type": "function", "name": "f"}}, "unsupported_value", "tool_choice"),
        ({"tool_choice": "required"}, "invalid_value", "tool_choice"),
        (
            {"input": [{"role": "user", "content": [{"type": "input_image", "image_url": "u"}]}]},
            "unsupported_value",
            "input[0].content[0]",
        ),
        ({"logit_bias": {"999999": 1}}, "invalid_value", "logit_bias.999999"),
        ({"tools": [TOOL, TOOL]}, "invalid_value", "tools[1].name"),
        (
            {
                "text": {
                    "format": {
                        "type": "json_schema",
                        "name": "n",
                        "strict": True,
                        "schema": {"type": "array"},
                    }
                }
            },
            "invalid_value",
            "text.format.schema",
        ),
        ({"chat_template_kwargs": {"tools": []}}, "invalid_value", "chat_template_kwargs.tools"),
    ],
)
async def test_a_refusal_has_a_code_and_names_its_field(
    fields: dict[str, Any], code: str, param: str
) -> None:
    api = Responses(says("a"))
    assert await api.refused(**fields) == (400, code, param)
    if "stream_options" not in fields:
        assert await api.refused(**fields, stream=True) == (400, code, param)
    assert api.engine.requests == []


async def test_a_model_of_another_name_is_not_found() -> None:
    assert await Responses(says("a")).refused(model="gpt-9") == (404, "model_not_found", "model")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (PromptTooLong(9, 9, 10), (400, "context_length_exceeded", "input")),
        (InvalidGrammar("uniqueItems"), (400, "invalid_value", "text.format")),
        (EngineStopped(), (503, "service_unavailable", None)),
        (GenerationFailed("boom"), (500, None, None)),
    ],
)
async def test_what_fails_before_the_first_event_keeps_its_status(
    error: Exception, told: tuple[int, str | None, str | None]
) -> None:
    form = {"format": {"type": "json_object"}}
    assert await Responses(fails_after(error)).refused(text=form) == told
    assert await Responses(fails_after(error)).refused(text=form, stream=True) == told


async def test_a_grammar_that_no_format_asked_for_is_the_tools() -> None:
    api = Responses(fails_after(InvalidGrammar("uniqueItems")))
    assert await api.refused(tools=[TOOL]) == (400, "invalid_value", "tools")
    api = Responses(fails_after(InvalidGrammar("uniqueItems", f"<call>{TOOL['name']}")))
    assert await api.refused(tools=[TOOL]) == (400, "invalid_value", "tools[0].parameters")


async def test_what_fails_after_the_first_event_is_a_failed_response() -> None:
    *_, last = await Responses(fails_after(GenerationFailed("boom"), "Hel", "lo")).streamed()
    assert last["type"] == "response.failed"
    response = last["response"]
    assert (response["status"], response["error"]["code"]) == ("failed", "server_error")
    (message,) = response["output"]
    assert (message["status"], message["content"][0]["text"]) == ("incomplete", "Hello")


async def test_a_fault_of_the_servers_own_is_an_error_event() -> None:
    api = Responses(fails_after(ZeroDivisionError(), "a"))
    response = await api.sent(stream=True)
    frame = response.text.split("\n\n")[-2]
    name, data = frame.split("\n")
    event = orjson.loads(data.removeprefix("data: "))
    assert (name, event["type"], event["code"]) == ("event: error", "error", None)


async def test_a_full_server_says_when_to_try_again() -> None:
    gate = asyncio.Event()
    api = Responses(ScriptedEngine(says("a"), gate=gate), max_concurrent_requests=1)
    first = asyncio.create_task(api.answered())
    await until(lambda: api.engine.requests)
    response = await api.sent()
    gate.set()
    assert (await first)["status"] == "completed"
    assert (response.status_code, response.json()["error"]["code"]) == (429, "rate_limit_exceeded")
    assert int(response.headers["retry-after"]) > 0


async def test_every_answer_names_its_request() -> None:
    api = Responses(says("a"))
    for fields in ({}, {"stream": True}, {"temperature": -1}):
        assert (await api.sent(**fields)).headers["x-request-id"]


async def test_an_output_comes_back_as_the_newest_client_writes_it_out() -> None:
    """Whole, with all fields that its models know, by the names of the wire and by those of Python."""
    api = Responses(thinking("hm</think>Hi ", CALL))
    tools: list[Any] = [{**TOOL, "async": True}, {"type": "custom", "name": "say", "async": None}]
    fields = {"tools": tools, "reasoning": {"mode": "standard"}, "background_options": None}
    output = Response.model_validate(await api.answered(**fields)).output
    assert [item.type for item in output] == ["reasoning", "message", "function_call"]
    call = output[2]
    assert isinstance(call, ResponseFunctionToolCall)
    result = {
        "type": "function_call_output",
        "call_id": call.call_id,
        "output": "2",
        "caller": {"type": "a"},
    }
    prompts = set()
    for by_alias in (True, False):
        for unset in (True, False):
            items = [item.model_dump(by_alias=by_alias, exclude_unset=unset) for item in output]
            items[2] |= {"async": False, "caller": {"type": "direct"}}
            items.insert(2, {"type": "program", "id": "p", "call_id": "q", "code": "", "fingerprint": ""})
            api.engine.requests.clear()
            await api.answered(input=[{"role": "user", "content": "Hi"}, *items, result], **fields)
            prompts.add(api.prompt)
    assert len(prompts) == 1
    assert (await api.refused(reasoning={"mode": "pro"})).param == "reasoning.mode"


async def test_a_thinking_budget_reaches_the_engine_or_is_refused_by_its_name() -> None:
    api = Responses(thinking("x"))
    await api.answered(reasoning={"max_tokens": 7, "effort": "low"})
    bound = api.engine.request.sampling.thinking_budget
    assert bound is not None and (bound.max_tokens, bound.is_open) == (7, True)
    unable = Responses(ScriptedEngine(fails_after(NotCapable("thinking_budget"))))
    refused = await unable.refused(reasoning={"max_tokens": 7})
    assert refused == (400, "unsupported_parameter", "reasoning.max_tokens")
    assert (await api.refused(reasoning={"max_tokens": -1})).param == "reasoning.max_tokens"
