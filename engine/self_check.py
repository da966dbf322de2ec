"""Proves at load that paged attention computes what the model's own attention does."""

import torch
from torch import Tensor
from transformers import PreTrainedModel

from engine.attention import ATTENTION_NAME
from engine.batch import build_batch
from engine.errors import ModelNotSupported
from engine.kv_cache import BlockPool
from engine.model_runner import ModelRunner
from engine.schedule import Work
from engine.scheduler import Scheduler

_NUM_TOKENS = 8
_NUM_IN_FIRST_CHUNK = 5
# Largest relative difference of logits. Wrong attention gives some 0.5; 16-bit arithmetic up to some 0.05.
_TOLERANCE = {torch.float32: 1e-3}
_TOLERANCE_16_BIT = 0.2


def check_attention(model: PreTrainedModel, runner: ModelRunner) -> None:
    """Runs a few tokens in two chunks and by transformers' eager attention at once, and compares logits.

    Uses the first blocks of an empty cache, and clears them. Raises ModelNotSupported on a difference.
    """
    token_ids = list(range(_NUM_TOKENS))
    ours, theirs = _paged_logits(runner, token_ids), _eager_logits(model, token_ids)
    differences = (ours - theirs).norm(dim=-1) / theirs.norm(dim=-1)
    # The median, since 16-bit rounding may send single tokens of a mixture to other experts.
    difference = differences.median().item()
    if not difference < _TOLERANCE.get(model.dtype, _TOLERANCE_16_BIT):
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


@torch.inference_mode()
def _eager_logits(model: PreTrainedModel, token_ids: list[int]) -> Tensor:
    model.set_attn_implementation("eager")
    try:
        input_ids = torch.tensor([token_ids], device=model.device)
        logits: Tensor = model(input_ids=input_ids, use_cache=False).logits
    finally:
        model.set_attn_implementation(ATTENTION_NAME)
    return logits[0].float()
