import json

import pytest
from msgspec.structs import replace

from engine.port.request import BeamParams, Grammar, GrammarKind, MediaKind, SamplingParams, StopConditions
from engine.port.text.tokenizer import Tokenizer
from handlers.chat.core import ChatCore, PreparedChat
from handlers.chat.errors import (
    ChatError,
    InvalidMessage,
    InvalidResponseFormat,
    TemplateError,
    UnknownTool,
    UnsupportedContent,
)
from handlers.chat.messages import ChatMessage, MediaPart
from handlers.chat.params import ChatParams, ReasoningStyle
from handlers.chat.reading.reasoning import ReasoningStart
from handlers.chat.reading.result import ChatChoice, collect_chat
from handlers.chat.structured_output.response_format import JsonSchema, Regex
from handlers.chat.tool_calls.formats.registry import HERMES, LLAMA_JSON
from handlers.chat.tool_calls.tool_format import ToolFormat
from handlers.chat.tools import ToolCall, ToolChoice, ToolDefinition, ToolMode
from tests.unit.handlers.chat.events import events_of, stream
from tests.unit.handlers.chat.models import (
    HERMES_TEMPLATE,
    LLAMA_TEMPLATE,
    PLAIN_TEMPLATE,
    TAGS,
    THINKING_TEMPLATE,
    chat_tokenizer,
)

HELLO = ChatMessage(role="user", content="Hello")
TOOLS = (ToolDefinition(name="get_weather"), ToolDefinition(name="get_time"))
CALL = ToolCall(id="call_1", name="get_weather", arguments="{}")
UNKNOWN_TEMPLATE = HERMES_TEMPLATE.replace("tool_call>", "invoke>")


def params(*messages: ChatMessage, **changes: object) -> ChatParams:
    plain = ChatParams(request_id="r", messages=messages or (HELLO,), sampling=SamplingParams(seed=5))
    return replace(plain, **changes)


def prepare(tokenizer: Tokenizer, chat: ChatParams) -> PreparedChat:
    return ChatCore(tokenizer, max_total_tokens=1000).prepare(chat)


async def answer(prepared: PreparedChat, text: str) -> ChatChoice:
    """Return the choice that the client gets if the model writes this."""
    result = await collect_chat(prepared.outputs(), stream(events_of([text])))
    return result.choices[0]


def test_the_request_carries_what_was_asked() -> None:
    chat = params(
        max_tokens=9,
        min_tokens=2,
        stop=("\n\n",),
        stop_token_ids=(4,),
        include_stop=True,
        ignore_eos=True,
        num_sequences=3,
        adapter="a",
        priority=-1,
    )
    tokenizer = chat_tokenizer()
    prepared = prepare(tokenizer, chat)
    request = prepared.request
    assert (request.request_id, request.num_sequences, request.adapter, request.priority) == ("r", 3, "a", -1)
    stops = request.stopping
    assert (stops.max_tokens, stops.min_tokens, stops.stop, stops.stop_token_ids) == (9, 2, ("\n\n",), (4,))
    assert stops.include_stop and stops.ignore_eos
    assert request.sampling == SamplingParams(seed=5)
    assert request.skip_special_tokens
    assert prepared.prompt_text == "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n"
    assert tokenizer.decode(request.prompt.token_ids, skip_special_tokens=False) == prepared.prompt_text


def test_no_limit_of_tokens_fills_the_context() -> None:
    prepared = prepare(chat_tokenizer(), params())
    assert len(prepared.request.prompt.token_ids) + prepared.request.stopping.max_tokens == 1000
    crowded = prepare(chat_tokenizer(), params(ChatMessage(role="user", content="x" * 2000)))
    assert crowded.request.stopping.max_tokens == 1


