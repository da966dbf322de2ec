import math
import random

import pytest
import torch

from engine.port.errors import GenerationFailed
from engine.port.request import SamplingParams, Watermark
from engine.port.text.sampled import Sampled
from engine.port.text.tokenizer import Tokenizer
from engine.sampling.logits.watermark import WatermarkScore, detect, green_mask
from tests.unit.engine.port.text import tiny_tokenizers
from tests.unit.engine.sampling.sampling_cases import CPU, sample, state

TOKENIZER = tiny_tokenizers.byte_level()


def generate(tokenizer: Tokenizer, params: SamplingParams, num_tokens: int) -> list[int]:
    """From random logits, new ones at every step."""
    sequence = state(tokenizer, params)
    generator = torch.Generator().manual_seed(params.seed or 0)
    token_ids: list[int] = []
    for _ in range(num_tokens):
        [sampled] = sample(tokenizer, torch.randn(1, tokenizer.vocab_size, generator=generator), [sequence])
        assert not isinstance(sampled, GenerationFailed)
        assert isinstance(sampled, Sampled)
        sequence.accept(sampled.token_id)
        token_ids.append(sampled.token_id)
    return token_ids


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "watermark", [Watermark(), Watermark(gamma=0.25, delta=2.0)], ids=["gamma 0.5", "gamma 0.25"]
)
def test_marked_text_of_200_tokens_is_found(watermark: Watermark, seed: int) -> None:
    score = detect(generate(TOKENIZER, SamplingParams(seed=seed, watermark=watermark), 200), watermark.gamma)
    assert score.z_score > 4
    assert score.p_value < 1e-4
    assert score.num_scored > 150


@pytest.mark.parametrize("seed", range(5))
def test_unmarked_text_is_not_found(seed: int) -> None:
    score = detect(generate(TOKENIZER, SamplingParams(seed=seed), 200))
    assert abs(score.z_score) < 4


@pytest.mark.parametrize("gamma", [0.1, 0.5, 0.9])
def test_false_alarms_come_as_often_as_the_p_value_says(gamma: float) -> None:
    generator = random.Random(0)
    texts = [[generator.randrange(50_000) for _ in range(60)] for _ in range(500)]
    scores = [detect(text, gamma) for text in texts]
    mean = sum(score.z_score for score in scores) / len(scores)
    variance = sum(score.z_score**2 for score in scores) / len(scores)
    assert abs(mean) < 4 / math.sqrt(500)
    assert 0.75 < variance < 1.25
    alarms = sum(score.p_value < 0.05 for score in scores)
    assert 7 < alarms < 45  # 25 expected, standard deviation 5


def test_repetition_is_scored_once() -> None:
    assert detect([3, 8] * 100).num_scored == 2


def test_the_detector_counts_what_the_sampler_marks() -> None:
    text = [random.Random(1).randrange(300) for _ in range(400)]
    pairs = set(zip(text, text[1:], strict=False))
    num_green = sum(int(green_mask(before, 300, 0.3, device=CPU)[after]) for before, after in pairs)
    assert detect(text, 0.3).num_green == num_green


@pytest.mark.parametrize("token_ids", [[], [5]])
def test_text_without_a_pair_says_nothing(token_ids: list[int]) -> None:
    assert detect(token_ids) == WatermarkScore(0, 0, 0.0, 0.5)


@pytest.mark.parametrize("gamma", [0.01, 0.25, 0.5, 0.99])
def test_gamma_is_the_share_of_green_tokens(gamma: float) -> None:
    share = float(green_mask(17, 100_000, gamma, device=CPU).mean())
    assert abs(share - gamma) < 5 * math.sqrt(gamma * (1 - gamma) / 100_000)
