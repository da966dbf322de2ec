"""Whole steps run on torch's `meta` device, on which no number can be read: what waits for a device raises.

Tensors there have shapes and types, but no numbers. So `item`, `tolist`, `cpu`, `bool` and `nonzero` raise,
and so do operations on tensors of two devices. What is read at the end of a step is made up here.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn.attention.varlen import AuxRequest, varlen_attn_out
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from typing_extensions import override

from engine.attention.varlen.library import VarlenLibrary
from engine.core.core import EngineCore
from engine.grammar.compiler import GrammarCompiler
from engine.host.transfers import Arriving, DeviceValue, Readback
from engine.model.recorded_steps import Capture
from engine.port.errors import EngineError
from engine.port.events import Embedding, FinishReason, TokenEvent
from engine.port.request import EmbeddingRequest, GenerationRequest
from tests.support.selection.effort import usually
from tests.support.tiny_models.text import ARCHITECTURES, HYBRIDS, INDEXED, tiny_tokenizer
from tests.support.varlen_core import varlen_core
from tests.unit.engine.core.test_device_reads import REQUESTS

META = torch.device("meta")
LIBRARY = VarlenLibrary(varlen_attn_out, AuxRequest(lse=True), (torch.bfloat16,))
# What is sampled does not depend on the architecture.
FEW = ("greedy", "prompt logprobs", "embedding")
# Architectures that `make test` tries.
USUAL = ("llama", "gemma3", "deepseek_v32", "gpt_oss", "qwen3_next")
# The token that is made up; a grammar of the requests allows it.
LETTER = tiny_tokenizer().encode("a")[0]


class OneDevice(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch leaves it untyped
    """Raises where an operation is given tensors of the host too, which torch would move there and wait.

    A copy to the device that says that nobody waits for it may be.
    """

    @override
    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor) and leaf.dim()]
        devices = {tensor.device.type for tensor in tensors}
        is_upload = func is torch.ops.aten.copy_.default and not args[0].is_cpu and args[2:] == (True,)
        assert len(devices) < 2 or is_upload, f"{func} is given tensors of {sorted(devices)}"
        return func(*args, **kwargs or {})


class NoLists(TorchFunctionMode):
    """Raises where a tensor is indexed by a list, of which torch makes a tensor on the device, and waits."""

    @override
    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func in (Tensor.__getitem__, Tensor.__setitem__):
            parts = args[1] if isinstance(args[1], tuple) else (args[1],)
            assert not any(isinstance(part, list) for part in parts), "a tensor is indexed by a list"
        return func(*args, **kwargs or {})


@contextmanager
def nothing_read() -> Iterator[None]:
    with NoLists(), OneDevice():  # type: ignore[no-untyped-call]  # torch leaves it untyped
        yield


@pytest.fixture
def numbers_made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a step end without a read: each token is a letter, and all that is asked for is true."""
    want = Readback.want

    def want_made_up(readback: Readback, tensor: Tensor) -> DeviceValue:
        value = want(readback, tensor)
        made_up = np.zeros(tensor.shape, np.float32)
        if tensor.dtype == torch.bool:
            made_up = np.ones(tensor.shape, np.bool_)
        elif tensor.dtype == torch.int64:
            made_up = np.broadcast_to(
                LETTER + np.arange((1, *tensor.shape)[-1]) * (tensor.dim() > 1), tensor.shape
            )
        value.set_array(made_up)
        return value

    monkeypatch.setattr(Readback, "want", want_made_up)
    monkeypatch.setattr(Readback, "read", lambda readback: None)
    monkeypatch.setattr("engine.host.transfers.fetch", lambda tensor: Arriving(tensor, None))


def run(core: EngineCore, kinds: Iterable[str] = REQUESTS) -> Iterator[TokenEvent | Embedding]:
    for arrival, request in enumerate(REQUESTS[kind] for kind in kinds):
        if isinstance(request, EmbeddingRequest):
            core.embed(arrival, request)
            continue
        grammar = request.sampling.grammar
        core.add(arrival, request, GrammarCompiler(core.tokenizer).compile(grammar) if grammar else None)
    while core.has_work:
        with nothing_read():
            step = core.launch()
        assert step is not None
        if step.error is not None:
            raise step.error
        for _, event in core.collect(step):
            assert not isinstance(event, EngineError), event
            yield event


