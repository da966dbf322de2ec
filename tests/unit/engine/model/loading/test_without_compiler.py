"""A server starts without torch's compiler, and what does compile gets it."""

import json
import subprocess
import sys

import torch
from transformers import PreTrainedModel

from engine.model.loading.without_compiler import leave_out_compiler

_START = """
import asyncio, json, os, sys
from engine.config import EngineConfig
from engine.demo_model import DEMO_MODEL
from engine.model.loading.without_compiler import leave_out_compiler
leave_out_compiler()
import torch
from engine.async_engine import AsyncEngine

stand_in = sys.modules["torch._dynamo"]

async def start():
    engine = await AsyncEngine.start(EngineConfig(model=str(DEMO_MODEL), num_kv_blocks=64))
    await engine.stop()

asyncio.run(start())
left_out = ["torch._inductor", "torch.distributed.tensor", "torch.distributed.fsdp"]
loaded = [name for name in left_out if name in sys.modules]
is_kept = sys.modules["torch._dynamo"] is stand_in
graphs = []

def record(module, inputs):
    graphs.append(module)
    return module.forward

result = torch.compile(lambda given: given + 1, backend=record)(torch.ones(2))
print(json.dumps([loaded, is_kept, result.tolist(), len(graphs)]), flush=True)
"""


def test_a_start_loads_no_compiler_and_what_compiles_later_is_compiled() -> None:
    run = subprocess.run([sys.executable, "-c", _START], capture_output=True, text=True, timeout=100)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == [[], True, [2.0, 2.0], 1]


def test_where_models_are_loaded_already_nothing_changes() -> None:
    assert PreTrainedModel.__module__ in sys.modules
    before = sys.modules.get("torch._dynamo"), torch.distributed.is_available
    leave_out_compiler()
    assert (sys.modules.get("torch._dynamo"), torch.distributed.is_available) == before
