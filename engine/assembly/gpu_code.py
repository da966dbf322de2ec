"""The code of a GPU that takes the place of ours where a model's logits stay the same.

It is torch's own attention over pages, and decoding steps that are recorded and replayed.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from engine.attention.paged_attention import PagedAttention
from engine.attention.paged_backend import PagedBackend
from engine.attention.varlen.choice import VarlenChoice
from engine.attention.varlen.plan import rounded
from engine.model.checks.reference_pass import relative_difference
from engine.model.checks.self_check import decoded_logits, paged_logits
from engine.model.checks.tolerance import LOGITS, SAME_OPERATIONS, Tolerance
from engine.model.decode_graphs import Capture, DecodeGraphs
from engine.model.runner import ModelRunner
from engine.port.errors import one_line
from engine.port.info.kernels import Kernel, Obstacle, kernel

_MOST_ROWS = 256


def install_varlen(choice: VarlenChoice, attention: PagedBackend, runner: ModelRunner) -> Kernel:
    """Let torch's varlen attention serve the layers that were chosen, and report on it."""
    if choice.served is None:
        return choice.kernel
    own = paged_logits(runner)
    attention.attention = choice.served.attention
    obstacle = _find_obstacle(runner, own, lambda: paged_logits(runner), LOGITS)
    if obstacle is None:
        return choice.kernel
    attention.attention = PagedAttention
    return kernel("varlen_attention", obstacle)


def install_graphs(
    choice: VarlenChoice,
    attention: PagedBackend,
    runner: ModelRunner,
    capture: Capture,
    *,
    num_sequences: int,
    most_keys: int,
) -> Kernel:
    """Record decoding steps of up to so many sequences, and report on it. most_keys: of a sequence."""
    served, num_layers = choice.served, attention.pages.num_layers
    if served is None or attention.attention is PagedAttention or len(served.layers) < num_layers:
        return Kernel(
            "decode_graphs", False, obstacle=Obstacle("take models whose layers all attend by torch's own")
        )
    if runner.num_slots is not None:
        return Kernel("decode_graphs", False, obstacle=Obstacle("take no recurrent states"))
    graphs = DecodeGraphs(runner, attention.pages, served, most_keys)
    largest = rounded(min(num_sequences, _MOST_ROWS, attention.pages.num_blocks))
    sizes = [1 << bits for bits in range(largest.bit_length())]
    obstacle = None
    for size in reversed(sizes):  # the largest first, in whose memory the others fit
        obstacle = _record(graphs, size, runner, capture) or obstacle
    if graphs.sizes:
        runner.decode_path = graphs
    num_recorded = len(graphs.sizes)
    scope = f"{num_recorded} of {len(sizes)} sizes" if num_recorded else ""
    return Kernel("decode_graphs", num_recorded > 0, scope, obstacle)


def _record(graphs: DecodeGraphs, size: int, runner: ModelRunner, capture: Capture) -> Obstacle | None:
    """Record steps of a size, and return why they are not replayed, if they are not."""
    own = torch.cat(decoded_logits(runner, num_sequences=size))
    try:
        graphs.record(size, capture)
    except Exception as error:  # whatever a model raises that reads what its device computes
        return Obstacle(f"{size} rows cannot be recorded: {one_line(error)}", is_lack=True)
    runner.decode_path = graphs
    obstacle = _find_obstacle(
        runner, own, lambda: torch.cat(decoded_logits(runner, num_sequences=size)), SAME_OPERATIONS
    )
    runner.decode_path = None
    if obstacle is not None:
        graphs.forget(size)
    return obstacle


def _find_obstacle(
    runner: ModelRunner, own: Tensor, run: Callable[[], Tensor], tolerance: Tolerance
) -> Obstacle | None:
    """Return why a pass is not in place of ours, whose logits are given; None if its logits are the same."""
    model = runner.model
    try:
        difference = relative_difference(run(), own)
    except Exception as error:  # whatever a kernel raises that does not take a model's tensors
        return Obstacle(f"the pass of a few tokens raises: {one_line(error)}", is_lack=True)
    if difference < tolerance.for_dtype(model.dtype):
        return None
    return Obstacle(f"the logits of {type(model).__name__} differ by {difference:.1%}", is_lack=True)
