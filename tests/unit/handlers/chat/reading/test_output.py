from collections.abc import AsyncGenerator
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.port.errors import GenerationFailed
from engine.port.events import FinishReason, TokenEvent
from handlers.chat.delta import ChatDelta, ChatFinish
from handlers.chat.reading.answer_parser import AnswerFormat, ReasoningReading, ToolReading
from handlers.chat.reading.output import ChatOutputs
from handlers.chat.reading.reasoning import ReasoningStart
from handlers.chat.reading.result import ChatChoice, collect_chat, join
from handlers.chat.reading.tag_pair import THINK
from handlers.chat.tool_calls.formats.registry import HERMES
from handlers.chat.tool_calls.ids import new_tool_call_id
from handlers.chat.tools import ToolDefinition
from handlers.chat.usage import ChatUsage
from tests.unit.handlers.chat.cuts import cut
from tests.unit.handlers.chat.events import events_of, stream

CALL = HERMES.write("get_weather", '{"city": "Oslo"}')
FRAGMENTS = st.sampled_from(
    [
        CALL,
        CALL[:-20],
        "<think>\nHm.\n</think>\n\n",
        "<think>",
        "</think>",
        "<",
        "Hello",
        " ",
        "\n",
        "<|im_end|>",
        "é",
    ]
)
TEXTS = st.lists(FRAGMENTS, max_size=5).map("".join)
FINISHES = st.sampled_from(FinishReason)


def reasoning(*, is_content: bool, start: ReasoningStart = ReasoningStart.POSSIBLE) -> ReasoningReading:
    return ReasoningReading(reasoning_format=THINK, start=start, is_content=is_content)


TOOLS = ToolReading(tool_format=HERMES, tools=(ToolDefinition(name="get_weather"),), streams=True)
ANSWER_FORMATS = [
    AnswerFormat(),
    AnswerFormat(tools=TOOLS, reasoning=reasoning(is_content=False), hidden=("<|im_end|>",)),
    AnswerFormat(tools=TOOLS, reasoning=reasoning(is_content=True)),
    AnswerFormat(reasoning=reasoning(is_content=False, start=ReasoningStart.OPEN)),
]


def outputs(answer_format: AnswerFormat, num_sequences: int = 1) -> ChatOutputs:
    ids = count()
    return ChatOutputs(answer_format, num_sequences, lambda name: f"call_{next(ids)}")


def deltas(answer_format: AnswerFormat, events: list[TokenEvent]) -> list[ChatDelta]:
    reader = outputs(answer_format)
    return [delta for event in events if (delta := reader.feed(event)) is not None]


def words(choice: ChatChoice) -> tuple[object, ...]:
    """All of a choice but its events."""
    return (choice.content, choice.reasoning, choice.tool_calls, choice.finish)


@given(TEXTS, st.sampled_from(ANSWER_FORMATS[1:]), FINISHES, st.data())
def test_a_delta_has_at_most_one_piece_of_each_call(
    text: str, answer_format: AnswerFormat, finish: FinishReason, data: st.DataObject
) -> None:
    for delta in deltas(answer_format, events_of(data.draw(cut(text)), finish=finish)):
        indices = [piece.index for piece in delta.tool_calls]
        assert len(indices) == len(set(indices))


@given(TEXTS, st.sampled_from(ANSWER_FORMATS), FINISHES, st.data())
async def test_what_is_streamed_joins_to_what_is_collected_however_tokens_cut_the_text(
    text: str, answer_format: AnswerFormat, finish: FinishReason, data: st.DataObject
) -> None:
    events = events_of(data.draw(cut(text)), finish=finish)
    told = deltas(answer_format, events)
    [collected] = (await collect_chat(outputs(answer_format), stream(events))).choices
    assert join(told) == collected
    assert collected.events == tuple(events)
    assert [delta.finish is None for delta in told] == [True] * (len(told) - 1) + [False]
    whole = await collect_chat(outputs(answer_format), stream(events_of([text], finish=finish)))
    assert words(collected) == words(whole.choices[0])