@pytest.mark.parametrize(
    ("chat", "error", "field"),
    [
        (
            params(ChatMessage(role="user", content=(MediaPart(MediaKind.IMAGE, "a.png"),))),
            UnsupportedContent,
            "messages[0].content[0]",
        ),
        (params(tools=TOOLS, tool_choice=ToolChoice.named("x")), UnknownTool, "tool_choice"),
        (params(continue_final_message=True), InvalidMessage, "messages[0]"),
        (params(template_kwargs={"tokenize": True}), TemplateError, "template_kwargs.tokenize"),
    ],
)
@pytest.mark.parametrize("template", [HERMES_TEMPLATE, PLAIN_TEMPLATE])
def test_what_cannot_be_honoured_is_refused_with_its_field(
    chat: ChatParams, error: type[ChatError], field: str, template: str
) -> None:
    with pytest.raises(error) as caught:
        prepare(chat_tokenizer(template), chat)
    assert caught.value.field == field


def test_an_empty_conversation_and_an_empty_prompt_are_refused() -> None:
    for goes_on in (False, True):
        with pytest.raises(InvalidMessage) as caught:
            prepare(chat_tokenizer(), replace(params(), messages=(), continue_final_message=goes_on))
        assert caught.value.field == "messages"
    with pytest.raises(TemplateError, match="renders nothing"):
        prepare(chat_tokenizer("{{ '' }}"), params())


@pytest.mark.parametrize(
    ("template", "tool_format"),
    [
        (HERMES_TEMPLATE, HERMES),
        (LLAMA_TEMPLATE, LLAMA_JSON),
        (PLAIN_TEMPLATE, HERMES),
        (UNKNOWN_TEMPLATE, HERMES),
    ],
)
@pytest.mark.parametrize("mode", [ToolMode.AUTO, ToolMode.REQUIRED])
async def test_calls_are_read_in_the_format_that_the_prompt_teaches(
    template: str, tool_format: ToolFormat, mode: ToolMode
) -> None:
    prepared = prepare(chat_tokenizer(template), params(tools=TOOLS, tool_choice=ToolChoice(mode=mode)))
    assert '"name": "get_time"' in prepared.prompt_text
    got = await answer(prepared, tool_format.write("get_time", '{"zone": "CET"}'))
    assert [(call.name, call.arguments) for call in got.tool_calls] == [("get_time", '{"zone": "CET"}')]


def test_a_template_whose_format_is_unknown_is_not_shown_the_tools_twice() -> None:
    prompt = prepare(chat_tokenizer(UNKNOWN_TEMPLATE), params(tools=TOOLS)).prompt_text
    assert "<invoke>" not in prompt and prompt.count('"name": "get_time"') == 1


def test_earlier_calls_reach_a_template_that_knows_none_as_words() -> None:
    messages = (
        HELLO,
        ChatMessage(role="assistant", tool_calls=(CALL,)),
        ChatMessage(role="tool", content="12 °C", tool_call_id="call_1"),
    )
    prompt = prepare(chat_tokenizer(PLAIN_TEMPLATE), params(*messages)).prompt_text
    assert '<tool_call>\n{"name": "get_weather", "arguments": {}}' in prompt
    assert "<|im_start|>user\n<tool_response>\n12 °C\n</tool_response>" in prompt


@pytest.mark.parametrize(
    ("choice", "lists_all", "listed", "callable_names"),
    [
        (ToolChoice(), False, {"get_weather", "get_time"}, ("get_weather", "get_time")),
        (ToolChoice(mode=ToolMode.NONE), False, set(), None),
        (ToolChoice(mode=ToolMode.NONE), True, {"get_weather", "get_time"}, None),
        (ToolChoice.named("get_time"), False, {"get_time"}, ("get_time",)),
        (ToolChoice.named("get_time"), True, {"get_weather", "get_time"}, ("get_time",)),
    ],
)
def test_a_choice_says_what_is_listed_and_what_can_be_called(
    choice: ToolChoice, lists_all: bool, listed: set[str], callable_names: tuple[str, ...] | None
) -> None:
    prepared = prepare(chat_tokenizer(), params(tools=TOOLS, tool_choice=choice, lists_all_tools=lists_all))
    assert {tool.name for tool in TOOLS if tool.name in prepared.prompt_text} == listed
    reading = prepared.answer_format.tools
    assert (None if reading is None else reading.names) == callable_names
    assert (prepared.request.sampling.grammar is None) is (callable_names is None)


