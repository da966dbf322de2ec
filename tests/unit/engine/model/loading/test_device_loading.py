"""Weights come onto a device one by one, so that the host never has a copy of them all."""

from functools import partial
from pathlib import Path

import pytest
import torch

from engine.config import EngineConfig
from engine.model.loading.fetching import fetch
from engine.model.loading.loader import load_model
from engine.model.loading.planning.plan import plan_model
from engine.model.loading.weights import ReadModel, read_weights
from engine.port.errors import LibrariesMissing
from tests.support.live_bytes import LiveBytes
from tests.support.selection.effort import usually
from tests.support.tiny_models.text import ARCHITECTURES, HYBRIDS, save_tiny_model
from tests.unit.engine.model.loading.quantized import makers
from tests.unit.engine.model.loading.quantized.pairs import save_pair
from tests.unit.engine.model.loading.quantized.test_served import GPTQ

META = torch.device("meta")


def read(directory: Path) -> ReadModel:
    """Read a model's weights onto torch's meta device, as onto a GPU."""
    config = EngineConfig(model=str(directory), device="cpu")
    plan = plan_model(fetch(config, lambda line: None), config)
    return read_weights(
        plan.directory,
        plan.config,
        torch.bfloat16,
        config,
        lambda line: None,
        device=META,
        attends_paged=plan.paged_obstacle is None,
        quantized=plan.quantized,
        unread={},
    )


@pytest.mark.parametrize(
    "architecture", usually([*ARCHITECTURES, *HYBRIDS], ("llama", "gpt_oss", "qwen3_moe", "qwen3_next"))
)
def test_nothing_of_a_model_stays_on_the_host(architecture: str, tmp_path: Path) -> None:
    model = read(save_tiny_model(tmp_path, architecture)).text
    assert {tensor.device for tensor in [*model.parameters(), *model.buffers()]} == {META}


@pytest.mark.parametrize("is_quantized", [False, True])
def test_no_more_than_a_few_weights_are_on_the_host(
    is_quantized: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_DEACTIVATE_ASYNC_LOAD", "1")  # all is read in this thread, whose tensors are seen
    maker = partial(makers.gptq, bits=4, group_size=32)
    pair = save_pair(tmp_path, {**GPTQ, "desc_act": False}, maker, num_hidden_layers=8)
    with LiveBytes("cpu", has_given=True) as live:
        model = read(pair.quantized if is_quantized else pair.plain).text
    largest = max(parameter.numel() for parameter in model.parameters())
    total = sum(parameter.numel() for parameter in model.parameters())
    assert largest <= live.most / 4 <= 3 * largest < total / 4  # as float32, in which it is stored


def test_a_gpu_needs_what_reads_weights_onto_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.model.loading.loader.missing", lambda extra: ["accelerate"])
    monkeypatch.setattr("engine.model.loading.planning.plan.choose_device", lambda name: torch.device("cuda"))
    monkeypatch.setattr("engine.model.loading.loader.check_room", lambda *of: None)
    config = EngineConfig(model=str(save_tiny_model(tmp_path)))
    with pytest.raises(LibrariesMissing, match=r"onto cuda without accelerate: pip install .*\[gpu\]"):
        load_model(config, lambda line: None)
