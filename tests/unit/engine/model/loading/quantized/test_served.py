"""Tests that an engine serves a quantized checkpoint as the plain weights that it stands for, and says so."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engine.build import build_core
from engine.config import EngineConfig
from engine.dry_run import dry_run
from engine.packed_cache.content import Checkpoint
from engine.port.info.model_info import ModelInfo
from handlers.serving.model_table import model_lines
from tests.parity.quantized.test_quantization_parity import generate
from tests.support.selection.instructions import needs_compiler
from tests.unit.engine.model.loading.quantized import makers
from tests.unit.engine.model.loading.quantized.pairs import Pair, describe, save_pair

PROMPTS = [tuple(range(5, 25)), (3, 1, 4, 1, 5)]
GPTQ: dict[str, Any] = {"quant_method": "gptq", "bits": 4, "group_size": 32, "desc_act": True}


def saved(directory: Path) -> Pair:
    maker = partial(makers.gptq, bits=4, group_size=32, order="own")
    return save_pair(directory, GPTQ, maker, num_hidden_layers=1)


def served(directory: Path, **settings: Any) -> tuple[list[list[int]], ModelInfo]:
    config = EngineConfig(model=str(directory), device="cpu", num_kv_blocks=20, **settings)
    built = build_core(config, lambda line: None)
    core, info = built.core, built.info
    tokens = generate(core, PROMPTS)
    core.close()
    return tokens, info


@needs_compiler
@pytest.mark.parametrize("settings", [{"dtype": "float32"}, {"dtype": "bfloat16", "quantize": "int8"}])
def test_the_tokens_are_those_of_the_plain_weights(settings: dict[str, Any], tmp_path: Path) -> None:
    pair = saved(tmp_path)
    tokens, info = served(pair.quantized, **settings)
    assert tokens == served(pair.plain, **settings)[0]
    config = EngineConfig(model=str(pair.quantized), device="cpu", num_kv_blocks=20, **settings)
    found = dry_run(config, lambda line: None).info
    assert found is not None
    for described in (info, found):
        line = next(line for line in model_lines("m", described, None) if line.startswith("  weights"))
        assert "MiB, unpacked from 0.1 MiB of GPTQ of 4 bits in groups of 32" in line
        assert line.endswith(", then int8 where linear layers allow it") is ("quantize" in settings)


@pytest.mark.parametrize("change", [{"checkpoint_format": "gptq_v2"}, {"bits": 8}])
def test_what_is_said_of_a_quantization_is_part_of_the_key_of_packed_weights(
    change: dict[str, Any], tmp_path: Path
) -> None:
    directory = saved(tmp_path).quantized
    before = Checkpoint(directory)
    shape, content = before.shape, before.content()
    describe(directory, GPTQ | change)
    assert Checkpoint(directory).shape != shape
    assert Checkpoint(directory).content() != content
