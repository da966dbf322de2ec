"""Adapters change layers whose weights are integers as PEFT changes their plain weights."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor, nn

from engine.build import build_core
from engine.config import AdapterSource, EngineConfig
from engine.core.core import EngineCore
from engine.linear.rounded.quantization import QUANTIZATIONS
from engine.lora.registry import AdapterRegistry
from engine.model.loading.gguf import named_file
from engine.port.events import TokenEvent
from engine.port.info.kernels import Kernel
from engine.port.info.model_info import ModelInfo
from engine.port.request import SamplingParams, StopConditions
from tests.parity.adapters.test_adapter_parity import prompts, run
from tests.parity.quantized.test_stored_groups import AWQ, DESC_ACT, GPTQ
from tests.support.engine_requests import generation_request
from tests.support.selection.effort import usually
from tests.support.selection.instructions import needs_compiled_bfloat16, needs_compiler
from tests.support.tiny_models.gguf_files import WIDE, write_gguf
from tests.support.tiny_models.lora import adapted_model, save_adapter
from tests.support.tiny_models.text import tiny_model, tiny_tokenizer
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
@pytest.mark.by_turns("kind", "model_type")
@pytest.mark.parametrize("model_type", ["llama", "qwen3"])
@pytest.mark.parametrize("kind", usually(["Q4_0", "Q8_0", "Q4_K", "Q6_K"], ("Q4_0", "Q6_K")))
async def test_adapters_of_a_gguf_file_change_what_peft_changes(
    model_type: str, kind: str, tmp_path: Path
) -> None:
    written = write_gguf(tmp_path / "model.gguf", tiny_model(model_type, **WIDE), tiny_tokenizer(), kind)
    plain = tmp_path / "plain"
    written.model.save_pretrained(plain)  # with the numbers that the blocks stand for
    assert (await _check(written.path, plain, tmp_path)).info.stored_layers


@needs_compiler
@pytest.mark.parametrize(
    ("description", "maker"), [(GPTQ, GPTQ_WEIGHT), (DESC_ACT, DESC_ACT_WEIGHT), (AWQ, AWQ_WEIGHT)]
)
async def test_adapters_of_a_quantized_checkpoint_change_what_peft_changes(
    description: dict[str, Any], maker: Callable[[Tensor], Quantized], tmp_path: Path
) -> None:
    pair = save_pair(tmp_path, description, maker, num_hidden_layers=2)
    assert (await _check(pair.quantized, pair.plain, tmp_path)).info.stored_layers


@needs_compiled_bfloat16
@pytest.mark.by_turns("quantize", "dtype")
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("quantize", usually([*QUANTIZATIONS], ("int8", "int4-asym")))
async def test_adapters_of_rounded_layers_change_what_peft_changes(
    quantize: str, dtype: str, tmp_path: Path
) -> None:
    plain = tmp_path / "plain"
    model = tiny_model("qwen3", **WIDE)
    for module in model.model.layers.modules():
        if isinstance(module, nn.Linear):
            module.weight.data = _weight_of_4_bits(*module.weight.shape)
    model.save_pretrained(plain)
    tiny_tokenizer().save_pretrained(plain)
    opened = await _check(plain, plain, tmp_path, dtype=dtype, quantize=quantize)
    info = opened.info
    # Queries, keys and values are one layer, and so are gate and up.
    assert (info.num_int4_layers or info.num_int8_layers - 1) == 4 * model.config.num_hidden_layers
    if dtype == "bfloat16":
        assert [(each.name, each.in_use) for each in opened.kernels] == [("adapters", True)]


def _weight_of_4_bits(num_outputs: int, num_inputs: int) -> Tensor:
    """Return a weight that each rounding to 4 bits leaves as it is, and bfloat16 too.

    Groups of 16 and more have the least and the largest integer.
    """
    values = torch.randint(-8, 8, (num_outputs, num_inputs))
    values[:, ::16], values[:, 1::16] = -8, 7
    scales = torch.randint(4, 8, (num_outputs, num_inputs // 128)) / 2**8
    return values * scales.repeat_interleave(128, dim=1)


async def _check(model: Path, plain: Path, folder: Path, **settings: Any) -> "_Opened":
    """Compare a model with two adapters and none with PEFT's of its plain weights.

    folder: where adapters are written. settings: the engine's.
    """
    folders = {
        name: save_adapter(plain, folder / name, seed=seed) for seed, name in enumerate(("poet", "bard"))
    }
    opened = _open(model, folders, **settings)
    core = opened.core
    (prompt,) = prompts(1, seed=3)
    names = (None, *folders)
    events = await run(
        core,
        opened.registry,
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
    return opened


class _Opened(NamedTuple):
    """An engine and its adapters. kernels: those of adapters."""

    core: EngineCore
    info: ModelInfo
    registry: AdapterRegistry
    kernels: tuple[Kernel, ...]


def _open(model: Path, folders: dict[str, Path], **settings: Any) -> _Opened:
    config = EngineConfig(
        model=str(model),
        device="cpu",
        num_kv_blocks=64,
        adapters=tuple(AdapterSource(name, str(folder)) for name, folder in folders.items()),
        **settings,
    )
    built = build_core(config, lambda line: None)
    assert built.adapters is not None
    kernels = tuple(each for each in built.info.kernels if each.name == "adapters")
    return _Opened(built.core, built.info, built.adapters, kernels)


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
