import time
from collections.abc import Callable, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.port.request import StopConditions
from engine.port.text.output_text import OutputText, TextStep
from engine.port.text.tokenizer import Tokenizer
from tests.unit.engine.port.text import tiny_tokenizers

BYTE_LEVEL = tiny_tokenizers.byte_level()
BYTE_FALLBACK = tiny_tokenizers.byte_fallback()
METASPACE = tiny_tokenizers.metaspace()
PROMPT = "the quick"

every_tokenizer = pytest.mark.parametrize(
    "tokenizer", [BYTE_LEVEL, BYTE_FALLBACK, METASPACE], ids=["byte-level", "byte-fallback", "metaspace"]
)
unicode_text = st.text(
    alphabet=st.one_of(st.sampled_from(" aeis\n€日😀é\ufffd"), st.characters(codec="utf-8")), max_size=30
)


def run(
    tokenizer: Tokenizer,
    ids: Sequence[int],
    *,
    stop: Sequence[str] = (),
    include_stop: bool = False,
    min_tokens: int = 0,
    skip_special_tokens: bool = True,
    prompt: str = PROMPT,
    stop_free: tuple[tuple[str, str], ...] = (),
    stop_free_until: str | None = None,
) -> list[TextStep]:
    stopping = StopConditions(
        max_tokens=len(ids) + 1,
        min_tokens=min_tokens,
        stop=tuple(stop),
        stop_free=stop_free,
        stop_free_until=stop_free_until,
        include_stop=include_stop,
    )
    output = OutputText(
        tokenizer, tokenizer.encode(prompt), stopping, skip_special_tokens=skip_special_tokens
    )
    steps: list[TextStep] = []
    for index, token_id in enumerate(ids):
        steps.append(output.append(token_id, is_last=index == len(ids) - 1))
        if steps[-1].stop_match is not None:
            break
    return steps


def joined(steps: Sequence[TextStep]) -> str:
    return "".join(step.text for step in steps)


def continuation(tokenizer: Tokenizer, ids: Sequence[int], *, skip_special_tokens: bool) -> str:
    """Return the text that the ids add to the decoded prompt, decoded all at once."""
    prompt_ids = tokenizer.encode(PROMPT)
    before = tokenizer.decode(prompt_ids, skip_special_tokens=skip_special_tokens)
    whole = tokenizer.decode([*prompt_ids, *ids], skip_special_tokens=skip_special_tokens)
    assert whole.startswith(before)
    return whole[len(before) :]


def ids_of(tokenizer: Tokenizer, *, only_text: bool = False) -> st.SearchStrategy[list[int]]:
    ids = [i for i in range(tokenizer.vocab_size) if not (only_text and tokenizer.is_special(i))]
    return st.lists(st.sampled_from(ids), min_size=1, max_size=24)


@every_tokenizer
@given(text=unicode_text, skip=st.booleans())
def test_the_pieces_of_any_text_join_to_what_decode_gives(
    tokenizer: Tokenizer, text: str, skip: bool
) -> None:
    ids = tokenizer.encode(text, add_special_tokens=False)
    steps = run(tokenizer, ids, skip_special_tokens=skip)
    assert joined(steps) == continuation(tokenizer, ids, skip_special_tokens=skip)


@given(ids=ids_of(BYTE_LEVEL), skip=st.booleans())
@example(ids=BYTE_LEVEL.encode("€", add_special_tokens=False)[:2] * 9, skip=True)
def test_the_pieces_of_any_byte_level_ids_join_to_what_decode_gives(ids: list[int], skip: bool) -> None:
    steps = run(BYTE_LEVEL, ids, skip_special_tokens=skip)
    assert joined(steps) == continuation(BYTE_LEVEL, ids, skip_special_tokens=skip)


@given(ids=ids_of(METASPACE), skip=st.booleans())
def test_the_pieces_of_any_metaspace_ids_join_to_what_decode_gives(ids: list[int], skip: bool) -> None:
    steps = run(METASPACE, ids, skip_special_tokens=skip)
    assert joined(steps) == continuation(METASPACE, ids, skip_special_tokens=skip)


