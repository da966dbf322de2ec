"""Tests which changes of a stream's order its document rules out."""

import json
from typing import Any

from verbatim_kit.mutate.mutants.declared import Reading
from verbatim_kit.mutate.mutants.order import (
    UNNUMBERED,
    excuse_for_double,
    excuse_for_loss,
    excuse_for_swap,
    is_repeated,
)
from verbatim_kit.mutate.mutants.wire import WireEvent, events_of, frames

PARTS = [{"at": "/choices", "by": "/index", "first": {}, "last": {}}]
MEDIA = {"x-sse-terminator": "[DONE]", "x-stream": [{"parts": PARTS}]}

ADMITS = Reading({}).admits_value
TEXT = {"joined": {"/whole": {"of": "/delta", "where": {"properties": {"kind": {"const": "said"}}}}}}


def stream(*indices: int, end: Any = None) -> list[WireEvent]:
    data = [{"choices": [{"index": index}]} for index in indices] + ([end] if end else [])
    return [*(WireEvent(None, json.dumps(one), one) for one in data), WireEvent(None, "[DONE]", None)]


def test_the_ends_of_a_part_and_the_terminator_matter() -> None:
    events = stream(0, 0, 0)
    assert [excuse_for_loss(MEDIA, events, at, ADMITS) for at in range(4)] == [None, UNNUMBERED, None, None]
    assert [excuse_for_double(MEDIA, events, at, ADMITS) for at in range(4)] == [None, UNNUMBERED, None, None]


def test_events_of_different_parts_may_change_places() -> None:
    assert excuse_for_swap(MEDIA, stream(0, 1, 0, 1), 0, ADMITS) == UNNUMBERED
    assert excuse_for_swap(MEDIA, stream(0, 0, 1, 0, 1), 0, ADMITS) is None
    assert excuse_for_swap(MEDIA, stream(0, 0, 0, 0), 1, ADMITS) == UNNUMBERED


def test_numbered_events_all_matter() -> None:
    media = {"x-stream": [{"counts": {"/number": 0}}]}
    assert excuse_for_loss(media, stream(0, 0, 0), 1, ADMITS) is None
    assert excuse_for_swap(media, stream(0, 1, 0, 1), 0, ADMITS) is None


def test_what_comes_before_a_failure_may_be_missing() -> None:
    events = stream(0, 0, end={"error": "lost"})
    assert (
        excuse_for_loss(MEDIA, events, 1, ADMITS)
        == "the last event before a failure, which may come at any place"
    )
    assert excuse_for_loss(MEDIA, events, 2, ADMITS) is None


def told(*data: Any) -> list[WireEvent]:
    return [WireEvent(None, json.dumps(one), one) for one in data]


def test_the_pieces_of_a_text_that_is_repeated_matter() -> None:
    said = [{"delta": text, "kind": "said"} for text in ("a", "b", "b", "")]
    events = told(*said, {"delta": "x", "kind": "thought"}, {"whole": "abb"})
    media = {"x-stream": [TEXT]}
    assert [excuse_for_double(media, events, at, ADMITS) for at in range(5)] == [None] * 3 + [UNNUMBERED] * 2
    assert [excuse_for_swap(media, events, at, ADMITS) for at in range(2)] == [None, UNNUMBERED]
    assert [is_repeated(media, events, at, "delta", ADMITS) for at in range(5)] == [True] * 3 + [False] * 2
    assert is_repeated(media, events, 5, "whole", ADMITS)
    assert not is_repeated(media, events[:5], 0, "delta", ADMITS)


def test_a_part_repeats_its_own_text() -> None:
    media = {"x-stream": [{"parts": [{"at": "", "by": "/index", **TEXT}]}]}
    events = told({"index": 0, "delta": "a"}, {"index": 1, "delta": "b"}, {"index": 1, "whole": "b"})
    assert [is_repeated(media, events, at, "delta", ADMITS) for at in range(2)] == [False, True]


def test_what_comes_once_matters_and_so_does_its_order() -> None:
    media = {
        "x-stream": [{"once": [{"required": ["b"]}], "order": [{"required": ["a"]}, {"required": ["b"]}]}]
    }
    events = told({"a": 1}, {"c": 1}, {"a": 2}, {"b": 1}, {"c": 2})
    assert [excuse_for_loss(media, events, at, ADMITS) for at in (2, 3)] == [UNNUMBERED, None]
    assert [excuse_for_swap(media, events, at, ADMITS) for at in range(4)] == [
        UNNUMBERED,
        UNNUMBERED,
        None,
        UNNUMBERED,
    ]


def test_comments_of_a_silent_stream_are_no_events() -> None:
    assert (
        frames(events_of(b":\n\n:\n\ndata: {}\n\n:\n\ndata: [DONE]\n\n", "text/event-stream"))
        == b"data: {}\n\ndata: [DONE]\n\n"
    )
