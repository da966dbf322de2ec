"""A server starts without parts of torch and transformers that it never runs; who needs them gets them."""

import json
import subprocess
import sys

import pytest
import torch
from transformers import PreTrainedModel

from engine.model.loading.imports.light_imports import import_lightly
from engine.model.loading.imports.meta_kernels import with_meta_kernels

_START = """
import asyncio, json, os, sys
from engine.config import EngineConfig
from engine.demo_model import DEMO_MODEL
from engine.model.loading.imports.light_imports import import_lightly
import_lightly()
import torch
from engine.async_engine import AsyncEngine
from engine.model.loading.imports.meta_kernels import with_meta_kernels

stand_in = sys.modules["torch._dynamo"]

async def start():
    for quantize in None, "int8":
        config = EngineConfig(model=str(DEMO_MODEL), num_kv_blocks=64, quantize=quantize)
        engine = await AsyncEngine.start(config)
        await engine.stop()

asyncio.run(start())
torch.Generator().manual_seed(0)
left_out = ["torch._inductor", "torch.distributed.tensor", "torch.distributed.fsdp", "torch._decomp", "sympy"]
whisper = "transformers.models.whisper.modeling_whisper"
left_out += ["accelerate", "sklearn", "engine.speech.speech_model", whisper]
loaded = [name for name in [*left_out, "torch._meta_registrations"] if name in sys.modules]
is_kept = sys.modules["torch._dynamo"] is stand_in
index = sys.modules["transformers.utils.import_utils"].define_import_structure.__module__

rows = torch.zeros(3, 2, device="meta")
shape = with_meta_kernels(lambda: torch.cdist(rows, rows)).shape

graphs = []

def record(module, inputs):
    graphs.append(module)
    return module.forward

result = torch.compile(lambda given: given + 1, backend=record)(torch.ones(2))
print(json.dumps([loaded, is_kept, index, list(shape), result.tolist(), len(graphs)]), flush=True)
"""


def test_a_start_loads_no_compiler_and_what_compiles_later_is_compiled() -> None:
    run = subprocess.run([sys.executable, "-c", _START], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    index = "engine.model.loading.imports.module_index"
    assert json.loads(run.stdout) == [[], True, index, [3, 3], [2.0, 2.0], 1]


@pytest.mark.parametrize("module", ["torch._decomp.decompositions", "torch._refs"])
def test_what_needs_the_kernels_brings_them_along(module: str) -> None:
    code = f"""
import sys
from engine.model.loading.imports.light_imports import import_lightly
import_lightly()
import torch
assert "torch._meta_registrations" not in sys.modules
import {module}
from torch._decomp import decomposition_table
assert {module}.__file__ and torch._refs is sys.modules["torch._refs"] and decomposition_table
assert torch.cdist(torch.zeros(3, 2, device="meta"), torch.zeros(4, 2, device="meta")).shape == (3, 4)
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)


def test_where_models_are_loaded_already_nothing_changes() -> None:
    assert PreTrainedModel.__module__ in sys.modules
    before = sys.modules.get("torch._dynamo"), torch.distributed.is_available, list(sys.meta_path)
    import_lightly()
    assert (sys.modules.get("torch._dynamo"), torch.distributed.is_available, list(sys.meta_path)) == before


def test_an_operation_that_no_kernel_supports_is_tried_no_second_time() -> None:
    calls: list[None] = []

    def fail() -> None:
        calls.append(None)
        raise NotImplementedError("no such operation")

    assert "torch._meta_registrations" in sys.modules  # as in every process that imported torch whole
    with pytest.raises(NotImplementedError, match="no such operation"):
        with_meta_kernels(fail)
    assert len(calls) == 1
