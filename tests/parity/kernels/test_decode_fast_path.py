"""Steps that decode, without the model's own forward, give bit by bit what that gives."""

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers.models.qwen2.modeling_qwen2 import Qwen2ForCausalLM

from engine.scheduling.schedule import ScheduledTokens
from tests.parity.kernels.decoding_engine import NUM_LAYERS, apart, build_engine
from tests.support.selection.instructions import needs_compiled_bfloat16

pytestmark = needs_compiled_bfloat16


@pytest.mark.parametrize("ties_head", [True, False])
@pytest.mark.parametrize("architecture", ["qwen2", "qwen3", "llama", "mistral"])
def test_a_step_that_decodes_is_not_the_models_own_forward_and_gives_the_same(
    architecture: str, ties_head: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = build_engine(tmp_path, monkeypatch, architecture, tie_word_embeddings=ties_head)
    sequences = engine.sequences(9)
    expected = apart(engine, sequences, monkeypatch)
    hidden = engine.runner.hidden_states
    monkeypatch.setattr(engine.model, "forward", None)
    assert torch.equal(engine.decode(sequences), expected)
    assert torch.equal(engine.runner.hidden_states, hidden)
    entries = [ScheduledTokens(each, each.num_tokens - 1, each.num_tokens) for each in sequences]
    assert torch.equal(engine.run(entries, [7, 2]), expected[[7, 2]])


def test_more_rows_than_a_stack_takes_are_the_models_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = build_engine(tmp_path, monkeypatch, "qwen2")
    sequences = engine.sequences(65)
    expected = apart(engine, sequences, monkeypatch)
    assert torch.equal(engine.decode(sequences), expected)
    monkeypatch.setattr(engine.model, "forward", None)
    with pytest.raises(TypeError):
        engine.decode(sequences)


def test_a_model_that_does_more_to_its_logits_keeps_its_forward(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forward: Any = Qwen2ForCausalLM.forward

    def forward_with_more(self: Any, **options: Any) -> Any:
        output = forward(self, **options)
        output.logits = output.logits * 2
        return output

    monkeypatch.setattr(Qwen2ForCausalLM, "forward", forward_with_more)
    engine = build_engine(tmp_path, monkeypatch, "qwen2")
    assert engine.num_stacked == NUM_LAYERS and engine.runner.decode_path is None
