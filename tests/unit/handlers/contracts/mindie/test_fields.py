"""Tests what each field of a request becomes in the engine's terms."""

from typing import Any

import pytest

from engine.port.request import BeamParams, GenerationRequest, GrammarKind
from tests.support.scripted.engine import ScriptedEngine, says
from tests.unit.handlers.contracts.mindie.api import TOOL, Api, chat, conversation


async def submitted(**fields: Any) -> GenerationRequest:
    api = Api(ScriptedEngine(says("x"), max_total_tokens=1000))
    await api.answer(chat(**fields))
    return api.engine.request


async def test_a_bare_request_has_the_documents_defaults() -> None:
    request = await submitted()
    sampling, stopping = request.sampling, request.stopping
    assert (sampling.temperature, sampling.top_p, sampling.top_k) == (1.0, 1.0, None)
    assert (sampling.presence_penalty, sampling.frequency_penalty, sampling.repetition_penalty) == (0, 0, 1)
    assert (sampling.num_logprobs, sampling.grammar) == (None, None)
    assert (stopping.stop, stopping.stop_token_ids, stopping.include_stop) == ((), (), False)
    assert (stopping.ignore_eos, request.skip_special_tokens) == (False, True)
    assert (request.num_sequences, request.beams) == (1, None)
    assert stopping.max_tokens == 1000 - len(request.prompt.token_ids)


async def test_every_option_of_sampling_reaches_the_engine() -> None:
    request = await submitted(
        temperature=0.5,
        top_p=0.95,
        top_k=7,
        seed=2**64 - 1,
        presence_penalty=1.03,
        frequency_penalty=-1.5,
        repetition_penalty=1.2,
    )
    sampling = request.sampling
    assert (sampling.temperature, sampling.top_p, sampling.top_k) == (0.5, 0.95, 7)
    assert (sampling.presence_penalty, sampling.frequency_penalty) == (1.03, -1.5)
    assert (sampling.repetition_penalty, sampling.seed) == (1.2, 2**64 - 1)


async def test_every_option_of_stopping_reaches_the_engine() -> None:
    request = await submitted(
        stop=["a", "b"],
        stop_token_ids=[2, 13],
        include_stop_str_in_output=True,
        skip_special_tokens=False,
        ignore_eos=True,
        max_tokens=20,
    )
    stopping = request.stopping
    assert (stopping.stop, stopping.stop_token_ids) == (("a", "b"), (2, 13))
    assert (stopping.include_stop, stopping.ignore_eos, stopping.max_tokens) == (True, True, 20)
    assert request.skip_special_tokens is False


NULLS = ("n", "best_of", "seed", "stop", "stop_token_ids", "top_logprobs", "tool_choice", "response_format")


async def test_null_counts_as_absent_where_the_document_has_it() -> None:
    request = await submitted(**dict.fromkeys(NULLS))
    assert (request.num_sequences, request.sampling.num_logprobs) == (1, None)
    assert (request.stopping.stop, request.stopping.stop_token_ids) == ((), ())


@pytest.mark.parametrize(
    "field",
    ["stream", "temperature", "top_p", "top_k", "max_tokens", "logprobs", "use_beam_search", "tools"],
)
async def test_null_is_refused_where_the_document_does_not_have_it(field: str) -> None:
    assert (await Api(says("x")).refusal(chat(**{field: None}))).startswith(f"{field}: ")


async def test_no_seed_is_asked_for_where_none_is_given() -> None:
    assert (await submitted()).sampling.seed is None


async def test_top_k_0_cuts_nothing() -> None:
    assert (await submitted(top_k=0)).sampling.top_k is None


async def test_the_servers_bound_of_tokens_holds_where_max_tokens_is_above_it() -> None:
    request = await submitted(max_tokens=2**31 - 1)
    assert request.stopping.max_tokens == 1000 - len(request.prompt.token_ids)


