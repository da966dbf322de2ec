"""Harmony's answers: which text is thought, content or call, however it is cut and whatever breaks it."""

import json
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from handlers.chat.delta import join_pieces
from handlers.chat.reading.answer_parser import (
    AnswerFormat,
    AnswerParser,
    AnswerText,
    ReasoningReading,
    ToolReading,
)
from handlers.chat.reading.channels import HARMONY_CHANNELS
from handlers.chat.reading.reasoning import ReasoningStart
from handlers.chat.tool_calls.formats.harmony import HARMONY
from handlers.chat.tool_calls.message_header import CHANNEL, ENDS, FRAMING, MESSAGE, START
from handlers.chat.tools import ToolDefinition
from tests.support.selection.effort import trials
from tests.unit.handlers.chat.cuts import cut

TOOLS = (ToolDefinition(name="get_weather"), ToolDefinition(name="python"))
ANALYSIS = "<|channel|>analysis<|message|>"
FINAL = "<|channel|>final<|message|>"
NEXT = "<|start|>assistant"
CALL = '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Oslo"}<|call|>'


def parser(
    start: ReasoningStart = ReasoningStart.POSSIBLE,
    *,
    is_content: bool = False,
    tools: tuple[ToolDefinition, ...] = TOOLS,
    streams: bool = True,
) -> AnswerParser:
    names = tuple(tool.name for tool in tools)
    reasoning = ReasoningReading(
        reasoning_format=HARMONY_CHANNELS, start=start, is_content=is_content, tools=names
    )
    reading = ToolReading(tool_format=HARMONY, tools=tools, streams=streams) if tools else None
    return AnswerParser(AnswerFormat(tools=reading, reasoning=reasoning), lambda name: "id")


def read(answer_parser: AnswerParser, pieces: list[str], *, is_cut: bool = False) -> AnswerText:
    answer = AnswerText()
    for piece in pieces:
        answer += answer_parser.feed(piece)
    answer += answer_parser.finish(is_cut=is_cut)
    return AnswerText(answer.content, answer.reasoning, join_pieces(answer.calls))


def calls(answer: AnswerText) -> list[tuple[str | None, object]]:
    return [(call.name, json.loads(call.arguments)) for call in answer.calls]


@pytest.mark.parametrize(
    ("text", "reasoning", "content"),
    [
        (f"{FINAL}Hi<|return|>", "", "Hi"),
        (f"{ANALYSIS}Hm.<|end|>{NEXT}{FINAL}Hi", "Hm.", "Hi"),
        (f"{ANALYSIS}A<|end|>{NEXT}{ANALYSIS}B<|end|>{NEXT}{FINAL}Hi", "A\n\nB", "Hi"),
        (f"<|channel|>commentary<|message|>I look.<|end|>{NEXT}{FINAL}So.", "", "I look.\n\nSo."),
        (f"{ANALYSIS}cut sho", "cut sho", ""),
        (f"{ANALYSIS}A<|end|>{NEXT}<|channel|>fin", "A", ""),  # a header that the answer ends in
        ("<|channel|>final <|constrain|>json<|message|>{}", "", "{}"),
        (f"{NEXT}{FINAL}Hi", "", "Hi"),
        # What breaks the format is content to the letter.
        ("Hello", "", "Hello"),
        ("total to=all", "", "total to=all"),
        ("a", "", "a"),  # and not the beginning of a role
        ("\n code", "", "\n code"),
        ("<|channel|>final<|mess", "", ""),
        (f"{ANALYSIS}A{FINAL}Hi", "A", "Hi"),  # without an end
        (f"{ANALYSIS}A<|start|>assistant{FINAL}Hi", "A", "Hi"),
        (f"{FINAL}The tag <|channel|> begins a channel.", "", "The tag <|channel|> begins a channel."),
        (f"{FINAL}a <|start|> b", "", "a <|start|> b"),
        (f"{ANALYSIS}is <|channel|> it?<|end|>{NEXT}{FINAL}Hi", "is <|channel|> it?", "Hi"),
        ("<|start|>user<|message|>Hi<|end|>", "", "<|start|>user<|message|>Hi"),
        (f"<|channel|>{'x' * 600}<|message|>Hi", "", f"<|channel|>{'x' * 600}<|message|>Hi"),
        ("<|channel|>other<|message|>Hi", "", "<|channel|>other<|message|>Hi"),
        (f"{FINAL}Hi<|end|>and more", "", "Hi\n\nand more"),
    ],
)
def test_each_message_is_the_part_that_its_channel_says(text: str, reasoning: str, content: str) -> None:
    for pieces in ([text], list(text)):
        answer = read(parser(), pieces)
        assert (answer.reasoning, answer.content, answer.calls) == (reasoning, content, ())


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        CALL,
        CALL.removesuffix("<|call|>"),  # an end token shows no text
        f"{ANALYSIS}Hm.<|end|>{NEXT}{CALL}",
        ' to=functions.get_weather<|channel|>commentary json<|message|>{"city": "Oslo"}',
        f"{ANALYSIS}Hm.<|end|>{NEXT} to=functions.get_weather<|channel|>commentary "
        '<|constrain|>json<|message|>{"city": "Oslo"}<|call|>',
        '<|channel|>analysis to=functions.get_weather<|constrain|>json<|message|>{"city": "Oslo"}<|end|>',
        '<|channel|>commentary to=get_weather<|message|>{"city": "Oslo"}',
    ],
)
def test_a_message_to_a_function_is_a_call_in_every_order_of_its_header(text: str, streams: bool) -> None:
    for pieces in ([text], list(text)):
        answer = read(parser(streams=streams), pieces)
        assert (answer.content, calls(answer)) == ("", [("get_weather", {"city": "Oslo"})])
        assert answer.reasoning == ("Hm." if "Hm." in text else "")


