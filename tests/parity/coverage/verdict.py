"""The trial of one model type: its tiny model is served and compared with transformers, or it is refused."""

import traceback
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from random import Random
from typing import Any

import torch
from torch import nn
from transformers import GenerationConfig, PreTrainedModel
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING,
    MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING,
)
from transformers.pytorch_utils import Conv1D

from engine.build import build_core
from engine.config import EngineConfig
from engine.core.core import EngineCore
from engine.model.fallback.trial import STEPWISE
from engine.port.errors import ModelNotSupported
from engine.port.events import TokenEvent
from engine.port.info.model_info import ModelInfo
from engine.port.request import SamplingParams, StopConditions
from tests.parity.coverage.tiny_configs import tiny_config
from tests.support.engine_requests import generation_request
from tests.support.tiny_models.text import tiny_tokenizer

_OTHERS: Any = MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING
MAX_TOKENS = 8
_LENGTHS = (1, 2, 9, 16, 21, 30)  # those of the prompts; the last two begin alike
_CONTEXT = 96
# Wide enough that greedy decoding wanders over the vocabulary instead of repeating one token.
_SPREAD = 0.25
# Steps after which each prompt arrives, so that some are computed while others decode.
_ARRIVALS = (0, 0, 1, 2, 5, 9)
_ENGINE: dict[str, Any] = {
    "max_batch_tokens": 13,
    "block_size": 4,
    "num_kv_blocks": 64,
    "max_num_sequences": 8,
}


class Outcome(Enum):
    """The result of trying a model type. WRONG and BROKEN are our faults; UNTRIED has no tiny model."""

    SERVED = "served"
    REFUSED = "refused"
    WRONG = "wrong"
    BROKEN = "broken"
    UNTRIED = "untried"


@dataclass(frozen=True)
class Verdict:
    """The outcome for one type. detail: how it is served, or why it is not, in one line."""

    model_type: str
    outcome: Outcome
    detail: str


def judge(model_type: str, directory: Path) -> Verdict:
    """Try a type, with its model and tokenizer written to this empty directory."""
    try:
        model = _tiny_model(model_type)
        prompts = _prompts(model_type)
        expected = [_generate(model, prompt) for prompt in prompts]
    except Exception as error:  # transformers, and whatever a tiny size breaks in it
        return Verdict(model_type, Outcome.UNTRIED, _line(error))
    directory = directory / model_type  # refusals name it
    model.save_pretrained(directory)
    tiny_tokenizer().save_pretrained(directory)
    config = EngineConfig(
        model=str(directory), device="cpu", dtype="float32", max_total_tokens=_CONTEXT, **_ENGINE
    )
    said: list[str] = []
    try:
        built = build_core(config, said.append)
        core, info = built.core, built.info
    except ModelNotSupported as error:
        return Verdict(model_type, Outcome.REFUSED, str(error).replace(str(directory), model_type))
    except Exception as error:
        return Verdict(model_type, Outcome.BROKEN, _line(error))
    try:
        for _ in range(2):  # the second time from what the prefix cache holds
            if (tokens := _serve(core, prompts)) != expected:
                return Verdict(model_type, Outcome.WRONG, f"{tokens} instead of {expected}")
    except Exception as error:
        return Verdict(model_type, Outcome.BROKEN, _line(error))
    finally:
        core.close()
    return Verdict(model_type, Outcome.SERVED, _way(info, said))


def _way(info: ModelInfo, said: list[str]) -> str:
    """Return how a model is served. said: the lines at its start."""
    if info.paged_obstacle is not None:
        steps = ", prompts token by token" if STEPWISE in said else ""
        return f"fallback path{steps}: {info.paged_obstacle}"
    return "with recurrent state" if info.num_state_slots else "paged attention"


def _line(error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {' '.join(str(error).split())[:150]} ({Path(frame.filename).name})"


def _tiny_model(model_type: str) -> PreTrainedModel:
    """Return a model of this type with random weights, in float32."""
    torch.manual_seed(0)
    config = tiny_config(model_type)
    known: Any = MODEL_FOR_CAUSAL_LM_MAPPING if type(config) in MODEL_FOR_CAUSAL_LM_MAPPING else _OTHERS
    model = known[type(config)]._from_config(config, dtype=torch.float32, attn_implementation="eager").eval()
    assert isinstance(model, PreTrainedModel)
    with torch.no_grad():
        for module in model.modules():
            if isinstance(module, nn.Linear | nn.Embedding | Conv1D):
                module.weight.normal_(0.0, _SPREAD)
    generation_config: Any = GenerationConfig
    model.generation_config = generation_config(pad_token_id=0)
    model.tie_weights()
    return model


def _prompts(model_type: str) -> list[list[int]]:
    random = Random(model_type)
    longest = [random.randrange(3, 250) for _ in range(max(_LENGTHS))]
    others = [[random.randrange(3, 250) for _ in range(length)] for length in _LENGTHS[:-2]]
    return [*others, longest[: _LENGTHS[-2]], longest]


def _generate(model: Any, prompt: list[int]) -> list[int]:
    ids = torch.tensor([prompt])
    with torch.inference_mode():
        output = model.generate(
            ids, attention_mask=torch.ones_like(ids), max_new_tokens=MAX_TOKENS, do_sample=False
        )
    tokens: list[int] = output[0, len(prompt) :].tolist()
    return tokens


def _serve(core: EngineCore, prompts: list[list[int]]) -> list[list[int]]:
    """Return the engine's greedy tokens for prompts that arrive while others run."""
    tokens: list[list[int]] = [[] for _ in prompts]
    for step in range(1_000):
        for number, (prompt, at_step) in enumerate(zip(prompts, _ARRIVALS, strict=True)):
            if at_step == step:
                request = generation_request(
                    request_id=str(number),
                    token_ids=prompt,
                    sampling=SamplingParams(temperature=0.0),
                    stopping=StopConditions(max_tokens=MAX_TOKENS, ignore_eos=True),
                )
                core.add(number, request)
        if step > max(_ARRIVALS) and not core.has_work:
            return tokens
        for arrival, event in core.step():
            if not isinstance(event, TokenEvent):
                raise event if isinstance(event, Exception) else TypeError(event)
            tokens[arrival].append(event.token_id)
    raise TimeoutError(f"{len(prompts)} prompts take more than 1,000 steps")
