"""Text that is content for certain takes a short way to its delta, which is that of the long way."""

from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from engine.port.events import FinishReason, TokenEvent
from handlers.chat.delta import ChatDelta
from handlers.chat.reading.answer_parser import AnswerFormat, ReasoningReading
from handlers.chat.reading.output import ChatOutput
from handlers.chat.reading.reasoning import ReasoningStart
from handlers.chat.reading.tag_pair import TagPair

TAGS = TagPair(begin="<think>", end="</think>")
FORMATS = (
    AnswerFormat(),
    AnswerFormat(hides_special=False),
    AnswerFormat(hidden=("<|end|>",)),
    *(
        AnswerFormat(reasoning=ReasoningReading(reasoning_format=TAGS, start=start, is_content=is_content))
        for start in ReasoningStart
        for is_content in (False, True)
    ),
)
PIECES = st.sampled_from(["", " ", "a", "word", "<", "<think>", "</think>", "<thi", "nk>", "<|end|>"])


def event(position: int, text: str, *, is_last: bool, is_special: bool) -> TokenEvent:
    return TokenEvent(
        request_id="r",
        index=0,
        position=position,
        token_id=position,
        token_text=text,
        is_special=is_special,
        text=text,
        finish=FinishReason.LENGTH if is_last else None,
        num_prompt_tokens=1,
    )


def deltas(answer_format: AnswerFormat, events: list[TokenEvent]) -> list[ChatDelta | None]:
    output = ChatOutput(0, answer_format, None)
    return [output.feed(each) for each in events]


@given(st.sampled_from(FORMATS), st.lists(st.tuples(PIECES, st.booleans()), min_size=1, max_size=12))
def test_the_short_way_gives_what_the_long_way_gives(
    answer_format: AnswerFormat, pieces: list[tuple[str, bool]]
) -> None:
    events = [
        event(position, text, is_last=position == len(pieces) - 1, is_special=is_special)
        for position, (text, is_special) in enumerate(pieces)
    ]
    short = deltas(answer_format, events)
    with patch.object(ChatOutput, "_is_plain", lambda *_: False):
        assert short == deltas(answer_format, events)


def test_plain_text_takes_the_short_way() -> None:
    output = ChatOutput(0, AnswerFormat(), None)
    with patch.object(ChatOutput, "_delta", side_effect=AssertionError("the long way")):
        delta = output.feed(event(0, "word", is_last=False, is_special=False))
    assert delta is not None and delta.content == "word"
