import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.chat.reading.reasoning import ReasoningStart
from handlers.chat.reading.tag_pair import THINK, ReasoningStage, TagPairParser
from tests.unit.handlers.chat.cuts import cut

TEXTS = st.lists(
    st.sampled_from(["<think>", "</think>", "<th", "</thi", "nk>", "\n", " ", "a", "Because.", "é", "<"]),
    max_size=9,
).map("".join)
STARTS = st.sampled_from(ReasoningStart)


def read(parser: TagPairParser, pieces: list[str]) -> tuple[str, str]:
    told = [run for runs in [*map(parser.feed, pieces), parser.finish()] for run in runs]
    return "".join(run.reasoning for run in told), "".join(run.content for run in told)


@given(TEXTS, STARTS, st.booleans(), st.data())
def test_any_cut_of_a_text_gives_what_the_whole_gives(
    text: str, start: ReasoningStart, verbatim: bool, data: st.DataObject
) -> None:
    whole = read(TagPairParser(THINK, start, verbatim=verbatim), [text])
    assert read(TagPairParser(THINK, start, verbatim=verbatim), data.draw(cut(text))) == whole
    assert read(TagPairParser(THINK, start, verbatim=verbatim), list(text)) == whole


@given(TEXTS, STARTS)
def test_verbatim_thoughts_and_answer_are_the_whole_text(text: str, start: ReasoningStart) -> None:
    assert "".join(read(TagPairParser(THINK, start, verbatim=True), [text])) == text


@pytest.mark.parametrize(
    ("start", "text", "expected"),
    [
        (ReasoningStart.POSSIBLE, "<think>\nHm.\n</think>\n\nHi", ("Hm.", "Hi")),
        (ReasoningStart.POSSIBLE, "\n<think>Hm.</think>Hi", ("Hm.", "Hi")),
        (ReasoningStart.POSSIBLE, "Hi <think>Hm.</think>", ("", "Hi <think>Hm.</think>")),
        (ReasoningStart.POSSIBLE, "<think>\n\n</think>\n\nHi", ("", "Hi")),
        (ReasoningStart.POSSIBLE, "<thi", ("", "<thi")),
        (ReasoningStart.OPEN, "Hm.\n\nSo.</think>\n\nHi\n", ("Hm.\n\nSo.", "Hi\n")),
        (ReasoningStart.OPEN, "never ends </thi", ("never ends </thi", "")),
        (ReasoningStart.CLOSED, "<think>Hm.</think>", ("", "<think>Hm.</think>")),
    ],
)
def test_thoughts_are_what_stands_between_the_first_tags(
    start: ReasoningStart, text: str, expected: tuple[str, str]
) -> None:
    assert read(TagPairParser(THINK, start), [text]) == expected


def test_a_parser_is_inside_of_the_thoughts_between_the_tags() -> None:
    parser = TagPairParser(THINK, ReasoningStart.POSSIBLE)
    seen = [parser.stage is ReasoningStage.INSIDE]
    for piece in ["<think>", "a", "</think>", "b"]:
        parser.feed(piece)
        seen.append(parser.stage is ReasoningStage.INSIDE)
    assert seen == [False, True, True, False, False]


@pytest.mark.parametrize(
    ("prompt", "continued", "expected"),
    [
        ("assistant\n", None, ReasoningStart.POSSIBLE),
        ("assistant\n<think>\n", None, ReasoningStart.OPEN),
        ("assistant\n<think>\n\n</think>\n\n", None, ReasoningStart.CLOSED),
        ("assistant\n<think>\n\n</think>\n\nHel", "Hel", ReasoningStart.CLOSED),
        ("assistant\n<think>Wel", "<think>Wel", ReasoningStart.OPEN),
        ("assistant\n<think>Well</think>Hel", "<think>Well</think>Hel", ReasoningStart.CLOSED),
    ],
)
def test_the_prompt_tells_whether_thoughts_can_come(
    prompt: str, continued: str | None, expected: ReasoningStart
) -> None:
    assert THINK.start(prompt, continued) is expected
