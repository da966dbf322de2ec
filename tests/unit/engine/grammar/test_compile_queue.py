"""Tests which requests wait for which while grammars compile."""

import asyncio
import threading
from collections.abc import Iterator

import pytest
from typing_extensions import override

from engine.grammar.compile_queue import MAX_COMPILATIONS, MAX_SMALL_SOURCE, GrammarQueue
from engine.grammar.compiler import CompiledGrammar, GrammarCompiler
from engine.port.attempt import Attempt
from engine.port.errors import EngineBusy, EngineStopped, InvalidGrammar
from engine.port.request import Grammar, GrammarKind
from tests.support.clocks.until import until
from tests.unit.engine.grammar.grammar_cases import TOKENIZER


class SlowCompiler(GrammarCompiler):
    """Compilations of what begins with `slow` end when they may, or are called off. begun: the sources of
    all; cancelled: of those."""

    def __init__(self) -> None:
        super().__init__(TOKENIZER)
        self.may_end = threading.Event()
        self.begun: list[str] = []
        self.cancelled: list[str] = []

    @override
    def compile(self, grammar: Grammar, attempt: Attempt | None = None) -> CompiledGrammar:
        self.begun.append(grammar.source)
        assert attempt is not None
        while grammar.source.startswith("slow") and not self.may_end.wait(0.005):
            if attempt.is_cancelled:
                self.cancelled.append(grammar.source)
                raise InvalidGrammar("called off")
        return super().compile(grammar)


@pytest.fixture
def compiler() -> Iterator[SlowCompiler]:
    compiler = SlowCompiler()
    yield compiler
    compiler.may_end.set()


def regex(source: str) -> Grammar:
    return Grammar(GrammarKind.REGEX, source)


def large(name: str) -> Grammar:
    return regex(f"slow{name}" + "x" * MAX_SMALL_SOURCE)


def ask(queue: GrammarQueue, *grammars: Grammar) -> list[asyncio.Task[CompiledGrammar]]:
    return [asyncio.create_task(queue.compile(grammar)) for grammar in grammars]


async def until_begun(compiler: SlowCompiler, number: int) -> None:
    await until(lambda: len(compiler.begun) >= number)


async def test_small_grammars_do_not_wait_for_large_ones(compiler: SlowCompiler) -> None:
    queue = GrammarQueue(compiler)
    waiting = ask(queue, *(large(str(number)) for number in range(5)))
    await until_begun(compiler, MAX_COMPILATIONS)
    async with asyncio.timeout(30):
        await queue.compile(regex("[0-9]{3}"))
    assert not any(task.done() for task in waiting)
    assert sum(source.startswith("slow") for source in compiler.begun) == MAX_COMPILATIONS
    assert queue.seconds.num_values == 1
    compiler.may_end.set()
    await asyncio.gather(*waiting)
    assert queue.seconds.num_values == 6 and queue.seconds.total > 0


async def test_a_cached_grammar_is_there_at_once(compiler: SlowCompiler) -> None:
    queue, known = GrammarQueue(compiler), regex("a+")
    compiled = await queue.compile(known)
    waiting = ask(queue, *(regex(f"slow{number}") for number in range(5)))
    await until_begun(compiler, 1 + MAX_COMPILATIONS)
    answer = queue.compile(known)
    with pytest.raises(StopIteration) as caught:
        answer.send(None)  # it never gives way to the loop
    assert caught.value.value is compiled
    compiler.may_end.set()
    await asyncio.gather(*waiting)


async def test_a_compilation_that_nobody_waits_for_does_not_begin(compiler: SlowCompiler) -> None:
    queue = GrammarQueue(compiler)
    running = ask(queue, regex("slow0"), regex("slow1"))
    await until_begun(compiler, MAX_COMPILATIONS)
    left, shared, stays = ask(queue, regex("left"), regex("shared"), regex("shared"))
    await asyncio.sleep(0)
    left.cancel()
    shared.cancel()
    await asyncio.gather(left, shared, return_exceptions=True)
    compiler.may_end.set()
    await asyncio.gather(*running, stays)
    assert compiler.begun == ["slow0", "slow1", "shared"]


