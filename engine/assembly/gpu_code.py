"""The code of a GPU that takes the place of ours where a model's logits stay the same.

It is torch's own attention over pages, and steps that are recorded and replayed.
"""

from collections.abc import Callable
from typing import Final

import torch
from torch import Tensor

from engine.attention.paged_attention import PagedAttention
from engine.attention.paged_backend import PagedBackend
from engine.attention.varlen.choice import VarlenChoice
from engine.attention.varlen.plan import rounded
from engine.config import EngineConfig
from engine.model.checks.reference_pass import relative_difference
from engine.model.checks.self_check import decoded_logits, mixed_logits, paged_logits
from engine.model.checks.tolerance import LOGITS, SAME_OPERATIONS, Tolerance
from engine.model.recorded_steps import Capture, RecordedSteps, StepSize
from engine.model.runner import ModelRunner
from engine.port.errors import one_line
from engine.port.info.kernels import Kernel, KernelName, Obstacle, kernel
from engine.scheduling.scheduler import Scheduler

_MOST_SEQUENCES: Final = 256
# Of a step that is not of decoding rows only; a smaller one takes as long.
_FEWEST_TOKENS: Final = 256
_MOST_TOKENS: Final = 2048


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


def report_ahead(config: EngineConfig, scheduler: Scheduler) -> Kernel:
    """Report on whether a step is launched before the one before it is collected."""
    obstacle = None
    if config.max_draft_tokens:
        obstacle = Obstacle("takes no drafts, which need the tokens before them")
    elif not scheduler.is_even:
        obstacle = Obstacle("takes no recurrent states, and no model that computes long sequences otherwise")
    return kernel("launch_ahead", obstacle)


def record_steps(
    choice: VarlenChoice,
    attention: PagedBackend,
    runner: ModelRunner,
    capture: Capture,
    *,
    num_sequences: int,
    num_tokens: int,
    most_keys: int,
) -> tuple[Kernel, Kernel]:
    """Record steps of up to so many sequences and tokens, and report on those that decode, and on the others.

    most_keys: of a sequence.
    """
    served, num_layers = choice.served, attention.pages.num_layers
    obstacle = None
    if served is None or attention.attention is PagedAttention or len(served.layers) < num_layers:
        obstacle = Obstacle("take models whose layers all attend by torch's own")
    elif runner.num_slots is not None:
        obstacle = Obstacle("take no recurrent states")
    if served is None or obstacle is not None:
        return kernel("decode_graphs", obstacle), kernel("mixed_graphs", obstacle)
    steps = RecordedSteps(runner, attention.pages, served, most_keys)
    runner.recordings = steps
    most = rounded(min(num_sequences, _MOST_SEQUENCES, attention.pages.num_blocks))
    most_tokens = min(max(rounded(num_tokens), _FEWEST_TOKENS), _MOST_TOKENS)
    of_any = [StepSize.of_any(number, most) for number in _powers(_FEWEST_TOKENS, most_tokens)]
    of_decodes = [StepSize.of_decodes(number) for number in _powers(1, most)]
    # The largest first, whose memory the others use.
    mixed = _record("mixed_graphs", steps, of_any, runner, capture)
    decode = _record("decode_graphs", steps, of_decodes, runner, capture)
    if not steps.sizes:
        runner.recordings = None
    return decode, mixed


def _powers(first: int, last: int) -> list[int]:
    """Return the powers of two from one to another, descending."""
    return [1 << bits for bits in reversed(range(first.bit_length() - 1, last.bit_length()))]


def _record(
    name: KernelName, steps: RecordedSteps, sizes: list[StepSize], runner: ModelRunner, capture: Capture
) -> Kernel:
    """Record steps of these sizes, and report on those whose logits are the model's own."""
    obstacle, num_recorded = None, 0
    for size in sizes:
        why_not = _record_size(steps, size, runner, capture)
        num_recorded += why_not is None
        obstacle = why_not or obstacle
    scope = f"{num_recorded} of {len(sizes)} sizes" if num_recorded else ""
    return Kernel(name, num_recorded > 0, scope, obstacle)


def _record_size(
    steps: RecordedSteps, size: StepSize, runner: ModelRunner, capture: Capture
) -> Obstacle | None:
    """Record steps of a size, and return why they are not replayed, if they are not."""

    def run() -> Tensor:
        if size.most_rows > 1:
            return mixed_logits(runner, size.num_rows)
        return torch.cat(decoded_logits(runner, num_sequences=size.num_rows))

    runner.recordings = None
    own = run()
    runner.recordings = steps
    try:
        steps.record(size, capture)
    except Exception as error:  # whatever a model raises that reads what its device computes
        return Obstacle(f"{size.num_rows} rows cannot be recorded: {one_line(error)}", is_lack=True)
    obstacle = _find_obstacle(runner, own, run, SAME_OPERATIONS)
    if obstacle is not None:
        steps.forget(size)
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
