"""The rules of timestamps, against transformers' own processor."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from transformers.generation.logits_process import WhisperTimeStampLogitsProcessor

from engine.port.request import TimestampRules
from engine.sampling.logits.timestamps import TimestampFilter

FIRST, END, VOCAB_SIZE = 12, 8, 40  # text, the end, three tokens that ask for something, timestamps
NO_TIMESTAMPS = FIRST - 1


def theirs(max_initial: int | None) -> Any:
    config: Any = SimpleNamespace(
        no_timestamps_token_id=NO_TIMESTAMPS,
        eos_token_id=END,
        bos_token_id=END,
        max_initial_timestamp_index=max_initial,
    )
    return WhisperTimeStampLogitsProcessor(config, begin_index=1)


@pytest.mark.parametrize("max_initial", [None, 5])
# The second is added to timestamps, so that they come rarely, now and then, or nearly always.
@pytest.mark.parametrize("shift", [-4.0, 0.0, 4.0])
def test_the_logits_are_those_of_transformers_along_random_sequences(
    max_initial: int | None, shift: float
) -> None:
    generator = torch.Generator().manual_seed(0)
    processor = theirs(max_initial)
    num_timestamps = 0
    for _ in range(30):
        ours = TimestampFilter(
            TimestampRules(
                first_timestamp_id=FIRST,
                text_end_id=END,
                max_initial_timestamp_id=None if max_initial is None else FIRST + max_initial,
            )
        )
        ids = [0]
        for _ in range(12):
            logits = 2 * torch.randn(VOCAB_SIZE, generator=generator)
            logits[FIRST:] += shift
            expected = processor(torch.tensor([ids]), logits[None].clone())[0]
            logits[NO_TIMESTAMPS] = -torch.inf
            state = ours.fork()
            state.apply(logits)
            assert torch.equal(logits, expected)
            if not bool(expected.isfinite().any()):
                break  # every later time is forbidden
            token_id = int(torch.multinomial(expected.softmax(-1), 1, generator=generator))
            ids.append(token_id)
            num_timestamps += token_id >= FIRST
            ours.accept(token_id)
    assert num_timestamps > 30  # each sequence begins with one