async def test_what_looks_like_a_call_is_content_where_none_was_offered() -> None:
    text = HERMES.write("get_time", "{}")
    for chat in (params(), params(tools=TOOLS, tool_choice=ToolChoice(mode=ToolMode.NONE))):
        got = await answer(prepare(chat_tokenizer(), chat), text)
        assert (got.content, got.tool_calls) == (text, ())


@pytest.mark.parametrize("parallel", [False, True])
async def test_parallel_calls_are_read_only_where_they_are_allowed(parallel: bool) -> None:
    chat = params(tools=TOOLS, parallel_tool_calls=parallel)
    text = "\n".join([HERMES.write("get_time", "{}")] * 2)
    got = await answer(prepare(chat_tokenizer(), chat), text)
    assert len(got.tool_calls) == (2 if parallel else 1)


def test_calls_that_no_grammar_binds_are_told_only_when_whole() -> None:
    def streams(template: str, mode: ToolMode) -> bool:
        chat = params(tools=TOOLS, tool_choice=ToolChoice(mode=mode))
        prepared = prepare(chat_tokenizer(template), chat)
        reading = prepared.answer_format.tools
        assert reading is not None
        assert reading.streams is (prepared.request.sampling.grammar is not None)
        return reading.streams

    assert streams(HERMES_TEMPLATE, ToolMode.AUTO) and streams(LLAMA_TEMPLATE, ToolMode.REQUIRED)
    assert not streams(LLAMA_TEMPLATE, ToolMode.AUTO)


REASONING = "<think>\nHm.\n</think>\n\nHi"


@pytest.mark.parametrize(
    ("template", "variables", "start", "text"),
    [
        (HERMES_TEMPLATE, {}, ReasoningStart.POSSIBLE, REASONING),
        (HERMES_TEMPLATE, {"enable_thinking": False}, ReasoningStart.CLOSED, "Hi"),
        (THINKING_TEMPLATE, {}, ReasoningStart.OPEN, "Hm.\n</think>\n\nHi"),
    ],
)
async def test_thoughts_are_split_off_or_left_in_the_content_as_asked(
    template: str, variables: dict[str, object], start: ReasoningStart, text: str
) -> None:
    for tools in ((), TOOLS):
        chat = params(template_kwargs=variables, tools=tools)
        split = prepare(chat_tokenizer(template), replace(chat, reasoning=ReasoningStyle.SPLIT))
        reading = split.answer_format.reasoning
        assert reading is not None and reading.start is start
        got = await answer(split, text)
        assert (got.reasoning, got.content) == ("Hm." if "Hm." in text else "", "Hi")
        inline = await answer(prepare(chat_tokenizer(template), chat), text)
        assert (inline.reasoning, inline.content) == ("", text)


async def test_an_answer_bound_from_its_first_token_is_read_from_it_even_inside_an_open_thought() -> None:
    chat = params(tools=TOOLS, tool_choice=ToolChoice(mode=ToolMode.REQUIRED))
    got = await answer(prepare(chat_tokenizer(THINKING_TEMPLATE), chat), HERMES.write("get_time", "{}"))
    assert (got.content, len(got.tool_calls)) == ("", 1)


def test_a_continued_thought_is_open() -> None:
    messages = (HELLO, ChatMessage(role="assistant", content="<think>\nWell"))
    chat = params(*messages, continue_final_message=True, reasoning=ReasoningStyle.SPLIT)
    prepared = prepare(chat_tokenizer(), chat)
    assert prepared.prompt_text.endswith("<think>\nWell")
    assert prepared.answer_format.reasoning is not None
    assert prepared.answer_format.reasoning.start is ReasoningStart.OPEN


