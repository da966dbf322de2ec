"""The stacking of consecutive fused layers: finding them, and comparing the results.

A pass shows which layers are consecutive: each is given the tensor that the one before it returned, and the
same positions.
"""

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from engine.fusion.decoder_stack import DecoderStack
from engine.fusion.fused_layer import FusedLayer
from engine.model.call_hooks import observed
from engine.model.checks.reference_pass import relative_difference
from engine.model.checks.tolerance import SAME_OPERATIONS
from engine.port.info.kernels import Kernel, Obstacle, kernel_of_layers


@torch.inference_mode()
def stack_layers(model: PreTrainedModel, run: Callable[[], list[Tensor]]) -> Kernel:
    """Put fused layers into stacks, and report how many, and why not the others.

    run: computes steps whose rows all decode, and returns their logits, [num_rows, vocab_size] each.
    """
    fused = [part for part in model.modules() if isinstance(part, FusedLayer)]
    obstacle = next((why for layer in fused if (why := layer.stacking_obstacle()) is not None), None)
    layers = [layer for layer in fused if layer.stacking_obstacle() is None]
    if not layers:
        return kernel_of_layers(
            "layer_stacking", 0, max(len(fused), 1), obstacle or Obstacle("no layer is fused")
        )
    calls, expected = _observe(layers, run)
    stacked = [layer for chain in _chains(calls) for layer in _join(chain)]
    tolerance = SAME_OPERATIONS.for_dtype(model.dtype)
    if not all(difference < tolerance for difference in map(relative_difference, run(), expected)):
        for layer in stacked:
            layer.enter_stack(None)
        differs = Obstacle("logits differ from those of the layers one by one", is_lack=True)
        return kernel_of_layers("layer_stacking", 0, len(fused), differs)
    return kernel_of_layers("layer_stacking", len(stacked), len(fused), obstacle)


class _Call(NamedTuple):
    """The last call of a layer."""

    layer: FusedLayer
    given: Tensor
    returned: Tensor
    positions: Tensor


def _observe(layers: list[FusedLayer], run: Callable[[], list[Tensor]]) -> tuple[list[_Call], list[Tensor]]:
    """Return the last call of each layer, in order, and the logits of all steps."""
    calls: dict[nn.Module, _Call] = {}

    def note(layer: FusedLayer, inputs: tuple[Any, ...], named: dict[str, Any], output: Tensor) -> None:
        calls.pop(layer, None)
        given = inputs[0] if inputs else named["hidden_states"]
        calls[layer] = _Call(layer, given, output, named["position_embeddings"][0])

    with observed(layers, note):
        logits = run()
    return list(calls.values()), logits


def _chains(calls: list[_Call]) -> Iterator[list[FusedLayer]]:
    number = 0
    numbers = []
    for before, call in zip([None, *calls], calls, strict=False):
        follows = before is not None and (
            call.given is before.returned
            and call.positions is before.positions
            and call.layer.can_follow(before.layer)
        )
        number += not follows
        numbers.append(number)
    for _, chain in groupby(zip(numbers, calls, strict=True), lambda pair: pair[0]):
        yield [call.layer for _, call in chain]


def _join(layers: list[FusedLayer]) -> list[FusedLayer]:
    stack = DecoderStack([layer.parts for layer in layers], [layer.end for layer in layers if layer.end])
    for layer in layers:
        layer.enter_stack(stack, is_first=layer is layers[0])
    return layers
