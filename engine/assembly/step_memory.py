"""The memory that the largest steps of a GPU take, measured at load by computing them.

The cache takes what they leave free (`engine/attention/kv_cache/budget.py`).
"""

from collections.abc import Callable
from functools import partial
from typing import Final

import torch
from typing_extensions import override

from engine.config import EngineConfig
from engine.core.core import EngineCore
from engine.core.runner import Runner
from engine.port.errors import ModelNotSupported, NoPagedAttention, one_line
from engine.port.request import GenerationRequest, Prompt, SamplingParams, StopConditions
from engine.port.text.tokenizer import Tokenizer
from engine.sampling.sampler import Sampler
from engine.scheduling.block_pool import BlockPool
from engine.scheduling.scheduler import Scheduler

# Runs a computation, and returns the most bytes that its tensors took at the same time.
PeakOf = Callable[[Callable[[], None]], int]

_GREEDY: Final = SamplingParams(temperature=0.0)
# A few of the best tokens are found block by block, which takes more memory than finding many.
_FEW_LOGPROBS: Final = SamplingParams(temperature=0.0, num_prompt_logprobs=2)
# Logits take most memory where all of this is asked for at the same time.
_ALL_OPTIONS: Final = SamplingParams(
    top_p=0.9,
    typical_p=0.9,
    min_p=0.01,
    repetition_penalty=1.1,
    presence_penalty=0.1,
    num_logprobs=20,
    adjusted_logprobs=True,
    num_prompt_logprobs=20,
)


def cuda_peak(device: torch.device) -> PeakOf | None:
    """Return the measure of torch's allocator of a GPU; None for a CPU, whose memory others use too."""
    if device.type != "cuda":
        return None

    def peak_of(compute: Callable[[], None]) -> int:
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats(device)
        before = torch.cuda.memory_allocated(device)
        compute()
        torch.cuda.synchronize(device)
        peak = torch.cuda.max_memory_allocated(device) - before
        torch.cuda.empty_cache()  # so that what is read next as free is free
        return peak

    return peak_of


class _OneBlock(BlockPool):
    """A pool whose blocks are all the first, so that sequences of any number and length take one page."""

    @override
    def allocate(self) -> int:
        return 0

    @override
    def release(self, block: int) -> None:
        """Do nothing: there is nothing to own."""


def largest_step_bytes(
    runner: Runner,
    tokenizer: Tokenizer,
    config: EngineConfig,
    max_total_tokens: int,
    peak_of: PeakOf,
    *,
    is_recorded: bool,
) -> int:
    """Return the most bytes that a step takes in addition to weights and cache.

    Steps of as many tokens as one may have are computed, with all options: one in which as many sequences
    as possible decode, while prompts take the rest, and others of prompts only.
    is_recorded: whether steps are to be recorded, which have memory of their own as long as the engine runs.
    runner: has at least one block, whose contents are lost.
    Raises ModelNotSupported if there is too little memory for them, and NoPagedAttention if they fail.
    """
    num_tokens, longest = config.max_batch_tokens, max(1, max_total_tokens - 1)
    # A draft has as many rows, from which tokens are drawn, as if its tokens were of other sequences.
    most = min(config.max_num_sequences * (1 + config.max_draft_tokens), num_tokens)
    num_prompts = min(-(-num_tokens // longest), most)

    def peak(num_decoding: int, sampling: SamplingParams) -> int:
        num_left = min(num_tokens - num_decoding, num_prompts * longest)
        lengths = [(num_left + index) // num_prompts for index in range(num_prompts)]
        return peak_of(partial(_compute, runner, tokenizer, num_decoding, lengths, sampling))

    try:
        in_recordings = peak(most - num_prompts, _GREEDY) if is_recorded else 0
        in_steps = max(peak(most - num_prompts, _ALL_OPTIONS), peak(0, _ALL_OPTIONS), peak(0, _FEW_LOGPROBS))
    except torch.OutOfMemoryError as error:
        raise ModelNotSupported(
            f"a step of {num_tokens:,} tokens takes more memory than the weights leave on {runner.device}: "
            "give a smaller --max-batch-prefill-tokens"
        ) from error
    except Exception as error:  # whatever modelling code and kernels raise for so many tokens
        raise NoPagedAttention(f"a step of {num_tokens:,} tokens raises: {one_line(error)}") from error
    return in_steps + in_recordings


def _compute(
    runner: Runner, tokenizer: Tokenizer, num_decoding: int, lengths: list[int], sampling: SamplingParams
) -> None:
    """Compute a step in which so many sequences decode, while prompts of these lengths begin."""
    num_tokens, num_sequences = num_decoding + sum(lengths), num_decoding + len(lengths)
    scheduler = Scheduler(
        _OneBlock(2 * (num_tokens + num_sequences), runner.block_size),
        max_batch_tokens=num_tokens,
        max_num_sequences=num_sequences,
        prefix_caching=False,
    )
    core = EngineCore(runner, scheduler, Sampler(tokenizer), tokenizer)
    prompts = [Prompt((min(tokenizer.known_ids),) * length) for length in [1] * num_decoding + lengths]
    stopping = StopConditions(max_tokens=num_sequences + 1, ignore_eos=True)
    try:
        for arrival, prompt in enumerate(prompts):
            if arrival == num_decoding:
                while scheduler.waiting:  # some begin in each step
                    _step(core)
            core.add(
                arrival,
                GenerationRequest(request_id="", prompt=prompt, sampling=sampling, stopping=stopping),
            )
        num_rows = _step(core)
        assert num_rows == num_tokens
    finally:
        core.close()


def _step(core: EngineCore) -> int:
    """Compute a step, and return how many rows it has."""
    step = core.launch()
    assert step is not None
    if step.error is not None:
        raise step.error
    core.collect(step)
    return step.schedule.num_rows
