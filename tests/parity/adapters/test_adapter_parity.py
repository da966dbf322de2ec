"""The engine computes with adapters what PEFT computes, alone, mixed in one batch, preempted and in beams."""

from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
from msgspec.structs import replace

from engine.build import build_core
from engine.config import AdapterLimits, AdapterSource, EngineConfig
from engine.core.core import EngineCore
from engine.lora.registry import AdapterRegistry
from engine.port.events import Embedding, TokenEvent
from engine.port.request import BeamParams, GenerationRequest, Pooling, SamplingParams, StopConditions
from tests.support.engine_requests import embedding_request, generation_request
from tests.support.selection.effort import usually
from tests.support.tiny_models.lora import adapted_model, save_adapter
from tests.support.tiny_models.text import save_tiny_model

MAX_TOKENS = 10
TOLERANCE = 1e-4
ARCHITECTURES = ("llama", "qwen2", "qwen3", "gemma2", "gpt2", "gpt_neox", "mistral")

# Name -> how PEFT's configuration says which layers change, and by how much.
CONFIGS: dict[str, dict[str, Any]] = {
    "everything": {},
    "rank-stabilised": {"use_rslora": True, "r": 8},
    "some": {"target_modules": ["q_proj", "v_proj", "down_proj"]},
    "regex": {"target_modules": r".*\.layers\.[02]\..*(k_proj|up_proj)"},
    "one layer": {"target_modules": ["q_proj", "gate_proj"], "layers_to_transform": [1]},
    "patterns": {
        "rank_pattern": {"q_proj": 2, r"layers\.1\.mlp\.up_proj": 7},
        "alpha_pattern": {"o_proj": 1},
    },
    "but some": {"exclude_modules": ["o_proj"]},
}
# Name -> how the engine is squeezed. Prompts are of up to 30 tokens.
SHAPES: dict[str, dict[str, Any]] = {
    "roomy": {},
    "no prefix cache": {"prefix_caching": False},
    "chunks and preemption": {"num_kv_blocks": 20, "block_size": 4, "max_batch_tokens": 9},
    "drafts": {"max_draft_tokens": 3},
}


@dataclass(frozen=True)
class Case:
    """A prompt, the name of an adapter, and what PEFT continues with: greedy tokens, and log-probabilities of
    prompt[1:] and of the tokens."""

    prompt: tuple[int, ...]
    adapter: str | None
    tokens: list[int]
    logprobs: list[float]

    def request(self, number: int) -> GenerationRequest:
        return generation_request(
            request_id=str(number),
            token_ids=self.prompt,
            sampling=SamplingParams(temperature=0.0, num_logprobs=0),
            stopping=StopConditions(max_tokens=MAX_TOKENS, ignore_eos=True),
            adapter=self.adapter,
        )


def expect(model: Any, prompt: tuple[int, ...], adapter: str | None) -> Case:
    ids = torch.tensor([prompt])
    with torch.inference_mode():
        tokens = model.generate(
            input_ids=ids, attention_mask=torch.ones_like(ids), max_new_tokens=MAX_TOKENS, do_sample=False
        )[0]
        logits = model(input_ids=tokens[None]).logits[0, :-1]
    taken = logits.log_softmax(dim=-1).gather(1, tokens[1:, None])[:, 0]
    return Case(prompt, adapter, tokens[len(prompt) :].tolist(), taken.tolist())


def prompts(number: int, seed: int = 0) -> list[tuple[int, ...]]:
    random = Random(seed)
    return [tuple(random.choices(range(256), k=random.randint(1, 30))) for _ in range(number)]


def opened(directory: Path, folders: dict[str, Path], **shape: Any) -> tuple[EngineCore, AdapterRegistry]:
    config = EngineConfig(
        model=str(directory),
        device="cpu",
        adapters=tuple(AdapterSource(name, str(folder)) for name, folder in folders.items()),
        adapter_limits=AdapterLimits(max_in_memory=16),
        **shape,
    )
    built = build_core(config, lambda line: None)
    assert built.adapters is not None
    return built.core, built.adapters


async def run(
    core: EngineCore, adapters: AdapterRegistry, requests: list[GenerationRequest]
) -> dict[str, list[TokenEvent]]:
    events: dict[str, list[TokenEvent]] = {request.request_id: [] for request in requests}
    for arrival, request in enumerate(requests):
        async with adapters.using(request.adapter) as adapter:
            core.add(arrival, request, adapter=adapter)
    while core.has_work:
        for _, event in core.step():
            assert isinstance(event, TokenEvent), event
            events[event.request_id].append(event)
    return events


def check(cases: list[Case], events: dict[str, list[TokenEvent]]) -> None:
    for number, case in enumerate(cases):
        mine = events[str(number)]
        assert [event.token_id for event in mine] == case.tokens, case.adapter
        of_output = case.logprobs[len(case.prompt) - 1 :]
        actual = [event.logprob for event in mine]
        assert actual == pytest.approx(of_output, abs=TOLERANCE), case.adapter


