"""Tiny models for the fallback path, and batches of their sequences."""

from typing import Any

import torch
from transformers import PreTrainedModel

from engine.attention.batch import Batch, build_batch
from engine.model.fallback.runner import FallbackRunner
from engine.port.request import Prompt
from engine.scheduling.block_pool import BlockPool
from engine.scheduling.schedule import ScheduledTokens
from engine.scheduling.scheduler import Scheduler
from engine.scheduling.sequence import Sequence
from tests.support.tiny_models.text import tiny_model

BLOCK_SIZE = 4


def eager_model(architecture: str) -> PreTrainedModel:
    return tiny_model(architecture, _attn_implementation="eager")


def whole_logits(model: Any, token_ids: list[int]) -> torch.Tensor:
    """Return the logits of a pass over a whole sequence, [num_tokens, vocab_size]."""
    with torch.inference_mode():
        logits: torch.Tensor = model(input_ids=torch.tensor([token_ids]), use_cache=False).logits[0]
    return logits


def sequence(slot: int, token_ids: list[int]) -> Sequence:
    """Return a sequence that owns a slot and enough blocks."""
    scheduler = Scheduler(BlockPool(16, BLOCK_SIZE), max_batch_tokens=16, max_num_sequences=1)
    made = scheduler.new_sequence(order=(0, slot, 0), prompt=Prompt(tuple(token_ids)))
    made.table.grow(len(token_ids), write_from=0)
    made.slot = slot
    return made


def batch(runner: FallbackRunner, *parts: tuple[Sequence, int, int]) -> Batch:
    """Return a batch of these sequences' tokens from a start to an end."""
    return build_batch([ScheduledTokens(*part) for part in parts], BLOCK_SIZE)
