import ast
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.chat.tool_calls.lenient_json import read_value, to_json_string
from handlers.chat.tool_calls.text import CallArguments, IncomingText, Malformed
from tests.support.selection.effort import trials
from tests.unit.handlers.chat.cuts import cut
from tests.unit.handlers.chat.tool_calls.tool_cases import NESTED, STRINGS


def as_json(pieces: list[str]) -> str:
    """Return the JSON of a literal; it is read as an argument, so a bracket follows it."""
    text, told = IncomingText(), list[str]()
    reading = read_value(text, is_python=True)
    for piece in [*pieces, ")"]:
        text.feed(piece)
        for token in reading:
            if token is None:
                break
            assert isinstance(token, CallArguments)
            told.append(token.json)
    assert text.unread == ")"
    return "".join(told)


@settings(max_examples=trials(25, whole=100))
@given(NESTED, st.data())
def test_a_literal_is_the_value_that_python_reads_however_the_text_is_cut(
    value: object, data: st.DataObject
) -> None:
    assert json.loads(as_json(data.draw(cut(repr(value))))) == value
    assert json.loads(as_json([json.dumps(value)])) == value


@given(STRINGS, st.sampled_from("'\""))
def test_escapes_mean_what_they_mean_to_python(text: str, quote: str) -> None:
    escaped = text.encode("unicode_escape").decode("ascii").replace(quote, "\\" + quote)
    written = f"{quote}{escaped}{quote}"
    assert json.loads(as_json([written])) == ast.literal_eval(written) == text


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (r"'\x41\101\/\d\ud83d\ude42'", "AA/\\d🙂"),
        ("(1, 2.50,)", [1, 2.5]),
        ("{'a': True, 'b': (None,), }", {"a": True, "b": [None]}),
        ("[true, null]", [True, None]),
        ("'a\\\nb'", "ab"),
    ],
)
def test_pythons_ways_of_writing_have_their_like_in_json(written: str, value: object) -> None:
    assert json.loads(as_json([written])) == value


@pytest.mark.parametrize("written", ["abc", "1j", "0x10", "nan", "inf", "f(x)", r"'\U00110000'"])
def test_what_is_no_value_of_jsons_is_refused(written: str) -> None:
    with pytest.raises(Malformed):
        as_json([written])


def test_half_a_surrogate_pair_stays_an_escape_since_utf_8_has_none() -> None:
    assert to_json_string("\ud83d\ude42") == '"🙂"'
    assert to_json_string("a\ud83d") == r'"a\ud83d"'