@pytest.mark.parametrize("architecture", usually(ARCHITECTURES, ("llama", "gemma2", "gpt2")))
async def test_every_layer_is_changed_as_by_peft(architecture: str, tmp_path: Path) -> None:
    directory = save_tiny_model(tmp_path / "model", architecture, has_end_token=False)
    folder = save_adapter(directory, tmp_path / "poet")
    cases = [expect(adapted_model(directory, folder), prompt, "poet") for prompt in prompts(2)]
    cases += [expect(adapted_model(directory, None), prompt, None) for prompt in prompts(2)]
    assert all(one.tokens != other.tokens for one, other in zip(cases[:2], cases[2:], strict=True))
    core, adapters = opened(directory, {"poet": folder})
    check(cases, await run(core, adapters, [case.request(number) for number, case in enumerate(cases)]))
    core.close()


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("llama"), "llama", has_end_token=False)


@pytest.fixture(scope="module")
def folders(directory: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("adapters")
    return {
        name: save_adapter(directory, root / name, seed=seed, pickled=name == "some", **config)
        for seed, (name, config) in enumerate(CONFIGS.items())
    }


@pytest.fixture(scope="module")
def cases(directory: Path, folders: dict[str, Path]) -> list[Case]:
    """Two prompts with each adapter and with none; they begin alike, so that the prefix cache must tell."""
    begin = tuple(range(40, 58))
    named: list[tuple[str | None, Path | None]] = [(None, None), *folders.items()]
    models = [(name, adapted_model(directory, folder)) for name, folder in named]
    return [expect(model, begin + prompt, name) for prompt in prompts(2) for name, model in models]


@pytest.mark.parametrize("shape", usually(SHAPES, ("roomy", "chunks and preemption")))
async def test_a_batch_of_many_adapters_computes_each_as_peft_does(
    directory: Path, folders: dict[str, Path], cases: list[Case], shape: str
) -> None:
    core, adapters = opened(directory, folders, **SHAPES[shape])
    requests = [case.request(number) for number, case in enumerate(cases)]
    check(cases, await run(core, adapters, requests))
    if shape == "chunks and preemption":
        assert core.counters.num_preemptions > 0
    if shape == "roomy":  # and once more, from the prefix cache
        check(cases, await run(core, adapters, requests))
        assert core.counters.num_cache_hit_tokens > 0
    core.close()


async def test_log_probabilities_of_prompts_are_those_of_peft(
    directory: Path, folders: dict[str, Path], cases: list[Case]
) -> None:
    core, adapters = opened(directory, folders)
    requests = [case.request(number) for number, case in enumerate(cases[:4])]
    requests = [
        replace(each, sampling=SamplingParams(temperature=0.0, num_prompt_logprobs=0)) for each in requests
    ]
    events = await run(core, adapters, requests)
    for number, case in enumerate(cases[:4]):
        scores = events[str(number)][0].prompt
        assert scores is not None
        actual = [score.logprob for score in scores[1:]]
        assert actual == pytest.approx(case.logprobs[: len(case.prompt) - 1], abs=TOLERANCE)
    core.close()


async def test_beams_with_an_adapter_are_those_of_peft(directory: Path, folders: dict[str, Path]) -> None:
    core, adapters = opened(directory, folders)
    expected = {}
    for number, (name, folder) in enumerate(list(folders.items())[:3]):
        prompt = torch.tensor([prompts(1, seed=number)[0]])
        output = adapted_model(directory, folder).generate(
            input_ids=prompt,
            attention_mask=torch.ones_like(prompt),
            max_new_tokens=MAX_TOKENS,
            num_beams=3,
            num_return_sequences=3,
            do_sample=False,
        )
        expected[str(number)] = (name, prompt[0].tolist(), output[:, prompt.shape[1] :].tolist())
    requests = [
        generation_request(
            request_id=number,
            token_ids=prompt,
            sampling=SamplingParams(temperature=0.0),
            stopping=StopConditions(max_tokens=MAX_TOKENS, ignore_eos=True),
            num_sequences=3,
            beams=BeamParams(num_beams=3),
            adapter=name,
        )
        for number, (name, prompt, _) in expected.items()
    ]
    events = await run(core, adapters, requests)
    for name, (_, _, beams) in expected.items():
        for index, tokens in enumerate(beams):
            assert [event.token_id for event in events[name] if event.index == index] == tokens
    core.close()


async def test_embeddings_are_of_the_adapted_model(directory: Path, folders: dict[str, Path]) -> None:
    core, adapters = opened(directory, folders)
    for arrival, (name, folder) in enumerate([(None, None), *list(folders.items())[:2]]):
        prompt = prompts(1, seed=5)[0]
        request = embedding_request(token_ids=prompt, pooling=Pooling.MEAN, normalize=False, adapter=name)
        async with adapters.using(name) as adapter:
            core.embed(arrival, request, adapter=adapter)
        (output,) = core.step()
        assert isinstance(output[1], Embedding)
        with torch.inference_mode():
            whole = adapted_model(directory, folder)(torch.tensor([prompt]), output_hidden_states=True)
        expected = whole.hidden_states[-1][0].mean(dim=0).tolist()
        assert list(output[1].vector) == pytest.approx(expected, abs=TOLERANCE)
    core.close()
