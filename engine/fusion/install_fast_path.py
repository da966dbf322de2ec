"""The installation of the fast path: finding the modules around a model's stack, and comparing the results.

A pass of the model is observed, to see which module's result is given to which. Then the model and the fast
path compute the same rows. If a bit differs, as in a model that transforms its logits, its own forward is
kept.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from engine.fusion.decode_fast_path import DecodeFastPath
from engine.fusion.fused_layer import FusedLayer
from engine.model.call_hooks import observed
from engine.model.runner import ModelRunner
from engine.port.info.kernels import Kernel, Obstacle, kernel


class ObservedSteps(NamedTuple):
    """Steps whose rows all decode. calls: the last one of each module around the layers.

    logits: [num_rows, vocab_size] of each step.
    """

    calls: "dict[nn.Module, _Call]"
    logits: list[Tensor]


@torch.inference_mode()
def observe_steps(model: PreTrainedModel, run: Callable[[], list[Tensor]]) -> ObservedSteps:
    """Compute steps, and observe the modules that stand around the layers.

    run: computes steps whose rows all decode, and returns their logits.
    """
    calls: dict[nn.Module, _Call] = {}

    def note(module: nn.Module, given: tuple[Any, ...], named: dict[str, Any], returned: Any) -> None:
        calls[module] = _Call([*given, *named.values()], named, returned)

    fused = [layer for layer in model.modules() if isinstance(layer, FusedLayer)]
    whole: Any = model  # transformers does not annotate its decoder, which the base of some holds
    bodies = [body for body in (model.base_model, whole.get_decoder()) if isinstance(body, nn.Module)]
    around = {child for body in bodies for child in body.children()}
    with observed({*around, model.get_input_embeddings(), *fused}, note):
        logits = run()
    return ObservedSteps(calls, logits)


@torch.inference_mode()
def install_fast_path(
    model: PreTrainedModel, runner: ModelRunner, run: Callable[[], list[Tensor]], steps: ObservedSteps | None
) -> Kernel:
    """Install a `DecodeFastPath` if its logits equal those of the model's forward, and report on it.

    run: as of `observe_steps`. steps: of the model as it is now; None where no layers are stacked.
    """
    return kernel("decode_path", _install(model, runner, run, steps))


def _install(
    model: PreTrainedModel, runner: ModelRunner, run: Callable[[], list[Tensor]], steps: ObservedSteps | None
) -> Obstacle | None:
    leads = [layer for layer in model.modules() if isinstance(layer, FusedLayer) and layer.leads is not None]
    if len(leads) != 1 or steps is None:
        return Obstacle("its layers are not one stack")
    path = _find_pass(model, leads[0], steps.calls)
    if path is None:
        return Obstacle("more than an embedding, a norm and a head stands around its layers")
    runner.decode_path = path
    if all(map(torch.equal, run(), steps.logits)):
        return None
    runner.decode_path = None
    return Obstacle("logits differ from those of the model's own forward", is_lack=True)


class _Call(NamedTuple):
    """The last call of a module. given: its arguments, positional ones first. named: those with names."""

    given: list[Any]
    named: dict[str, Any]
    returned: Any


def _find_pass(
    model: PreTrainedModel, first_layer: FusedLayer, calls: dict[nn.Module, _Call]
) -> DecodeFastPath | None:
    """Return the fast path; None if there are other modules between embedding, stack, norm and head."""
    stack, embedding = first_layer.leads, model.get_input_embeddings()
    head: nn.Module | None = model.get_output_embeddings()  # type: ignore[no-untyped-call]  # transformers'
    if stack is None or head is None or not {embedding, first_layer} <= calls.keys():
        return None
    residual, positions = calls[first_layer].given[0], calls[first_layer].named.get("position_embeddings")
    rotary = [module for module, call in calls.items() if call.returned is positions and len(call.given) == 2]
    norms = [
        module for module, call in calls.items() if len(call.given) == 1 and stack.has_made(call.given[0])
    ]
    if calls[embedding].returned is not residual or len(rotary) != 1 or len(norms) != 1:
        return None
    return DecodeFastPath(embedding, rotary[0], stack, norms[0], head)
