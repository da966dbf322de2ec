"""Masks are filled while the model runs, and say what they would say if filled after it."""

import threading
from pathlib import Path
from typing import Any

import pytest
import torch
from msgspec.structs import replace
from torch import Tensor

from engine.build import build_core
from engine.core.core import EngineCore
from engine.grammar.compiler import GrammarCompiler
from engine.grammar.mask_thread import MaskThread
from engine.grammar.matcher import GrammarMatcher
from engine.port.errors import GenerationFailed
from engine.port.events import TokenEvent
from engine.port.request import GenerationRequest, Grammar, GrammarKind, SamplingParams, StopConditions
from engine.sampling.logits.grammar_mask import apply_grammar
from tests.support.engine_requests import generation_request
from tests.support.tiny_models.config import tiny_config
from tests.support.tiny_models.text import save_tiny_model, tiny_tokenizer
from tests.unit.engine.grammar.grammar_cases import COMPILER, TOKENIZER, ids_of
from tests.unit.engine.spoiled_runner import fail, spoiled_core

PROMPT = tuple(tiny_tokenizer().encode("The town"))
GRAMMAR = Grammar(GrammarKind.REGEX, "[a-z]{3,9}( [a-z]{3,9}){2}")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return save_tiny_model(tmp_path)


@pytest.fixture
def fills(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the threads that fill masks, fill by fill."""
    threads: list[str] = []
    fill = GrammarMatcher.fill

    def noted(state: GrammarMatcher, row: Tensor) -> None:
        threads.append(threading.current_thread().name)
        fill(state, row)

    monkeypatch.setattr(GrammarMatcher, "fill", noted)
    return threads


def new_core(directory: Path, **shape: Any) -> tuple[EngineCore, GrammarCompiler]:
    built = build_core(tiny_config(directory, **shape), lambda _: None)
    core, tokenizer = built.core, built.tokenizer
    return core, GrammarCompiler(tokenizer)


def new_request(seed: int, **changes: Any) -> GenerationRequest:
    request = generation_request(
        request_id="",
        token_ids=PROMPT,
        sampling=SamplingParams(seed=seed, grammar=GRAMMAR),
        stopping=StopConditions(max_tokens=40),
    )
    return replace(request, **changes)


def texts_of(core: EngineCore, compiler: GrammarCompiler, *requests: GenerationRequest) -> dict[Any, str]:
    """By (arrival, index)."""
    for arrival, request in enumerate(requests):
        core.add(arrival, request, compiler.compile(GRAMMAR))
    texts: dict[Any, str] = {}
    while core.has_work:
        for arrival, event in core.step():
            assert isinstance(event, TokenEvent), event
            texts[arrival, event.index] = texts.get((arrival, event.index), "") + event.text
    return texts


def test_a_mask_is_filled_once_a_token_and_not_by_the_thread_that_steps(
    directory: Path, fills: list[str]
) -> None:
    core, compiler = new_core(directory, jump_forward=False)
    texts_of(core, compiler, new_request(1), new_request(2))
    assert {name.rstrip("0123456789_") for name in fills} == {"grammar-masks"}
    # The step that draws the end token has a mask too; nothing is filled after it.
    assert len(fills) == core.counters.num_generated_tokens


def test_a_look_ahead_for_forced_tokens_fills_no_mask_twice(directory: Path, fills: list[str]) -> None:
    core, compiler = new_core(directory)
    texts_of(core, compiler, new_request(1), new_request(2))
    assert "MainThread" in fills
    assert len(fills) == core.counters.num_generated_tokens


def test_masks_filled_beside_the_model_change_no_text_of_forks_or_preempted_sequences(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = [new_request(seed, num_sequences=2) for seed in range(4)]
    alone: dict[Any, str] = {}
    with monkeypatch.context() as patch:
        patch.setattr(GrammarMatcher, "prepare", lambda state: setattr(state, "_is_filled", False))
        patch.setattr(GrammarMatcher, "mask", property(filled_at_need))
        for arrival, request in enumerate(requests):
            core, compiler = new_core(directory)
            alone |= {
                (arrival, index): text for (_, index), text in texts_of(core, compiler, request).items()
            }
    core, compiler = new_core(directory, num_kv_blocks=12, block_size=4, max_total_tokens=48)
    together = texts_of(core, compiler, *requests)
    assert core.counters.num_preemptions > 0
    assert together == alone


def filled_at_need(state: GrammarMatcher) -> Tensor:
    state.fill(state._bitmask[0])
    return state._bitmask[0]


def test_a_step_that_fails_leaves_no_mask_being_filled(directory: Path, fills: list[str]) -> None:
    core, runner = spoiled_core(directory)
    compiler = GrammarCompiler(core.tokenizer)
    core.add(0, new_request(0), compiler.compile(GRAMMAR))
    runner.before = fail
    ((_, error),) = core.step()
    assert isinstance(error, GenerationFailed)
    assert len(fills) == 1
    runner.before = lambda batch: None
    assert len(texts_of(core, compiler, new_request(0))) == 1


def test_a_mask_that_cannot_be_filled_fails_its_request_alone(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    core, compiler = new_core(directory)
    core.add(0, new_request(0), compiler.compile(GRAMMAR))
    core.add(1, replace(new_request(0), sampling=SamplingParams(temperature=0.0)))

    def broken(state: GrammarMatcher, row: Tensor) -> None:
        row.zero_()  # no token may come

    monkeypatch.setattr(GrammarMatcher, "fill", broken)
    first = dict(core.step())
    assert isinstance(first[0], GenerationFailed)
    assert isinstance(first[1], TokenEvent)


def test_a_mask_that_takes_too_long_is_given_up_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its thread is left behind, and the next masks have another."""
    compiled = COMPILER.compile(GRAMMAR)
    first, stuck, behind, later = (compiled.start() for _ in range(4))
    fill, may_end, begun = GrammarMatcher.fill, threading.Event(), threading.Event()

    def slow(state: GrammarMatcher, row: Tensor) -> None:
        if state is stuck:
            begun.set()
            may_end.wait(60)
        fill(state, row)

    monkeypatch.setattr(GrammarMatcher, "fill", slow)
    thread = MaskThread(max_wait_s=0.05)
    with thread.filling([first, stuck, behind]):
        assert begun.wait(60)
    assert [state.is_too_slow for state in (first, stuck, behind)] == [False, True, False]
    assert stuck.only_token_id is None
    stuck.accept(ids_of("a")[0])
    assert not stuck.is_complete
    row = torch.zeros(TOKENIZER.vocab_size)
    apply_grammar(row, stuck)
    assert bool((row == -torch.inf).all())
    assert behind.mask.any()
    with MaskThread().filling([later]):
        pass
    assert later.is_prepared
    with thread.filling([compiled.start()]):
        pass
    may_end.set()


def test_a_grammar_that_is_complete_is_neither_filled_nor_advanced(fills: list[str]) -> None:
    state = COMPILER.compile(Grammar(GrammarKind.REGEX, "ab")).start()
    for token_id in [*ids_of("ab"), *TOKENIZER.end_token_ids]:
        state.accept(token_id)
    assert state.is_complete
    with MaskThread().filling([state]):
        pass
    assert fills == []
    state.accept(TOKENIZER.end_token_ids[0])  # what a stop token beyond the end is
    assert state.is_complete
