"""Which changes of a stream's order its document rules out."""

import json
from typing import Any

from tools.mutate.order import UNNUMBERED, excuse_for_double, excuse_for_loss, excuse_for_swap
from tools.mutate.wire import WireEvent

PARTS = [{"at": "/choices", "by": "/index", "first": {}, "last": {}}]
MEDIA = {"x-sse-terminator": "[DONE]", "x-stream": [{"parts": PARTS}]}


def stream(*indices: int, end: Any = None) -> list[WireEvent]:
    data = [{"choices": [{"index": index}]} for index in indices] + ([end] if end else [])
    return [*(WireEvent(None, json.dumps(one), one) for one in data), WireEvent(None, "[DONE]", None)]


def test_the_ends_of_a_part_and_the_terminator_matter() -> None:
    events = stream(0, 0, 0)
    assert [excuse_for_loss(MEDIA, events, at) for at in range(4)] == [None, UNNUMBERED, None, None]
    assert [excuse_for_double(MEDIA, events, at) for at in range(4)] == [None, UNNUMBERED, None, None]


def test_events_of_different_parts_may_change_places() -> None:
    assert excuse_for_swap(MEDIA, stream(0, 1, 0, 1), 0) == UNNUMBERED
    assert excuse_for_swap(MEDIA, stream(0, 0, 1, 0, 1), 0) is None
    assert excuse_for_swap(MEDIA, stream(0, 0, 0, 0), 1) == UNNUMBERED


def test_numbered_events_all_matter() -> None:
    media = {"x-stream": [{"counts": {"/number": 0}}]}
    assert excuse_for_loss(media, stream(0, 0, 0), 1) is None
    assert excuse_for_swap(media, stream(0, 1, 0, 1), 0) is None


def test_what_comes_before_a_failure_may_be_missing() -> None:
    events = stream(0, 0, end={"error": "lost"})
    assert excuse_for_loss(MEDIA, events, 1) == "the last event before a failure, which may come at any place"
    assert excuse_for_loss(MEDIA, events, 2) is None
