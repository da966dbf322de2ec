"""Whole steps of models run on `cuda:0` as far as shapes, types and devices go, and nothing in them is read.

Tensors of the device have no numbers there (`FakeTensorMode`); those of the host are what they are.
"""

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest
import torch
from torch import Tensor
from torch._subclasses import FakeTensor, FakeTensorMode
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from typing_extensions import override

from engine.assembly.step_memory import largest_step_bytes
from engine.config import EngineConfig
from engine.core.core import EngineCore
from engine.model.recorded_steps import Capture
from engine.port.events import FinishReason, TokenEvent
from tests.parity.test_meta_steps import (
    FEW,
    LIBRARY,
    check_launches_ahead,
    nothing_read,
    numbers_made_up,
    recorded,
    run,
)
from tests.support.live_bytes import peak_on
from tests.support.varlen_core import varlen_core

__all__ = ["numbers_made_up"]  # a fixture
CUDA = torch.device("cuda", 0)
# Of these, torch's attention serves all layers, some, or none; there are experts, indexes and states.
ARCHITECTURES = ("llama", "gemma3", "gpt2", "gpt_oss", "qwen3_moe", "deepseek_v32", "qwen3_next")

pytestmark = [
    pytest.mark.skipif(torch.version.cuda is None, reason="torch is made for CPUs (make test-fake-cuda)"),
    pytest.mark.usefixtures("numbers_made_up", "fake_cuda"),
]


class FakeCuda(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch leaves it untyped
    """Computes on the host what is there, and only the shapes of what is on a GPU, which nothing may read."""

    @override
    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func in (torch.ops.aten.pin_memory.default, torch.ops.aten._pin_memory.default):  # by a driver
            return args[0]
        leaves = tree_leaves((args, kwargs))
        is_given = any(isinstance(leaf, FakeTensor) for leaf in leaves)
        is_made = any(isinstance(leaf, torch.device) and leaf.type == "cuda" for leaf in leaves)
        with nullcontext() if is_given or is_made else unset_fake_temporarily():
            # Under inference mode, an operation may come as a whole that torch has only in parts.
            result = func.decompose(*args, **kwargs or {}) if func.namespace == "aten" else NotImplemented
            if result is NotImplemented:
                result = func(*args, **kwargs or {})
        is_read = is_given and any(isinstance(leaf, Tensor) and leaf.is_cpu for leaf in tree_leaves(result))
        assert not is_read, f"{func} brings numbers to the host"
        return result


@pytest.fixture
def fake_cuda(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device=None: (9, 0))
    # The outer mode computes shapes, and keeps torch from looking for a driver. One would be asked whether
    # cuDNN may decode, so cuDNN is left out.
    with (
        FakeTensorMode(allow_non_fake_inputs=True),
        FakeCuda(),  # type: ignore[no-untyped-call]  # torch leaves it untyped
        sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]),
    ):
        yield


def new_core(architecture: str = "llama", **options: Any) -> EngineCore:
    return varlen_core(architecture, LIBRARY, CUDA, torch.bfloat16, **options)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_steps_of_every_architecture(architecture: str) -> None:
    core = new_core(architecture)
    events = list(run(core, FEW))
    ends = [event.finish for event in events if isinstance(event, TokenEvent) and event.finish is not None]
    assert ends == [FinishReason.LENGTH] * 2
    assert core.counters.prefill_steps.num_succeeded > 1 and core.counters.decode_steps.num_succeeded > 1


def test_prefill_decode_and_mixed_steps_with_all_kinds_of_requests() -> None:
    core = new_core()
    assert list(run(core))
    assert core.counters.prefill_steps.num_succeeded > 1 and core.counters.decode_steps.num_succeeded > 1


def test_steps_with_drafts() -> None:
    core = new_core(num_drafted=3)
    assert list(run(core))
    assert core.counters.drafts.num_accepted_tokens > 0


@pytest.mark.parametrize("recording", [None, recorded])
def test_steps_that_are_launched_ahead_and_recorded(recording: Capture | None) -> None:
    core = new_core(capture=recording, runs_ahead=True)
    check_launches_ahead(core)


def test_the_memory_of_steps_is_measured() -> None:
    core = new_core(max_batch_tokens=48, max_num_sequences=12)
    config = EngineConfig(model="", max_batch_tokens=48, max_num_sequences=12)
    measured = largest_step_bytes(
        core.runner, core.tokenizer, config, 10_000, peak_on("cuda"), is_recorded=True
    )
    assert measured > 48 * core.tokenizer.vocab_size * 4


@pytest.mark.parametrize("read", [Tensor.item, Tensor.tolist, Tensor.cpu, Tensor.nonzero, bool])
def test_what_is_read_raises(read: Any) -> None:
    """Else the tests above could not fail."""
    tensor = torch.ones(1, device=CUDA)
    with pytest.raises((RuntimeError, AssertionError, TypeError)):
        read(tensor)


def test_tensors_of_two_devices_raise() -> None:
    with nothing_read(), pytest.raises(AssertionError, match="tensors of"):
        torch.ones(1, device=CUDA) + torch.ones(1)
