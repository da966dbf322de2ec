"""The committed weights still do what they were trained for: a dozen held-out prompts, greedily."""

import pytest
from transformers import AutoModelForCausalLM

from engine.demo_model import DEMO_MODEL
from tools.demo_model.examinee import Examinee
from tools.demo_model.judge import is_right
from tools.demo_model.trials import trials

NUM_PROMPTS = 4


@pytest.fixture(scope="module")
def examinee() -> Examinee:
    return Examinee(DEMO_MODEL)


@pytest.mark.parametrize("thinking", [False, True])
@pytest.mark.parametrize("kind", ["greeting", "who are you", "tool call"])
def test_most_held_out_prompts_are_answered_right(examinee: Examinee, kind: str, thinking: bool) -> None:
    asked = trials(kind, NUM_PROMPTS, thinking)
    replies = examinee.replies(asked)
    right = [is_right(trial, reply) for trial, reply in zip(asked, replies, strict=True)]
    assert sum(right) >= NUM_PROMPTS - 1, replies


def test_the_weights_fit_the_package() -> None:
    model = AutoModelForCausalLM.from_pretrained(DEMO_MODEL)
    assert 3_000_000 < model.num_parameters() < 6_000_000
    assert (DEMO_MODEL / "model.safetensors").stat().st_size < 16 * 2**20
