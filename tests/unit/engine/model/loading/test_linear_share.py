"""Weights keep 16 bits only in models whose products compiled code computes."""

import pytest
from transformers import LlamaConfig, MixtralConfig, PreTrainedConfig

from engine.model.loading.linear_share import is_mostly_linear
from tests.support.tiny_models.text import ARCHITECTURES

# Experts, or layers of transformers' own Conv1D, hold most of their weights.
OTHERS = {"mixtral", "qwen3_moe", "gpt_oss", "deepseek_v3", "llama4", "gpt2"}


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_models_of_plain_linear_layers_are_told_from_others(architecture: str) -> None:
    config = ARCHITECTURES[architecture]()
    before = config.to_dict()
    assert is_mostly_linear(config) == (architecture not in OTHERS)
    assert config.to_dict() == before


@pytest.mark.parametrize("config", [LlamaConfig(hidden_size=2048), MixtralConfig()])
def test_weights_of_any_size_take_no_memory(config: PreTrainedConfig) -> None:
    assert is_mostly_linear(config) == isinstance(config, LlamaConfig)


def test_a_config_that_makes_no_model_is_not_asked_further() -> None:
    assert not is_mostly_linear(PreTrainedConfig())
