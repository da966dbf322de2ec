"""The messages between the two sides: MessagePack, each message after its length in four bytes."""

import socket
import struct
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

import msgspec

from engine.grammar.unique_items import UniqueItems
from engine.grammar.vocabulary import GrammarVocabulary
from engine.request import Grammar

_LENGTH = struct.Struct(">I")

_Message = TypeVar("_Message")


class Learn(msgspec.Struct, tag=True):
    """The command to keep this vocabulary under that number."""

    vocabulary_number: int
    vocabulary: GrammarVocabulary


class TrialLimits(msgspec.Struct, frozen=True):
    """The limits of one child.

    max_bytes: the memory that it may add to its own.
    min_transfer_s: a grammar that compiles in less is compiled again by the main process, since its compiled
        form would take as long to send.
    """

    max_bytes: int = 512 * 2**20
    timeout_s: float = 15.0
    min_transfer_s: float = 0.3


class Try(msgspec.Struct, tag=True):
    """The command to fork a child that compiles the grammar."""

    number: int
    vocabulary_number: int
    grammar: Grammar
    num_threads: int
    limits: TrialLimits


class Kill(msgspec.Struct, tag=True):
    """The command to end that `Try`, for which nobody waits any longer; unknown and ended ones
    are ignored.
    """

    number: int


class Verdict(msgspec.Struct):
    """The outcome of a `Try`.

    complaint: the reason why the grammar is refused; None if it is not.
    source, unique_items: those of a `CheckedSource`, if the grammar is not refused.
    compiled: the result of `xgrammar.CompiledGrammar.serialize_json`, if sending it is quicker than compiling
        again.
    """

    number: int
    complaint: str | None = None
    source: str = ""
    unique_items: Sequence[UniqueItems] = ()
    compiled: str | None = None


Command = Learn | Try | Kill

encode_message = msgspec.msgpack.Encoder().encode
decode_command: Final[Callable[[bytes], Command]] = msgspec.msgpack.Decoder(Command).decode
decode_verdict: Final[Callable[[bytes], Verdict]] = msgspec.msgpack.Decoder(Verdict).decode


def send(connection: socket.socket, message: msgspec.Struct) -> None:
    """Send a message. Raises OSError if the other side is gone."""
    payload = encode_message(message)
    connection.sendall(_LENGTH.pack(len(payload)) + payload)


def receive(connection: socket.socket, decode: Callable[[bytes], _Message]) -> _Message | None:
    """Wait for a message, and return it; None if the other side is gone."""
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
