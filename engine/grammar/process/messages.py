"""The messages between the two sides: MessagePack, each message after its length in four bytes."""

import socket
import struct
from collections.abc import Callable
from typing import Final, TypeVar

import msgspec

from engine.grammar.run_time.rules import RunTimeRules
from engine.grammar.vocabulary import GrammarVocabulary
from engine.request import Grammar

_LENGTH = struct.Struct(">I")

_Message = TypeVar("_Message")


class Learn(msgspec.Struct, tag=True):
    """The command to keep this vocabulary under that number."""

    vocabulary_number: int
    vocabulary: GrammarVocabulary


class TrialLimits(msgspec.Struct, frozen=True):
    """The limits of one child. A busy machine lengthens the wait for a grammar, but not its processor time.

    max_bytes: the memory that it may add to its own.
    processor_s: the processor time that it may take, for each of its threads.
    timeout_s: the wall-clock time after which the server is too busy for the grammar.
    min_transfer_s: a grammar that compiles in less processor time is compiled again by the main process,
        since its compiled form would take as long to send.
    """

    max_bytes: int = 512 * 2**20
    processor_s: float = 15.0
    timeout_s: float = 90.0
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
    is_busy: whether the reason is that the machine is too busy, so that another time may do.
    source, rules: those of a `CheckedSource`, if the grammar is not refused.
    compiled: the result of `xgrammar.CompiledGrammar.serialize_json`, if sending it is quicker than compiling
        again.
    """

    number: int
    complaint: str | None = None
    is_busy: bool = False
    source: str = ""
    rules: RunTimeRules = RunTimeRules()
    compiled: str | None = None


Command = Learn | Try | Kill


def too_busy(timeout_s: float) -> str:
    """Return the complaint about a grammar that others left no time for."""
    return f"the grammar was not compiled within {timeout_s:g} s, since the machine is busy; try again later"


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
