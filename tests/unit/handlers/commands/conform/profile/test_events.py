"""Streams are read as clients read them."""

import pytest

from handlers.commands.conform.profile.events import Event, NotEvents, read_events


@pytest.mark.parametrize(
    ("body", "events"),
    [
        (b'data: {"a": 1}\n\ndata: {"a": 2}\n\n', [Event("", {"a": 1}), Event("", {"a": 2})]),
        (b'data: {"a": 1}\r\n\r\ndata: [DONE]\r\n\r\ndata: {"a": 2}\r\n\r\n', [Event("", {"a": 1})]),
        (b'event: ping\ndata: {"a": 1}\n\ndata: 2\n\n', [Event("ping", {"a": 1}), Event("", 2)]),
        (b': a comment\n\nid: 3\ndata:{"a":\ndata: 1}\n\n', [Event("", {"a": 1})]),
        ('data: {"a": "\u2028\x85"}\n\n'.encode(), [Event("", {"a": "\u2028\x85"})]),
        (b"event: ping\n\n", []),
        (b"", []),
    ],
)
def test_events_are_read(body: bytes, events: list[Event]) -> None:
    assert read_events(body) == events


def test_data_that_is_no_json_is_named() -> None:
    with pytest.raises(NotEvents, match="Internal Server Error"):
        read_events(b"data: Internal Server Error\n\n")
