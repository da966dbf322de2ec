"""Attention to the keys that an index chooses: what is cached for it, and what else its layers need."""

from pathlib import Path
from typing import Any, Literal

import pytest
import torch
from torch import nn
from transformers import AutoModelForCausalLM
from typing_extensions import override

from engine.attention import paged_attention
from engine.attention.selection import Selection, select
from engine.build import build_parts
from engine.config import EngineConfig
from engine.model.adaptation.indexers import adapt_indexers
from engine.port.errors import ModelNotSupported
from engine.port.request import SamplingParams, StopConditions
from tests.parity.test_engine_parity import Expected, add, assert_as_expected, expect, run
from tests.support.engine_requests import generation_request
from tests.support.tiny_models.config import tiny_config
from tests.support.tiny_models.text import save_tiny_model

TOP_K = 7
INDEX_DIM = 16


def config_of(directory: Path, **options: Any) -> EngineConfig:
    return tiny_config(directory, **{"dtype": "float32", **options})


def say_nothing(line: str) -> None:
    pass


@pytest.mark.parametrize(("architecture", "num_indexes"), [("deepseek_v32", 3), ("glm_moe_dsa", 2)])
def test_layers_with_an_index_of_their_own_cache_its_keys(
    architecture: str, num_indexes: int, tmp_path: Path
) -> None:
    save_tiny_model(tmp_path, architecture)
    parts = build_parts(config_of(tmp_path, num_kv_blocks=10, block_size=4), say_nothing)
    assert parts.info.attention == (f"the {TOP_K} tokens that an index chooses in 3 layers",)
    keys_and_values = 3 * 4 * (16 + 12)  # layers, heads, dimensions
    assert parts.info.kv_cache_bytes == 10 * 4 * 4 * (keys_and_values + num_indexes * INDEX_DIM)


def test_few_tokens_are_seen_whole_and_more_are_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_tiny_model(tmp_path, "deepseek_v32", has_end_token=False)
    model: Any = AutoModelForCausalLM.from_pretrained(
        tmp_path, dtype=torch.float32, attn_implementation="eager"
    )
    core = build_parts(config_of(tmp_path), say_nothing).core()
    chosen: list[Selection] = []

    def note(*arguments: Any) -> Selection:
        chosen.append(select(*arguments))
        return chosen[-1]

    monkeypatch.setattr(paged_attention, "select", note)
    expected: Expected = expect(model, [3, 200, 41])
    add(core, 0, expected)
    events: dict[int, list[Any]] = {}
    while core.has_work:
        run(core, events)
    assert_as_expected(events[0], expected)
    # A chunk of the prompt, and a step for each token but the last, in each of three layers.
    num_whole = 3 * (TOP_K - len(expected.prompt) + 1)
    assert all(selection.plan is None for selection in chosen[:num_whole])
    assert all(selection.plan is not None for selection in chosen[num_whole:])
    assert len(chosen) > num_whole


@pytest.mark.parametrize("quantize", [None, "int8"])
def test_a_linear_layer_whose_weight_an_index_reads_stays_as_it_is(
    quantize: Literal["int8"] | None, tmp_path: Path
) -> None:
    save_tiny_model(tmp_path, "deepseek_v32", has_end_token=False)
    core = build_parts(config_of(tmp_path, dtype="bfloat16", quantize=quantize), say_nothing).core()
    request = generation_request(
        token_ids=tuple(range(3 * TOP_K)),
        sampling=SamplingParams(temperature=0.0),
        stopping=StopConditions(max_tokens=4),
    )
    core.add(0, request)
    events: dict[int, list[Any]] = {}
    while core.has_work:
        run(core, events)
    assert len(events[0]) == 4


def test_an_index_of_another_kind_is_refused() -> None:
    class Pooling(nn.Module):
        @override
        def forward(self, hidden_states: Any, q_resid: Any, attention_mask: Any, past_key_values: Any) -> Any:
            raise NotImplementedError

    layer: Any = nn.Module()
    layer.indexer = Pooling()
    with pytest.raises(ModelNotSupported, match="Pooling chooses keys in a way that paged attention lacks"):
        adapt_indexers(layer)
