"""The core on a tokenizer with harmony's tokens: its grammars, its prompts, and what ends an answer."""

import json

import pytest
from msgspec.structs import replace

from engine.grammar.compiler import GrammarCompiler
from engine.port.errors import GenerationFailed
from engine.port.request import Grammar, SamplingParams
from handlers.chat.core import ChatCore, PreparedChat
from handlers.chat.messages import ChatMessage
from handlers.chat.params import ChatParams, ReasoningStyle
from handlers.chat.structured_output.response_format import AnyJsonObject
from handlers.chat.tools import ToolCall, ToolChoice, ToolDefinition, ToolMode
from tests.unit.handlers.chat.prompt.control.families import tokenizer_of

TOKENIZER = tokenizer_of("gpt-oss")
COMPILER = GrammarCompiler(TOKENIZER)
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = (ToolDefinition(name="get_weather", parameters=PARAMETERS),)
ANALYSIS = "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant"
FINAL = "<|channel|>final<|message|>"
CALL = '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Oslo"}'
ROLE_FIRST = ' to=functions.get_weather<|channel|>commentary json<|message|>{"city": "Oslo"}'


def prepare(*messages: ChatMessage, **changes: object) -> PreparedChat:
    messages = messages or (ChatMessage(role="user", content="Hi"),)
    plain = ChatParams(
        request_id="r", messages=messages, sampling=SamplingParams(), reasoning=ReasoningStyle.SPLIT
    )
    return ChatCore(TOKENIZER, max_total_tokens=4000).prepare(replace(plain, **changes))


def accepts(grammar: Grammar | None, text: str) -> bool:
    """Return whether the grammar lets a model write this and end there."""
    assert grammar is not None
    ends = TOKENIZER.encode("<|return|>", add_special_tokens=False)
    state = COMPILER.compile(grammar).start(ends)
    try:
        for token in [*TOKENIZER.encode(text, add_special_tokens=False), *ends]:
            state.accept(token)
    except GenerationFailed:
        return False
    return True


def test_a_demanded_call_has_harmonys_form_after_any_thoughts() -> None:
    chat = prepare(tools=TOOLS, tool_choice=ToolChoice(mode=ToolMode.REQUIRED))
    grammar = chat.request.sampling.grammar
    for text in (CALL, ROLE_FIRST, ANALYSIS + CALL, ANALYSIS + ROLE_FIRST, ANALYSIS * 2 + CALL):
        assert accepts(grammar, text), text
    for text in ("", f"{FINAL}Hi", ANALYSIS, CALL.replace("weather", "time"), CALL.replace("city", "town")):
        assert not accepts(grammar, text), text
    assert not accepts(grammar, "<|channel|>analysis to=python code<|message|>1")


def test_under_auto_words_and_calls_are_held_to_harmonys_form() -> None:
    grammar = prepare(tools=TOOLS).request.sampling.grammar
    preamble = "<|channel|>commentary<|message|>I look.<|end|><|start|>assistant"
    for text in (
        f"{FINAL}Hi {{",
        f"{ANALYSIS}{FINAL}Hi<|end|>",
        CALL,
        ROLE_FIRST,
        ANALYSIS + preamble + CALL,
    ):
        assert accepts(grammar, text), text
    for text in (
        "Hi",
        CALL.replace("weather", "time"),
        "<|channel|>analysis to=browser.open code<|message|>1",
    ):
        assert not accepts(grammar, text), text


@pytest.mark.parametrize("style", ReasoningStyle)
def test_a_response_format_binds_the_final_channel(style: ReasoningStyle) -> None:
    chat = prepare(response_format=AnyJsonObject(), reasoning=style)
    grammar = chat.request.sampling.grammar
    assert accepts(grammar, FINAL + '{"a": 1}')
    assert accepts(grammar, f'{ANALYSIS}{FINAL}{{"a": 1}}') is (style is ReasoningStyle.SPLIT)
    assert not accepts(grammar, FINAL + "Hi") and not accepts(grammar, '{"a": 1}')


def test_a_free_answer_is_not_bound() -> None:
    assert prepare().request.sampling.grammar is None


def test_stop_strings_are_sought_in_the_final_channel_alone() -> None:
    stopping = prepare(stop=("\n\n",), tools=TOOLS).request.stopping
    assert stopping.stop_free_until == "<|channel|>final"
    assert ("<|start|>", "<|channel|>final") in stopping.stop_free


def test_the_formats_own_ends_end_an_answer_unless_ends_are_ignored() -> None:
    ends = TOKENIZER.encode("<|return|><|call|>", add_special_tokens=False)
    assert prepare(stop_token_ids=(7,)).request.stopping.stop_token_ids == (7, *ends)
    assert prepare(ignore_eos=True).request.stopping.stop_token_ids == ()


@pytest.mark.parametrize(("effort", "known"), [("high", "high"), ("minimal", "low"), ("xhigh", "high")])
def test_an_effort_that_the_family_does_not_know_is_the_nearest(effort: str, known: str) -> None:
    assert f"Reasoning: {known}<|end|>" in prepare(reasoning_effort=effort).prompt_text


def test_the_model_sees_its_earlier_thoughts_and_calls_each_before_its_result() -> None:
    calls = tuple(
        ToolCall(id=f"call_{city}", name="get_weather", arguments=json.dumps({"city": city}))
        for city in ("Oslo", "Rome")
    )
    results = [
        ChatMessage(role="tool", content=text, tool_call_id=f"call_{city}")
        for city, text in (("Rome", "sun"), ("Oslo", "rain"))
    ]
    said = ChatMessage(role="assistant", content="I look.", reasoning="Hm.", tool_calls=calls)
    text = prepare(ChatMessage(role="user", content="Hi"), said, *results, tools=TOOLS).prompt_text
    shown = [
        "analysis<|message|>Hm.\n\nI look.<|end|>",
        'to=functions.get_weather<|channel|>commentary json<|message|>{"city": "Oslo"}<|call|>',
        'to=assistant<|channel|>commentary<|message|>"rain"<|end|>',
        'to=functions.get_weather<|channel|>commentary json<|message|>{"city": "Rome"}<|call|>',
        'to=assistant<|channel|>commentary<|message|>"sun"<|end|>',
    ]
    places = [text.index(piece) for piece in shown]
    assert places == sorted(places)
