"""At load the fallback path is compared with whole passes, and what it would compute wrongly is refused."""

from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, BloomForCausalLM, MistralConfig, PreTrainedModel

from engine.model.fallback.own_cache import CachedModel
from engine.model.fallback.runner import FallbackRunner
from engine.model.fallback.trial import CacheCost, _beyond_reach, choose_fallback_steps, observe_cost
from engine.port.errors import ModelNotSupported
from tests.parity.coverage.tiny_configs import tiny_config
from tests.unit.engine.model.fallback.models import BLOCK_SIZE, eager_model


def tried(model: PreTrainedModel) -> tuple[CacheCost, FallbackRunner]:
    runner = FallbackRunner(model, BLOCK_SIZE)
    return choose_fallback_steps(model, runner), runner


def test_the_cost_of_a_token_and_of_a_sequence_are_told_apart() -> None:
    cost, runner = tried(eager_model("bloom"))
    assert cost == CacheCost(3 * 2 * 48 * 4, 0)  # layers, keys and values, width, float32
    assert not runner.is_stepwise and not runner._caches
    assert tried(eager_model("rwkv"))[0] == CacheCost(0, 5 * 48 * 3 * 4)


def test_a_model_without_data_has_the_same_cost() -> None:
    with torch.device("meta"):
        model = eager_model("bloom")
    assert observe_cost(CachedModel(model)) == tried(eager_model("bloom"))[0]


def test_code_that_cannot_continue_in_chunks_does_so_token_by_token() -> None:
    assert tried(eager_model("recurrent_gemma"))[1].is_stepwise


@pytest.mark.parametrize(
    ("model_type", "reason"),
    [
        ("cpmant", "looks ahead: what it computes of a token depends on later ones"),
        ("moshi", "keeps the last 9 tokens in its cache, and sees all others within a prompt"),
    ],
)
def test_a_model_whose_tokens_depend_on_how_it_is_computed_is_refused(model_type: str, reason: str) -> None:
    auto: Any = AutoModelForCausalLM
    torch.manual_seed(0)
    model = auto.from_config(tiny_config(model_type), attn_implementation="eager").eval()
    with pytest.raises(ModelNotSupported, match=reason):
        tried(model)


def test_a_cache_that_gives_other_logits_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    forward: Any = BloomForCausalLM.forward

    def forgets(self: Any, *, use_cache: bool, past_key_values: Any = None, **options: Any) -> Any:
        return forward(self, use_cache=use_cache, past_key_values=None, **options)

    model = eager_model("bloom")
    runner = FallbackRunner(model, BLOCK_SIZE)
    monkeypatch.setattr(BloomForCausalLM, "forward", forgets)
    with pytest.raises(ModelNotSupported, match="does not continue a sequence from its own cache"):
        choose_fallback_steps(model, runner)


def test_logits_of_nan_are_refused() -> None:
    model = eager_model("bloom")
    with torch.no_grad():
        next(model.parameters())[3] = float("nan")
    with pytest.raises(ModelNotSupported, match="logits of NaN or infinity"):
        tried(model)


@pytest.mark.parametrize(("window", "num_tokens"), [(None, None), (5, None), (40, 49), (4096, None)])
def test_a_text_crosses_the_longest_window_that_can_be_tried(
    window: int | None, num_tokens: int | None
) -> None:
    config = MistralConfig(sliding_window=window, vocab_size=30)
    texts = list(_beyond_reach(config))
    assert [len(text.token_ids) for text in texts] == ([] if num_tokens is None else [num_tokens])
    for text in texts:
        assert max(text.token_ids) < 30
        assert [start for start, _ in text.parts[1:]] == [end for _, end in text.parts[:-1]]
        assert text.parts[1][0] < 40 < text.parts[1][1]


def test_a_chunk_that_is_wrong_beyond_a_window_alone_is_not_trusted() -> None:
    """Eight tokens do not show it."""
    model: Any = eager_model("bloom")
    model.config.sliding_window = 30
    forward = model.transformer.forward

    def forgets(*inputs: Any, past_key_values: Any = None, **options: Any) -> Any:
        past = past_key_values
        if past is not None and past.get_seq_length() > 20:
            past.crop(20)
        return forward(*inputs, past_key_values=past, **options)

    model.transformer.forward = forgets
    with pytest.raises(ModelNotSupported, match="does not continue a sequence from its own cache"):
        tried(model)
