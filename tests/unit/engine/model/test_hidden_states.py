"""The input of a model's head is found whatever module its class calls as its body."""

from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM, OPTConfig, OPTForCausalLM, PreTrainedModel

from engine.build import build_parts
from engine.model.checks.self_check import paged_logits
from engine.port.errors import ModelNotSupported
from tests.support.tiny_models.config import tiny_config
from tests.support.tiny_models.text import save_tiny_model, tiny_tokenizer


def save_opt(directory: Path) -> Path:
    """A model whose head calls the decoder in the body, which projects its output to fewer entries."""
    save_tiny_model(directory)
    (directory / "generation_config.json").unlink()
    config = OPTConfig(
        vocab_size=len(tiny_tokenizer()), hidden_size=48, word_embed_proj_dim=32, ffn_dim=64,
        num_hidden_layers=2, num_attention_heads=4, max_position_embeddings=64, init_std=0.3,
    )  # fmt: skip
    OPTForCausalLM(config).save_pretrained(directory)
    return directory


def test_a_head_that_calls_the_decoder_itself_is_served(tmp_path: Path) -> None:
    save_opt(tmp_path)
    parts = build_parts(tiny_config(tmp_path, dtype="float32"), lambda line: None)
    assert (parts.info.architecture, parts.info.hidden_size) == ("OPTForCausalLM", 32)
    expected = AutoModelForCausalLM.from_pretrained(tmp_path)
    with torch.inference_mode():
        logits = expected(input_ids=torch.arange(8)[None]).logits[0]
    assert torch.allclose(paged_logits(parts.runner), logits, atol=1e-3)


def test_a_model_that_calls_no_body_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_opt(tmp_path)
    monkeypatch.setattr(PreTrainedModel, "get_decoder", lambda self: None)
    with pytest.raises(ModelNotSupported, match="OPTForCausalLM does not call its body as a module"):
        build_parts(tiny_config(tmp_path), lambda line: None)
