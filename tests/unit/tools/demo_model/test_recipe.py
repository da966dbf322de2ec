"""The schedules: what is read when, and how fast is learnt."""

from dataclasses import replace

import pytest
import torch
from transformers import AutoModelForCausalLM

from engine.demo_model import DEMO_MODEL
from tools.demo_model.recipe import CHUNK, FROM_NOTHING, REFRESH, Schedule
from tools.demo_model.training import new_model, trained_model

SCHEDULES = [FROM_NOTHING, REFRESH, replace(REFRESH, num_steps=3 * CHUNK)]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_rates_rise_to_the_peak_and_fall_to_nothing(schedule: Schedule) -> None:
    rates = [schedule.rate_at(step) for step in range(schedule.num_steps)]
    top = rates.index(max(rates))
    assert max(rates) == schedule.peak
    assert rates[: top + 1] == sorted(rates[: top + 1])
    assert rates[top:] == sorted(rates[top:], reverse=True)
    assert 0 < rates[-1] < schedule.peak / 20


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_every_step_has_a_blend(schedule: Schedule) -> None:
    blends = [schedule.blend_at(step / schedule.num_steps) for step in range(schedule.num_steps)]
    assert list(dict.fromkeys(blends)) == list(schedule.curriculum)


def test_a_refresh_starts_from_the_exported_weights() -> None:
    started = trained_model(DEMO_MODEL)
    exported = AutoModelForCausalLM.from_pretrained(DEMO_MODEL, dtype=torch.float32)
    assert started.dtype == torch.float32
    assert started.config.hidden_size == new_model().config.hidden_size
    for name, value in exported.state_dict().items():
        assert torch.equal(started.state_dict()[name], value), name
