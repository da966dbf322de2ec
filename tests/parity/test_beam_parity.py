"""Beam search finds the sequences and scores of transformers' `generate(num_beams=...)`, however it is
batched, chunked and preempted."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM

from engine.build import build_core
from engine.core.core import EngineCore
from engine.port.events import FinishReason, TokenEvent
from engine.port.request import BeamParams, GenerationRequest, SamplingParams, StopConditions
from tests.support.engine_requests import generation_request
from tests.support.selection.effort import trials, usually
from tests.support.tiny_models.config import tiny_config
from tests.support.tiny_models.text import save_tiny_model, tiny_tokenizer

MAX_TOKENS = 12
TOLERANCE = 1e-4
# Of scores, which a length penalty may make hundreds: some roundings of float32.
SCORE_TOLERANCE = 1e-6
END_TOKENS = tuple(range(7, 270, 11))  # so many that hypotheses complete at every length
TOKENIZER = tiny_tokenizer()

# Of every attention shape: grouped and not, windows, soft caps, norms, sinks, partial rotary, experts, runs,
# an index; and of recurrent layers; bloom and falcon are on the fallback path. Those that are long attend as
# another does.
USUAL = ("llama", "gemma3", "deepseek_v3", "qwen3_next")
ARCHITECTURES = (
    *USUAL, "gpt2", "gpt_oss", "llama4", "deepseek_v32", "bloom", "qwen3", "mistral", "gemma2", "gpt_neox",
    "mixtral", "falcon_h1", "falcon",
)  # fmt: skip

# Name -> how the engine is squeezed. Prompts are of up to 30 tokens, sliding windows of 9.
SHAPES: dict[str, dict[str, Any]] = {
    "roomy": {},
    "chunks of 7 tokens": {"max_batch_tokens": 7},
    "preemption": {"num_kv_blocks": 24, "block_size": 4, "max_batch_tokens": 20},
    "room for one beam at a time": {"num_kv_blocks": 11, "block_size": 4},
    "fewer places than beams": {"max_num_sequences": 3},
}

SEARCHES = (
    BeamParams(num_beams=2),
    BeamParams(num_beams=3, length_penalty=0.0),
    BeamParams(num_beams=4, length_penalty=2.0),
    BeamParams(num_beams=4, length_penalty=-1.0, early_stopping="never"),
    BeamParams(num_beams=3, length_penalty=1.5, early_stopping="never"),
    BeamParams(num_beams=5, early_stopping=True),
)


@dataclass(frozen=True)
class Case:
    """A search and its result. hypotheses: tokens and score, best first."""

    prompt: tuple[int, ...]
    beams: BeamParams
    hypotheses: list[tuple[list[int], float]]
    sampling: SamplingParams = field(default_factory=lambda: SamplingParams(temperature=0.0))
    stopping: StopConditions = field(default_factory=lambda: StopConditions(max_tokens=MAX_TOKENS))

    def request(self, number: int) -> GenerationRequest:
        return generation_request(
            request_id=str(number),
            token_ids=self.prompt,
            sampling=self.sampling,
            stopping=self.stopping,
            num_sequences=len(self.hypotheses),
            beams=self.beams,
        )


def searched(
    model: Any, prompt: tuple[int, ...], beams: BeamParams, **options: Any
) -> list[tuple[list[int], float]]:
    """Return what transformers' beam search finds: token ids and score of each beam."""
    ids = torch.tensor([prompt])
    found = model.generate(
        ids,
        attention_mask=torch.ones_like(ids),
        max_new_tokens=MAX_TOKENS,
        do_sample=False,
        num_beams=beams.num_beams,
        num_return_sequences=beams.num_beams,
        length_penalty=beams.length_penalty,
        early_stopping=beams.early_stopping,
        return_dict_in_generate=True,
        output_scores=True,
        **options,
    )
    outputs = found.sequences[:, len(prompt) :].tolist()
    return list(zip(map(cut, outputs), found.sequences_scores.tolist(), strict=True))


def cut(tokens: list[int]) -> list[int]:
    """Without the padding after the first end token."""
    ends = (place for place, token_id in enumerate(tokens) if token_id in END_TOKENS)
    return tokens[: next(ends, len(tokens)) + 1]


