"""The messages between a child that tries a grammar and the main process."""

from collections.abc import Callable
from typing import Final

import msgspec

from engine.bounded_process.limits import ProcessLimits
from engine.grammar.vocabulary import GrammarVocabulary
from engine.port.request import Grammar


class TrialLimits(ProcessLimits, frozen=True, kw_only=True):
    """The limits of one child.

    timeout_s: the wall-clock time after which the server is too busy for the grammar.
    min_transfer_s: a grammar that compiles in less processor time is compiled again by the main process,
        since its compiled form would take as long to send.
    """

    max_bytes: int = 512 * 2**20
    processor_s: float = 15.0
    timeout_s: float = 90.0
    min_transfer_s: float = 0.3


class Try(msgspec.Struct):
    """The task to compile the grammar."""

    grammar: Grammar
    num_threads: int
    limits: TrialLimits


class Verdict(msgspec.Struct):
    """The outcome of a `Try`.

    complaint: the reason why the grammar is refused; None if it is not.
    source: the result of `checked_source`, if the grammar is not refused.
    compiled: the result of `xgrammar.CompiledGrammar.serialize_json`, if sending it is quicker than compiling
        again.
    """

    complaint: str | None = None
    source: str = ""
    compiled: str | None = None


def too_busy(timeout_s: float) -> str:
    """Return the complaint about a grammar that others left no time for."""
    return f"the grammar was not compiled within {timeout_s:g} s, since the machine is busy; try again later"


encode_message = msgspec.msgpack.Encoder().encode
decode_vocabulary: Final[Callable[[bytes], GrammarVocabulary]] = msgspec.msgpack.Decoder(
    GrammarVocabulary
).decode
decode_try: Final[Callable[[bytes], Try]] = msgspec.msgpack.Decoder(Try).decode
decode_verdict: Final[Callable[[bytes], Verdict]] = msgspec.msgpack.Decoder(Verdict).decode