@given(ids=ids_of(BYTE_FALLBACK, only_text=True))
def test_bytes_that_are_no_character_never_lose_the_text_around_them(ids: list[int]) -> None:
    # A byte-fallback decoder voids a whole run of bytes for one bad byte; characters already handed out stay.
    text = iter(joined(run(BYTE_FALLBACK, ids)))
    whole = continuation(BYTE_FALLBACK, ids, skip_special_tokens=False)
    assert all(character in text for character in whole if character != "\ufffd")  # in this order


@every_tokenizer
@given(text=unicode_text)
def test_token_texts_join_to_the_text_with_special_tokens(tokenizer: Tokenizer, text: str) -> None:
    mark = tokenizer.encode(tiny_tokenizers.MARK, add_special_tokens=False)[-1]
    ids = [*tokenizer.encode(text, add_special_tokens=False), mark]
    steps = run(tokenizer, ids, skip_special_tokens=True)
    assert "".join(step.token_text for step in steps) == continuation(
        tokenizer, ids, skip_special_tokens=False
    )
    assert tiny_tokenizers.MARK not in joined(steps)


@pytest.mark.parametrize("tokenizer", [BYTE_LEVEL, BYTE_FALLBACK], ids=["byte-level", "byte-fallback"])
def test_a_character_comes_whole_with_the_token_that_completes_it(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode("😀", add_special_tokens=False)
    texts = [step.text for step in run(tokenizer, ids) if step.text.strip()]
    assert texts == ["😀"]


@pytest.mark.parametrize("tokenizer", [BYTE_LEVEL, BYTE_FALLBACK], ids=["byte-level", "byte-fallback"])
def test_an_output_cut_inside_a_character_keeps_the_text_before_it(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode("Paris €", add_special_tokens=False)[:-1]
    text = joined(run(tokenizer, ids))
    assert text.strip().startswith("Paris")
    assert text.endswith("\ufffd")


def test_a_model_that_writes_only_invalid_bytes_is_decoded_in_linear_time() -> None:
    [byte] = BYTE_LEVEL.encode("€", add_special_tokens=False)[1:2]
    before = time.process_time()
    steps = run(BYTE_LEVEL, [byte] * 20_000)
    assert joined(steps) == "\ufffd" * 20_000
    assert time.process_time() - before < 5


@every_tokenizer
def test_an_id_that_the_tokenizer_does_not_have_adds_nothing(tokenizer: Tokenizer) -> None:
    unknown = tokenizer.vocab_size + 7
    ids = tokenizer.encode("the fox", add_special_tokens=False)
    spread = [spread_id for token_id in ids for spread_id in (unknown, token_id, unknown)]
    assert joined(run(tokenizer, spread)) == joined(run(tokenizer, ids))


def cut(text: str, stops: Sequence[str], *, include_stop: bool) -> str:
    """The stop rule written out."""
    for end in range(1, len(text) + 1):
        for stop in stops:
            if text[:end].endswith(stop):
                return text[:end] if include_stop else text[: end - len(stop)]
    return text


@every_tokenizer
@given(
    text=st.text(alphabet="aei \n€", max_size=20),
    stops=st.lists(st.text(alphabet="aei \n€", min_size=1, max_size=4), max_size=3),
    include=st.booleans(),
)
def test_the_output_is_the_decoded_text_cut_by_the_stop_rule(
    tokenizer: Tokenizer, text: str, stops: list[str], include: bool
) -> None:
    ids = tokenizer.encode(text, add_special_tokens=False)
    steps = run(tokenizer, ids, stop=stops, include_stop=include)
    whole = continuation(tokenizer, ids, skip_special_tokens=True)
    assert joined(steps) == cut(whole, stops, include_stop=include)


def test_only_what_may_still_become_a_stop_string_is_held_back() -> None:
    ids = [BYTE_LEVEL.encode(character, add_special_tokens=False)[0] for character in "xSTxSTOP"]
    steps = run(BYTE_LEVEL, ids, stop=["STOP"])
    assert [step.text for step in steps] == ["x", "", "", "STx", "", "", "", ""]
    assert steps[-1].stop_match == "STOP"


def test_nothing_is_held_back_where_the_stop_string_is_kept() -> None:
    ids = [BYTE_LEVEL.encode(character, add_special_tokens=False)[0] for character in "xSTOP"]
    steps = run(BYTE_LEVEL, ids, stop=["STOP"], include_stop=True)
    assert [step.text for step in steps] == ["x", "S", "T", "O", "P"]


@pytest.mark.parametrize(
    ("include_stop", "expected", "token_text"), [(True, " Pari", " Pari"), (False, " ", " Paris")]
)
def test_what_follows_the_stop_string_inside_its_token_is_dropped(
    include_stop: bool, expected: str, token_text: str
) -> None:
    ids = BYTE_LEVEL.encode(" Paris", add_special_tokens=False)
    assert len(ids) == 1
    steps = run(BYTE_LEVEL, ids, stop=["Pari"], include_stop=include_stop)
    assert joined(steps) == expected
    assert steps[-1].token_text == token_text


@every_tokenizer
@given(
    text=st.text(alphabet="aeis th€", max_size=20),
    stops=st.lists(st.text(alphabet="aeis th€", min_size=1, max_size=4), max_size=3),
)
def test_token_texts_join_to_the_output_where_the_stop_string_is_kept(
    tokenizer: Tokenizer, text: str, stops: list[str]
) -> None:
    ids = tokenizer.encode(text, add_special_tokens=False)
    steps = run(tokenizer, ids, stop=stops, include_stop=True)
    assert "".join(step.token_text for step in steps) == joined(steps)


def test_what_was_held_back_is_released_with_the_last_token() -> None:
    ids = BYTE_LEVEL.encode("xST", add_special_tokens=False)
    assert joined(run(BYTE_LEVEL, ids, stop=["STOP"])) == "xST"


@pytest.mark.parametrize("tokenizer", [BYTE_LEVEL, BYTE_FALLBACK], ids=["byte-level", "byte-fallback"])
def test_a_stop_string_may_name_a_special_token_that_does_not_show(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode(f"fox{tiny_tokenizers.MARK}is", add_special_tokens=False)
    steps = run(tokenizer, ids, stop=[f"x{tiny_tokenizers.MARK}"])
    assert joined(steps).strip() == "fo"
    assert steps[-1].stop_match == f"x{tiny_tokenizers.MARK}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ab(STOP)STOPcd", "ab(STOP)"),
        ("ab(ST)OPcd", "ab(ST)OPcd"),
        ("ab(c)dSTOP", "ab(c)d"),
        ("aSTOP(b)", "a"),
        ("a{STOP}STOP", "a{STOP}STOP"),
    ],
)
def test_a_stop_string_that_touches_a_span_without_stops_is_text(text: str, expected: str) -> None:
    steps = run(BYTE_LEVEL, BYTE_LEVEL.encode(text), stop=["STOP"], stop_free=(("(", ")"), ("{", "")))
    assert joined(steps) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("aSTOP)bSTOPc", "aSTOP)b"), ("aST)OPb", "aST)OPb"), ("aSTOP(b)STOP", "aSTOP(b)"), ("aSTOP", "aSTOP")],
)
def test_stops_are_looked_for_once_the_span_that_the_text_begins_in_has_ended(
    text: str, expected: str
) -> None:
    steps = run(
        BYTE_LEVEL, BYTE_LEVEL.encode(text), stop=["STOP"], stop_free=(("(", ")"),), stop_free_until=")"
    )
    assert joined(steps) == expected


def test_a_stop_string_before_min_tokens_does_not_end_the_sequence() -> None:
    ids = [BYTE_LEVEL.encode(character, add_special_tokens=False)[0] for character in "aSbS"]
    steps = run(BYTE_LEVEL, ids, stop=["S"], min_tokens=2)
    assert joined(steps) == "aSb"
    assert [step.stop_match for step in steps] == [None, None, None, "S"]


@pytest.mark.parametrize(
    ("make", "first"),
    [(tiny_tokenizers.byte_fallback, " fox"), (tiny_tokenizers.metaspace, " fox")],
    ids=["byte-fallback", "metaspace"],
)
def test_a_word_after_the_prompt_keeps_its_space(make: Callable[[], Tokenizer], first: str) -> None:
    tokenizer = make()
    ids = tokenizer.encode("fox", add_special_tokens=False)
    assert tokenizer.decode(ids, skip_special_tokens=True) == "fox"
    assert joined(run(tokenizer, ids)) == first
