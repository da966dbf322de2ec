"""Hybrids in bfloat16 and with 8 bits give each token about the probability that float32 gives it.

They are computed as they are served: in chunks, several at once, then token by token from their states.
"""

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM

from engine.build import build_core
from engine.config import EngineConfig
from engine.model.checks.reference_pass import reference_logits
from engine.port.events import TokenEvent
from engine.port.request import SamplingParams, StopConditions
from tests.support.engine_requests import generation_request
from tests.support.selection.effort import usually
from tests.support.selection.instructions import needs_compiler
from tests.support.tiny_models.text import HYBRIDS, save_tiny_model

_NUM_TOKENS = 12
_PROMPTS = [tuple(range(start, start + length)) for start, length in ((3, 37), (60, 5), (90, 21))]
# The largest median error of a log-probability, in standard deviations of these. A state that is lost or
# another sequence's gives more than a half.
_MAX_ERROR = 0.15


@needs_compiler
@pytest.mark.by_turns("architecture", "quantize")
@pytest.mark.parametrize("quantize", [None, "int8"])
@pytest.mark.parametrize("architecture", usually(HYBRIDS, ("qwen3_next", "lfm2", "falcon_h1", "mamba")))
def test_generated_tokens_are_as_likely_as_in_float32(
    architecture: str, quantize: str | None, tmp_path: Path
) -> None:
    directory = save_tiny_model(tmp_path, architecture, has_end_token=False)
    config = EngineConfig(
        model=str(directory), device="cpu", dtype="bfloat16", quantize=quantize, num_kv_blocks=64,
        max_batch_tokens=16, max_num_sequences=3,
    )  # fmt: skip
    built = build_core(config, lambda line: None)
    core, info = built.core, built.info
    assert info.num_state_slots and (info.num_int8_layers > 0) is (quantize is not None)
    for arrival, prompt in enumerate(_PROMPTS):
        core.add(
            arrival,
            generation_request(
                request_id=str(arrival),
                token_ids=prompt,
                sampling=SamplingParams(temperature=0.0, num_logprobs=1),
                stopping=StopConditions(max_tokens=_NUM_TOKENS),
            ),
        )
    events: list[list[TokenEvent]] = [[] for _ in _PROMPTS]
    while core.has_work:
        for arrival, event in core.step():
            assert isinstance(event, TokenEvent), event
            events[arrival].append(event)
    core.close()
    auto: Any = AutoModelForCausalLM
    exact = auto.from_pretrained(directory, dtype=torch.float32)
    errors, spread = [], []
    for prompt, generated in zip(_PROMPTS, events, strict=True):
        tokens = [*prompt, *(event.token_id for event in generated)]
        expected = reference_logits(exact, tokens).float().log_softmax(-1)[len(prompt) - 1 : -1]
        spread.append(expected.std())
        for row, event in zip(expected, generated, strict=True):
            assert event.logprob is not None
            errors.append(abs(event.logprob - float(row[event.token_id])))
    assert torch.tensor(errors).median() < _MAX_ERROR * torch.stack(spread).mean()
