"""The promises of one engine to its requests, step by step, without a thread or an event loop."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
from msgspec.structs import replace

from engine.attention.batch import Batch
from engine.build import build_core
from engine.core.core import EngineCore
from engine.core.job import SequenceState
from engine.core.job_table import Output
from engine.grammar.compiler import GrammarCompiler
from engine.port.errors import GenerationFailed, NotFinite
from engine.port.events import FinishReason, TokenEvent
from engine.port.info.adapter import Adapter
from engine.port.request import (
    BeamParams,
    GenerationRequest,
    Grammar,
    GrammarKind,
    Media,
    Pooling,
    Prompt,
    SamplingParams,
    StopConditions,
)
from tests.support.engine_requests import embedding_request, generation_request
from tests.support.selection.effort import trials
from tests.support.tiny_models.config import tiny_config
from tests.support.tiny_models.text import save_tiny_model, tiny_tokenizer
from tests.unit.engine.spoiled_runner import SpoiledRunner, arrivals_of, fail, new_parts, spoiled_core

TOKENIZER = tiny_tokenizer()
END = TOKENIZER.eos_token_id
ALONE = 10_000  # an arrival


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("llama"))


@pytest.fixture
def core(directory: Path) -> EngineCore:
    return new_core(directory)


def new_core(directory: Path, **shape: Any) -> EngineCore:
    return build_core(tiny_config(directory, **shape), lambda line: None).core


def new_request(prompt: str = "The town", **stopping: Any) -> GenerationRequest:
    return generation_request(
        request_id="",
        token_ids=TOKENIZER.encode(prompt),
        sampling=SamplingParams(temperature=0.0),
        stopping=StopConditions(**({"max_tokens": 8} | stopping)),
    )


def run_steps(core: EngineCore) -> Iterator[Output]:
    while core.has_work:
        yield from core.step()


def tokens_of(core: EngineCore, request: GenerationRequest) -> list[TokenEvent]:
    core.add(ALONE, request)
    events = [event for _, event in run_steps(core)]
    assert all(isinstance(event, TokenEvent) for event in events), events
    return [event for event in events if isinstance(event, TokenEvent)]


def bias_towards(token_id: int) -> SamplingParams:
    return SamplingParams(temperature=0.0, logit_bias={token_id: 1000.0})


def assert_all_free(core: EngineCore) -> None:
    stats, pool = core.stats(), core.scheduler.pool
    assert sorted([*pool._free, *pool.cache._idle]) == list(range(stats.num_blocks))
    assert (stats.num_free_blocks, stats.num_running, stats.num_waiting) == (stats.num_blocks, 0, 0)


def test_the_models_end_token_ends_a_sequence(core: EngineCore) -> None:
    request = new_request(max_tokens=5)
    (event,) = tokens_of(core, replace(request, sampling=bias_towards(END)))
    assert (event.finish, event.token_id, event.text) == (FinishReason.END_TOKEN, END, "")


def test_an_ignored_end_token_is_a_token_like_others(core: EngineCore) -> None:
    request = new_request(max_tokens=3, ignore_eos=True)
    events = tokens_of(core, replace(request, sampling=bias_towards(END)))
    assert [event.finish for event in events] == [None, None, FinishReason.LENGTH]


def test_a_stop_token_of_the_request_ends_a_sequence(core: EngineCore) -> None:
    plain = tokens_of(core, new_request())
    third = plain[2].token_id
    stopped = tokens_of(core, new_request(stop_token_ids=(third,)))
    first = next(place for place, event in enumerate(plain) if event.token_id == third)
    assert [event.token_id for event in stopped] == [event.token_id for event in plain[: first + 1]]
    assert stopped[-1].finish is FinishReason.STOP


def test_no_end_token_before_min_tokens(core: EngineCore) -> None:
    request = new_request(max_tokens=9, min_tokens=4)
    events = tokens_of(core, replace(request, sampling=bias_towards(END)))
    assert [event.token_id == END for event in events] == [False] * 4 + [True]


def test_a_stop_string_ends_a_sequence_and_is_cut(core: EngineCore) -> None:
    plain = "".join(event.text for event in tokens_of(core, new_request(max_tokens=20)))
    stop = plain[5:8]
    events = tokens_of(core, new_request(max_tokens=20, stop=(stop,)))
    assert "".join(event.text for event in events) == plain[: plain.index(stop)]
    assert (events[-1].finish, events[-1].stop_match) == (FinishReason.STOP, stop)


def test_a_complete_grammar_ends_a_sequence_of_a_model_without_end_token(tmp_path: Path) -> None:
    directory = save_tiny_model(tmp_path, has_end_token=False)
    built = build_core(tiny_config(directory), lambda line: None)
    core, tokenizer = built.core, built.tokenizer
    grammar = Grammar(GrammarKind.REGEX, "ab")
    request = replace(new_request(), sampling=SamplingParams(temperature=0.0, grammar=grammar))
    core.add(ALONE, request, GrammarCompiler(tokenizer).compile(grammar))
    events = [event for _, event in run_steps(core) if isinstance(event, TokenEvent)]
    assert ("".join(event.text for event in events), events[-1].finish) == ("ab", FinishReason.STOP)


def test_a_failing_step_fails_its_requests_and_no_others(directory: Path) -> None:
    core, runner = spoiled_core(directory)
    early, marked = range(2)

    def fail_on_marked(batch: Batch) -> None:
        if marked in arrivals_of(batch):
            raise RuntimeError("out of memory")

    runner.before = fail_on_marked
    core.add(early, new_request(max_tokens=30))
    for _ in range(3):
        core.step()
    core.add(marked, new_request())
    failed = dict(core.step())
    assert {*failed} == {early, marked}
    assert [str(error) for error in failed.values()] == ["the model failed"] * 2, "no library's words"
    assert all(isinstance(error, GenerationFailed) for error in failed.values())
    assert_all_free(core)
    assert tokens_of(core, new_request())[-1].finish is FinishReason.LENGTH
    assert core.stats().counters.num_failed_steps == 1
    assert not core.is_failing


def test_a_request_whose_token_cannot_be_taken_fails_alone(
    core: EngineCore, monkeypatch: pytest.MonkeyPatch
) -> None:
    accept = SequenceState.accept

    def fail_on_second(self: SequenceState, *args: Any, **options: Any) -> TokenEvent:
        if self.job.arrival == 1:
            raise RuntimeError("a bug")
        return accept(self, *args, **options)

    monkeypatch.setattr(SequenceState, "accept", fail_on_second)
    for arrival, max_tokens in enumerate((1, 9, 9)):
        core.add(arrival, new_request(max_tokens=max_tokens))
    outputs = core.step()
    assert [(arrival, type(event)) for arrival, event in outputs] == [
        (0, TokenEvent),
        (1, GenerationFailed),
        (2, TokenEvent),
    ]
    assert len([*run_steps(core)]) == 8
    assert_all_free(core)


BEAMS: dict[str, Any] = {"beams": BeamParams(num_beams=2)}
GREEDY = SamplingParams(temperature=0.0)


@pytest.mark.parametrize(
    "bad",
    [
        {"sampling": SamplingParams(temperature=1.0, top_k=0)},
        {"sampling": replace(GREEDY, num_logprobs=-2)},
        {"sampling": replace(GREEDY, num_prompt_logprobs=-2)},
        {"sampling": replace(GREEDY, repetition_penalty="2"), **BEAMS},
    ],
    ids=["top_k", "logprobs", "prompt logprobs", "beams"],
)
@pytest.mark.parametrize("others", [{}, BEAMS], ids=["sampled", "searched"])
def test_options_that_raise_in_a_step_fail_their_request_alone(
    core: EngineCore, bad: dict[str, Any], others: dict[str, Any]
) -> None:
    """No contract lets such options through; if one did, all requests of the step would fail."""
    good = replace(new_request(max_tokens=4), sampling=GREEDY, **others)
    expected = [event.token_id for event in tokens_of(core, good)]
    for arrival in (1, 2, 3):
        core.add(arrival, replace(new_request(max_tokens=4), **bad) if arrival == 2 else good)
    results = [*run_steps(core)]
    failed = [(arrival, event) for arrival, event in results if not isinstance(event, TokenEvent)]
    assert [(arrival, type(event)) for arrival, event in failed] == [(2, GenerationFailed)]
    for arrival in (1, 3):
        drawn = [event.token_id for to, event in results if to == arrival and isinstance(event, TokenEvent)]
        assert drawn == expected
    assert_all_free(core)
    assert not core.is_failing and core.stats().counters.num_failed_steps == 0


def test_a_model_that_fails_at_every_step_is_reported(directory: Path) -> None:
    core, runner = spoiled_core(directory)
    was_failing = []
    for arrival in range(6):
        # After three failures one request succeeds, then two fail.
        runner.before = (lambda batch: None) if arrival == 3 else fail
        core.add(arrival, new_request(max_tokens=1))
        core.step()
        was_failing.append(core.is_failing)
    assert was_failing == [False, False, True, False, False, False]


def test_a_row_of_nan_fails_its_request_alone_is_logged_and_leaves_no_nan_in_the_cache(
    directory: Path, caplog: pytest.LogCaptureFixture
) -> None:
    parts = new_parts(directory)
    runner = SpoiledRunner(parts.runner)
    core, cached = parts.core(runner), parts.attention.pages._tensors()
    good, bad = range(2)

    def poison(batch: Batch, logits: torch.Tensor) -> None:
        for row, entry in enumerate(batch.entries):
            if entry.sequence.arrival == bad:
                logits[row] = torch.nan
                for pages in cached:
                    pages[entry.sequence.table.block_ids] = torch.nan

    expected = [event.token_id for event in tokens_of(core, new_request())]
    runner.after = poison
    core.add(good, new_request())
    core.add(bad, new_request())
    outputs = list(run_steps(core))
    assert [type(event) for arrival, event in outputs if arrival == bad] == [NotFinite]
    assert caplog.messages == ["request '' failed: no token can be drawn: the logits are not finite"]
    assert [event.token_id for _, event in outputs if isinstance(event, TokenEvent)] == expected
    assert not any(pages.isnan().any() for pages in cached)


def num_cached(core: EngineCore, request: GenerationRequest) -> int:
    (number,) = {event.num_cached_tokens for event in tokens_of(core, request)}
    return number


def test_a_prompt_is_shared_within_its_salt_alone(core: EngineCore) -> None:
    request = new_request("x" * 40)
    salts = [None, "a", "b", "", None, "a", "b", ""]
    cached = [num_cached(core, replace(request, cache_salt=salt)) for salt in salts]
    assert cached == [0, 0, 0, 0, 32, 32, 32, 32]
    counters = core.stats().counters
    assert (counters.num_cache_queried_tokens, counters.num_cache_hit_tokens) == (8 * 40, 4 * 32)


def test_an_engine_told_not_to_cache_computes_every_prompt(directory: Path) -> None:
    core = new_core(directory, prefix_caching=False)
    assert [num_cached(core, new_request("x" * 40)) for _ in range(2)] == [0, 0]
    assert core.scheduler.pool.cache.num_idle == 0


def test_prompt_log_probabilities_are_computed_and_not_taken_from_the_cache(core: EngineCore) -> None:
    request = new_request("xyz" * 14)
    asked = replace(request, sampling=SamplingParams(temperature=0.0, num_prompt_logprobs=0))
    cold = tokens_of(core, asked)
    assert num_cached(core, request) == 32
    warm = tokens_of(core, asked)
    assert warm[0].prompt == cold[0].prompt
    assert warm[0].num_cached_tokens == 0
    assert core.stats().counters.num_cache_queried_tokens == len(request.prompt.token_ids)


def test_a_failed_request_leaves_nothing_for_the_next_and_others_keep_what_they_share(
    directory: Path,
) -> None:
    core, runner = spoiled_core(directory)
    shared, bad = new_request("x" * 40, max_tokens=20), 1
    expected = [event.token_id for event in tokens_of(core, shared)]

    def poison(batch: Batch, logits: torch.Tensor) -> None:
        logits[[arrival == bad for arrival in arrivals_of(batch)]] = torch.nan

    runner.after = poison
    core.add(0, shared)
    core.step()
    core.add(bad, shared)
    outputs = list(run_steps(core))
    assert [type(event) for arrival, event in outputs if arrival == bad] == [NotFinite]
    own = [event for arrival, event in outputs if arrival == 0 and isinstance(event, TokenEvent)]
    # Its first token came before, in the step alone.
    assert [event.token_id for event in own] == expected[1:]
    assert own[0].num_cached_tokens == 32
    assert num_cached(core, shared) == 0
    assert num_cached(core, shared) == 32


def test_the_first_event_of_a_request_alone_carries_its_prompt(core: EngineCore) -> None:
    request = new_request("ab", max_tokens=2)
    sampling = SamplingParams(temperature=0.0, num_prompt_logprobs=0)
    events = tokens_of(core, replace(request, sampling=sampling, num_sequences=2))
    assert [event.prompt is not None for event in events] == [True, False, False, False]
    assert events[0].prompt is not None
    assert [(token.text, token.logprob is None) for token in events[0].prompt] == [("a", True), ("b", False)]


def test_a_prompt_is_told_with_the_most_likely_tokens_in_each_place_as_continuations_are(
    core: EngineCore,
) -> None:
    written = tokens_of(
        core,
        replace(new_request("ab", max_tokens=3), sampling=SamplingParams(temperature=0.0, num_logprobs=3)),
    )
    prompt = (*new_request("ab").prompt.token_ids, *(event.token_id for event in written))
    sampling = SamplingParams(temperature=0.0, num_prompt_logprobs=3)
    request = replace(new_request("ab", max_tokens=1), prompt=Prompt(prompt), sampling=sampling)
    told = tokens_of(core, request)[0].prompt
    assert told is not None
    assert told[0].top_logprobs == ()
    for event, token in zip(written, told[2:], strict=True):
        assert (token.token_id, token.text) == (event.token_id, event.token_text)
        assert token.logprob == pytest.approx(event.logprob, abs=1e-5)
        assert [top.token_id for top in token.top_logprobs] == [top.token_id for top in event.top_logprobs]


def test_sequences_of_one_request_draw_from_their_own_seeds(core: EngineCore) -> None:
    def texts(request: GenerationRequest) -> list[str]:
        events = tokens_of(core, request)
        return ["".join(one.text for one in events if one.index == index) for index in range(3)]

    request = new_request(max_tokens=12)
    together = texts(replace(request, sampling=SamplingParams(seed=5), num_sequences=3))
    assert len({*together}) == 3
    for index, text in enumerate(together):
        assert texts(replace(request, sampling=SamplingParams(seed=5 + index)))[0] == text


@pytest.mark.parametrize("caches", [True, False])
def test_sequences_that_take_turns_say_what_they_would_have_said_together(
    directory: Path, caches: bool
) -> None:
    core = new_core(directory, prefix_caching=caches)
    request = replace(
        new_request("The town of Verbatim", max_tokens=6, ignore_eos=True),
        sampling=SamplingParams(seed=7, num_prompt_logprobs=0),
        num_sequences=7,
    )
    together = tokens_of(core, request)
    core.add(ALONE, replace(request, num_parallel=3))
    sizes, turns = set(), []
    while core.has_work:
        turns += [event for _, event in core.step() if isinstance(event, TokenEvent)]
        sizes.add(len(core.scheduler.running) + len(core.scheduler.waiting))
    assert max(sizes) == 3
    for index in range(7):
        expected = [event.token_id for event in together if event.index == index]
        assert [event.token_id for event in turns if event.index == index] == expected
    assert sum(event.prompt is not None for event in turns) == 1
    assert sum(event.finish is not None for event in turns) == 7
    assert_all_free(core)


@pytest.mark.parametrize("num_sequences", [1, 3])
@pytest.mark.parametrize("num_steps", range(8))
def test_an_abort_in_any_state_frees_every_block(directory: Path, num_steps: int, num_sequences: int) -> None:
    """While it waits, between chunks of its prompt, while it decodes, and after a preemption."""
    core = new_core(directory, block_size=4, num_kv_blocks=24, max_batch_tokens=6)
    first = replace(new_request("t" * 40, max_tokens=20), num_sequences=num_sequences)
    core.add(0, first)
    core.add(1, replace(first, priority=1))  # waits
    for _ in range(num_steps):
        core.step()
    if num_steps == 7:
        for sequence in core.scheduler.running[::-1]:
            core.scheduler.preempt(sequence)
    for arrival in (0, 1):
        core.abort(arrival)
        core.abort(arrival)
    assert_all_free(core)
    assert core.step() == []
    assert core.stats().counters.num_aborted == 2


def test_a_grammar_goes_on_after_a_preemption_where_it_was(core: EngineCore) -> None:
    grammar = Grammar(GrammarKind.REGEX, "(abc|de){9}")
    request = replace(new_request(max_tokens=40), sampling=SamplingParams(temperature=0.0, grammar=grammar))
    compiled = GrammarCompiler(core.tokenizer).compile(grammar)
    texts = []
    for is_preempted in (False, True):
        core.add(ALONE, request, compiled)
        events = [event for _ in range(4) for _, event in core.step()]
        if is_preempted:
            core.scheduler.preempt(*core.scheduler.running)
        events += [event for _, event in run_steps(core)]
        assert all(isinstance(event, TokenEvent) for event in events)
        texts.append("".join(event.text for event in events if isinstance(event, TokenEvent)))
    assert texts[0] == texts[1]
    assert texts[0].replace("abc", "de") == "de" * 9


def test_cached_blocks_depend_on_model_revision_adapter_and_salt(directory: Path) -> None:
    """The adapter's and the salt's values may be equal; their kinds tell them apart. So do the weights of
    adapters that had one name after another."""

    def root(revision: str, adapter: Adapter | None = None, **fields: str) -> bytes:
        parts = new_parts(directory)
        core = dataclasses.replace(parts, info=replace(parts.info, revision=revision)).core()
        core.add(0, replace(new_request(), adapter=adapter and adapter.name, **fields), adapter=adapter)
        return core.scheduler.waiting[0].keys._root

    adapters = [Adapter("x", "1"), Adapter("x", "2"), Adapter("y", "1")]
    roots = [root("1"), root("2"), root("1", cache_salt="x"), *(root("1", adapter) for adapter in adapters)]
    assert len({*roots}) == len(roots)


def test_keys_of_cached_blocks_depend_on_the_media_of_a_prompt(directory: Path) -> None:
    core = new_core(directory, block_size=4)
    media: list[tuple[Media, ...]] = [
        (),
        *((Media(digest=digest, position=5, num_tokens=2),) for digest in (b"cat", b"dog")),
    ]
    token_ids = tuple(range(40, 48))
    for arrival, own in enumerate(media):
        core.add(arrival, replace(new_request(), prompt=Prompt(token_ids, own)))
        embedding = embedding_request(token_ids=(), pooling=Pooling.LAST)
        core.embed(len(media) + arrival, replace(embedding, prompt=Prompt(token_ids, own)))
    keys = [tuple(sequence.keys.of(sequence.token_ids, 2)) for sequence in core.scheduler.waiting]
    assert keys[:3] == keys[3:]
    assert (len({first for first, _ in keys}), len({second for _, second in keys})) == (1, 3)


def test_preemption_neither_repeats_nor_alters_what_is_drawn(directory: Path) -> None:
    roomy, tight = new_core(directory), new_core(directory, num_kv_blocks=7, block_size=8)
    tokens: dict[EngineCore, dict[int, list[tuple[int, int]]]] = {}
    for core in (roomy, tight):
        drawn = tokens[core] = {seed: [] for seed in range(6)}
        for seed in drawn:
            core.add(seed, replace(new_request(max_tokens=40), sampling=SamplingParams(seed=seed)))
        for seed, event in run_steps(core):
            assert isinstance(event, TokenEvent)
            drawn[seed].append((event.position, event.token_id))
    assert tight.stats().counters.num_preemptions > 0
    assert tokens[tight] == tokens[roomy]


def test_after_random_requests_with_aborts_no_block_is_lost(directory: Path) -> None:
    num_requests = trials(300, whole=1000)
    core = new_core(directory, num_kv_blocks=40, block_size=4, max_batch_tokens=48, max_num_sequences=24)
    random = Random(0)
    arrivals = iter(range(num_requests))
    alive: dict[int, set[int]] = {}  # arrival -> sequences that have not ended
    num_aborted = 0
    while (arrival := next(arrivals, None)) is not None or core.has_work:
        if arrival is not None:
            prompt = random.choice("xy") * random.randint(1, 60)
            request = new_request(prompt, max_tokens=random.randint(1, 9))
            alive[arrival] = set(range(random.choice([1, 1, 1, 3])))
            sampling = SamplingParams(seed=arrival)
            salt = random.choice([None, None, "salt"])
            request = replace(request, sampling=sampling, cache_salt=salt)
            core.add(arrival, replace(request, num_sequences=len(alive[arrival])))
        if alive and random.random() < 0.2:
            aborted = random.choice(sorted(alive))
            core.abort(aborted)
            del alive[aborted]
            num_aborted += 1
        for arrival, event in core.step() if random.random() < 0.7 else []:
            assert isinstance(event, TokenEvent)
            assert event.index in alive[arrival], "an event after the end"
            if event.finish is not None:
                alive[arrival].remove(event.index)
            if not alive[arrival]:
                del alive[arrival]
    assert not alive
    assert num_aborted > num_requests // 10
    assert core.stats().counters.num_preemptions > 0
    assert core.stats().counters.num_cache_hit_tokens > num_requests
    assert_all_free(core)


def test_requests_without_a_seed_draw_each_for_itself(core: EngineCore) -> None:
    """Two requests, and the sequences of one, differ; with a seed they are equal, whatever came between."""

    def drawn(seed: int | None) -> list[list[int]]:
        request = replace(new_request(max_tokens=24, ignore_eos=True), num_sequences=2)
        events = tokens_of(core, replace(request, sampling=SamplingParams(seed=seed)))
        return [[event.token_id for event in events if event.index == index] for index in (0, 1)]

    every = [*drawn(None), *drawn(None)]
    assert len({tuple(token_ids) for token_ids in every}) == 4
    assert drawn(7) == drawn(7)
