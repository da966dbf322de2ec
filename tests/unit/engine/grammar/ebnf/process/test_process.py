"""Grammars that compile too long, or in too much memory, are ended, and nothing else with them."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from engine.grammar.compiler import CompiledGrammar, GrammarCompiler
from engine.grammar.ebnf.process.client import GrammarProcess
from engine.grammar.ebnf.process.messages import TrialLimits
from engine.port.attempt import Attempt
from engine.port.errors import EngineBusy, InvalidGrammar
from engine.port.request import Grammar, GrammarKind
from tests.support.clocks.until import wait_until
from tests.support.servers.processes import children, is_alive
from tests.unit.engine.grammar.grammar_cases import TOKENIZER, accepts

# Takes xgrammar 0.2.8 half a minute and little memory.
SLOW = 'root ::= "x" r0\n' + "\n".join(
    f'r{i} ::= r{(i + 1) % 2000} | r{(i * 7 + 3) % 2000} | "a"' for i in range(2000)
)
RULES = {"type": "grammar", "grammar": 'root ::= "text" | "x" root'}
TAG = {"type": "structural_tag", "format": {"type": "tag", "begin": "<a>", "content": RULES, "end": "<b>"}}
GRAMMARS = [
    (Grammar(GrammarKind.EBNF, 'root ::= "x" root | "y"'), "xxy", "x"),
    (Grammar(GrammarKind.STRUCTURAL_TAG, json.dumps(TAG)), "<a>text<b>", "<a>text"),
]


@pytest.fixture(scope="module")
def shared_process() -> Iterator[GrammarProcess]:
    process = GrammarProcess()
    yield process
    process.stop()


@pytest.fixture
def process(shared_process: GrammarProcess) -> GrammarProcess:
    """Return the process that most tests share, once it has no children."""
    started(shared_process)
    return shared_process


@pytest.fixture(scope="module")
def passing() -> Iterator[GrammarProcess]:
    """Passes on what it has compiled."""
    process = GrammarProcess(TrialLimits(min_transfer_s=0.0))
    yield process
    process.stop()


def slow(number: int) -> Grammar:
    return Grammar(GrammarKind.EBNF, f"{SLOW}\n# {number}")


def started(process: GrammarProcess) -> int:
    """Return the id of the process once it has no child: one that has answered takes a moment to end."""
    process.start()
    pid = process.pid
    assert pid is not None
    wait_until(lambda: not children(pid))
    return pid


@pytest.mark.parametrize(("grammar", "good", "bad"), GRAMMARS, ids=lambda value: getattr(value, "kind", ""))
@pytest.mark.parametrize("way", ["again", "passed on"])
def test_what_compiles_there_is_what_compiles_here(
    process: GrammarProcess, passing: GrammarProcess, grammar: Grammar, good: str, bad: str, way: str
) -> None:
    compiler = GrammarCompiler(TOKENIZER, passing if way == "passed on" else process)
    compiled = compiler.compile(grammar)
    assert (accepts(compiled, good), accepts(compiled, bad)) == (True, False)


def test_a_grammar_that_is_none_is_refused_in_the_same_words(process: GrammarProcess) -> None:
    for grammar in (Grammar(GrammarKind.EBNF, 'root ::= "a'), Grammar(GrammarKind.EBNF, 'root ::= "a" root')):
        messages = []
        for compiler in (GrammarCompiler(TOKENIZER), GrammarCompiler(TOKENIZER, process)):
            with pytest.raises(InvalidGrammar) as refusal:
                compiler.compile(grammar)
            messages.append(str(refusal.value))
        assert messages[0] == messages[1]


def test_a_compilation_ends_at_its_time_limit_whatever_it_does() -> None:
    process = GrammarProcess(TrialLimits(processor_s=0.5))
    compiler = GrammarCompiler(TOKENIZER, process)
    try:
        for number in range(3):
            with pytest.raises(InvalidGrammar, match=r"longer than 0\.5 s"):
                compiler.compile(slow(number))
        pid = process.pid
        assert pid is not None
        wait_until(lambda: not children(pid))
        compiler.compile(Grammar(GrammarKind.EBNF, 'root ::= "a"+'))
        assert process.pid == pid
    finally:
        process.stop()


def test_a_machine_too_busy_for_a_grammar_is_not_the_grammar_s_fault() -> None:
    process = GrammarProcess(TrialLimits(timeout_s=0.5))
    try:
        with pytest.raises(EngineBusy, match=r"within 0\.5 s"):
            GrammarCompiler(TOKENIZER, process).compile(slow(0))
    finally:
        process.stop()


def test_a_grammar_is_taken_however_long_others_keep_the_processor() -> None:
    """The child is stopped for longer than it may compute."""
    limits = TrialLimits(processor_s=3.0)
    process = GrammarProcess(limits)
    compiler = GrammarCompiler(TOKENIZER, process)
    compiler.compile(Grammar(GrammarKind.EBNF, 'root ::= "a"+'))
    pid = started(process)
    results: list[object] = []

    def compile_starved() -> None:
        try:
            results.append(compiler.compile(Grammar(GrammarKind.EBNF, MIDDLING)))
        except Exception as error:
            results.append(error)

    thread = threading.Thread(target=compile_starved)
    try:
        thread.start()
        wait_until(lambda: children(pid) or results)
        (compiling,) = children(pid)
        os.kill(compiling, signal.SIGSTOP)
        stopped_at = time.monotonic()
        wait_until(lambda: time.monotonic() - stopped_at > limits.processor_s)
        assert results == []
        os.kill(compiling, signal.SIGCONT)
        thread.join(60)
        assert [type(result) for result in results] == [CompiledGrammar], results
    finally:
        process.stop()


def test_a_compilation_ends_at_its_memory_limit() -> None:
    process = GrammarProcess(TrialLimits(max_bytes=32 * 2**20))
    compiler = GrammarCompiler(TOKENIZER, process)
    chain = "root ::= " + " ".join(f"r{i}" for i in range(2000)) + "\n"
    chain += "\n".join(f'r{i} ::= "a" | ""' for i in range(2000))
    try:
        with pytest.raises(InvalidGrammar, match="more than 32 MiB"):
            compiler.compile(Grammar(GrammarKind.EBNF, chain))
        compiler.compile(Grammar(GrammarKind.EBNF, 'root ::= "a"+'))
    finally:
        process.stop()


def test_a_compilation_that_is_called_off_ends(process: GrammarProcess) -> None:
    attempt = Attempt()
    ended: list[Exception] = []

    def compile_slowly() -> None:
        try:
            GrammarCompiler(TOKENIZER, process).compile(slow(0), attempt)
        except InvalidGrammar as error:
            ended.append(error)

    thread = threading.Thread(target=compile_slowly)
    pid = started(process)
    thread.start()
    wait_until(lambda: children(pid))
    attempt.cancel()
    thread.join(60)
    assert len(ended) == 1
    wait_until(lambda: not children(pid))


def test_a_death_of_the_process_loses_no_grammar(process: GrammarProcess) -> None:
    compiler = GrammarCompiler(TOKENIZER, process)
    first = started(process)
    os.kill(first, signal.SIGKILL)
    compiler.compile(Grammar(GrammarKind.EBNF, 'root ::= "a" "b"+'))
    second = started(process)
    assert second != first

    results: list[object] = []
    thread = threading.Thread(
        target=lambda: results.append(compiler.compile(Grammar(GrammarKind.EBNF, MIDDLING)))
    )
    thread.start()
    wait_until(lambda: children(second) or results)
    os.kill(second, signal.SIGKILL)
    thread.join(60)
    assert len(results) == 1


# Takes a second or so.
MIDDLING = "root ::= " + " ".join(f"r{i}" for i in range(1500)) + "\n"
MIDDLING += "\n".join(f'r{i} ::= "a" | ""' for i in range(1500))


@pytest.mark.long
def test_nothing_outlives_the_process_that_serves() -> None:
    """Killed so that it can clean nothing up, while a grammar compiles."""
    program = (
        "import sys, threading, time\n"
        "from engine.grammar.ebnf.process.client import SHARED\n"
        "from engine.grammar.compiler import GrammarCompiler\n"
        "from tests.unit.engine.grammar.ebnf.process.test_process import slow\n"
        "from tests.unit.engine.grammar.grammar_cases import TOKENIZER\n"
        "compiler = GrammarCompiler(TOKENIZER, SHARED)\n"
        "threading.Thread(target=compiler.compile, args=(slow(0),), daemon=True).start()\n"
        "while SHARED.pid is None: time.sleep(0.01)\n"
        "print(SHARED.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    command = [sys.executable, "-O", "-c", program]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as served:
        try:
            assert served.stdout is not None
            pid = int(served.stdout.readline())
            wait_until(lambda: children(pid))
            (compiling,) = children(pid)
        finally:
            served.kill()
    wait_until(lambda: not is_alive(pid) and not is_alive(compiling))