def save(directory: Path, architecture: str) -> Path:
    save_tiny_model(directory, architecture, has_end_token=False, initializer_range=0.1)
    config = directory / "generation_config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"eos_token_id": list(END_TOKENS)}))
    return directory


def load(directory: Path) -> Any:
    auto: Any = AutoModelForCausalLM
    return auto.from_pretrained(directory, dtype=torch.float32, attn_implementation="eager")


def prompts(seed: str) -> list[tuple[int, ...]]:
    random = Random(seed)
    return [tuple(random.randrange(256) for _ in range(random.randint(1, 30))) for _ in range(6)]


@pytest.fixture(scope="module", params=usually(ARCHITECTURES, USUAL))
def cases(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, list[Case]]:
    directory = save(tmp_path_factory.mktemp(request.param), request.param)
    model = load(directory)
    return directory, [
        Case(prompt, beams, searched(model, prompt, beams))
        for prompt, beams in zip(prompts(request.param), SEARCHES, strict=True)
    ]


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("llama"), "llama")


def new_core(directory: Path, **shape: Any) -> EngineCore:
    config = tiny_config(directory, dtype="float32", **shape)
    return build_core(config, lambda line: None).core


def run(core: EngineCore, requests: list[GenerationRequest]) -> list[list[TokenEvent]]:
    """The events of each, all at the same time; no block may be lost."""
    events: list[list[TokenEvent]] = [[] for _ in requests]
    for arrival, request in enumerate(requests):
        core.add(arrival, request)
    for _ in range(10_000):
        if not core.has_work:
            break
        for arrival, event in core.step():
            assert isinstance(event, TokenEvent), event
            events[arrival].append(event)
    stats = core.stats()
    assert (stats.num_free_blocks, stats.num_running, stats.num_waiting) == (stats.num_blocks, 0, 0)
    return events


def drawn(events: list[TokenEvent]) -> dict[tuple[int, int], int]:
    return {(event.index, event.position): event.token_id for event in events}


def assert_found(events: list[TokenEvent], case: Case) -> None:
    assert [event.index for event in events] == sorted(event.index for event in events)
    for index, (tokens, score) in enumerate(case.hypotheses):
        own = [event for event in events if event.index == index]
        assert [event.token_id for event in own] == tokens
        assert [event.position for event in own] == list(range(len(tokens)))
        assert own[-1].beam_score == pytest.approx(score, rel=SCORE_TOLERANCE, abs=TOLERANCE)
        reason = FinishReason.END_TOKEN if tokens[-1] in END_TOKENS else FinishReason.LENGTH
        assert [event.finish for event in own] == [None] * (len(tokens) - 1) + [reason]


@pytest.mark.takes_turns("cases")
def test_a_search_alone_finds_what_transformers_finds(cases: tuple[Path, list[Case]]) -> None:
    directory, searches = cases
    core = new_core(directory)
    for case in searches[:: trials(2, whole=1)]:  # all of them run among others, below
        (events,) = run(core, [case.request(0)])
        assert_found(events, case)


@pytest.mark.takes_turns("cases")
@pytest.mark.by_turns("cases", "shape")
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_searches_among_other_requests_find_what_transformers_finds(
    cases: tuple[Path, list[Case]], shape: dict[str, Any]
) -> None:
    directory, searches = cases
    core = new_core(directory, **shape)
    others = [
        generation_request(
            request_id=f"other {number}",
            token_ids=searches[number].prompt[:10],
            sampling=SamplingParams(seed=number),
            stopping=StopConditions(max_tokens=MAX_TOKENS, ignore_eos=True),
            num_sequences=2,
        )
        for number in range(3)
    ]
    mixed = [others[0], *(case.request(number) for number, case in enumerate(searches)), *others[1:]]
    events = run(core, mixed)
    for case, own in zip(searches, events[1 : 1 + len(searches)], strict=True):
        assert_found(own, case)
    for other, own in zip(others, [events[0], *events[-2:]], strict=True):
        assert len(own) == 2 * MAX_TOKENS
        assert drawn(own) == drawn(run(core, [other])[0])
    if "num_kv_blocks" in shape:
        assert core.stats().counters.num_preemptions > 0


