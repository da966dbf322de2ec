"""A step on a device gives what it gives on the host, whatever is asked of it, and is read by one copy.

There is no device here but the host. So the code is made to take all tensors for a device's. That nothing but
this copy waits for a device is shown on torch's meta device (`tests/parity/test_meta_steps.py`).
"""

from collections.abc import Sequence as SequenceOf
from pathlib import Path
from typing import Any

import pytest
import torch
from msgspec.structs import replace

from engine.build import build_core, build_parts
from engine.core.core import EngineCore
from engine.core.job_table import Output
from engine.grammar.compiler import GrammarCompiler
from engine.host.transfers import Readback
from engine.port.errors import NoTokenLeft
from engine.port.events import Embedding, TokenEvent
from engine.port.request import (
    BeamParams,
    EmbeddingRequest,
    GenerationRequest,
    Grammar,
    GrammarKind,
    Pooling,
    SamplingParams,
    StopConditions,
    TimestampRules,
    Watermark,
)
from engine.scheduling.sequence import Sequence
from engine.speculation.proposer import Proposal
from engine.speculation.speculator import Speculator
from tests.support.engine_requests import embedding_request, generation_request
from tests.support.tiny_models.config import tiny_config
from tests.support.tiny_models.text import save_tiny_model, tiny_tokenizer
from tests.unit.engine.free_rows import FreeRows

PROMPT = tuple(tiny_tokenizer().encode("The town"))
GREEDY = SamplingParams(temperature=0.0)
GRAMMAR = Grammar(GrammarKind.REGEX, "[a-z]{3,9}( [a-z]{3,9}){2}")


def new_request(sampling: SamplingParams, **options: Any) -> GenerationRequest:
    return generation_request(
        request_id="",
        token_ids=PROMPT,
        sampling=sampling,
        stopping=StopConditions(max_tokens=6, min_tokens=2),
        **options,
    )


REQUESTS: dict[str, GenerationRequest | EmbeddingRequest] = {
    "greedy": new_request(GREEDY),
    "sampled": new_request(SamplingParams(seed=1)),
    "top_k": new_request(SamplingParams(seed=2, top_k=7, temperature=0.7)),
    "top_p": new_request(SamplingParams(seed=3, top_p=0.9)),
    "short top_p": new_request(SamplingParams(seed=3, top_p=0.2)),
    "typical_p, min_p": new_request(SamplingParams(seed=4, typical_p=0.8, min_p=0.02)),
    "top_k, top_p, min_p": new_request(SamplingParams(seed=5, top_k=20, top_p=0.9, min_p=0.01)),
    "penalised": new_request(
        SamplingParams(seed=6, repetition_penalty=1.3, presence_penalty=0.4, frequency_penalty=0.2)
    ),
    "biased": new_request(SamplingParams(temperature=0.0, logit_bias={5: 3.0})),
    "excluded": new_request(SamplingParams(seed=7, banned_token_ids=(9,), bad_words=("the town", "e"))),
    "allowed": new_request(SamplingParams(seed=7, allowed_token_ids=(4, 5, 6, 7, 8))),
    "watermark": new_request(SamplingParams(seed=8, watermark=Watermark())),
    "timestamps": new_request(
        SamplingParams(seed=8, timestamps=TimestampRules(first_timestamp_id=200, text_end_id=190))
    ),
    "logprobs": new_request(SamplingParams(seed=9, num_logprobs=3)),
    "adjusted logprobs": new_request(SamplingParams(seed=9, num_logprobs=3, adjusted_logprobs=True)),
    "named logprobs": new_request(SamplingParams(seed=9, num_logprobs=3, logprob_token_ids=(4, 9))),
    "prompt logprobs": new_request(SamplingParams(seed=9, num_prompt_logprobs=2)),
    "grammar": new_request(SamplingParams(seed=10, grammar=GRAMMAR)),
    "siblings": new_request(SamplingParams(seed=11), num_sequences=3),
    "beams": new_request(
        SamplingParams(temperature=0.0, num_logprobs=2), beams=BeamParams(num_beams=3), num_sequences=2
    ),
    "nothing left": new_request(
        SamplingParams(temperature=0.0, logit_bias=dict.fromkeys(range(274), -torch.inf))
    ),
    "embedding": embedding_request(request_id="", token_ids=PROMPT, pooling=Pooling.MEAN),
}