async def test_a_client_that_leaves_does_not_take_the_grammar_from_another(compiler: SlowCompiler) -> None:
    queue = GrammarQueue(compiler)
    leaves, stays = ask(queue, regex("slow"), regex("slow"))
    await until_begun(compiler, 1)
    leaves.cancel()
    await asyncio.gather(leaves, return_exceptions=True)
    compiler.may_end.set()
    assert await stays is await queue.compile(regex("slow"))
    assert compiler.begun == ["slow"]


async def test_no_more_grammars_wait_than_there_is_room_for(
    compiler: SlowCompiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.grammar.compile_queue.MAX_WAITING", 3)
    queue = GrammarQueue(compiler)
    admitted = ask(queue, *(regex(f"slow{number}") for number in range(MAX_COMPILATIONS + 3)))
    await until_begun(compiler, MAX_COMPILATIONS)
    with pytest.raises(EngineBusy):
        await queue.compile(regex("late"))
    compiler.may_end.set()
    await asyncio.gather(*admitted)
    await queue.compile(regex("late"))


async def test_who_gets_no_place_in_time_is_not_blamed_for_the_grammar(compiler: SlowCompiler) -> None:
    queue = GrammarQueue(compiler, wait_timeout_s=0.05)
    running = ask(queue, regex("slow0"), regex("slow1"))
    await until_begun(compiler, MAX_COMPILATIONS)
    with pytest.raises(EngineBusy):
        await queue.compile(regex("innocent"))
    compiler.may_end.set()
    await asyncio.gather(*running)
    assert "innocent" not in compiler.begun


async def test_a_compilation_that_lasts_too_long_is_busy_to_all_and_its_place_is_free(
    compiler: SlowCompiler,
) -> None:
    queue = GrammarQueue(compiler, timeout_s=0.05)
    slow = [f"slow{number}" for number in range(2 * MAX_COMPILATIONS)]
    for source in slow:
        refused = await asyncio.gather(*ask(queue, regex(source), regex(source)), return_exceptions=True)
        assert [type(error) for error in refused] == [EngineBusy] * 2
        assert all("within 0.05 s" in str(error) for error in refused)
    await asyncio.wait_for(queue.compile(regex("a")), 30)
    await until(lambda: len(compiler.cancelled) >= len(slow))
    assert sorted(compiler.cancelled) == slow


async def test_a_compilation_that_nobody_waits_for_any_longer_is_called_off(compiler: SlowCompiler) -> None:
    queue = GrammarQueue(compiler)
    leaving = ask(queue, regex("slow0"), regex("slow1"))
    await until_begun(compiler, MAX_COMPILATIONS)
    for task in leaving:
        task.cancel()
    await asyncio.gather(*leaving, return_exceptions=True)
    await asyncio.wait_for(queue.compile(regex("a")), 30)
    await until(lambda: len(compiler.cancelled) >= MAX_COMPILATIONS)
    assert sorted(compiler.cancelled) == ["slow0", "slow1"]


async def test_a_grammar_that_is_none_is_refused_to_all_who_asked_and_frees_its_place(
    compiler: SlowCompiler,
) -> None:
    queue = GrammarQueue(compiler)
    for _ in range(MAX_COMPILATIONS + 1):
        refused = await asyncio.gather(*ask(queue, regex("(a"), regex("(a")), return_exceptions=True)
        assert [type(error) for error in refused] == [InvalidGrammar] * 2
    await queue.compile(regex("a"))


async def test_a_stop_ends_all_who_wait(compiler: SlowCompiler) -> None:
    queue = GrammarQueue(compiler)
    waiting = ask(queue, *(regex(f"slow{number}") for number in range(MAX_COMPILATIONS + 2)))
    await until_begun(compiler, MAX_COMPILATIONS)
    queue.stop()
    ended = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(error) for error in ended] == [EngineStopped] * len(waiting)
    await until(lambda: len(compiler.cancelled) >= MAX_COMPILATIONS)
    assert compiler.begun == ["slow0", "slow1"]