def test_penalties_bias_and_exclusions_bear_on_log_probabilities_as_in_transformers(llama: Path) -> None:
    model = load(llama)
    core = new_core(llama)
    beams = BeamParams(num_beams=4)
    for prompt in prompts("processors"):
        hypotheses = searched(
            model,
            prompt,
            beams,
            repetition_penalty=1.3,
            sequence_bias={(9,): 0.7, (20,): -3.0},
            bad_words_ids=[TOKENIZER.encode(word) for word in ("c", " c", "an", " an")],
            suppress_tokens=[40, 41],
            min_new_tokens=5,
        )
        sampling = SamplingParams(
            temperature=0.0,
            repetition_penalty=1.3,
            logit_bias={9: 0.7, 20: -3.0},
            bad_words=("c", "an"),
            banned_token_ids=(40, 41),
        )
        case = Case(prompt, beams, hypotheses, sampling, StopConditions(max_tokens=MAX_TOKENS, min_tokens=5))
        (events,) = run(core, [case.request(0)])
        assert_found(events, case)
        assert all(event.position >= 5 for event in events if event.finish)


def test_a_stop_string_completes_a_hypothesis_and_is_cut_from_it(llama: Path) -> None:
    core = new_core(llama)
    beams = BeamParams(num_beams=3)
    num_stopped = 0
    for prompt in prompts("stops"):
        free = Case(prompt, beams, [([], 0.0)], stopping=StopConditions(max_tokens=8, ignore_eos=True))
        (events,) = run(core, [free.request(0)])
        stop = "".join(event.token_text for event in events)[2:4]
        stopping = StopConditions(max_tokens=8, ignore_eos=True, stop=(stop,))
        stopped = Case(prompt, beams, [([], 0.0)] * 3, stopping=stopping)
        (events,) = run(core, [stopped.request(0)])
        for index in range(3):
            own = [event for event in events if event.index == index]
            text, cut_text = (
                "".join(getattr(event, name) for event in own) for name in ("token_text", "text")
            )
            assert (own[-1].stop_match == stop) == (stop in text)
            assert cut_text == text.partition(stop)[0]
            assert own[-1].finish is (FinishReason.STOP if stop in text else FinishReason.LENGTH)
            num_stopped += stop in text
    assert num_stopped > 3


def test_stop_strings_end_hypotheses_where_they_do_in_transformers(llama: Path) -> None:
    model, core = load(llama), new_core(llama)
    beams = BeamParams(num_beams=3)
    stops = ("a", "e", "x", "Q")
    for prompt in prompts("criteria"):
        found = searched(model, prompt, beams, stop_strings=list(stops), tokenizer=TOKENIZER)
        stopping = StopConditions(max_tokens=MAX_TOKENS, stop=stops)
        case = Case(prompt, beams, found, stopping=stopping)
        (events,) = run(core, [case.request(0)])
        for index, (tokens, score) in enumerate(found):
            own = [event for event in events if event.index == index]
            assert [event.token_id for event in own] == tokens[: len(own)]
            assert own[-1].beam_score == pytest.approx(score, rel=SCORE_TOLERANCE, abs=TOLERANCE)


def test_the_log_probabilities_of_a_search_are_of_the_raw_logits(llama: Path) -> None:
    model, core = load(llama), new_core(llama)
    (prompt, *_) = prompts("logprobs")
    sampling = SamplingParams(temperature=0.0, num_logprobs=2, num_prompt_logprobs=0, repetition_penalty=1.5)
    case = Case(prompt, BeamParams(num_beams=3), [([], 0.0)] * 2, sampling)
    (events,) = run(core, [case.request(0)])
    assert [event.prompt is not None for event in events] == [True] + [False] * (len(events) - 1)
    for index in range(2):
        own = [event for event in events if event.index == index]
        ids = [*prompt, *(event.token_id for event in own)]
        with torch.inference_mode():
            logprobs = model(torch.tensor([ids])).logits[0].log_softmax(dim=-1)
        for place, event in enumerate(own, start=len(prompt) - 1):
            assert event.logprob == pytest.approx(float(logprobs[place, event.token_id]), abs=TOLERANCE)
            best = [token.logprob for token in event.top_logprobs]
            assert best == pytest.approx(logprobs[place].topk(2).values.tolist(), abs=TOLERANCE)
