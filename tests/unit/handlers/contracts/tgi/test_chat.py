"""Chat: what a request means, and what its answer tells."""

from typing import Any

import pytest

from engine.port.events import FinishReason
from engine.port.request import Grammar, GrammarKind
from tests.support.scripted.engine import ScriptedEngine, says
from tests.unit.handlers.contracts.tgi.api import Api, chat

PATH = "/v1/chat/completions"
TOOL = {
    "type": "function",
    "function": {"name": "add", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}},
}
CALL = '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>'


async def submitted(**fields: Any) -> Any:
    api = Api(says("x"))
    await api.answer(PATH, chat(**fields))
    return api.engine.request


def prompt_of(engine: ScriptedEngine) -> str:
    return engine.tokenizer.decode(engine.request.prompt.token_ids, skip_special_tokens=False)


async def test_an_answer_is_a_chat_completion() -> None:
    answer = await Api(says("Hel", "lo")).answer(PATH, chat("Hi"))
    assert answer["object"] == "chat.completion"
    assert answer["choices"] == [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "Hello"},
            "logprobs": None,
            "finish_reason": "stop",
        }
    ]
    usage = answer["usage"]
    assert usage["completion_tokens"] == 3
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]


async def test_ids_are_unique_and_the_model_is_the_served_one_whatever_was_asked() -> None:
    api = Api(says("a"))
    answers = [await api.answer(PATH, chat(model=model)) for model in ("tgi", "dummy", None)]
    assert len({answer["id"] for answer in answers}) == 3
    assert {answer["model"] for answer in answers} == {"verbatim-demo"}


@pytest.mark.parametrize(
    ("given", "used"), [({}, 1.0), ({"temperature": None}, 1.0), ({"temperature": 0.3}, 0.3)]
)
async def test_chat_samples_at_temperature_1_unless_told(given: dict[str, Any], used: float) -> None:
    assert (await submitted(**given)).sampling.temperature == used


async def test_temperature_0_is_greedy() -> None:
    assert (await submitted(temperature=0)).sampling.is_greedy


async def test_sampling_options_reach_the_engine_by_openais_definitions() -> None:
    sampling = (
        await submitted(
            top_p=1.0,
            top_k=4,
            typical_p=0.7,
            presence_penalty=0.5,
            frequency_penalty=-0.5,
            repetition_penalty=1.1,
            seed=9,
            logit_bias={"5": -100, "17": 2.5},
        )
    ).sampling
    assert (sampling.top_p, sampling.top_k, sampling.typical_p) == (1.0, 4, 0.7)
    assert (sampling.presence_penalty, sampling.frequency_penalty) == (0.5, -0.5)
    assert (sampling.repetition_penalty, sampling.seed) == (1.1, 9)
    assert sampling.logit_bias == {5: -100.0, 17: 2.5}


@pytest.mark.parametrize(
    ("fields", "num_tokens"),
    [({"max_tokens": 5}, 5), ({"max_completion_tokens": 6}, 6), ({"max_tokens": None}, None)],
)
async def test_max_tokens_has_two_names_and_null_fills_the_context(
    fields: dict[str, Any], num_tokens: int | None
) -> None:
    request = await submitted(**fields)
    assert request.stopping.max_tokens == (num_tokens or 200 - len(request.prompt.token_ids))


async def test_both_names_of_max_tokens_at_once_are_refused() -> None:
    refusal = await Api(says("x")).refusal(PATH, chat(max_tokens=1, max_completion_tokens=1))
    assert refusal[:2] == (422, "validation")


@pytest.mark.parametrize(("stop", "texts"), [("a", ("a",)), (["a", "b"], ("a", "b")), (None, ())])
async def test_a_stop_text_is_cut_from_the_answer(stop: object, texts: tuple[str, ...]) -> None:
    stopping = (await submitted(stop=stop)).stopping
    assert (stopping.stop, stopping.include_stop) == (texts, False)


