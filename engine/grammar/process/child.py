"""The child of the server, which compiles one grammar within bounds, and exits."""

import ctypes
import os
import resource
import signal
import socket
import sys
import time
from pathlib import Path

from engine.errors import InvalidGrammar
from engine.grammar.process.messages import TrialLimits, Try, Verdict, encode_message
from engine.grammar.process.rehearsal import rehearse
from engine.grammar.source import checked_source, compile_source
from engine.grammar.vocabulary import GrammarVocabulary
from engine.request import Grammar, GrammarKind

# xgrammar writes all rules' automata into each rule, so that the compiled form of a few kB of rules may have
# hundreds of MB. Characters, estimated before.
MAX_TRANSFER = 16 * 2**20
# Of the time allowed, for a grammar that has to be compiled again.
_SHARE_OF_TIME = 0.5
_NICENESS = 5  # others' tokens come first
_PR_SET_PDEATHSIG = 1


def serve(command: Try, vocabulary: GrammarVocabulary, out: socket.socket, parent: int) -> None:
    """Write one `Verdict` to `out`, without its length; nothing if the memory did not suffice."""
    _die_with(parent)
    _bound(command.limits, command.num_threads)
    try:
        verdict = _try(command, vocabulary)
    except InvalidGrammar as error:
        verdict = Verdict(command.number, complaint=str(error))
    out.sendall(encode_message(verdict))


def _try(command: Try, vocabulary: GrammarVocabulary) -> Verdict:
    grammar, limits = command.grammar, command.limits
    source = checked_source(grammar)
    compiled = compile_source(vocabulary.compiler(command.num_threads), grammar.kind, source.text)
    taken_s = _taken_s(command.num_threads)
    rehearse(compiled, vocabulary.tokens, 0.2 if _is_context_free(grammar) else 0.01)
    text = str(compiled.grammar)
    transfer = text.count("\n") * len(text) + 2 * compiled.memory_size_bytes
    if taken_s > limits.min_transfer_s and transfer <= MAX_TRANSFER:
        return Verdict(
            command.number,
            source=source.text,
            rules=source.rules,
            compiled=compiled.serialize_json(),
        )
    if taken_s > limits.processor_s * _SHARE_OF_TIME:
        raise InvalidGrammar(
            f"the grammar takes longer than {limits.processor_s * _SHARE_OF_TIME:g} s to compile"
        )
    return Verdict(command.number, source=source.text, rules=source.rules)


def _taken_s(num_threads: int) -> float:
    """Return the time that this process would have taken so far if no other had run: its processor time,
    that of the threads beside this one divided by their number."""
    own_s = time.thread_time()
    return own_s + (time.process_time() - own_s) / num_threads


def _is_context_free(grammar: Grammar) -> bool:
    """Return whether the grammar may have rules that a client has written."""
    return grammar.kind in (GrammarKind.EBNF, GrammarKind.STRUCTURAL_TAG)


def _bound(limits: TrialLimits, num_threads: int) -> None:
    """Have the kernel end this process if it takes too much processor time, or memory, or lasts too long."""
    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, limits.processor_s * num_threads)
    signal.setitimer(signal.ITIMER_REAL, limits.timeout_s)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sizes = _memory_sizes()
    if "VmData" in sizes:  # Linux
        data, address_space = sizes["VmData"] + limits.max_bytes, sizes["VmSize"] + 4 * limits.max_bytes
        resource.setrlimit(resource.RLIMIT_DATA, (data, data))
        resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
        Path("/proc/self/oom_score_adj").write_text("1000")
    os.nice(_NICENESS)


def _memory_sizes() -> dict[str, int]:
    """Return this process's memory sizes in bytes, by the kernel's names; empty if it gives none."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return {}
    fields = (line.split() for line in lines if line.endswith(" kB"))
    return {name.rstrip(":"): int(size) * 1024 for name, size, _ in fields}


def _die_with(parent: int) -> None:
    """Have the kernel end this process with the server; other systems rely on its time limit."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it ended before
            os._exit(1)
