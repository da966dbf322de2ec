"""Drafts change the number of steps, and nothing that a request gets."""

from collections.abc import Iterator
from collections.abc import Sequence as SequenceOf
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
from msgspec.structs import replace

from engine.attention.batch import Batch
from engine.build import build_parts
from engine.core.core import EngineCore
from engine.core.job_table import Output
from engine.demo_model import DEMO_MODEL
from engine.grammar.compiler import GrammarCompiler
from engine.port.errors import NoTokenLeft
from engine.port.events import TokenEvent
from engine.port.request import (
    BeamParams,
    GenerationRequest,
    Grammar,
    GrammarKind,
    Pooling,
    Prompt,
    SamplingParams,
    StopConditions,
    Watermark,
)
from engine.sampling.state import SamplingState
from engine.scheduling.sequence import MAX_NEW_TOKENS_PER_STEP, Sequence
from engine.speculation.ngram_proposer import NgramProposer
from engine.speculation.proposer import Proposal, Proposer
from engine.speculation.speculator import Speculator
from tests.support.engine_requests import embedding_request, generation_request
from tests.support.selection.effort import trials
from tests.support.tiny_models.config import tiny_config
from tests.support.tiny_models.text import save_tiny_model
from tests.unit.engine.free_rows import FreeRows
from tests.unit.engine.spoiled_runner import SpoiledRunner, fail

K = 5
Results = dict[tuple[int, int], list[tuple[Any, ...]]]  # by (arrival, index)
SCHEMA = (
    '{"type": "object", "properties": {"name": {"type": "string", "maxLength": 6}, '
    '"tags": {"type": "array", "items": {"enum": ["sun", "rain"]}, "maxItems": 4}}, '
    '"required": ["name", "tags"], "additionalProperties": false}'
)
UNIQUE = (
    '{"type": "array", "items": {"type": "string", "pattern": "^[ab]{1,3}$"}, "uniqueItems": true, '
    '"minItems": 3, "maxItems": 5}'
)
GRAMMARS = (
    Grammar(GrammarKind.REGEX, "(ab|ba|xyz){3,20}"),
    Grammar(GrammarKind.REGEX, "[a-f ]{5,60}"),
    Grammar(GrammarKind.JSON_SCHEMA, SCHEMA),
    Grammar(GrammarKind.JSON_SCHEMA, UNIQUE),
)


class Foreseeing:
    """A proposer that knows the outputs, and is right about the first `num_right` tokens of each draft."""

    def __init__(self, results: Results, num_right: int | None) -> None:
        """num_right: None for any number from none to all."""
        self._outputs = {key: [token_id for token_id, *_ in events] for key, events in results.items()}
        self._num_right = num_right
        self._random = Random(0)

    def propose(self, wanted: SequenceOf[tuple[Sequence, int]]) -> list[Proposal]:
        return [Proposal(self._propose(sequence, length), 8) for sequence, length in wanted]

    def _propose(self, sequence: Sequence, length: int) -> list[int]:
        output = self._outputs.get((sequence.arrival, sequence.index), [])
        draft = output[sequence.num_output_tokens :][:length]
        num_right = self._random.randint(0, length) if self._num_right is None else self._num_right
        wrong = [token_id ^ 1 for token_id in draft[num_right:]]
        return (draft[:num_right] + wrong) or [7] * length


class Engine:
    def __init__(self, directory: Path, **shape: Any) -> None:
        config = tiny_config(directory, dtype="float32", **shape)
        self.parts = build_parts(config, lambda line: None)
        self.tokenizer = self.parts.tokenizer
        self.compiler = GrammarCompiler(self.parts.tokenizer)
        self.runner = SpoiledRunner(self.parts.runner)

    def core(self, proposer: Proposer | None = None, *, length: int = K) -> EngineCore:
        """A core over the same model and blocks, which are all free between two of them."""
        if proposer is None:
            return self.parts.core(self.runner)
        return self.parts.core(self.runner, Speculator(proposer, length, costs=FreeRows(), most_rows=64))

    def add(self, core: EngineCore, arrival: int, request: GenerationRequest) -> None:
        prompt = tuple(self.tokenizer.encode(f"The {'abc' * (arrival % 4)} town, the town"))
        grammar = request.sampling.grammar
        compiled = self.compiler.compile(grammar) if grammar else None
        core.add(arrival, replace(request, prompt=Prompt(prompt)), compiled)

    def results(self, core: EngineCore, requests: list[GenerationRequest]) -> Results:
        for arrival, request in enumerate(requests):
            self.add(core, arrival, request)
        results: Results = {}
        for arrival, event in run(core):
            assert isinstance(event, TokenEvent), event
            own = results.setdefault((arrival, event.index), [])
            assert event.position == len(own)
            own.append(
                (
                    event.token_id,
                    event.token_text,
                    event.text,
                    event.finish,
                    event.stop_match,
                    pytest.approx(event.logprob, abs=1e-4),
                    [one.token_id for one in event.top_logprobs[:1]],
                    event.prompt and len(event.prompt),
                )
            )
        stats = core.stats()
        assert (stats.num_free_blocks, stats.num_running, stats.num_waiting) == (stats.num_blocks, 0, 0)
        return results


