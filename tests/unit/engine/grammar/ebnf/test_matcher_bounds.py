"""A text that a grammar reads in ever more ways ends with its own request, before it fills the memory."""

import gc
from collections.abc import Iterator

import pytest

from engine.grammar.ebnf.processor_clock import processor_s
from engine.port.errors import GenerationFailed
from engine.port.request import Grammar, GrammarKind
from tests.unit.engine.grammar.grammar_cases import COMPILER, ids_of


def num_followed(rules: str, text: str) -> int:
    """Return how many tokens of the text are followed before it is too slow."""
    state = COMPILER.compile(Grammar(GrammarKind.EBNF, rules)).start()
    for place, token_id in enumerate(token_ids := ids_of(text)):
        if state.is_too_slow:
            return place
        state.accept(token_id)
    return len(token_ids)


@pytest.fixture(autouse=True)
def no_collection() -> Iterator[None]:
    """Let a collection of what other tests have left take no time from a text."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.parametrize("rules", ['root ::= "a"* "a"* "b"', 'root ::= ("a"* "b"?)* "c"'])
def test_more_ways_with_each_character_are_too_many(rules: str) -> None:
    assert num_followed(rules, "a" * 20_000) < 20_000


@pytest.mark.parametrize(
    "rules",
    ['root ::= "a"* "b"', 'root ::= "a" root "a" | "b"', 'root ::= "a"{2000,}', 'root ::= "a"{2,6000}'],
)
def test_a_long_text_that_is_read_in_one_way_is_followed_to_its_end(rules: str) -> None:
    assert num_followed(rules, "a" * 6_000) == len(ids_of("a" * 6_000))


def test_a_refused_token_takes_no_time_from_the_text() -> None:
    state = COMPILER.compile(Grammar(GrammarKind.EBNF, 'root ::= "a"* "b"')).start()
    with pytest.raises(GenerationFailed):
        state.accept(ids_of("c")[0])
    assert not state.is_too_slow


def test_garbage_collections_are_not_the_grammar_s_time() -> None:
    cycles: list[object] = []
    for _ in range(200_000):
        cycle: list[object] = []
        cycle.append(cycle)
        cycles.append(cycle)
    started = processor_s()
    gc.collect()
    with_collection = processor_s() - started
    assert cycles
    assert with_collection < 0.002
