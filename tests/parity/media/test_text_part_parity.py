"""Models that read images serve text as transformers' whole model computes it, without their other parts."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from transformers import (
    AutoModelForCausalLM,
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
from engine.port.events import TokenEvent
from engine.port.request import SamplingParams, StopConditions
from tests.support.engine_requests import generation_request
from tests.support.selection.effort import usually
from tests.support.tiny_models.config import tiny_config
from tests.support.tiny_models.gemma3n import gemma3n_with_eyes
from tests.support.tiny_models.sizes import (
    EYES,
    GEMMA4_EYES,
    PAD_ID,
    QWEN_EYES,
    THREE_AXES,
    gemma3_text,
    gemma4_text,
    text_sizes,
)
from tests.support.tiny_models.text import tiny_tokenizer

NUM_PROMPTS = 6
MAX_TOKENS = 8
_SIZES = text_sizes()
_SMALL = {**EYES, "image_size": 28, "patch_size": 14}

FAMILIES: dict[str, Callable[[], PreTrainedConfig]] = {
    "qwen2_vl": lambda: Qwen2VLConfig(
        text_config=_SIZES | THREE_AXES,
        vision_config={"depth": 1, "embed_dim": 32, "hidden_size": 64, "num_heads": 2},
    ),
    "qwen2_5_vl": lambda: Qwen2_5_VLConfig(text_config=_SIZES | THREE_AXES, vision_config=QWEN_EYES),
    "qwen3_vl": lambda: Qwen3VLConfig(
        text_config=_SIZES | THREE_AXES | {"head_dim": 16},
        vision_config=QWEN_EYES | {"deepstack_visual_indexes": [0]},
    ),
    "gemma3": lambda: Gemma3Config(
        text_config=gemma3_text(_SIZES),
        vision_config=_SMALL,
        mm_tokens_per_image=4,
    ),
    "gemma4": lambda: Gemma4Config(
        text_config=gemma4_text(_SIZES),
        vision_config=GEMMA4_EYES,
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
        vision_config={**EYES, "image_size": [28, 28], "patch_size": [14, 14]},
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
        vision_config=Siglip2VisionConfig(**EYES, patch_size=14),
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
    model.generation_config = generation_config(pad_token_id=PAD_ID)
    model.save_pretrained(directory)
    tiny_tokenizer().save_pretrained(directory)
    return model


@pytest.mark.parametrize("family", usually(FAMILIES, list(FAMILIES)[:4]))
def test_text_alone_gives_the_tokens_of_the_whole_model(family: str, tmp_path: Path) -> None:
    assert_served(tmp_path, save(tmp_path, family), family)


def test_the_text_of_gemma3n_needs_no_timm(tmp_path: Path) -> None:
    first = _SIZES["vocab_size"] - 6
    config = gemma3n_with_eyes({}, _SIZES | {"pad_token_id": 0}, first, first + 3)
    torch.manual_seed(0)
    auto: Any = AutoModelForCausalLM
    text = auto.from_config(config.get_text_config(), dtype=torch.float32, attn_implementation="eager").eval()
    config.architectures = ["Gemma3nForConditionalGeneration"]
    config.save_pretrained(tmp_path)
    tiny_tokenizer().save_pretrained(tmp_path)
    stored = {
        name.replace("model.", "model.language_model.", 1): tensor
        for name, tensor in text.state_dict().items()
    }
    eyes = {"model.vision_tower.timm_model.conv_stem.conv.weight": torch.ones(8, 3, 3, 3)}
    save_file(stored | eyes, tmp_path / "model.safetensors", metadata={"format": "pt"})
    assert_served(tmp_path, text, "gemma3n")


def assert_served(directory: Path, whole: Any, family: str) -> None:
    """Compare the tokens of a served directory with a model's."""
    lines: list[str] = []
    config = tiny_config(directory, dtype="float32", max_batch_tokens=7)
    core = build_core(config, lines.append).core
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
    config = tiny_config(tmp_path, dtype="float32")
    loaded = build_core(config, lambda line: None).info
    text = whole.model.language_model.num_parameters() + whole.lm_head.weight.numel()
    assert loaded.num_parameters <= text < whole.num_parameters()