async def test_stop_token_ids_pass_over_what_is_no_int32_and_no_token() -> None:
    ids = [2, "3", 4.0, True, None, 2**31, -1, 10**6, [5], 13, 2]
    assert (await submitted(stop_token_ids=ids)).stopping.stop_token_ids == (2, 13)


async def test_an_empty_list_of_stops_counts_as_none() -> None:
    assert (await submitted(stop=[], tools=[TOOL])).stopping.stop == ()


async def test_stop_texts_have_a_bound_together() -> None:
    assert (await submitted(stop=["x" * 1024] * 32)).stopping.stop == ("x" * 1024,) * 32
    message = await Api(says("x")).refusal(chat(stop=["x" * 1024] * 32 + ["y"]))
    assert message == "`stop` must have at most 32768 characters. Given: 32769"


@pytest.mark.parametrize(
    ("fields", "num_logprobs"),
    [
        ({"logprobs": True}, 0),
        ({"logprobs": True, "top_logprobs": 3}, 3),
        ({"logprobs": True, "top_logprobs": None}, 0),
        ({"top_logprobs": 3}, 3),
        ({"top_logprobs": 0}, 0),
        ({"logprobs": False}, None),
        ({"logprobs": False, "top_logprobs": None}, None),
        ({"logprobs": False, "top_logprobs": 0}, None),
    ],
)
async def test_top_logprobs_alone_sets_logprobs(fields: dict[str, Any], num_logprobs: int | None) -> None:
    assert (await submitted(**fields)).sampling.num_logprobs == num_logprobs


@pytest.mark.parametrize(
    ("fields", "num_sequences"),
    [
        ({"n": 3}, 3),
        ({"best_of": 3}, 3),
        ({"n": 3, "best_of": None}, 3),
        ({"n": None, "best_of": 3}, 3),
        ({"n": 2, "best_of": 4}, 4),
    ],
)
async def test_best_of_answers_are_told_and_n_where_it_is_not_there(
    fields: dict[str, Any], num_sequences: int
) -> None:
    api = Api(says("x"))
    answer = await api.answer(chat(**fields))
    assert api.engine.request.num_sequences == num_sequences
    assert [choice["index"] for choice in answer["choices"]] == list(range(num_sequences))


@pytest.mark.parametrize(
    ("fields", "beams", "num_sequences"),
    [
        ({"n": 3}, BeamParams(num_beams=3), 3),
        ({"n": 2, "best_of": 4}, BeamParams(num_beams=4), 2),
        ({"best_of": 4}, BeamParams(num_beams=4), 1),
        ({}, None, 1),
    ],
)
async def test_a_beam_search_tells_n_answers_of_best_of_beams(
    fields: dict[str, Any], beams: BeamParams | None, num_sequences: int
) -> None:
    request = await submitted(use_beam_search=True, temperature=0.7, **fields)
    assert (request.beams, request.num_sequences) == (beams, num_sequences)
    assert request.sampling.is_greedy


async def test_a_beam_search_needs_no_temperature_for_several_answers() -> None:
    assert (await submitted(use_beam_search=True, temperature=0, n=2)).num_sequences == 2


@pytest.mark.parametrize("is_on", [False, True])
async def test_enable_thinking_reaches_the_template(is_on: bool) -> None:
    api = Api(ScriptedEngine(says("x"), max_total_tokens=1000))
    await api.answer(chat(chat_template_kwargs={"enable_thinking": is_on}))
    assert api.prompt.endswith("</think>\n\n") is not is_on


async def test_a_reserved_variable_of_the_template_is_refused_by_its_place() -> None:
    message = await Api(says("x")).refusal(chat(chat_template_kwargs={"tokenize": True}))
    assert message.startswith("chat_template_kwargs.tokenize: ")


@pytest.mark.parametrize("choice", ["required", {"type": "function", "function": {"name": "add"}}])
async def test_a_demanded_call_binds_the_model(choice: object) -> None:
    assert (await submitted(tools=[TOOL], tool_choice=choice)).sampling.grammar is not None


