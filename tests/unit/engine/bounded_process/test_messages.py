"""Messages over sockets whose other side may close as soon as it has read one."""

from socket import socketpair
from typing import Any
from unittest.mock import Mock

import pytest

from engine.bounded_process.messages import receive, send


@pytest.mark.parametrize("payload", [b"", b"a"])
def test_a_message_is_read_as_it_was_sent(payload: bytes) -> None:
    first, second = socketpair()
    with first, second:
        send(first, payload)
        assert receive(second) == payload


def test_nothing_is_written_after_a_whole_message() -> None:
    channel: Any = Mock()
    send(channel, b"")
    assert [call.args for call in channel.sendall.call_args_list] == [(bytes(4),)]
