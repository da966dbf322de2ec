import json

from hypothesis import given
from hypothesis import strategies as st

from handlers.chat.tool_calls.json_span import JsonSpan
from tests.unit.handlers.chat.cuts import cut

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.sampled_from('a"\\{}[]é')),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text('"\\{b', max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=3), JSON, max_size=3), st.text(max_size=9), st.data())
def test_an_object_ends_where_it_ends_however_the_text_is_cut(
    value: dict[str, object], rest: str, data: st.DataObject
) -> None:
    written = json.dumps(
        value, ensure_ascii=data.draw(st.booleans()), indent=data.draw(st.sampled_from([None, 1]))
    )
    span, num_before = JsonSpan(), 0
    for piece in data.draw(cut(written + rest)):
        end = span.feed(piece)
        if end is not None:
            assert num_before + end == len(written)
            return
        num_before += len(piece)
    raise AssertionError("no end was found")


def test_an_object_without_its_closing_brace_has_no_end() -> None:
    assert JsonSpan().feed('{"a": "}", "b": {"c": "\\"}"}') is None
