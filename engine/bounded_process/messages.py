"""Messages over the sockets between a client, its program and the program's children.

Each message follows its length in four bytes. Those between a client and its program are MessagePack.
"""

import socket
import struct
from collections.abc import Callable
from enum import StrEnum
from typing import Final

import msgspec

from engine.bounded_process.limits import ProcessLimits

_LENGTH: Final = struct.Struct(">I")
_PIECE: Final = 2**20
MAX_LENGTH: Final = 2**32 - 1


class ChannelEnded(Exception):
    """The other side of a socket is gone, or does not answer, or has sent what it may not."""


class Learn(msgspec.Struct, tag=True):
    """The command to keep this under that number for children of later tasks."""

    number: int
    content: bytes


class Run(msgspec.Struct, tag=True):
    """The command to fork a child for a task. One byte follows, and the descriptor of the child's channel.

    knowledge: the number of what the child needs to know; None for nothing.
    """

    number: int
    limits: ProcessLimits
    num_threads: int = 1
    knowledge: int | None = None


class Kill(msgspec.Struct, tag=True):
    """The command to end the child of that task; unknown and ended ones are ignored."""

    number: int


class End(StrEnum):
    """The ways in which a task ends."""

    DONE = "done"
    PROCESSOR_TIME = "processor_time"
    WALL_TIME = "wall_time"
    MEMORY = "memory"
    CRASH = "crash"
    NOT_STARTED = "not_started"


class Ended(msgspec.Struct):
    """The end of a task's child. status: its exit status; negative for the number of a signal."""

    number: int
    end: End
    status: int = 0


Command = Learn | Run | Kill

encode_message: Final = msgspec.msgpack.Encoder().encode
decode_command: Final[Callable[[bytes], Command]] = msgspec.msgpack.Decoder(Command).decode
decode_ended: Final[Callable[[bytes], Ended]] = msgspec.msgpack.Decoder(Ended).decode


def send(channel: socket.socket, payload: bytes | memoryview) -> None:
    """Send a message. Raises ChannelEnded."""
    try:
        channel.sendall(_LENGTH.pack(len(payload)))
        if payload:  # the length alone is a whole message, after which the other side may have closed
            channel.sendall(payload)
    except OSError as error:
        raise ChannelEnded from error


def receive(channel: socket.socket, max_bytes: int = MAX_LENGTH) -> bytes:
    """Wait for a message, and return it. Raises ChannelEnded, for one of more than `max_bytes` too."""
    taken = bytearray()
    _receive_into(taken, channel, max_bytes)
    return bytes(taken)


def receive_parts(channel: socket.socket, max_bytes: int) -> bytearray:
    """Wait for messages up to an empty one, and return their contents joined.

    Raises ChannelEnded, for more than `max_bytes` too.
    """
    taken = bytearray()
    while _receive_into(taken, channel, max_bytes):
        pass
    return taken


def _receive_into(taken: bytearray, channel: socket.socket, max_bytes: int) -> int:
    """Append a message to what was taken, which may have so many bytes then. Returns its length."""
    head = bytearray()
    _append(head, channel, _LENGTH.size)
    length: int = _LENGTH.unpack(head)[0]
    if len(taken) + length > max_bytes:
        raise ChannelEnded
    _append(taken, channel, length)
    return length


def _append(taken: bytearray, channel: socket.socket, num_bytes: int) -> None:
    """Append the next bytes. No memory is taken for those that do not come."""
    end = len(taken) + num_bytes
    while len(taken) < end:
        try:
            piece = channel.recv(min(end - len(taken), _PIECE))
        except OSError as error:
            raise ChannelEnded from error
        if not piece:
            raise ChannelEnded
        taken += piece