def run(core: EngineCore) -> Iterator[Output]:
    while core.has_work:
        yield from core.step()


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("llama"))


@pytest.fixture(scope="module")
def engine(directory: Path) -> Engine:
    return Engine(directory)


def new_request(sampling: SamplingParams | None = None, **stopping: Any) -> GenerationRequest:
    return generation_request(
        token_ids=(0,),
        sampling=sampling or SamplingParams(temperature=0.0),
        stopping=StopConditions(**({"max_tokens": 40} | stopping)),
    )


def random_request(random: Random, seed: int) -> GenerationRequest:
    """Any options together; logits of equal tokens are far enough apart that rounding changes no choice."""
    choose = random.choice
    sampling = SamplingParams(
        temperature=choose([0.0, 0.0, 0.8, 1.3]),
        top_p=choose([1.0, 1.0, 0.9]),
        top_k=choose([None, None, 5]),
        seed=seed,
        repetition_penalty=choose([1.0, 1.0, 1.3]),
        presence_penalty=choose([0.0, 0.0, 0.7]),
        frequency_penalty=choose([0.0, 0.0, 0.5]),
        logit_bias=choose([{}, {}, {40: 2.0, 41: -1.0}]),
        bad_words=choose([(), (), ("the in", "ab")]),
        watermark=choose([None, None, None, Watermark()]),
        grammar=choose([None, None, *GRAMMARS]),
        num_logprobs=choose([None, None, 0, 3]),
        num_prompt_logprobs=choose([None, None, 1]),
    )
    request = new_request(
        sampling,
        max_tokens=random.randint(1, 50),
        min_tokens=choose([0, 0, 1, 6]),
        stop=choose([(), (), ("e", "ab"), ("the",), ("xq\x00",)]),
        stop_token_ids=choose([(), (), (40, 41, 42)]),
        include_stop=random.random() < 0.5,
        ignore_eos=random.random() < 0.3,
        length_first=random.random() < 0.2,
    )
    request = replace(request, num_sequences=choose([1, 1, 1, 3]), num_parallel=choose([None, None, 2]))
    if sampling.temperature == 0 and sampling.grammar is None and random.random() < 0.1:
        return replace(request, num_sequences=1, beams=BeamParams(num_beams=2))
    return request


@pytest.mark.parametrize(
    ("architecture", "shape"),
    [
        ("llama", {}),
        ("llama", {"num_kv_blocks": 26, "block_size": 4, "max_total_tokens": 100}),
        ("llama", {"max_batch_tokens": 9, "block_size": 4, "num_kv_blocks": 400}),
        ("mistral", {"jump_forward": False, "prefix_caching": False}),  # with a window
        ("deepseek_v32", {}),  # with an index
    ],
    ids=["roomy", "preempted", "chunked", "plain", "indexed"],
)
def test_results_are_the_same_whatever_is_drafted(
    tmp_path: Path, architecture: str, shape: dict[str, Any]
) -> None:
    engine = Engine(save_tiny_model(tmp_path, architecture), **shape)
    for seed in range(trials(1, whole=2)):
        random = Random(seed)
        requests = [random_request(random, seed) for seed in range(6)]
        expected = engine.results(engine.core(), requests)
        core = engine.core(Foreseeing(expected, None))
        assert engine.results(core, requests) == expected
        drafts = core.counters.drafts
        assert 0 < drafts.num_accepted_tokens < drafts.num_drafted_tokens
        assert core.counters.num_generated_tokens == sum(map(len, expected.values()))
        if "max_total_tokens" in shape:
            assert core.counters.num_preemptions > 0


