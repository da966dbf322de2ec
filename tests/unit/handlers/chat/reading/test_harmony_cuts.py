"""No fragment of harmony's markers is content, wherever an answer ends and however it comes in pieces."""

from collections.abc import Iterator

import pytest

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
from handlers.chat.tools import ToolDefinition
from tests.support.selection.effort import trials

TOOLS = (ToolDefinition(name="f"),)
NEXT = "<|start|>assistant"
REASONING = "<|channel|>analysis<|message|>Hm."
PREAMBLE = "<|channel|>commentary<|message|>I look."
FINAL = "<|channel|>final<|message|>Hi"
CALL = '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a": 1}'
ROLE_FIRST = ' to=functions.f<|channel|>commentary json<|message|>{"a": 1}'
BUILT_IN = "<|channel|>analysis to=python code<|message|>1"
SHAPES = {
    "an answer": f"{FINAL}<|return|>",
    "a thought and an answer": f"{REASONING}<|end|>{NEXT}{FINAL}<|return|>",
    "a thought without an end": f"{REASONING}{NEXT}{FINAL}",
    "words and a call": f"{PREAMBLE}<|end|>{NEXT}{CALL}<|call|>",
    "two calls": f"{CALL}<|call|>{NEXT}{CALL}<|call|>",
    "two calls by role": f"{ROLE_FIRST}<|call|>{NEXT}{ROLE_FIRST}<|call|>",
    "calls without ends": f"{CALL}{NEXT}{CALL}",
    "a built-in tool": f"{BUILT_IN}<|end|>{NEXT}{FINAL}",
}


def parser(*, has_tools: bool = True, is_content: bool = False, streams: bool = True) -> AnswerParser:
    names = tuple(tool.name for tool in TOOLS)
    reasoning = ReasoningReading(
        reasoning_format=HARMONY_CHANNELS, start=ReasoningStart.POSSIBLE, is_content=is_content, tools=names
    )
    reading = ToolReading(tool_format=HARMONY, tools=TOOLS, streams=streams) if has_tools else None
    return AnswerParser(AnswerFormat(tools=reading, reasoning=reasoning), lambda name: "id")


def read(answer_parser: AnswerParser, pieces: list[str], *, is_cut: bool) -> AnswerText:
    """Return the whole answer, each of whose additions shows no marker's fragment."""
    answer = AnswerText()
    for piece in pieces:
        answer += answer_parser.feed(piece)
        assert_clean(answer, pieces)
    answer += answer_parser.finish(is_cut=is_cut)
    assert_clean(answer, pieces)
    return AnswerText(answer.content, answer.reasoning, join_pieces(answer.calls))


def assert_clean(answer: AnswerText, pieces: list[str]) -> None:
    """Check that nothing shown has the beginning of a marker; <think> is no marker of harmony's."""
    arguments = "".join(call.arguments for call in answer.calls)
    for shown in (answer.content, answer.reasoning, arguments):
        assert "<|" not in shown, pieces


def beginnings(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the text up to each of its characters, and whether that is not all of it."""
    for end in range(len(text) + 1):
        yield text[:end], end < len(text)


@pytest.mark.parametrize("shape", SHAPES)
def test_an_answer_in_two_pieces_shows_no_fragment_of_a_marker(shape: str) -> None:
    step = trials(7, whole=1)  # each beginning is cut at every seventh place, and the next at others
    for text, is_cut in beginnings(SHAPES[shape]):
        whole = read(parser(), [text], is_cut=is_cut)
        for place in range(1 + len(text) % step, len(text), step):
            assert read(parser(), [text[:place], text[place:]], is_cut=is_cut) == whole


@pytest.mark.by_turns("streams", "shape")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("streams", [True, False])
@pytest.mark.parametrize("is_content", [True, False])
def test_an_answer_by_characters_shows_no_fragment_of_a_marker(
    shape: str, streams: bool, is_content: bool
) -> None:
    for text, is_cut in beginnings(SHAPES[shape]):
        found = [
            read(parser(is_content=is_content, streams=streams), pieces, is_cut=is_cut)
            for pieces in ([text], list(text))
        ]
        assert found[0] == found[1], text


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if "call" not in shape])
def test_an_answer_without_tools_shows_no_fragment_of_a_marker(shape: str) -> None:
    for text, is_cut in beginnings(SHAPES[shape]):
        for pieces in ([text], list(text)):
            read(parser(has_tools=False), pieces, is_cut=is_cut)


@pytest.mark.parametrize("fragment", ["<|", "<|s", "<|en", "<|channel|", "<|start|>", "<|start|>assis"])
def test_only_an_answer_that_is_cut_ends_in_a_fragment(fragment: str) -> None:
    """A fragment that a model has ended in by itself is its text; a single "<" always is."""
    assert read(parser(), [f"{FINAL}{fragment}"], is_cut=True).content == "Hi"
    assert read(parser(), [f"{FINAL} <"], is_cut=True).content == "Hi <"
    answer = AnswerText()
    ended = parser()
    for addition in (ended.feed(f"{FINAL}{fragment}"), ended.finish()):
        answer += addition
    assert answer.content == f"Hi{fragment}"
