"""The check at load that paged attention gives the same logits as the model's own attention."""

from collections.abc import Sequence

import torch
from torch import Tensor
from transformers import PreTrainedModel

from engine.attention.batch import build_batch
from engine.model.checks.reference_pass import is_same, reference_logits, relative_difference
from engine.model.runner import ModelRunner
from engine.port.errors import ModelNotSupported, NoPagedAttention
from engine.port.info.adapter import Adapter
from engine.port.request import Prompt
from engine.scheduling.block_pool import BlockPool
from engine.scheduling.schedule import ScheduledTokens
from engine.scheduling.scheduler import Scheduler

_NUM_TOKENS = 8
# The number of sequences that decode together, if the cache has room for them: compiled code treats so many
# rows as many.
_NUM_SEQUENCES = 8
_CHUNKS = ((0, 5), (5, 7), (7, 8))  # the first begins, the second continues, the third decodes


def eager_logits(model: PreTrainedModel) -> Tensor:
    """Return the logits of a few tokens, computed with transformers' eager attention.

    Raises ModelNotSupported if they are not finite.
    """
    logits = reference_logits(model, list(range(_NUM_TOKENS)))
    if not logits.isfinite().all():
        raise ModelNotSupported(
            f"{type(model).__name__} computes logits of NaN or infinity in {model.dtype}: its weights are "
            "broken, or need another dtype"
        )
    return logits


def check_attention(
    model: PreTrainedModel, paged: Tensor, eager: Tensor, *, is_quantized: bool = False
) -> None:
    """Compare the results of `paged_logits` and `eager_logits`. Raises NoPagedAttention on a difference."""
    difference = relative_difference(paged, eager)
    if not is_same(difference, model.dtype, is_quantized=is_quantized):
        raise NoPagedAttention(
            f"paged attention differs from {type(model).__name__}'s own by {difference:.1%} of its logits"
        )


def paged_logits(runner: ModelRunner, adapter: Adapter | None = None) -> Tensor:
    """Return the logits of one short sequence computed in chunks, [num_tokens, vocab_size] float32.

    adapter: the sequence's. It uses the first blocks of an empty cache, and clears them.
    """
    block_size = runner.block_size
    pool = BlockPool(-(-_NUM_TOKENS // block_size), block_size)
    scheduler = Scheduler(pool, max_batch_tokens=_NUM_TOKENS, max_num_sequences=1)
    prompt = Prompt(tuple(range(_NUM_TOKENS)))
    sequence = scheduler.new_sequence(order=(0, 0, 0), prompt=prompt, adapter=adapter)
    sequence.table.grow(_NUM_TOKENS, write_from=0)
    sequence.slot = 0
    chunks = []
    for start, end in _CHUNKS:
        batch = build_batch([ScheduledTokens(sequence, start, end)], block_size)
        chunks.append(runner.run(batch, list(range(end - start))).float())
    runner.clear_blocks(sequence.table.block_ids)
    return torch.cat(chunks)


def decoded_logits(
    runner: ModelRunner,
    adapters: Sequence[Adapter | None] = (None,),
    *,
    num_sequences: int = _NUM_SEQUENCES,
) -> list[Tensor]:
    """Return the logits of three steps whose rows all decode: many, one alone, the others.

    adapters: those of the sequences, which have them by turns. num_sequences: of many. Each is
    [num_rows, vocab_size] float32. It uses the first blocks of an empty cache, and clears them.
    """
    block_size = runner.block_size
    num_blocks = -(-2 // block_size)  # of a sequence of two tokens
    num_slots = num_sequences if runner.num_slots is None else runner.num_slots
    num_sequences = max(1, min(num_sequences, num_slots, runner.num_blocks // num_blocks))
    pool = BlockPool(num_sequences * num_blocks, block_size)
    scheduler = Scheduler(pool, max_batch_tokens=num_sequences, max_num_sequences=num_sequences)
    sequences = []
    for index in range(num_sequences):
        sequence = scheduler.new_sequence(
            order=(0, index, 0),
            prompt=Prompt((index, index + 1)),
            adapter=adapters[index % len(adapters)],
        )
        sequence.table.grow(2, write_from=0)
        sequence.slot = index
        sequences.append(sequence)
    first, *others = sequences
    steps = [
        [ScheduledTokens(each, 0, 1) for each in sequences],
        [ScheduledTokens(first, 1, 2)],
        [ScheduledTokens(each, 1, 2) for each in others],
    ]
    logits = []
    for entries in filter(None, steps):
        batch = build_batch(entries, block_size)
        logits.append(runner.run(batch, list(range(len(entries)))).float())
    runner.clear_blocks([block for sequence in sequences for block in sequence.table.block_ids])
    return logits


def mixed_logits(runner: ModelRunner, num_tokens: int) -> Tensor:
    """Return the logits of two steps with chunks of prompts, of the last row of each sequence.

    The first step has so many tokens, of a long prompt and a short one; in the second the long one decodes,
    while the other continues. Returns [4, vocab_size] float32. It uses the first blocks of an empty cache,
    and clears them.
    """
    block_size = runner.block_size
    num_long = min(num_tokens, (runner.num_blocks - 1) * block_size - 1) - _NUM_TOKENS
    ends = (num_long + 1, _NUM_TOKENS + 5)
    num_blocks = [-(-end // block_size) for end in ends]
    scheduler = Scheduler(
        BlockPool(sum(num_blocks), block_size), max_batch_tokens=num_tokens, max_num_sequences=2
    )
    sequences = []
    for index, end in enumerate(ends):
        prompt = Prompt(tuple((token + index) % 97 for token in range(end)))
        sequences.append(scheduler.new_sequence(order=(0, index, 0), prompt=prompt))
        sequences[-1].table.grow(end, write_from=0)
    long, short = sequences
    logits = []
    for entries in (
        [ScheduledTokens(short, 0, _NUM_TOKENS), ScheduledTokens(long, 0, num_long)],
        [ScheduledTokens(long, num_long, ends[0]), ScheduledTokens(short, _NUM_TOKENS, ends[1])],
    ):
        batch = build_batch(entries, block_size)
        logits.append(runner.run(batch, [span.row + span.num_tokens - 1 for span in batch.spans]).float())
    runner.clear_blocks([block for sequence in sequences for block in sequence.table.block_ids])
    return torch.cat(logits)
