"""Proves at load that paged attention computes what the model's own attention does."""

import torch
from torch import Tensor
from transformers import PreTrainedModel

from engine.batch import build_batch
from engine.errors import ModelNotSupported
from engine.kv_cache import BlockPool
from engine.model_runner import ModelRunner
from engine.plain_pass import is_same, plain_logits, relative_difference
from engine.schedule import Work
from engine.scheduler import Scheduler

_NUM_TOKENS = 8
_NUM_IN_FIRST_CHUNK = 5


def check_attention(model: PreTrainedModel, runner: ModelRunner) -> None:
    """Runs a few tokens in two chunks and by transformers' eager attention at once, and compares logits.

    Uses the first blocks of an empty cache, and clears them. Raises ModelNotSupported on a difference.
    """
    token_ids = list(range(_NUM_TOKENS))
    difference = relative_difference(_paged_logits(runner, token_ids), plain_logits(model, token_ids))
    if not is_same(difference, model.dtype):
        raise ModelNotSupported(
            f"paged attention differs from {type(model).__name__}'s own by {difference:.1%} of its logits"
        )


def _paged_logits(runner: ModelRunner, token_ids: list[int]) -> Tensor:
    """[num_tokens, vocab_size], of one sequence computed in two chunks."""
    block_size = runner.pages.block_size
    pool = BlockPool(-(-len(token_ids) // block_size), block_size)
    scheduler = Scheduler(pool, max_batch_tokens=len(token_ids), max_num_sequences=1)
    sequence = scheduler.new_sequence(order=(0, 0, 0), prompt_token_ids=token_ids)
    sequence.table.grow(len(token_ids), write_from=0)
    chunks = []
    for start, end in ((0, _NUM_IN_FIRST_CHUNK), (_NUM_IN_FIRST_CHUNK, len(token_ids))):
        batch = build_batch([Work(sequence, start, end)], block_size, runner.device)
        chunks.append(runner.run(batch, list(range(end - start))).float())
    runner.pages.clear(sequence.table.block_ids)
    return torch.cat(chunks)