def test_words_and_thoughts_before_several_calls() -> None:
    preamble = "<|channel|>commentary<|message|>I look.<|end|>"
    answer = read(parser(), [f"{ANALYSIS}Hm.<|end|>{NEXT}{preamble}{NEXT}{CALL}{NEXT}{CALL}"])
    assert (answer.reasoning, answer.content) == ("Hm.", "I look.")
    assert calls(answer) == [("get_weather", {"city": "Oslo"})] * 2


@pytest.mark.parametrize(
    "text",
    [
        CALL.replace("get_weather", "unknown"),
        CALL.replace('{"city": "Oslo"}', "Oslo"),
        CALL.replace('{"city": "Oslo"}<|call|>', '{"city": '),
    ],
)
def test_a_call_that_is_none_is_content_to_the_letter(text: str) -> None:
    answer = read(parser(streams=False), [text])
    assert (answer.content, answer.calls) == (text, ())


def test_a_call_without_tools_is_content() -> None:
    assert read(parser(tools=()), [CALL]).content == CALL


def test_a_tool_that_is_built_into_the_model_is_a_thought_unless_it_was_offered() -> None:
    search = "<|channel|>analysis to=browser.search code<|message|>query<|call|>"
    run = '<|channel|>commentary to=python <|constrain|>json<|message|>{"code": "1"}<|call|>'
    assert read(parser(), [search]) == AnswerText(reasoning="query")
    assert calls(read(parser(), [run])) == [("python", {"code": "1"})]
    assert read(parser(tools=TOOLS[:1]), [run]) == AnswerText(reasoning='{"code": "1"}')


@pytest.mark.parametrize(
    ("start", "text", "expected"),
    [
        (ReasoningStart.OPEN, f"Hm.<|end|>{NEXT}{FINAL}Hi", AnswerText("Hi", "Hm.")),
        (ReasoningStart.CLOSED, "lo<|return|>", AnswerText("lo")),
    ],
)
def test_an_answer_may_begin_inside_of_a_message(
    start: ReasoningStart, text: str, expected: AnswerText
) -> None:
    assert read(parser(start), list(text)) == expected


def test_thoughts_that_stay_in_the_content_have_the_tags_that_clients_know() -> None:
    text = f"{ANALYSIS}Hm.<|end|>{NEXT}{FINAL}Hi<|return|>"
    expected = AnswerText("<think>\nHm.\n</think>\n\nHi")
    assert read(parser(is_content=True), [text]) == expected == read(parser(is_content=True), list(text))