@pytest.mark.parametrize("choice", ["none", "auto", None])
async def test_tools_are_told_unless_none_may_be_called(choice: object) -> None:
    api = Api(ScriptedEngine(says("x"), max_total_tokens=1000))
    await api.answer(chat(tools=[TOOL], tool_choice=choice))
    assert ('"add"' in api.prompt) is (choice != "none")


@pytest.mark.parametrize("strict", [False, True])
async def test_strict_holds_arguments_to_the_schema_where_the_model_may_choose(strict: bool) -> None:
    tool = {"type": "function", "function": {**TOOL["function"], "strict": strict}}  # type: ignore[dict-item]
    grammar = (await submitted(tools=[tool])).sampling.grammar
    assert grammar is not None and ("integer" in grammar.source) is strict


async def test_parameters_are_told_to_the_model_as_the_client_wrote_them() -> None:
    parameters = {"type": "object", "properties": {"a": {"enum": [1]}}, "$defs": {}}
    function = {"name": "加法 add-1", "description": "Adds", "parameters": parameters}
    api = Api(ScriptedEngine(says("x"), max_total_tokens=1000))
    await api.answer(chat(tools=[{"type": "function", "function": function}]))
    assert '"$defs": {}' in api.prompt and "additionalProperties" not in api.prompt


async def test_a_choice_of_an_unknown_function_or_without_tools_is_refused() -> None:
    named = {"type": "function", "function": {"name": "sub"}}
    assert "'sub'" in await Api(says("x")).refusal(chat(tools=[TOOL], tool_choice=named))
    assert (await Api(says("x")).refusal(chat(tool_choice="required"))).startswith("tool_choice: ")


async def test_parameters_that_are_no_object_are_refused_by_their_place() -> None:
    tool = {"type": "function", "function": {"name": "add", "parameters": {"type": "string"}}}
    assert (await Api(says("x")).refusal(chat(tools=[tool]))).startswith("tools[0].function.parameters: ")


@pytest.mark.parametrize(
    ("form", "kind"),
    [
        ({"type": "text"}, None),
        ({"type": "json_object"}, GrammarKind.JSON_OBJECT),
        ({"type": "json_schema", "json_schema": {"name": "a", "schema": {}}}, GrammarKind.JSON_SCHEMA),
    ],
)
async def test_a_response_format_binds_the_answer(form: object, kind: GrammarKind | None) -> None:
    request = await submitted(response_format=form, chat_template_kwargs={"enable_thinking": False})
    assert (request.sampling.grammar and request.sampling.grammar.kind) is kind


async def test_fields_that_the_document_does_not_have_are_passed_over() -> None:
    assert (await submitted(max_completion_tokens=1, stream_options={"include_usage": True})) is not None


async def test_tool_calls_thoughts_and_results_reach_the_template() -> None:
    api = Api(ScriptedEngine(says("x"), max_total_tokens=1000))
    call = {"id": "0", "type": "function", "function": {"name": "add", "arguments": '{"a": 4711}'}}
    await api.answer(
        conversation(
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "Ad"}, {"text": "d"}]},
            {"role": "assistant", "content": None, "tool_calls": [call], "reasoning_content": "A sum."},
            {"role": "tool", "tool_call_id": "0", "content": "the sum"},
            tools=[TOOL],
        )
    )
    assert all(text in api.prompt for text in ("Be brief.", "Add", "4711", "the sum"))


PARTS = [
    ({"type": "image_url", "image_url": "/data/a.png"}, "image"),
    ({"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}, "image"),
    ({"video_url": {"url": "a.mp4"}}, "video"),
    ({"audio_url": "a.wav"}, "audio"),
]


@pytest.mark.parametrize(("part", "kind"), PARTS)
async def test_a_medium_is_refused_by_a_model_that_reads_text(part: object, kind: str) -> None:
    message = await Api(says("x")).refusal(conversation({"role": "user", "content": [part]}))
    assert message == f"messages[0].content[0]: the model reads only text, and this part is {kind}"
