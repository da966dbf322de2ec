"""The child of the program, which compiles one grammar."""

import socket
import time

from engine.bounded_process.messages import receive, send
from engine.grammar.ebnf.process.messages import Try, Verdict, decode_try, decode_vocabulary, encode_message
from engine.grammar.ebnf.process.rehearsal import rehearse
from engine.grammar.ebnf.source import checked_source, compile_source
from engine.grammar.vocabulary import GrammarVocabulary
from engine.port.errors import InvalidGrammar

# xgrammar writes all rules' automata into each rule, so that the compiled form of a few kB of rules may have
# hundreds of MB. Characters, estimated before.
MAX_TRANSFER = 16 * 2**20
# Of the time allowed, for a grammar that has to be compiled again.
_SHARE_OF_TIME = 0.5
_REHEARSAL_S = 0.2  # of processor time


def learn(content: bytes) -> GrammarVocabulary:
    """Return the vocabulary that children get."""
    vocabulary = decode_vocabulary(content)
    vocabulary.info  # noqa: B018  # made once here, not in each child
    return vocabulary


def serve(channel: socket.socket, knowledge: GrammarVocabulary | None) -> None:
    """Answer a `Try` by a `Verdict`; by none if the memory did not suffice."""
    assert knowledge is not None, "a grammar is compiled for a vocabulary"
    command = decode_try(receive(channel))
    try:
        verdict = _try(command, knowledge)
    except InvalidGrammar as error:
        verdict = Verdict(complaint=str(error))
    send(channel, encode_message(verdict))


def _try(command: Try, vocabulary: GrammarVocabulary) -> Verdict:
    grammar, limits = command.grammar, command.limits
    source = checked_source(grammar)
    compiled = compile_source(vocabulary.compiler(command.num_threads), grammar.kind, source)
    taken_s = _taken_s(command.num_threads)
    rehearse(compiled, vocabulary.tokens, _REHEARSAL_S)
    text = str(compiled.grammar)
    transfer = text.count("\n") * len(text) + 2 * compiled.memory_size_bytes
    if taken_s > limits.min_transfer_s and transfer <= MAX_TRANSFER:
        return Verdict(source=source, compiled=compiled.serialize_json())
    if taken_s > limits.processor_s * _SHARE_OF_TIME:
        raise InvalidGrammar(
            f"the grammar takes longer than {limits.processor_s * _SHARE_OF_TIME:g} s to compile"
        )
    return Verdict(source=source)


def _taken_s(num_threads: int) -> float:
    """Return the time that this process would have taken so far if no other had run: its processor time,
    that of the threads beside this one divided by their number."""
    own_s = time.thread_time()
    return own_s + (time.process_time() - own_s) / num_threads
