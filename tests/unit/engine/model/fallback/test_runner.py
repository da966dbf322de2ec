"""The runner of the fallback path gives each sequence its own cache, and frees it when nobody owns it."""

import torch

from engine.model.fallback.runner import FallbackRunner
from tests.unit.engine.model.fallback.models import BLOCK_SIZE, batch, eager_model, sequence, whole_logits

FIRST, SECOND = [5, 9, 2, 77, 31, 8], [44, 3, 17]


def test_rows_of_a_batch_are_those_of_each_sequence_by_itself() -> None:
    model = eager_model("falcon")
    runner = FallbackRunner(model, BLOCK_SIZE)
    first, second = sequence(0, FIRST), sequence(1, SECOND)
    runner.run(batch(runner, (first, 0, 4)), [])
    both = batch(runner, (first, 4, 6), (second, 0, 3))
    logits = runner.run(both, [4, 0, 2])
    assert runner.hidden_states.shape == (5, 48)
    rows = [whole_logits(model, SECOND), whole_logits(model, FIRST)[4:]]
    expected = torch.cat(rows if both.entries[0].sequence is second else rows[::-1])
    assert torch.allclose(logits, expected[[4, 0, 2]], atol=1e-4)


def test_no_rows_give_no_logits() -> None:
    runner = FallbackRunner(eager_model("bloom"), BLOCK_SIZE)
    logits = runner.run(batch(runner, (sequence(0, FIRST), 0, 4)), [])
    assert logits.shape[0] == 0
    assert len(runner._caches) == 1


def test_a_slot_is_copied_begun_anew_and_released() -> None:
    model = eager_model("rwkv")
    runner = FallbackRunner(model, BLOCK_SIZE)
    parent, child = sequence(0, FIRST), sequence(1, [*FIRST[:4], 60])
    runner.run(batch(runner, (parent, 0, 4)), [])
    runner.copy_states([(0, 1)])
    runner.release_states([0])
    assert len(runner._caches) == 1
    logits = runner.run(batch(runner, (child, 4, 5)), [0])
    assert torch.allclose(logits[0], whole_logits(model, child.token_ids)[-1], atol=1e-3)
    anew = sequence(1, SECOND)
    logits = runner.run(batch(runner, (anew, 0, 3)), [2])
    assert torch.allclose(logits[0], whole_logits(model, SECOND)[-1], atol=1e-3)
    runner.release_states([0, 1])
    assert not runner._caches


def test_a_chunk_is_continued_token_by_token_if_it_must_be() -> None:
    model = eager_model("recurrent_gemma")
    runner = FallbackRunner(model, BLOCK_SIZE)
    runner.is_stepwise = True
    first = sequence(0, FIRST)
    runner.run(batch(runner, (first, 0, 3)), [])
    logits = runner.run(batch(runner, (first, 3, 6)), [2, 0])
    assert torch.allclose(logits, whole_logits(model, FIRST)[[5, 3]], atol=1e-3)