async def test_a_conversation_too_long_names_limit_prompt_and_max_tokens() -> None:
    status, slug, message = await Api(says("x")).refusal(PATH, chat("x" * 300, max_tokens=7))
    assert (status, slug) == (422, "validation")
    assert "must be <= 200" in message and "7 `max_new_tokens`" in message


@pytest.mark.parametrize(
    ("finish", "told"),
    [(FinishReason.END_TOKEN, "stop"), (FinishReason.STOP, "stop"), (FinishReason.LENGTH, "length")],
)
async def test_the_finish_is_told_in_openais_words(finish: FinishReason, told: str) -> None:
    answer = await Api(says("a", finish=finish)).answer(PATH, chat())
    assert answer["choices"][0]["finish_reason"] == told


async def test_n_is_honoured_and_choices_come_in_order() -> None:
    api = Api(says("a", "b"))
    answer = await api.answer(PATH, chat(n=3))
    assert api.engine.request.num_sequences == 3
    assert [choice["index"] for choice in answer["choices"]] == [0, 1, 2]
    assert {choice["message"]["content"] for choice in answer["choices"]} == {"ab"}
    assert answer["usage"]["completion_tokens"] == 9


async def test_logprobs_tell_every_token_the_end_token_too() -> None:
    answer = await Api(says("a")).answer(PATH, chat(logprobs=True, top_logprobs=1))
    content = answer["choices"][0]["logprobs"]["content"]
    assert [token["token"] for token in content] == ["a", "<|im_end|>"]
    assert content[0]["top_logprobs"] == [{"token": "a0", "logprob": -0.5}]


async def test_without_logprobs_none_are_asked_of_the_engine() -> None:
    assert (await submitted(top_logprobs=2)).sampling.num_logprobs is None


async def test_an_impossible_tokens_logprob_is_openais_least() -> None:
    script = says("a", logprobs=(float("-inf"),))
    answer = await Api(script).answer(PATH, chat(logprobs=True))
    assert answer["choices"][0]["logprobs"]["content"][0]["logprob"] == -9999.0


async def test_a_tool_call_is_told_as_a_call_with_its_arguments_as_json_text() -> None:
    answer = await Api(says(CALL)).answer(PATH, chat(tools=[TOOL]))
    (choice,) = answer["choices"]
    assert choice["finish_reason"] == "tool_calls"
    (call,) = choice["message"]["tool_calls"]
    assert call["function"] == {"name": "add", "arguments": '{"a": 1}'}
    assert choice["message"]["content"] is None


@pytest.mark.parametrize("choice", ["required", "add", {"type": "function", "function": {"name": "add"}}])
async def test_a_demanded_call_binds_the_model(choice: object) -> None:
    assert (await submitted(tools=[TOOL], tool_choice=choice)).sampling.grammar is not None


async def test_tool_choice_none_leaves_the_model_free() -> None:
    assert (await submitted(tools=[TOOL], tool_choice="none")).sampling.grammar is None


async def test_a_choice_of_no_known_function_is_a_tool_error() -> None:
    status, slug, message = await Api(says("x")).refusal(PATH, chat(tools=[TOOL], tool_choice="sub"))
    assert (status, slug) == (422, "tool_error")
    assert message.startswith("Tool error: ") and "sub" in message


@pytest.mark.parametrize("tools", [[TOOL], []])
async def test_tools_and_a_response_format_exclude_each_other(tools: list[object]) -> None:
    body = chat(tools=tools, response_format={"type": "json_object"})
    assert await Api(says("x")).refusal(PATH, body) == (
        422,
        "tool_error",
        "Tool error: Grammar and tools are mutually exclusive",
    )


async def test_tools_that_may_not_be_called_exclude_no_response_format() -> None:
    request = await submitted(tools=[TOOL], tool_choice="none", response_format={"type": "json_object"})
    assert request.sampling.grammar == Grammar(GrammarKind.JSON_OBJECT)


async def test_arguments_and_parameters_of_a_function_are_one_field() -> None:
    function = {"name": "add", "parameters": {}, "arguments": {}}
    refusal = await Api(says("x")).refusal(PATH, chat(tools=[{"type": "function", "function": function}]))
    assert refusal[:2] == (422, "validation")


SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}


@pytest.mark.parametrize(
    ("response_format", "kind"),
    [
        ({"type": "json", "value": SCHEMA}, GrammarKind.JSON_SCHEMA),
        ({"type": "json_object", "value": '{"type": "object"}'}, GrammarKind.JSON_SCHEMA),
        ({"type": "json_object"}, GrammarKind.JSON_OBJECT),
        ({"type": "json_schema", "value": {"name": "s", "schema": SCHEMA}}, GrammarKind.JSON_SCHEMA),
        ({"type": "json_schema", "json_schema": {"name": "s", "schema": SCHEMA}}, GrammarKind.JSON_SCHEMA),
        ({"type": "regex", "value": "a+"}, GrammarKind.REGEX),
    ],
)
async def test_every_form_of_response_format_reaches_the_engine(
    response_format: object, kind: GrammarKind
) -> None:
    grammar = (await submitted(response_format=response_format)).sampling.grammar
    assert grammar is not None and grammar.kind is kind


async def test_the_format_text_leaves_the_model_free_even_beside_tools() -> None:
    assert (await submitted(response_format={"type": "text"}, tools=[])).sampling.grammar is None


async def test_an_image_for_a_model_that_reads_text_is_refused() -> None:
    content = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}]
    body = {"messages": [{"role": "user", "content": content}]}
    status, slug, message = await Api(says("x")).refusal(PATH, body)
    assert (status, slug) == (422, "validation")
    assert message.startswith("Input validation error: messages[0].content[0]: ")


async def test_text_parts_are_joined() -> None:
    api = Api(says("x"))
    content = [{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo"}]
    await api.answer(PATH, {"messages": [{"role": "user", "content": content}]})
    assert "Hello" in prompt_of(api.engine)


async def test_a_conversation_that_ends_with_the_assistant_is_continued() -> None:
    api = Api(says("x"))
    messages = [{"role": "user", "content": "Count"}, {"role": "assistant", "content": "One, two"}]
    await api.answer(PATH, {"messages": messages})
    assert prompt_of(api.engine).endswith("One, two")


async def test_tool_calls_and_their_results_reach_the_template() -> None:
    api = Api(ScriptedEngine(says("x"), max_total_tokens=1000))
    call = {"id": "0", "type": "function", "function": {"name": "add", "arguments": {"a": 4711}}}
    messages = [
        {"role": "user", "content": "Add"},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "0", "content": "the sum"},
    ]
    await api.answer(PATH, {"messages": messages, "tools": [TOOL]})
    assert "4711" in prompt_of(api.engine) and "the sum" in prompt_of(api.engine)


@pytest.mark.parametrize(("tools", "is_told"), [([TOOL], True), (None, False)])
async def test_a_tool_prompt_is_told_where_tools_are_offered(tools: object, is_told: bool) -> None:
    api = Api(ScriptedEngine(says("x"), max_total_tokens=1000))
    await api.answer(PATH, chat("Hi", tools=tools, tool_prompt="Use them well."))
    assert ("\n---\nUse them well." in prompt_of(api.engine)) is is_told


@pytest.mark.parametrize(
    ("field", "limit"), [("stop", "max_stop_sequences"), ("top_logprobs", "max_top_n_tokens")]
)
async def test_the_servers_limits_are_kept(field: str, limit: str) -> None:
    value = ["a", "b"] if field == "stop" else 2
    refusal = await Api(says("x"), **{limit: 1}).refusal(PATH, chat(**{field: value}))
    assert refusal[:2] == (422, "validation") and f"`{field}`" in refusal[2]


async def test_a_server_without_grammars_refuses_a_response_format() -> None:
    api = Api(says("x"), disable_grammar_support=True)
    refusal = await api.refusal(PATH, chat(response_format={"type": "json_object"}))
    assert refusal == (422, "validation", "Input validation error: grammar is not supported")
