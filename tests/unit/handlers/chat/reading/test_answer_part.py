"""Tests which tokens are thoughts and which the answer's: exact however the text is cut into tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.port.events import FinishReason, TokenEvent
from handlers.chat.reading.answer_parser import AnswerFormat, ReasoningReading
from handlers.chat.reading.output import ChatOutputs
from handlers.chat.reading.reasoning import ReasoningStart
from handlers.chat.reading.reasoning_format import REASONING_FORMATS
from handlers.chat.reading.result import ChatChoice, join
from handlers.chat.reading.tag_pair import THINK, TagPair
from tests.unit.handlers.chat.cuts import cut
from tests.unit.handlers.chat.events import events_of

TEXTS = ["<think>Hm.</think>\n\nHi", "<think>Hm.", "Hi", " <thin", "<think></think>"]


def answer_format(
    tags: TagPair = THINK,
    start: ReasoningStart = ReasoningStart.POSSIBLE,
    *,
    is_content: bool = False,
    hidden: tuple[str, ...] = (),
) -> AnswerFormat:
    reading = ReasoningReading(reasoning_format=tags, start=start, is_content=is_content)
    return AnswerFormat(reasoning=reading, hidden=hidden)


def read(answer: AnswerFormat, events: list[TokenEvent]) -> tuple[ChatChoice, int]:
    """The answer and its number of reasoning tokens."""
    outputs = ChatOutputs(answer, 1)
    deltas = [delta for event in events if (delta := outputs.feed(event)) is not None]
    return join(deltas), outputs.usage.num_reasoning_tokens


def text_of(events: tuple[TokenEvent, ...]) -> str:
    return "".join(event.token_text for event in events)


@pytest.mark.parametrize("tags", [known for known in REASONING_FORMATS if isinstance(known, TagPair)])
@pytest.mark.parametrize("is_open", [False, True])
def test_every_token_up_to_the_end_tag_is_a_thought_and_every_one_of_the_content_the_answers(
    tags: TagPair, is_open: bool
) -> None:
    thoughts = ("" if is_open else tags.begin) + "\nHm, <.\n" + tags.end
    start = ReasoningStart.OPEN if is_open else ReasoningStart.POSSIBLE
    choice, num_reasoning = read(answer_format(tags, start), events_of([*thoughts, *"\n\n Hi <b>\n"]))
    assert (choice.reasoning, choice.content) == ("Hm, <.", "Hi <b>\n")
    assert num_reasoning == len(thoughts)
    assert text_of(choice.answer_events) == choice.content


@given(
    st.sampled_from(["<think>Hm.</think>\n\nHi", "<think>Hm.", "Hi", " <thin", "<think></think>"]), st.data()
)
def test_the_answers_tokens_hold_all_of_the_content_however_the_text_is_cut(
    text: str, data: st.DataObject
) -> None:
    events = events_of(data.draw(cut(text)), finish=FinishReason.LENGTH)
    choice, num_reasoning = read(answer_format(), events)
    assert text_of(choice.answer_events).endswith(choice.content)
    assert num_reasoning + len(choice.answer_events) <= len(choice.events)
    if not text.startswith("<think>"):
        assert (num_reasoning, choice.answer_events) == (0, choice.events)


def test_thoughts_that_stay_in_the_content_are_the_answers_tokens_too() -> None:
    events = events_of(["<think>", "Hm", "</think>", "\n\n", "Hi"])
    choice, num_reasoning = read(answer_format(is_content=True), events)
    assert text_of(choice.answer_events) == choice.content == "<think>Hm</think>\n\nHi"
    assert num_reasoning == 3


def test_special_tokens_that_do_not_show_are_no_answer_and_tags_that_are_special_are_thoughts() -> None:
    events = [
        replace(event, is_special=event.token_text.startswith("<"))
        for event in events_of(["<|bos|>", "<think>", "Hm", "</think>", "Hi", "<|end|>"])
    ]
    answer = answer_format(hidden=("<|bos|>", "<|end|>"))
    choice, num_reasoning = read(answer, events)
    assert (choice.content, text_of(choice.answer_events), num_reasoning) == ("Hi", "Hi", 3)


def test_special_tokens_that_show_are_the_answers() -> None:
    events = [replace(event, is_special=True) for event in events_of(["<|mark|>"])]
    for hides_special, num_answers in ((True, 0), (False, len(events))):
        choice, _ = read(AnswerFormat(hides_special=hides_special), events)
        assert len(choice.answer_events) == num_answers


def test_a_stop_string_that_is_cut_off_has_no_tokens_in_the_answer() -> None:
    plain = events_of(["He", "llo", " ST", "O", "P!"], finish=FinishReason.STOP)
    told = ["He", "llo", " ", "", ""]
    events = [replace(event, text=text) for event, text in zip(plain, told, strict=True)]
    events[-1] = replace(events[-1], stop_match="STOP")
    choice, _ = read(AnswerFormat(), events)
    assert (choice.content, choice.stop_match) == ("Hello ", "STOP")
    assert [event.token_text for event in choice.answer_events] == ["He", "llo", " ST"]
    assert len(choice.events) == 5


def test_thoughts_are_counted_as_they_come_even_where_a_stop_string_holds_their_text_back() -> None:
    plain = events_of(["<think>", "Hm", "</think>", "Hi"])
    told = ["<think>", "", "Hm</think>", "Hi", ""]
    events = [replace(event, text=text) for event, text in zip(plain, told, strict=True)]
    choice, num_reasoning = read(answer_format(), events)
    assert (choice.reasoning, choice.content, num_reasoning) == ("Hm", "Hi", 3)
