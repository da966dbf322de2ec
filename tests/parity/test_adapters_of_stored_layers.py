"""Adapters change layers that keep a checkpoint's integers as PEFT changes their plain weights."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from engine.build import build_core
from engine.config import AdapterSource, EngineConfig
from engine.core.core import EngineCore
from engine.events import TokenEvent
from engine.lora.opening import open_adapters
from engine.lora.registry import AdapterRegistry
from engine.model.loading.gguf import named_file
from engine.request import SamplingParams, StopConditions
from tests.gguf_files import WIDE, write_gguf
from tests.instructions import needs_compiler
from tests.lora import adapted_model, save_adapter
from tests.parity.test_adapter_parity import prompts, run
from tests.parity.test_stored_groups import AWQ, DESC_ACT, GPTQ
from tests.requests import generation_request
from tests.tiny import tiny_model, tiny_tokenizer
from tests.unit.engine.model.loading.quantized import makers
from tests.unit.engine.model.loading.quantized.pairs import Quantized, save_pair

GPTQ_WEIGHT = partial(makers.gptq, bits=4, group_size=32)
DESC_ACT_WEIGHT = partial(makers.gptq, bits=4, group_size=32, order="shared")
AWQ_WEIGHT = partial(makers.awq, group_size=32)
_NUM_TOKENS = 8
# Of what the adapter changes: rows are rounded to 8 bits, as they are without adapters.
_CLOSE = 0.1


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named_file, "_folder", lambda: tmp_path / "descriptions")


@needs_compiler
@pytest.mark.parametrize("model_type", ["llama", "qwen3"])
@pytest.mark.parametrize("kind", ["Q4_0", "Q8_0", "Q4_K", "Q6_K"])
async def test_adapters_of_a_gguf_file_change_what_peft_changes(
    model_type: str, kind: str, tmp_path: Path
) -> None:
    written = write_gguf(tmp_path / "model.gguf", tiny_model(model_type, **WIDE), tiny_tokenizer(), kind)
    plain = tmp_path / "plain"
    written.model.save_pretrained(plain)  # with the numbers that the blocks stand for
    await _check(written.path, plain, tmp_path)


@needs_compiler
@pytest.mark.parametrize(
    ("description", "maker"), [(GPTQ, GPTQ_WEIGHT), (DESC_ACT, DESC_ACT_WEIGHT), (AWQ, AWQ_WEIGHT)]
)
async def test_adapters_of_a_quantized_checkpoint_change_what_peft_changes(
    description: dict[str, Any], maker: Callable[[Tensor], Quantized], tmp_path: Path
) -> None:
    pair = save_pair(tmp_path, description, maker, num_hidden_layers=2)
    await _check(pair.quantized, pair.plain, tmp_path)


async def _check(model: Path, plain: Path, folder: Path) -> None:
    """Compare a model with two adapters and none with PEFT's of its plain weights.

    folder: where adapters are written.
    """
    folders = {
        name: save_adapter(plain, folder / name, seed=seed) for seed, name in enumerate(("poet", "bard"))
    }
    core, adapters, stored = _opened(model, folders)
    assert stored, "layers keep the integers"
    (prompt,) = prompts(1, seed=3)
    names = (None, *folders)
    events = await run(
        core,
        adapters,
        [
            generation_request(
                request_id=str(number),
                token_ids=prompt,
                sampling=SamplingParams(temperature=0.0, num_logprobs=0, num_prompt_logprobs=0),
                stopping=StopConditions(max_tokens=_NUM_TOKENS, ignore_eos=True),
                adapter=name,
            )
            for number, name in enumerate(names)
        ],
    )
    core.close()
    unchanged = adapted_model(plain, None)
    for number, name in enumerate(names):
        tokens, found = _scores(prompt, events[str(number)])
        without = _expected(unchanged, tokens)
        if name is None:
            own_error = (found - without).norm()
            continue
        expected = _expected(adapted_model(plain, folders[name]), tokens)
        change = (expected - without).norm()
        assert change > 10 * own_error, "an adapter changes more than rounding does"
        assert (found - expected).norm() < _CLOSE * change, name


def _opened(model: Path, folders: dict[str, Path]) -> tuple[EngineCore, AdapterRegistry, dict[int, int]]:
    """Return an engine, its adapters, and how many layers keep a checkpoint's integers."""
    config = EngineConfig(
        model=str(model),
        device="cpu",
        num_kv_blocks=64,
        adapters=tuple(AdapterSource(name, str(folder)) for name, folder in folders.items()),
    )
    core, _, info = build_core(config, lambda line: None)
    return core, open_adapters(core.runner, config, lambda line: None).registry, info.stored_layers


def _scores(prompt: tuple[int, ...], events: list[TokenEvent]) -> tuple[list[int], Tensor]:
    """Return all tokens of a sequence, and the log-probabilities of all but the first."""
    of_prompt = events[0].prompt
    assert of_prompt is not None and len(events) == _NUM_TOKENS
    scores = [*(token.logprob for token in of_prompt[1:]), *(event.logprob for event in events)]
    return [*prompt, *(event.token_id for event in events)], torch.tensor(scores)


@torch.inference_mode()
def _expected(model: Any, tokens: list[int]) -> Tensor:
    """Return transformers' log-probabilities of all tokens but the first."""
    logits: Tensor = model(input_ids=torch.tensor([tokens])).logits[0, :-1]
    return logits.log_softmax(dim=-1).gather(1, torch.tensor(tokens)[1:, None])[:, 0]
