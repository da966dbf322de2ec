"""A model computes a sequence in parts with its own cache, which is measured and copied whole."""

import pytest
import torch
from transformers import OpenAIGPTConfig, OpenAIGPTLMHeadModel

from engine.model.fallback.own_cache import CachedModel
from engine.port.errors import ModelNotSupported
from tests.unit.engine.model.fallback.models import eager_model, whole_logits

TOKENS = [5, 9, 2, 77, 31, 8]


def test_the_bytes_of_a_cache_are_those_of_its_keys_and_values() -> None:
    cached = CachedModel(eager_model("bloom"))
    cache = cached.new_cache()
    assert cache.num_bytes == 0
    cached.compute(cache, torch.tensor(TOKENS), torch.tensor([5]))
    assert cache.num_bytes == 3 * 2 * len(TOKENS) * 48 * 4  # layers, keys and values, tokens, width, float32
    assert cache.num_tokens == len(TOKENS)


def test_a_state_that_is_no_cache_of_transformers_is_measured_too() -> None:
    cached = CachedModel(eager_model("rwkv"))
    cache = cached.new_cache()
    cached.compute(cache, torch.tensor(TOKENS), torch.tensor([5]))
    first = cache.num_bytes
    cached.compute(cache, torch.tensor(TOKENS), torch.tensor([5]))
    assert cache.num_bytes == first == 5 * 48 * 3 * 4


@pytest.mark.parametrize("architecture", ["bloom", "rwkv", "recurrent_gemma", "minimax"])
def test_a_copy_goes_on_by_itself(architecture: str) -> None:
    model = eager_model(architecture)
    cached = CachedModel(model)
    cache = cached.new_cache()
    cached.compute(cache, torch.tensor(TOKENS[:4]), torch.tensor([3]))
    copy = cache.copy()
    for each, token in ((cache, 40), (copy, 50), (cache, 41), (copy, 51)):
        logits = cached.compute(each, torch.tensor([token]), torch.tensor([0]))
    for each, last in ((cache, [40, 41, 7]), (copy, [50, 51, 7])):
        logits = cached.compute(each, torch.tensor([7]), torch.tensor([0]))
        assert torch.allclose(logits[0], whole_logits(model, TOKENS[:4] + last)[-1], atol=1e-3)


def test_only_the_rows_that_are_asked_for_are_returned() -> None:
    model = eager_model("gptj")
    cached = CachedModel(model)
    logits = cached.compute(cached.new_cache(), torch.tensor(TOKENS), torch.tensor([4, 1]))
    assert torch.allclose(logits, whole_logits(model, TOKENS)[[4, 1]], atol=1e-4)
    none = cached.compute(cached.new_cache(), torch.tensor(TOKENS), torch.tensor([], dtype=torch.int64))
    assert none.shape == (0, logits.shape[1])


def test_a_model_that_takes_no_cache_is_refused() -> None:
    config = OpenAIGPTConfig(vocab_size=32, n_positions=16, n_embd=16, n_layer=1, n_head=2)
    with pytest.raises(ModelNotSupported, match="OpenAIGPTLMHeadModel takes no cache"):
        CachedModel(OpenAIGPTLMHeadModel(config))