def test_free_text_is_told_token_by_token() -> None:
    events = events_of(["Hel", "lo"])
    assert [(delta.content, delta.events) for delta in deltas(AnswerFormat(), events)] == [
        ("Hel", (events[0],)),
        ("lo", (events[1],)),
        ("", (events[2],)),
    ]


def test_a_held_token_is_accounted_for_with_the_next_text() -> None:
    events = events_of(["Hi", " <tool", "s>"])
    told = deltas(AnswerFormat(tools=TOOLS), events)
    assert [(delta.content, len(delta.events)) for delta in told] == [("Hi", 1), (" <tools>", 2), ("", 1)]


@pytest.mark.parametrize(
    ("pieces", "finish", "expected"),
    [
        (["Hi"], FinishReason.END_TOKEN, ChatFinish.STOP),
        (["Hi"], FinishReason.STOP, ChatFinish.STOP),
        (["Hi"], FinishReason.LENGTH, ChatFinish.LENGTH),
        ([CALL], FinishReason.END_TOKEN, ChatFinish.TOOL_CALLS),
        ([CALL], FinishReason.STOP, ChatFinish.TOOL_CALLS),
        ([CALL], FinishReason.LENGTH, ChatFinish.LENGTH),
        ([CALL[:-20]], FinishReason.LENGTH, ChatFinish.LENGTH),
    ],
)
def test_an_answer_ends_for_one_of_three_reasons(
    pieces: list[str], finish: FinishReason, expected: ChatFinish
) -> None:
    told = deltas(AnswerFormat(tools=TOOLS), events_of(pieces, finish=finish))
    assert told[-1].finish is expected


def test_a_stop_token_that_is_cut_is_no_token_of_the_answer() -> None:
    *before, last = events_of(["Hi", "."], finish=FinishReason.STOP)
    [first, second] = deltas(AnswerFormat(), [*before, replace(last, text="")])
    assert (first.answer_events, second.answer_events) == ((before[0],), ())
    assert len(second.events) == 1
    [_, kept] = deltas(AnswerFormat(), [*before, last])
    assert kept.answer_events == (last,)


def test_an_empty_answer_has_one_delta_that_ends_it() -> None:
    [delta] = deltas(ANSWER_FORMATS[1], events_of([]))
    assert (delta.content, delta.tool_calls, delta.finish) == ("", (), ChatFinish.STOP)


def test_thoughts_in_the_content_hold_no_calls() -> None:
    text = f"<think>\nMaybe {CALL}?\n</think>\n\n"
    told = deltas(AnswerFormat(tools=TOOLS, reasoning=reasoning(is_content=True)), events_of([text + CALL]))
    choice = join(told)
    assert choice.content == text.rstrip()
    assert len(choice.tool_calls) == 1


async def test_answers_are_told_apart_and_ordered_and_their_tokens_are_counted() -> None:
    first = events_of(["<think>", "Hm", "</think>", "Hi"], index=0)
    second = events_of(["Hel", "lo"], index=1)
    mixed = [second[0], first[0], *second[1:], *first[1:]]
    result = await collect_chat(outputs(ANSWER_FORMATS[1], num_sequences=2), stream(mixed))
    assert [(choice.index, choice.reasoning, choice.content) for choice in result.choices] == [
        (0, "Hm", "Hi"),
        (1, "", "Hello"),
    ]
    assert result.usage == ChatUsage(
        num_prompt_tokens=7, num_cached_tokens=3, num_completion_tokens=8, num_reasoning_tokens=3
    )


async def test_what_the_engine_raises_passes_through_and_the_events_are_closed() -> None:
    is_closed = False

    async def failing() -> AsyncGenerator[TokenEvent, None]:
        nonlocal is_closed
        try:
            yield events_of(["Hi"])[0]
            raise GenerationFailed("broken")
        finally:
            is_closed = True

    with pytest.raises(GenerationFailed, match="broken"):
        await collect_chat(outputs(AnswerFormat()), failing())
    assert is_closed


def test_ids_of_calls_are_unique() -> None:
    ids = {new_tool_call_id() for _ in range(1000)}
    assert len(ids) == 1000 and all(id.startswith("call_") and len(id) == 29 for id in ids)
