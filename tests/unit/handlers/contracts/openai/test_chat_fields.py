"""Fields that chat alone has: what the engine and the model's template are given for them."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from engine.port.errors import NotCapable
from engine.port.request import Grammar, GrammarKind
from generated.openai import models as m
from handlers.contracts.openai.chat.messages import conversation
from tests.support.scripted.engine import ScriptedEngine, fails_after, says
from tests.unit.handlers.chat.models import chat_tokenizer
from tests.unit.handlers.contracts.openai.api import CHAT, TOOL, Api, chat, prompt_of, quiet, submitted

RECORDS: list[dict[str, Any]] = [
    {"metadata": {"a": "b"}},
    {"store": True},
    {"safety_identifier": "s"},
    {"service_tier": "flex"},
    {"modalities": ["text"]},
    {"prediction": {"type": "content", "content": "Hello"}},
    {"prompt_cache_key": "k"},
    {"prompt_cache_retention": "24h"},
    {"parallel_tool_calls": False},  # nothing to call
    {"tools": []},
    {"tool_choice": "none"},
    {"tool_choice": "auto"},
    {"verbosity": "low"},  # this template has no word for it
    {"audio": None, "functions": None, "function_call": None, "moderation": None},
    {"provider": {"order": ["a"]}, "usage": {"include": True}},
    {"cache_prompt": True, "id_slot": -1, "keep_alive": "5m"},
    {"mm_processor_kwargs": {}, "kv_transfer_params": None},
]


@pytest.mark.parametrize("fields", RECORDS)
async def test_fields_without_effect_change_nothing_that_the_engine_sees(fields: dict[str, Any]) -> None:
    plain = await submitted(CHAT, chat(seed=1))
    told = await submitted(CHAT, chat(seed=1, **fields))
    assert replace(told, request_id="") == replace(plain, request_id="")


@pytest.mark.parametrize(
    ("fields", "num_tokens"),
    [
        ({"max_tokens": 5}, 5),
        ({"max_completion_tokens": 6}, 6),
        ({"max_tokens": 7, "max_completion_tokens": 7}, 7),
        ({"max_tokens": None}, None),
        ({}, None),
    ],
)
async def test_max_tokens_has_two_names_and_nothing_fills_the_context(
    fields: dict[str, Any], num_tokens: int | None
) -> None:
    request = await submitted(CHAT, chat(**fields))
    assert request.stopping.max_tokens == (num_tokens or 1000 - len(request.prompt.token_ids))


@pytest.mark.parametrize(
    ("fields", "num_logprobs"),
    [
        ({}, None),
        ({"logprobs": False}, None),
        ({"logprobs": None}, None),
        ({"logprobs": True}, 0),
        ({"logprobs": True, "top_logprobs": 0}, 0),
        ({"logprobs": True, "top_logprobs": 20}, 20),
    ],
)
async def test_log_probabilities_are_asked_of_the_engine_as_of_the_request(
    fields: dict[str, Any], num_logprobs: int | None
) -> None:
    assert (await submitted(CHAT, chat(**fields))).sampling.num_logprobs == num_logprobs


async def test_a_conversation_reaches_the_template_whole() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "add", "arguments": '{"a": 4711}'}}
    messages = [
        {"role": "developer", "content": "Be brief."},
        {
            "role": "user",
            "name": "Ada",
            "content": [{"type": "text", "text": "Add"}, {"type": "text", "text": "!"}],
        },
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": "the sum"}]},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "I would not."}]},
        {"role": "assistant", "refusal": "Nor this."},
        {"role": "user", "content": "Why?"},
    ]
    prompt = await prompt_of({"model": "verbatim-demo", "messages": messages, "tools": [TOOL]})
    places = [
        prompt.index(text)
        for text in ("Be brief.", "Add!", '{"a": 4711}', "the sum", "I would not.", "Nor this.", "Why?")
    ]
    assert places == sorted(places)


SHOWS_REASONING = (
    "{% for message in messages %}{{ message.reasoning_content or '' }}{{ message.content }}{% endfor %}"
)


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
async def test_an_assistants_thoughts_come_back_under_either_name(name: str) -> None:
    api = Api(ScriptedEngine(says("x"), tokenizer=chat_tokenizer(SHOWS_REASONING)))
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b", name: "hm "}]
    await api.answer(CHAT, {"model": "verbatim-demo", "messages": messages})
    assert api.prompt == "ahm b"


async def test_an_assistant_may_have_said_nothing_but_thoughts() -> None:
    api = Api(ScriptedEngine(says("x"), tokenizer=chat_tokenizer(SHOWS_REASONING)))
    cut_off = {"role": "assistant", "content": None, "reasoning_content": "hm "}
    await api.answer(CHAT, {**chat(), "messages": [*chat("a")["messages"], cut_off, *chat("b")["messages"]]})
    assert api.prompt == "ahm b"


@pytest.mark.parametrize("role", ["system", "user", "assistant", "tool"])
async def test_content_without_parts_is_an_empty_text(role: str) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "add", "arguments": "{}"}}

    def body(content: Any) -> dict[str, Any]:
        messages: list[dict[str, Any]] = [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Add"},
            {"role": "assistant", "content": "Sure.", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_1", "content": "3"},
        ]
        return {
            **chat(),
            "messages": [m | ({"content": content} if m["role"] == role else {}) for m in messages],
        }

    assert await prompt_of(body([])) == await prompt_of(body(""))


@pytest.mark.parametrize(("named", "answered"), [((None, None), "ab"), (("b", None), "ba")])
def test_results_that_name_no_call_answer_the_calls_in_their_order(
    named: tuple[str | None, ...], answered: str
) -> None:
    call = {"type": "function", "function": {"name": "add", "arguments": "{}"}}
    results = [{"role": "tool", "content": "1"} | ({"tool_call_id": name} if name else {}) for name in named]
    calling = {"role": "assistant", "tool_calls": [{**call, "id": "a"}, {**call, "id": "b"}]}
    body = m.CreateChatCompletionRequest.model_validate({**chat(), "messages": [calling, *results]})
    assert [message.tool_call_id for message in conversation(body.messages)] == [None, *answered]


async def test_documents_reach_the_template() -> None:
    assert "the facts" in await prompt_of(chat(documents=[{"title": "t", "text": "the facts"}]))


@pytest.mark.parametrize(
    ("fields", "is_closed"),
    [
        ({}, False),
        ({"chat_template_kwargs": {"enable_thinking": False}}, True),
        ({"chat_template_kwargs": {"enable_thinking": True}}, False),
        ({"enable_thinking": False}, True),
        ({"enable_thinking": True}, False),
        ({"enable_thinking": None}, False),
        ({"thinking": {"type": "disabled"}}, True),
        ({"thinking": {"type": "enabled"}}, False),
        ({"thinking": {"type": "enabled"}, "enable_thinking": False}, True),
        ({"reasoning": {"enabled": False}}, True),
        ({"reasoning": {"enabled": False}, "enable_thinking": True}, False),
        ({"reasoning": {"effort": "none"}}, True),
        ({"reasoning": {"effort": "low"}, "reasoning_effort": "low"}, False),
        ({"enable_thinking": False, "chat_template_kwargs": {"enable_thinking": True}}, False),
        ({"reasoning_effort": "none"}, True),
        ({"reasoning_effort": "low"}, False),
        ({"reasoning_effort": "none", "chat_template_kwargs": {"enable_thinking": True}}, False),
    ],
)
async def test_thinking_is_switched_through_the_template(fields: dict[str, Any], is_closed: bool) -> None:
    assert (await prompt_of(chat(**fields))).endswith("</think>\n\n") is is_closed


async def test_cache_control_of_a_part_has_no_effect() -> None:
    part = {"type": "text", "text": "Hi", "cache_control": {"type": "ephemeral", "ttl": "1h"}}
    marked = {**chat(), "messages": [{"role": "user", "content": [part]}]}
    assert await prompt_of(marked) == await prompt_of(chat("Hi"))


@pytest.mark.parametrize("role", ["developer", "system", "user", "assistant", "tool"])
async def test_cache_control_of_a_message_a_call_or_a_tool_has_no_effect(role: str) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "add", "arguments": "{}"}}
    messages: list[dict[str, Any]] = [
        {"role": "developer", "content": "Be brief."},
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Add"},
        {"role": "assistant", "content": "Sure.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "3"},
    ]
    mark = {"cache_control": {"type": "ephemeral"}}
    marked = [message | (mark if message["role"] == role else {}) for message in messages]
    marked[3] = marked[3] | {"tool_calls": [call | mark]}
    plain = await prompt_of({**chat(), "messages": messages, "tools": [TOOL]})
    assert await prompt_of({**chat(), "messages": marked, "tools": [TOOL | mark]}) == plain


async def test_no_opening_of_an_answer_is_written_if_none_is_wanted() -> None:
    assert (await prompt_of(chat("Hi"))).endswith("<|im_start|>assistant\n")
    assert (await prompt_of(chat("Hi", add_generation_prompt=False))).endswith("Hi<|im_end|>\n")


async def test_the_final_message_is_continued_if_that_is_wanted() -> None:
    messages = [{"role": "user", "content": "Count"}, {"role": "assistant", "content": "One, two"}]
    body = {"model": "verbatim-demo", "messages": messages}
    assert (await prompt_of({**body, "continue_final_message": True})).endswith("One, two")
    assert not (await prompt_of(body)).endswith("One, two")
    for name in ("prefix", "partial"):
        marked = {**body, "messages": [messages[0], {**messages[1], name: True}]}
        assert (await prompt_of(marked)).endswith("One, two")
        assert not (await prompt_of({**marked, "continue_final_message": False})).endswith("One, two")
        earlier = {**body, "messages": [*marked["messages"], messages[0]]}
        assert (await prompt_of(earlier)).endswith("<|im_start|>assistant\n")


@pytest.mark.parametrize(
    ("choice", "is_bound"),
    [
        ("required", True),
        ({"type": "function", "function": {"name": "add"}}, True),
        (
            {
                "type": "allowed_tools",
                "allowed_tools": {
                    "mode": "required",
                    "tools": [{"type": "function", "function": {"name": "add"}}],
                },
            },
            True,
        ),
        ("none", False),
    ],
)
async def test_a_demanded_call_binds_the_answer_from_its_start(choice: object, is_bound: bool) -> None:
    request = await submitted(CHAT, chat(tools=[TOOL], tool_choice=choice, stop="a"))
    assert (request.sampling.grammar is not None) is is_bound
    # Stop texts are for words; a call is none.
    assert (request.stopping.stop == ()) is is_bound


async def test_allowed_tools_leave_the_others_out() -> None:
    other = {"type": "function", "function": {"name": "subtract"}}
    allowed = {"mode": "auto", "tools": [{"type": "function", "function": {"name": "subtract"}}]}
    choice = {"type": "allowed_tools", "allowed_tools": allowed}
    grammar = (await submitted(CHAT, chat(tools=[TOOL, other], tool_choice=choice))).sampling.grammar
    assert grammar is not None
    assert "subtract" in grammar.source and "add" not in grammar.source


async def test_tools_are_told_to_the_template_unless_none_may_be_called() -> None:
    assert '"name": "add"' in await prompt_of(chat(tools=[TOOL]))
    assert '"name": "add"' not in await prompt_of(chat(tools=[TOOL], tool_choice="none"))


async def test_tools_and_a_form_go_together() -> None:
    form = {"type": "json_schema", "json_schema": {"name": "n", "schema": {"const": "told"}}}
    grammar = (await submitted(CHAT, chat(tools=[TOOL], response_format=form))).sampling.grammar
    assert grammar is not None and grammar.kind is GrammarKind.STRUCTURAL_TAG
    assert "told" in grammar.source and "add" in grammar.source


async def test_a_form_binds_what_follows_the_thoughts() -> None:
    grammar = (await submitted(CHAT, chat(regex="a+"))).sampling.grammar
    assert grammar is not None
    assert json.dumps("</think>") in grammar.source and '"a+"' in grammar.source
    inline = await submitted(CHAT, chat(regex="a+", separate_reasoning=False))
    assert inline.sampling.grammar == Grammar(GrammarKind.REGEX, "a+")


async def test_special_tokens_are_added_to_a_rendered_prompt_only_if_that_is_wanted() -> None:
    asked: list[bool] = []
    tokenizer = quiet().engine.tokenizer
    encode, encode_segments = tokenizer.encode, tokenizer.encode_segments

    def noting(text: str, *, add_special_tokens: bool = True) -> list[int]:
        asked.append(add_special_tokens)
        return encode(text, add_special_tokens=add_special_tokens)

    def noting_segments(text: str, cache_salt: str | None) -> list[int]:
        asked.append(False)
        return encode_segments(text, cache_salt)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokenizer, "encode", noting)
        patch.setattr(tokenizer, "encode_segments", noting_segments)
        for fields in ({}, {"add_special_tokens": False}, {"add_special_tokens": True}):
            await submitted(CHAT, chat(**fields))
    assert asked == [False, False, True]


BUDGETS: list[tuple[str, dict[str, Any]]] = [
    ("thinking_token_budget", {"thinking_token_budget": 5}),
    ("thinking_budget", {"thinking_budget": 5}),
    ("reasoning.max_tokens", {"reasoning": {"max_tokens": 5}}),
    ("thinking.budget_tokens", {"thinking": {"type": "enabled", "budget_tokens": 5}}),
    ("chat_template_kwargs.thinking_budget", {"chat_template_kwargs": {"thinking_budget": 5}}),
]


@pytest.mark.parametrize(("field", "fields"), BUDGETS)
async def test_a_thinking_budget_has_the_names_by_which_programs_send_it(
    field: str, fields: dict[str, Any]
) -> None:
    bound = (await submitted(CHAT, chat(**fields))).sampling.thinking_budget
    assert bound is not None and (bound.max_tokens, bound.begin) == (5, "<think>")
    both = fields | ({"thinking_budget": 5} if field != "thinking_budget" else {"thinking_token_budget": 5})
    assert (await submitted(CHAT, chat(**both))).sampling.thinking_budget == bound
    status, error = await quiet().error(CHAT, chat(**(both | {"thinking_token_budget": 6})))
    refused = "thinking_budget" if field == "thinking_token_budget" else error["param"]
    assert (status, error["param"]) == (400, refused)
    assert "are the same bound" in error["message"]


@pytest.mark.parametrize(("field", "fields"), BUDGETS)
async def test_a_thinking_budget_that_the_engine_cannot_keep_is_refused_by_the_name_that_was_sent(
    field: str, fields: dict[str, Any]
) -> None:
    engine = ScriptedEngine(fails_after(NotCapable("thinking_budget")))
    assert await Api(engine).refusal(CHAT, chat(**fields)) == (400, "unsupported_parameter", field)


@pytest.mark.parametrize("value", [0, 10**9])
async def test_a_thinking_budget_may_be_none_at_all_or_above_max_tokens(value: int) -> None:
    bound = (await submitted(CHAT, chat(thinking_token_budget=value, max_tokens=9))).sampling.thinking_budget
    assert bound is not None and bound.max_tokens == value


@pytest.mark.parametrize("value", [-1, "low", None, True, 1.5])
async def test_a_budget_among_the_templates_variables_that_is_no_bound_is_the_templates(
    value: object,
) -> None:
    request = await submitted(CHAT, chat(chat_template_kwargs={"thinking_budget": value}))
    assert request.sampling.thinking_budget is None


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"thinking_token_budget": -1}, "thinking_token_budget"),
        ({"thinking_budget": 1.5}, "thinking_budget"),
        ({"reasoning": {"max_tokens": "1"}}, "reasoning.max_tokens"),
        ({"reasoning": {"summary": "auto"}}, "reasoning.summary"),
        ({"thinking": {"type": "enabled", "budget_tokens": -1}}, "thinking.budget_tokens"),
        ({"reasoning": {"effort": "low"}, "reasoning_effort": "high"}, "reasoning.effort"),
    ],
)
async def test_what_is_no_option_of_thoughts_is_refused(fields: dict[str, Any], param: str) -> None:
    assert (await quiet().refusal(CHAT, chat(**fields))).param == param


@pytest.mark.parametrize("fields", [{"include_reasoning": False}, {"reasoning": {"exclude": True}}])
async def test_thoughts_are_left_out_where_they_are_not_wanted(fields: dict[str, Any]) -> None:
    api = Api(says("<think>", "Hm.", "</think>", "Yes."))
    message = (await api.answer(CHAT, chat(**fields)))["choices"][0]["message"]
    assert message["content"] == "Yes." and "reasoning_content" not in message