def test_a_response_format_binds_after_thoughts_that_are_split_off_and_from_the_start_otherwise() -> None:
    chat = params(response_format=Regex("a+"))
    assert prepare(chat_tokenizer(), chat).request.sampling.grammar == Grammar(GrammarKind.REGEX, "a+")
    split = prepare(chat_tokenizer(), replace(chat, reasoning=ReasoningStyle.SPLIT))
    grammar = split.request.sampling.grammar
    assert grammar is not None and grammar.kind is GrammarKind.STRUCTURAL_TAG
    assert "</think>" in grammar.source
    schema = prepare(chat_tokenizer(PLAIN_TEMPLATE), params(response_format=JsonSchema({"type": "null"})))
    assert schema.request.sampling.grammar == Grammar(GrammarKind.JSON_SCHEMA, json.dumps({"type": "null"}))


@pytest.mark.parametrize("special_tags", [TAGS[:1], TAGS])
async def test_tags_that_are_special_tokens_are_seen_and_other_special_tokens_are_not(
    special_tags: tuple[str, ...],
) -> None:
    tokenizer = chat_tokenizer(special_tags=special_tags)
    plain = prepare(tokenizer, params())
    assert plain.request.skip_special_tokens and plain.answer_format.hidden == ()
    prepared = prepare(tokenizer, params(tools=TOOLS, reasoning=ReasoningStyle.SPLIT))
    assert not prepared.request.skip_special_tokens
    text = "<think>Hm.</think>Hi<|pad|>\n" + HERMES.write("get_time", "{}") + "<|im_end|>"
    got = await answer(prepared, text)
    assert (got.reasoning, got.content, len(got.tool_calls)) == ("Hm.", "Hi", 1)


def test_every_option_of_the_engine_reaches_it() -> None:
    sampling = SamplingParams(temperature=0.0, top_k=3, bad_words=("x",), allowed_token_ids=(1, 2))
    chat = params(
        sampling=sampling, beams=BeamParams(num_beams=3), cache_salt="salt", skip_special_tokens=False
    )
    request = prepare(chat_tokenizer(), chat).request
    assert (request.sampling, request.beams, request.cache_salt) == (sampling, chat.beams, "salt")
    assert not request.skip_special_tokens


async def test_special_tokens_show_where_they_are_asked_for_even_beside_tags_that_are_special() -> None:
    chat = params(reasoning=ReasoningStyle.SPLIT, skip_special_tokens=False)
    got = await answer(prepare(chat_tokenizer(special_tags=TAGS), chat), "<think>Hm.</think>Hi<|pad|>")
    assert (got.reasoning, got.content) == ("Hm.", "Hi<|pad|>")


def test_stop_strings_are_not_looked_for_in_thoughts_that_are_told_apart() -> None:
    def stopping(template: str, style: ReasoningStyle) -> StopConditions:
        chat = replace(params(), stop=("x",), reasoning=style)
        return prepare(chat_tokenizer(template), chat).request.stopping

    opened = stopping(THINKING_TEMPLATE, ReasoningStyle.SPLIT)
    assert (opened.stop, opened.stop_free, opened.stop_free_until) == (("x",), (), "</think>")
    inline = stopping(THINKING_TEMPLATE, ReasoningStyle.INLINE)
    assert (inline.stop, inline.stop_free, inline.stop_free_until) == (("x",), (), None)


def test_documents_that_the_template_has_no_place_for_are_refused() -> None:
    with pytest.raises(TemplateError, match="no place for documents") as error:
        prepare(chat_tokenizer(PLAIN_TEMPLATE), params(documents=({"text": "t"},)))
    assert error.value.field == "documents"


def test_a_server_without_response_formats_refuses_them_and_binds_calls_all_the_same() -> None:
    core = ChatCore(chat_tokenizer(HERMES_TEMPLATE), max_total_tokens=1000, allows_structured_output=False)
    with pytest.raises(InvalidResponseFormat) as error:
        core.prepare(params(response_format=Regex("a")))
    assert error.value.field == "response_format"
    demanded = params(tools=TOOLS, tool_choice=ToolChoice(mode=ToolMode.REQUIRED))
    assert core.prepare(demanded).request.sampling.grammar is not None