@pytest.fixture(autouse=True)
def sums_by_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the host too, since compiled code rounds log-probabilities otherwise."""
    monkeypatch.setattr("engine.sampling.logprobs.can_rank", lambda logits: False)


@pytest.fixture
def as_on_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("host.transfers.is_on_host", "sampling.draw.can_rank", "sampling.ranking.can_rank"):
        monkeypatch.setattr(f"engine.{name}", lambda tensor: False)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("llama"))


@pytest.fixture(scope="module")
def core(directory: Path) -> EngineCore:
    config = tiny_config(directory, prefix_caching=False, jump_forward=False)
    return build_core(config, lambda line: None).core


def add(core: EngineCore, arrival: int, request: GenerationRequest | EmbeddingRequest) -> None:
    if isinstance(request, EmbeddingRequest):
        core.embed(arrival, request)
        return
    grammar = request.sampling.grammar
    core.add(arrival, request, GrammarCompiler(core.tokenizer).compile(grammar) if grammar else None)


def timeless(outputs: list[Output]) -> list[Any]:
    """The outputs without what differs from run to run."""
    told: list[Any] = []
    for arrival, event in outputs:
        if isinstance(event, TokenEvent):
            told.append((arrival, replace(event, queue_s=0.0, wait_s=0.0, step_s=0.0)))
        elif isinstance(event, Embedding):
            told.append((arrival, event.vector.tolist()))
        else:
            told.append((arrival, type(event), str(event)))
    return told


def run(core: EngineCore, arrivals: dict[int, GenerationRequest | EmbeddingRequest]) -> list[Output]:
    for arrival, request in arrivals.items():
        add(core, arrival, request)
    outputs = []
    while core.has_work:
        outputs += core.step()
    return outputs


@pytest.mark.parametrize("name", REQUESTS)
def test_a_step_gives_what_it_gives_on_the_host(
    core: EngineCore, name: str, request: pytest.FixtureRequest
) -> None:
    expected = run(core, {0: REQUESTS[name]})
    request.getfixturevalue("as_on_a_device")
    outputs = run(core, {0: REQUESTS[name]})
    assert timeless(outputs) == timeless(expected)
    if name == "nothing left":
        assert isinstance(outputs[0].event, NoTokenLeft)


def test_requests_of_every_kind_share_the_one_read(core: EngineCore, request: pytest.FixtureRequest) -> None:
    together = dict(enumerate(REQUESTS.values()))
    expected = run(core, together)
    request.getfixturevalue("as_on_a_device")
    assert timeless(run(core, together)) == timeless(expected)


class Foreseeing:
    """A proposer that knows the outputs, and is wrong about the last token of each draft."""

    def __init__(self, outputs: dict[int, list[int]]) -> None:
        self._outputs = outputs

    def propose(self, wanted: SequenceOf[tuple[Sequence, int]]) -> list[Proposal]:
        proposals = []
        for sequence, length in wanted:
            draft = self._outputs[sequence.arrival][sequence.num_output_tokens :][:length]
            proposals.append(Proposal([*draft[:-1], *(token_id ^ 1 for token_id in draft[-1:])], 8))
        return proposals


def token_ids(outputs: list[Output]) -> dict[int, list[int]]:
    by_arrival: dict[int, list[int]] = {}
    for arrival, event in outputs:
        assert isinstance(event, TokenEvent)
        by_arrival.setdefault(arrival, []).append(event.token_id)
    return by_arrival


def test_drafted_rows_share_the_one_read(directory: Path, request: pytest.FixtureRequest) -> None:
    config = tiny_config(directory, prefix_caching=False, jump_forward=False)
    parts = build_parts(config, lambda line: None)
    kinds = ("greedy", "sampled", "top_k, top_p, min_p", "penalised", "excluded", "logprobs", "grammar")
    together = {arrival: REQUESTS[kind] for arrival, kind in enumerate(kinds)}
    expected = run(parts.core(), together)
    request.getfixturevalue("as_on_a_device")
    core = parts.core(
        speculator=Speculator(Foreseeing(token_ids(expected)), 3, costs=FreeRows(), most_rows=64)
    )
    outputs = run(core, together)
    assert token_ids(outputs) == token_ids(expected)
    drafts = core.counters.drafts
    assert 0 < drafts.num_accepted_tokens < drafts.num_drafted_tokens


def test_a_readback_gives_every_value_its_numbers_from_one_copy(as_on_a_device: None) -> None:
    tensors = [
        torch.tensor([True, False, True]),
        torch.tensor([[1.5, -torch.inf], [torch.nan, 2.0]]),
        torch.empty(0, 4),
        torch.tensor([2**40, -1]),
        torch.arange(12, dtype=torch.float32).view(3, 4).T,
    ]
    readback = Readback()
    values = [readback.want(tensor) for tensor in tensors]
    readback.pack()
    readback.read()
    for value, tensor in zip(values, tensors, strict=True):
        assert value.array.shape == tuple(tensor.shape)
        torch.testing.assert_close(
            torch.from_numpy(value.array.copy()), tensor, equal_nan=True, rtol=0, atol=0
        )


def test_a_request_aborted_between_the_halves_of_a_step_is_told_nothing(core: EngineCore) -> None:
    for arrival, name in enumerate(("greedy", "siblings", "beams", "embedding", "sampled")):
        add(core, arrival, REQUESTS[name])
    step = core.launch()
    assert step is not None
    for arrival in range(4):
        core.abort(arrival)
    assert [arrival for arrival, _ in core.collect(step)] == [4]
    core.abort(4)
    stats = core.stats()
    assert (stats.num_free_blocks, core.has_work) == (stats.num_blocks, False)