PIECES = st.sampled_from(
    [*FRAMING, CALL, ANALYSIS, FINAL, NEXT, "analysis", " to=functions.get_weather", " to=python", "json"]
    + ['{"city": "Oslo"}', "{", "assistant", "Hi", "\n", " ", "<|", "é", "to", "code"]
)
TEXTS = st.lists(PIECES, max_size=9).map("".join)


@settings(max_examples=trials(150, whole=1000))
@given(TEXTS.flatmap(cut), st.sampled_from(ReasoningStart), st.booleans(), st.booleans(), st.booleans())
@example(["\ncode"], ReasoningStart.POSSIBLE, False, False, False)
@example(["\ncode"], ReasoningStart.POSSIBLE, False, False, True)
def test_any_cut_of_a_text_gives_what_the_whole_gives(
    pieces: list[str], start: ReasoningStart, is_content: bool, streams: bool, is_cut: bool
) -> None:
    def fresh() -> AnswerParser:
        return parser(start, is_content=is_content, streams=streams)

    text = "".join(pieces)
    whole = read(fresh(), [text], is_cut=is_cut)
    assert read(fresh(), pieces, is_cut=is_cut) == whole
    assert read(fresh(), list(text), is_cut=is_cut) == whole


@settings(max_examples=trials(150, whole=1000))
@given(
    st.lists(
        st.sampled_from(["Hi", "Oslo", START, CHANNEL, MESSAGE, *ENDS, FINAL, ANALYSIS, " "]), max_size=9
    )
)
def test_words_are_never_lost(pieces: list[str]) -> None:
    answer = read(parser(tools=()), pieces)
    said = answer.reasoning + answer.content
    assert all(said.count(word) == pieces.count(word) for word in ("Hi", "Oslo"))


@pytest.mark.parametrize(
    ("prompt", "continued", "expected"),
    [
        ("<|start|>user<|message|>Hi<|end|><|start|>assistant", None, ReasoningStart.POSSIBLE),
        ("<|start|>user<|message|>Hi<|end|>", None, ReasoningStart.POSSIBLE),
        (f"<|end|><|start|>assistant{ANALYSIS}", None, ReasoningStart.OPEN),
        (f"<|end|><|start|>assistant{FINAL}", None, ReasoningStart.CLOSED),
        (f"<|end|><|start|>assistant{FINAL}Hel<|start|>", "Hel<|start|>", ReasoningStart.CLOSED),
    ],
)
def test_the_prompt_says_where_the_answer_begins(
    prompt: str, continued: str | None, expected: ReasoningStart
) -> None:
    assert HARMONY_CHANNELS.start(prompt, continued) is expected


@pytest.mark.parametrize("prompt", ["assistant", f"assistant{ANALYSIS}", f"assistant{FINAL}"])
def test_the_opening_of_an_answer_ends_in_its_final_channel(prompt: str) -> None:
    prompt = START + prompt
    prompt += HARMONY_CHANNELS.opening(HARMONY_CHANNELS.start(prompt))
    assert prompt.endswith(f"{START}assistant{FINAL}")
    assert HARMONY_CHANNELS.start(prompt) is ReasoningStart.CLOSED
    assert HARMONY_CHANNELS.opening(ReasoningStart.CLOSED) == ""


@pytest.mark.parametrize(
    "header",
    [
        f"{' ' * 249}{CHANNEL}{' ' * 249}!",
        f"assistant to={' ' * 490}!",
        f" to={' ' * 240}{CHANNEL} to={' ' * 240}!",
        f"{CHANNEL}commentary to={'a ' * 240}!",
    ],
    ids=["channel", "recipient", "two recipients", "words"],
)
def test_blanks_in_a_header_are_read_once(header: str) -> None:
    """Each token of such an answer took a second, in the third power of the number of blanks."""
    text = f"{START}{header}<x"
    started = time.process_time()
    assert read(parser(), list(text)).content == text
    assert time.process_time() - started < 2
