"""Models that read images serve text as transformers' whole model computes it, without their other parts."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
from transformers import (
    AutoModelForImageTextToText,
    AyaVisionConfig,
    CLIPVisionConfig,
    Cohere2Config,
    Gemma3Config,
    Gemma4Config,
    GenerationConfig,
    Idefics3Config,
    InternVLConfig,
    Lfm2Config,
    Lfm2VlConfig,
    Llama4Config,
    LlamaConfig,
    LlavaConfig,
    LlavaNextConfig,
    LlavaOnevisionConfig,
    Mistral3Config,
    MistralConfig,
    PixtralVisionConfig,
    PreTrainedConfig,
    Qwen2_5_VLConfig,
    Qwen2Config,
    Qwen2VLConfig,
    Qwen3VLConfig,
    Siglip2VisionConfig,
    SiglipVisionConfig,
    SmolVLMConfig,
)

from engine.build import build_core
from engine.config import EngineConfig
from engine.events import TokenEvent
from engine.request import SamplingParams, StopConditions
from tests.requests import generation_request
from tests.tiny import tiny_tokenizer

NUM_PROMPTS = 6
MAX_TOKENS = 8
_SIZES: dict[str, Any] = {
    "vocab_size": 274,
    "hidden_size": 64,
    "intermediate_size": 64,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 512,
    "initializer_range": 0.3,
    "bos_token_id": None,
    "eos_token_id": None,
    "pad_token_id": 273,  # whose embedding is zero
}
_THREE_AXES = {"rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [2, 3, 3]}}
_EYES: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 32,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
}
_SMALL = {**_EYES, "image_size": 28, "patch_size": 14}
_QWEN_EYES = {"depth": 1, "hidden_size": 32, "out_hidden_size": 64, "num_heads": 2, "intermediate_size": 32}

FAMILIES: dict[str, Callable[[], PreTrainedConfig]] = {
    "qwen2_vl": lambda: Qwen2VLConfig(
        text_config=_SIZES | _THREE_AXES,
        vision_config={"depth": 1, "embed_dim": 32, "hidden_size": 64, "num_heads": 2},
    ),
    "qwen2_5_vl": lambda: Qwen2_5_VLConfig(text_config=_SIZES | _THREE_AXES, vision_config=_QWEN_EYES),
    "qwen3_vl": lambda: Qwen3VLConfig(
        text_config=_SIZES | _THREE_AXES | {"head_dim": 16},
        vision_config=_QWEN_EYES | {"deepstack_visual_indexes": [0]},
    ),
    "gemma3": lambda: Gemma3Config(
        text_config=_SIZES
        | {"head_dim": 16, "sliding_window": 9, "query_pre_attn_scalar": 16}
        | {"layer_types": ["sliding_attention", "full_attention", "sliding_attention"]},
        vision_config=_SMALL,
        mm_tokens_per_image=4,
    ),
    "gemma4": lambda: Gemma4Config(
        text_config=_SIZES
        | {"head_dim": 16, "num_hidden_layers": 4, "global_head_dim": 32, "num_kv_shared_layers": 2}
        | {"layer_types": ["sliding_attention", "full_attention"] * 2, "sliding_window": 9}
        | {"hidden_size_per_layer_input": 16, "vocab_size_per_layer_input": 274},
        vision_config=_EYES | {"head_dim": 16},
    ),
    "llama4": lambda: Llama4Config(
        text_config=_SIZES
        | {"head_dim": 16, "intermediate_size_mlp": 64, "num_local_experts": 2, "attention_chunk_size": 9}
        | {"no_rope_layers": [1, 0, 1], "floor_scale": 4, "interleave_moe_layer_step": 2},
        vision_config=_SMALL
        | {"vision_output_dim": 32, "projector_input_dim": 32, "projector_output_dim": 32},
    ),
    "mistral3": lambda: Mistral3Config(
        text_config=MistralConfig(**_SIZES), vision_config=PixtralVisionConfig(**_SMALL)
    ),
    "internvl": lambda: InternVLConfig(
        text_config=Qwen2Config(**_SIZES),
        vision_config={**_EYES, "image_size": [28, 28], "patch_size": [14, 14]},
    ),
    "smolvlm": lambda: SmolVLMConfig(text_config=LlamaConfig(**_SIZES), vision_config=_SMALL),
    "idefics3": lambda: Idefics3Config(text_config=LlamaConfig(**_SIZES), vision_config=_SMALL),
    "llava": lambda: LlavaConfig(text_config=LlamaConfig(**_SIZES), vision_config=CLIPVisionConfig(**_SMALL)),
    "llava_next": lambda: LlavaNextConfig(
        text_config=MistralConfig(**_SIZES), vision_config=CLIPVisionConfig(**_SMALL)
    ),
    "llava_onevision": lambda: LlavaOnevisionConfig(
        text_config=Qwen2Config(**_SIZES), vision_config=SiglipVisionConfig(**_SMALL)
    ),
    "lfm2_vl": lambda: Lfm2VlConfig(
        text_config=Lfm2Config(**_SIZES | {"layer_types": ["conv", "full_attention", "conv"]}),
        vision_config=Siglip2VisionConfig(**_EYES, patch_size=14),
    ),
    "aya_vision": lambda: AyaVisionConfig(
        text_config=Cohere2Config(**_SIZES, sliding_window=9), vision_config=SiglipVisionConfig(**_SMALL)
    ),
}


def save(directory: Path, family: str) -> Any:
    """Write a whole model of random weights, and return it."""
    torch.manual_seed(0)
    auto: Any = AutoModelForImageTextToText
    model = auto.from_config(FAMILIES[family](), dtype=torch.float32, attn_implementation="eager").eval()
    generation_config: Any = GenerationConfig
    model.generation_config = generation_config(pad_token_id=273)
    model.save_pretrained(directory)
    tiny_tokenizer().save_pretrained(directory)
    return model


@pytest.mark.parametrize("family", FAMILIES)
def test_text_alone_gives_the_tokens_of_the_whole_model(family: str, tmp_path: Path) -> None:
    whole = save(tmp_path, family)
    lines: list[str] = []
    config = EngineConfig(model=str(tmp_path), device="cpu", dtype="float32", max_batch_tokens=7)
    core, _, _ = build_core(config, lines.append)
    assert [line for line in lines if line.startswith("not used: ") and "vision" in line or "visual" in line]
    random = Random(family)
    prompts = [[random.randrange(256) for _ in range(random.randint(2, 24))] for _ in range(NUM_PROMPTS)]
    for number, prompt in enumerate(prompts):
        core.add(
            number,
            generation_request(
                request_id=str(number),
                token_ids=prompt,
                sampling=SamplingParams(temperature=0.0, num_logprobs=0),
                stopping=StopConditions(max_tokens=MAX_TOKENS),
            ),
        )
    events: dict[int, list[TokenEvent]] = {}
    while core.has_work:
        for number, event in core.step():
            assert isinstance(event, TokenEvent), event
            events.setdefault(number, []).append(event)
    for number, prompt in enumerate(prompts):
        tokens = [event.token_id for event in events[number]]
        with torch.inference_mode():
            logits = whole(input_ids=torch.tensor([prompt + tokens])).logits[0, len(prompt) - 1 : -1]
        assert tokens == logits.argmax(dim=-1).tolist()
        logprobs = logits.log_softmax(dim=-1).gather(1, torch.tensor(tokens)[:, None])[:, 0]
        assert [event.logprob for event in events[number]] == pytest.approx(logprobs.tolist(), abs=1e-4)


def test_no_weight_but_the_texts_is_in_memory(tmp_path: Path) -> None:
    whole = save(tmp_path, "gemma3")
    config = EngineConfig(model=str(tmp_path), device="cpu", dtype="float32")
    _, _, loaded = build_core(config, lambda line: None)
    text = whole.model.language_model.num_parameters() + whole.lm_head.weight.numel()
    assert loaded.num_parameters <= text < whole.num_parameters()
