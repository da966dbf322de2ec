"""Headers of harmony's messages: a header is one from its first character on."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from handlers.chat.tool_calls.message_header import (
    CHANNEL,
    CONSTRAIN,
    MessageHeader,
    may_become_header,
)
from tests.support.selection.effort import trials

BLANKS = st.text(" \t\n\u00a0\u2003", max_size=2)
WORDS = st.sampled_from(
    ["assistant", CHANNEL, CONSTRAIN, "analysis", "final", "to=", "to=a b", "json", "code"]
)


@settings(max_examples=trials(300, whole=3000))
@given(st.lists(st.tuples(BLANKS, WORDS), max_size=6).map(lambda parts: "".join(b + w for b, w in parts)))
@example("\ncode")
def test_each_beginning_of_a_header_may_become_one(text: str) -> None:
    header = MessageHeader.parse(text)
    if header is None:
        return
    for end in range(len(text) + 1):
        assert may_become_header(text[:end], has_role=not header.role, is_whole=False), text[:end]
