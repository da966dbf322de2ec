"""Tokens that a grammar leaves no choice about are those that would be drawn, and cost no step."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace
from typing_extensions import override

from engine.build import build_parts
from engine.core.core import EngineCore
from engine.core.job_table import Output
from engine.core.stages import sampling_stage
from engine.demo_model import DEMO_MODEL
from engine.grammar.compiler import GrammarCompiler
from engine.port.events import FinishReason, TokenEvent
from engine.port.request import (
    GenerationRequest,
    Grammar,
    GrammarKind,
    Prompt,
    SamplingParams,
    StopConditions,
)
from engine.scheduling.sequence import MAX_NEW_TOKENS_PER_STEP
from tests.support.engine_requests import generation_request
from tests.support.selection.effort import trials
from tests.support.tiny_models.config import tiny_config
from tests.support.tiny_models.text import save_tiny_model
from tests.unit.engine.grammar.grammar_cases import COMPILER
from tests.unit.engine.spoiled_runner import SpoiledRunner, fail

Told = dict[tuple[int, int], list[tuple[Any, ...]]]  # by (arrival, index)
WORDS = ["temperature", "wind direction", "x", "naïve", "€", "humidity_percent"]
LEAFS: list[dict[str, Any]] = [
    {"type": "integer", "minimum": 0, "maximum": 99},
    {"enum": ["sunny", "cloudy", "thunderstorm"]},
    {"type": "boolean"},
    {"type": "string", "maxLength": 4},
    {"const": "always the same"},
]


class Logprob:
    """Equal but for the rounding of other batches."""

    def __init__(self, value: float | None) -> None:
        self.value = value

    @override
    def __eq__(self, other: object) -> bool:
        assert isinstance(other, Logprob)
        return bool(self.value == pytest.approx(other.value, abs=1e-4))

    __hash__ = None  # type: ignore[assignment]  # what is nearly equal has no hash


class Engine:
    def __init__(self, directory: Path, *, jump_forward: bool, **shape: Any) -> None:
        config = tiny_config(directory, dtype="float32", jump_forward=jump_forward, **shape)
        parts = build_parts(config, lambda line: None)
        self.runner = SpoiledRunner(parts.runner)
        self.core = parts.core(self.runner)
        self.tokenizer = parts.tokenizer
        self.compiler = GrammarCompiler(parts.tokenizer)

    def add(self, arrival: int, request: GenerationRequest) -> None:
        assert request.sampling.grammar is not None
        prompt = tuple(self.tokenizer.encode(f"Number {arrival % 3} says"))
        compiled = self.compiler.compile(request.sampling.grammar)
        self.core.add(arrival, replace(request, prompt=Prompt(prompt)), compiled)

    def tell(self, requests: list[GenerationRequest]) -> Told:
        for arrival, request in enumerate(requests):
            self.add(arrival, request)
        told: Told = {}
        for arrival, event in outputs(self.core):
            assert isinstance(event, TokenEvent), event
            own = told.setdefault((arrival, event.index), [])
            assert event.position == len(own)
            own.append((event.token_id, event.text, event.finish, event.stop_match, Logprob(event.logprob)))
        return told


def outputs(core: EngineCore) -> Iterator[Output]:
    while core.has_work:
        yield from core.step()


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("llama"))


def schema(random: Random, depth: int = 0) -> dict[str, Any]:
    kind = random.random()
    if depth < 2 and kind < 0.6:
        names = random.sample(WORDS, random.randint(1, 3))
        return {
            "type": "object",
            "properties": {name: schema(random, depth + 1) for name in names},
            "required": names,
            "additionalProperties": False,
        }
    if depth < 2 and kind < 0.75:
        return {"type": "array", "minItems": 1, "maxItems": 3, "items": schema(random, depth + 1)}
    return random.choice(LEAFS)


def new_request(grammar: Grammar, **changes: Any) -> GenerationRequest:
    request = generation_request(
        request_id="",
        token_ids=(0,),
        sampling=SamplingParams(temperature=0.0, grammar=grammar),
        stopping=StopConditions(max_tokens=60),
    )
    return replace(request, **changes)


def regex(source: str) -> Grammar:
    return Grammar(GrammarKind.REGEX, source)


def random_requests(random: Random) -> list[GenerationRequest]:
    """Greedy and seeded, cut and stopped anywhere, alone and with siblings, some with log-probabilities."""
    requests = []
    for seed in range(10):
        grammar = Grammar(GrammarKind.JSON_SCHEMA, json.dumps(schema(random)))
        sampling = SamplingParams(
            temperature=random.choice([0.0, 1.0]),
            seed=seed,
            grammar=grammar,
            repetition_penalty=random.choice([1.0, 1.3]),
            num_logprobs=random.choice([None, None, None, 1]),
        )
        stopping = StopConditions(
            max_tokens=random.randint(1, 60),
            min_tokens=random.choice([0, 0, 1]),
            stop=random.choice([(), (), ('e"', "wind"), ("always the",)]),
            ignore_eos=random.random() < 0.2,
        )
        changes = {"sampling": sampling, "stopping": stopping, "num_sequences": random.choice([1, 1, 3])}
        requests.append(new_request(grammar, **changes))
    return requests


@pytest.mark.parametrize(
    "shape",
    [
        {},
        {"num_kv_blocks": 24, "block_size": 4, "max_total_tokens": 90},
        {"max_batch_tokens": 3, "block_size": 4, "num_kv_blocks": 400},
    ],
    ids=["roomy", "preempted", "chunked"],
)
@pytest.mark.parametrize("model", ["tiny", "demo"])
@pytest.mark.by_turns("model", "shape")
def test_what_is_told_is_the_same_with_and_without_jumps_in_fewer_steps(
    directory: Path, model: str, shape: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling_stage, "MAX_JUMPING", 100)
    where = directory if model == "tiny" else DEMO_MODEL
    engines = [Engine(where, jump_forward=is_on, **shape) for is_on in (False, True)]
    for seed in range(trials(1, whole=4)):
        without, jumping = (engine.tell(random_requests(Random(seed))) for engine in engines)
        assert jumping == without
    counters = [engine.core.counters for engine in engines]
    assert counters[1].num_steps < counters[0].num_steps
    assert counters[1].num_generated_tokens == counters[0].num_generated_tokens
    if "max_total_tokens" in shape:
        assert counters[1].num_preemptions > 0
    assert engines[1].core.stats().num_free_blocks == engines[1].core.stats().num_blocks


def test_a_text_without_choice_ends_in_the_step_that_draws_its_first_token(directory: Path) -> None:
    engine = Engine(directory, jump_forward=True)
    told = engine.tell([new_request(regex("xyzzy"))])
    assert "".join(text for _, text, *_ in told[0, 0]) == "xyzzy"
    assert told[0, 0][-1][2] is FinishReason.END_TOKEN
    assert engine.core.counters.num_steps == 1
    assert engine.core.counters.num_computed_tokens == len(engine.tokenizer.encode("Number 0 says"))


def test_a_tail_has_at_most_so_many_tokens(directory: Path) -> None:
    engine = Engine(directory, jump_forward=True)
    engine.add(0, new_request(regex("xz" * 25)))
    steps = [len(engine.core.step()) for _ in range(4)]
    assert steps == [
        MAX_NEW_TOKENS_PER_STEP,
        MAX_NEW_TOKENS_PER_STEP,
        MAX_NEW_TOKENS_PER_STEP,
        51 - 3 * MAX_NEW_TOKENS_PER_STEP,
    ]
    assert not engine.core.has_work
    assert engine.core.counters.decode_steps.num_steps == 3


@pytest.mark.parametrize(("num_sequences", "is_jumping"), [(4, True), (5, False)])
def test_forced_tokens_are_drawn_in_a_step_of_many_sequences(
    directory: Path, num_sequences: int, is_jumping: bool
) -> None:
    engine = Engine(directory, jump_forward=True)
    for arrival in range(num_sequences):
        engine.add(arrival, new_request(regex("xyzzy")))
    assert (len(engine.core.step()) > num_sequences) is is_jumping


def test_log_probabilities_are_each_computed(directory: Path) -> None:
    engine = Engine(directory, jump_forward=True)
    grammar = regex("xyzzy")
    told = engine.tell(
        [new_request(grammar, sampling=SamplingParams(temperature=0.0, grammar=grammar, num_logprobs=0))]
    )
    assert all(logprob.value is not None for *_, logprob in told[0, 0])
    assert engine.core.counters.num_steps == len(told[0, 0])


def test_an_abort_or_a_failed_step_within_a_tail_frees_every_block(directory: Path) -> None:
    engine = Engine(directory, jump_forward=True)
    for arrival in (0, 1):
        engine.add(arrival, new_request(regex("xz" * 25), num_sequences=2))
    engine.core.step()
    engine.core.abort(0)
    engine.runner.before = fail
    assert [arrival for arrival, _ in engine.core.step()] == [1]
    stats = engine.core.stats()
    assert (stats.num_free_blocks, engine.core.has_work) == (stats.num_blocks, False)


@pytest.mark.parametrize("changes", [{"banned_token_ids": (3,)}, {"logit_bias": {3: float("inf")}}])
def test_who_excludes_tokens_otherwise_is_drawn_for(directory: Path, changes: dict[str, Any]) -> None:
    engine = Engine(directory, jump_forward=True)
    sampling = SamplingParams(temperature=0.0, grammar=regex("xyzzy"), **changes)
    engine.add(0, new_request(regex("xyzzy"), sampling=sampling))
    assert len(engine.core.step()) == 1


@pytest.mark.parametrize("source", ["[éè]x", "ab(c|d)", "xyzzy|xylem", "[0-9]{2}"])
def test_the_only_token_is_the_one_that_the_mask_leaves(source: str) -> None:
    """The patterns begin with a partly fixed character or with fixed text, and then leave a choice."""
    state = COMPILER.compile(regex(source)).start()
    while not state.is_complete:
        only = state.only_token_id
        mask = state.mask
        assert mask is not None
        allowed = [i for i in range(32 * len(mask)) if int(mask[i // 32]) >> i % 32 & 1]
        assert only is None or [only] == allowed
        assert only is not None or len(allowed) > 1
        state.accept(allowed[-1])