@pytest.mark.parametrize("length", [1, 4, 15])
def test_a_proposer_that_is_always_right_saves_most_steps(engine: Engine, length: int) -> None:
    requests = [new_request(ignore_eos=True), new_request(SamplingParams(seed=3), ignore_eos=True)]
    expected = engine.results(engine.core(), requests)
    core = engine.core(Foreseeing(expected, K * K), length=length)
    assert engine.results(core, requests) == expected
    drafts = core.counters.drafts
    assert drafts.num_accepted_tokens == drafts.num_drafted_tokens > 0
    assert core.counters.decode_steps.num_steps == -(-39 // (length + 1))


def test_a_proposer_that_is_always_wrong_changes_nothing(engine: Engine) -> None:
    requests = [new_request(ignore_eos=True), new_request(SamplingParams(seed=3), ignore_eos=True)]
    plain = engine.core()
    expected = engine.results(plain, requests)
    core = engine.core(Foreseeing(expected, 0))
    assert engine.results(core, requests) == expected
    assert core.counters.drafts.num_accepted_tokens == 0 < core.counters.drafts.num_drafted_tokens
    assert core.counters.num_steps == plain.counters.num_steps


@pytest.mark.parametrize("grammar", GRAMMARS, ids=("groups", "letters", "lengths", "unique items"))
def test_a_draft_ends_where_the_grammar_refuses_it(engine: Engine, grammar: Grammar) -> None:
    requests = [new_request(SamplingParams(temperature=1.0, seed=5, grammar=grammar), max_tokens=60)]
    expected = engine.results(engine.core(), requests)
    for num_right in (K, 2, 0):
        core = engine.core(Foreseeing(expected, num_right))
        assert engine.results(core, requests) == expected
        assert (core.counters.drafts.num_accepted_tokens > 0) == (num_right > 0)


def test_a_step_appends_no_more_tokens_than_any_other(directory: Path) -> None:
    engine = Engine(directory)
    grammar = Grammar(GrammarKind.REGEX, "[ab]{20}" + "xz" * 25)
    requests = [new_request(SamplingParams(temperature=0.0, grammar=grammar), max_tokens=80)]
    core = engine.core()
    expected = engine.results(core, requests)
    core = engine.core(Foreseeing(expected, 15), length=15)
    engine.add(core, 0, requests[0])
    steps = []
    while core.has_work:
        steps.append(len(core.step()))
    assert max(steps) == MAX_NEW_TOKENS_PER_STEP
    assert sum(steps) == len(expected[0, 0])


def test_prompts_and_embeddings_beside_a_draft_are_computed_as_ever(engine: Engine) -> None:
    prompt = tuple(engine.tokenizer.encode("The town and the river and the town"))
    long = new_request(ignore_eos=True)
    expected = engine.results(engine.core(), [long])
    [(_, alone)] = run_embedding(engine.core(), prompt)
    core = engine.core(Foreseeing(expected, 2))
    engine.add(core, 0, long)
    for _ in range(3):
        core.step()
    beside = [event for arrival, event in run_embedding(core, prompt) if arrival == 9]
    assert len(beside) == 1
    torch.testing.assert_close(torch.tensor(beside[0].vector), torch.tensor(alone.vector))


def run_embedding(core: EngineCore, prompt: tuple[int, ...]) -> list[tuple[int, Any]]:
    core.embed(9, embedding_request(token_ids=prompt, pooling=Pooling.MEAN))
    return list(run(core))


def test_cached_blocks_hold_accepted_tokens_alone(engine: Engine) -> None:
    """The next request begins with the output of the first, and finds what a step by step run had left."""
    request = new_request(ignore_eos=True, max_tokens=60)
    expected = engine.results(engine.core(), [request])
    prompt = engine.tokenizer.encode("The  town, the town")
    tokens = (*prompt, *(token_id for token_id, *_ in expected[0, 0]))
    follower = replace(request, prompt=Prompt(tokens), cache_salt="a")
    results = []
    for proposer in (None, Foreseeing(expected, 2), Foreseeing(expected, 15)):
        engine = Engine(Path(engine.parts.config.model))
        core = engine.core(proposer)
        core.add(0, replace(request, prompt=Prompt(tuple(prompt)), cache_salt="a"))
        list(run(core))
        core.add(1, follower)
        events = [event for _, event in run(core) if isinstance(event, TokenEvent)]
        results.append((events[0].num_cached_tokens, [event.token_id for event in events]))
    assert results[0][0] > len(prompt)
    assert results[0] == results[1] == results[2]


def test_an_abort_or_a_failed_step_with_drafts_frees_every_block(engine: Engine) -> None:
    request = replace(new_request(ignore_eos=True), num_sequences=2)
    expected = engine.results(engine.core(), [request, request])
    core = engine.core(Foreseeing(expected, K))
    for arrival in (0, 1):
        engine.add(core, arrival, request)
    core.step()
    launched = core.launch()
    assert launched is not None and launched.schedule.drafts
    core.abort(0)
    core.collect(launched)
    engine.runner.before = fail
    try:
        assert {arrival for arrival, _ in core.step()} == {1}
    finally:
        engine.runner.before = lambda batch: None
    stats = core.stats()
    assert (stats.num_free_blocks, core.has_work) == (stats.num_blocks, False)


def test_a_drafted_row_without_a_token_is_computed_again(engine: Engine) -> None:
    request = new_request(ignore_eos=True)
    expected = engine.results(engine.core(), [request])
    num_spoiled = 0

    def spoil(batch: Batch, logits: torch.Tensor) -> None:
        nonlocal num_spoiled
        if any(len(rows) > 1 for rows in batch.drafted.values()):
            logits[2] = torch.nan
            num_spoiled += 1

    engine.runner.after = spoil
    try:
        assert engine.results(engine.core(Foreseeing(expected, K)), [request]) == expected
    finally:
        engine.runner.after = lambda batch, logits: None
    assert num_spoiled > 1


def test_a_request_fails_after_the_tokens_that_precede_the_failure(engine: Engine) -> None:
    """The only token that is allowed may come six times, and the prompt has it three times."""
    [letter] = engine.tokenizer.encode("b", add_special_tokens=False)
    sampling = SamplingParams(temperature=0.0, allowed_token_ids=(letter,), bad_words=("b" * 7,))
    outcomes = []
    for proposer in (None, NgramProposer()):
        core = engine.core(proposer)
        core.add(0, replace(new_request(sampling), prompt=Prompt((letter,) * 3)))
        events = [event for _, event in run(core)]
        outcomes.append(
            [event.token_id if isinstance(event, TokenEvent) else type(event) for event in events]
        )
    assert outcomes[0] == outcomes[1] == [letter, letter, letter, NoTokenLeft]


def test_beams_are_not_drafted_for(engine: Engine) -> None:
    request = replace(new_request(max_tokens=12), beams=BeamParams(num_beams=3))
    expected = engine.results(engine.core(), [request])
    core = engine.core(Foreseeing(expected, K))
    assert engine.results(core, [request]) == expected
    assert core.counters.drafts.num_drafts == 0


def test_the_demo_model_answers_the_same_with_prompt_lookup() -> None:
    engine = Engine(DEMO_MODEL)
    requests = [
        new_request(max_tokens=80),
        new_request(SamplingParams(temperature=0.7, seed=1), max_tokens=80),
    ]
    expected = engine.results(engine.core(), requests)
    for length in (3, 15):
        core = engine.core(NgramProposer(), length=length)
        assert engine.results(core, requests) == expected


class Broken:
    """A proposer with a bug."""

    def propose(self, wanted: SequenceOf[tuple[Sequence, int]]) -> list[Proposal]:
        raise RuntimeError("no proposal")


def test_a_proposer_that_fails_takes_drafts_and_nothing_else(engine: Engine) -> None:
    requests = [new_request(), new_request(SamplingParams(temperature=0.9, seed=3))]
    expected = engine.results(engine.core(), requests)
    core = engine.core(Broken())
    assert engine.results(core, requests) == expected
    counters = core.stats().counters
    assert (counters.num_failed_steps, counters.drafts.num_drafted_tokens) == (0, 0)


def test_a_draft_that_cannot_be_followed_leaves_the_others_theirs(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = [new_request(), new_request(SamplingParams(temperature=0.9, seed=3))]
    expected = engine.results(engine.core(), requests)
    core = engine.core(Foreseeing(expected, K))
    ahead = SamplingState.ahead

    def fail_for_one(self: SamplingState, token_ids: list[int]) -> list[SamplingState]:
        if self.params.temperature:
            raise RuntimeError("an option that no contract lets through")
        return ahead(self, token_ids)

    monkeypatch.setattr(SamplingState, "ahead", fail_for_one)
    assert engine.results(core, requests) == expected
    counters = core.stats().counters
    assert counters.num_failed_steps == 0 and counters.drafts.num_drafted_tokens > 0