@pytest.mark.usefixtures("numbers_made_up")
@pytest.mark.parametrize("architecture", usually([*ARCHITECTURES, *INDEXED, *HYBRIDS], USUAL))
def test_steps_of_every_architecture_read_nothing(architecture: str) -> None:
    core = varlen_core(architecture, LIBRARY, META, torch.bfloat16)
    kinds = REQUESTS if architecture == "llama" else FEW
    events = list(run(core, kinds))
    ends = [event.finish for event in events if isinstance(event, TokenEvent) and event.finish is not None]
    assert len(ends) == sum(getattr(request, "num_sequences", 0) for request in map(REQUESTS.get, kinds))
    assert set(ends) == {FinishReason.LENGTH}
    assert core.counters.prefill_steps.num_succeeded > 1 and core.counters.decode_steps.num_succeeded > 1


@pytest.mark.usefixtures("numbers_made_up")
def test_steps_with_drafts_read_nothing() -> None:
    core = varlen_core("llama", LIBRARY, META, torch.bfloat16, num_drafted=3)
    assert list(run(core))
    assert core.counters.drafts.num_accepted_tokens > 0


def recorded(compute: Callable[[], None]) -> Callable[[], None]:
    compute()
    return compute


@pytest.mark.usefixtures("numbers_made_up")
def test_steps_that_fill_recordings_read_nothing() -> None:
    core = varlen_core("llama", LIBRARY, META, torch.bfloat16, capture=recorded)
    assert list(run(core, FEW))
    assert core.counters.decode_steps.num_succeeded > 1


def check_launches_ahead(core: EngineCore) -> None:
    """Run requests whose steps are launched ahead of reading the one before, which nothing else reads."""
    for arrival, kind in enumerate(("greedy", "sampled", "logprobs", "siblings")):
        request = REQUESTS[kind]
        assert isinstance(request, GenerationRequest)
        core.add(arrival, request)
    num_ahead, step = 0, None
    while core.has_work:
        with nothing_read():
            step = step or core.launch()
            assert step is not None and step.error is None
            after = core.launch(after=step)
        num_ahead += after is not None
        assert all(isinstance(event, TokenEvent) for _, event in core.collect(step))
        step = after
    assert num_ahead > 3


@pytest.mark.usefixtures("numbers_made_up")
@pytest.mark.parametrize("recording", [None, recorded])
def test_steps_that_are_launched_ahead_read_nothing(recording: Capture | None) -> None:
    core = varlen_core("llama", LIBRARY, META, torch.bfloat16, capture=recording, runs_ahead=True)
    check_launches_ahead(core)


class Uploads(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch leaves it untyped
    """The number of copies from the host to the device."""

    number = 0

    @override
    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **kwargs or {})
        given = [leaf.is_cpu for leaf in tree_leaves(args) if isinstance(leaf, Tensor) and leaf.dim()]
        self.number += any(given) and isinstance(result, Tensor) and result.is_meta
        return result


@pytest.mark.usefixtures("numbers_made_up")
def test_a_recorded_step_is_filled_by_one_copy_and_read_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Options of a request would bring numbers of their own with them."""
    core = varlen_core("llama", LIBRARY, META, torch.bfloat16, capture=recorded)
    request, reads = REQUESTS["greedy"], list[Tensor]()
    assert isinstance(request, GenerationRequest)
    core.add(0, request)
    core.add(1, request)
    core.step()  # which brings what all steps share

    def fetch(tensor: Tensor) -> Arriving:
        reads.append(tensor)
        return Arriving(tensor, None)

    monkeypatch.setattr("engine.host.transfers.fetch", fetch)
    for number in range(1, 4):
        with Uploads() as uploads:  # type: ignore[no-untyped-call]  # torch leaves it untyped
            step = core.launch()
        assert step is not None and step.error is None
        core.collect(step)
        assert (uploads.number, len(reads)) == (1, number)


@pytest.mark.parametrize(
    "call",
    [
        Tensor.item,
        Tensor.tolist,
        Tensor.cpu,
        Tensor.numpy,
        Tensor.nonzero,
        Tensor.unique,
        bool,
        int,
        float,
        lambda tensor: torch.equal(tensor, tensor),
        lambda tensor: tensor.masked_select(tensor > 0),
        lambda tensor: tensor.long().bincount(),
        lambda tensor: tensor.repeat_interleave(tensor.long(), 0),
        lambda tensor: tensor + torch.ones(1),
        lambda tensor: tensor[[0]],
        lambda tensor: tensor[torch.zeros(1, dtype=torch.int64)],
        lambda tensor: tensor[tensor > 0],
        lambda tensor: tensor.copy_(torch.zeros(1)),
    ],
)
def test_what_waits_for_a_device_raises(call: Callable[[Tensor], object]) -> None:
    """Else the tests above could not fail."""
    tensor = torch.ones(1, device=META)
    with nothing_read(), pytest.raises((RuntimeError, TypeError, AssertionError)):
        call(tensor)