THINKING_SWITCHES = "{{ enable_thinking }} {{ thinking }} {{ reasoning_effort }}"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "  "),
        ({"enable_thinking": False}, "False False "),
        ({"enable_thinking": True}, "True True "),
        ({"reasoning_effort": "high"}, "True True high"),
        ({"reasoning_effort": "none"}, "False False none"),
        ({"reasoning_effort": "none", "enable_thinking": True}, "True True none"),
        ({"reasoning_effort": "low", "template_kwargs": {"reasoning_effort": "max"}}, "True True max"),
        ({"reasoning_effort": "low", "enable_thinking": False}, "False False low"),
    ],
)
def test_effort_and_thinking_reach_the_template_as_it_calls_them(
    changes: dict[str, object], expected: str
) -> None:
    prompt = prepare(chat_tokenizer("-" + THINKING_SWITCHES), params(**changes)).prompt_text
    assert prompt == "-" + expected


def test_a_template_of_the_requests_own_decides_how_its_answer_is_read() -> None:
    core = ChatCore(chat_tokenizer(PLAIN_TEMPLATE), max_total_tokens=1000)
    plain = core.prepare(params(reasoning=ReasoningStyle.SPLIT))
    thinking = core.prepare(params(reasoning=ReasoningStyle.SPLIT, chat_template=THINKING_TEMPLATE))
    readings = [chat.answer_format.reasoning for chat in (plain, thinking)]
    assert [reading and reading.start for reading in readings] == [
        ReasoningStart.POSSIBLE,
        ReasoningStart.OPEN,
    ]
    with pytest.raises(TemplateError) as caught:
        core.prepare(params(chat_template="no such name"))
    assert caught.value.field == "chat_template"


def test_a_turn_that_is_opened_cannot_be_continued() -> None:
    said = ChatMessage(role="assistant", content="Well")
    goes_on = params(HELLO, said, continue_final_message=True)
    for is_opened in (None, False):
        prompt = prepare(chat_tokenizer(), replace(goes_on, add_generation_prompt=is_opened)).prompt_text
        assert prompt.endswith("assistant\nWell")
    with pytest.raises(InvalidMessage) as caught:
        prepare(chat_tokenizer(), replace(goes_on, add_generation_prompt=True))
    assert caught.value.field == "add_generation_prompt"
    closed = prepare(chat_tokenizer(), params(HELLO, said, add_generation_prompt=False))
    assert closed.prompt_text.endswith("Well<|im_end|>\n")


def test_a_core_knows_what_its_template_can_be_told() -> None:
    core = ChatCore(chat_tokenizer(), max_total_tokens=1000)
    assert core.reads("enable_thinking") and not core.reads("reasoning_effort")


def test_the_servers_template_is_for_requests_that_bring_none() -> None:
    served = "{{ 'served: ' + messages[0].content }}"
    core = ChatCore(chat_tokenizer(), max_total_tokens=1000, chat_template=served)
    assert core.prepare(params()).prompt_text == "served: Hello"
    assert core.prepare(params(chat_template="{{ 'mine' }}")).prompt_text == "mine"
    assert not core.reads("enable_thinking")


def test_a_prompt_that_begins_the_answer_closes_thoughts_that_the_template_opens() -> None:
    tokenizer = chat_tokenizer(THINKING_TEMPLATE)
    prepared = prepare(tokenizer, params(begins_answer=True))
    assert prepared.prompt_text.endswith("<|im_start|>assistant\n<think>\n\n</think>\n\n")
    prompt = tokenizer.decode(prepared.request.prompt.token_ids, skip_special_tokens=False)
    assert prompt == prepared.prompt_text
    assert tokenizer.token_id("</think>") in prepared.request.prompt.token_ids


def test_a_prompt_whose_thoughts_are_closed_is_not_changed_to_begin_the_answer() -> None:
    tokenizer = chat_tokenizer(HERMES_TEMPLATE)
    plain, begun = (
        prepare(tokenizer, params(enable_thinking=False, begins_answer=begins)) for begins in (False, True)
    )
    assert begun.request.prompt == plain.request.prompt
