"""What the two sides send each other: MessagePack, each message after its length in four bytes."""

import socket
import struct
from collections.abc import Callable
from typing import Final, TypeVar

import msgspec

from engine.grammar.vocabulary import GrammarVocabulary
from engine.request import Grammar

_LENGTH = struct.Struct(">I")

_Message = TypeVar("_Message")


class Learn(msgspec.Struct, tag=True):
    """Keep this vocabulary under that number."""

    vocabulary_number: int
    vocabulary: GrammarVocabulary


class Limits(msgspec.Struct, frozen=True):
    """Of one child.

    max_bytes: that it may add to its memory.
    min_transfer_s: a grammar that compiles in less is compiled again by who asked for it, since its compiled
        form takes as long to pass on.
    """

    max_bytes: int = 512 * 2**20
    timeout_s: float = 15.0
    min_transfer_s: float = 0.3


class Try(msgspec.Struct, tag=True):
    """Fork a child that compiles the grammar."""

    number: int
    vocabulary_number: int
    grammar: Grammar
    num_threads: int
    limits: Limits


class Kill(msgspec.Struct, tag=True):
    """Nobody waits for that `Try` any longer; unknown and ended ones are passed over."""

    number: int


class Verdict(msgspec.Struct):
    """What became of a `Try`.

    complaint: why the grammar is refused; None: it is not.
    source: for `compile_source`, where it is not refused.
    compiled: what `xgrammar.CompiledGrammar.serialize_json` gives, if that is quicker than to compile again.
    """

    number: int
    complaint: str | None = None
    source: str = ""
    compiled: str | None = None


Command = Learn | Try | Kill

encode_message = msgspec.msgpack.Encoder().encode
decode_command: Final[Callable[[bytes], Command]] = msgspec.msgpack.Decoder(Command).decode
decode_verdict: Final[Callable[[bytes], Verdict]] = msgspec.msgpack.Decoder(Verdict).decode


def send(connection: socket.socket, message: msgspec.Struct) -> None:
    """Raises OSError where the other side is gone."""
    payload = encode_message(message)
    connection.sendall(_LENGTH.pack(len(payload)) + payload)


def receive(connection: socket.socket, decode: Callable[[bytes], _Message]) -> _Message | None:
    """Wait for a message; None: the other side is gone."""
    try:
        head = _read(connection, _LENGTH.size)
        payload = None if head is None else _read(connection, _LENGTH.unpack(head)[0])
    except OSError:
        return None
    return None if payload is None else decode(payload)


def _read(connection: socket.socket, num_bytes: int) -> bytes | None:
    taken = bytearray()
    while len(taken) < num_bytes:
        piece = connection.recv(min(num_bytes - len(taken), 2**20))
        if not piece:
            return None
        taken += piece
    return bytes(taken)
